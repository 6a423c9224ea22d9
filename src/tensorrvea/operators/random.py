"""Random sampling: the baseline for all other operators."""

from jaxtyping import Array, Float, Int, PRNGKeyArray

from tensorrvea.operators.base import Stateless
from tensorrvea.population import Offspring, Population
from tensorrvea.problem import Problem
from tensorrvea.settings import settings


@settings
class Random(Stateless):
    """Draw offspring as the first population was drawn, without regard to the parents."""

    def num_parents(self, offspring: int) -> int:
        del offspring
        return 0

    def __call__(
        self,
        key: PRNGKeyArray,
        survivors: Population,
        parents: Int[Array, " k"],
        score: Float[Array, " r"],
        problem: Problem,
        offspring: int,
    ) -> Offspring:
        del survivors, parents, score
        return Offspring(problem.sample(key, offspring))
