"""Random sampling: the baseline for all other operators."""

from jaxtyping import PRNGKeyArray

from tensorrvea.domain import Domain
from tensorrvea.operators.base import Mating, Variation
from tensorrvea.population import Offspring
from tensorrvea.settings import settings


@settings
class Random(Variation):
    """Draw offspring as the first population was drawn, without regard to the parents.

    >>> Random()
    Random()
    """

    def num_parents(self, offspring: int) -> int:
        del offspring
        return 0

    def __call__(self, key: PRNGKeyArray, mating: Mating, problem: Domain, offspring: int) -> Offspring:
        del mating
        return Offspring(problem.sample(key, offspring))
