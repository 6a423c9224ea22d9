"""Random reproduction: the baseline that a way to breed has to beat."""

from jaxtyping import Array, Float, Int, PRNGKeyArray

from tensorrvea.operators.base import Stateless
from tensorrvea.population import Offspring, Population
from tensorrvea.problem import Problem
from tensorrvea.settings import settings


@settings
class Random(Stateless):
    """Children are drawn as the first population was; nobody's genes are passed on."""

    def num_parents(self, offspring: int) -> int:
        del offspring
        return 0

    def __call__(
        self,
        key: PRNGKeyArray,
        survivors: Population,
        mates: Int[Array, " k"],
        score: Float[Array, " r"],
        problem: Problem,
        offspring: int,
    ) -> Offspring:
        del survivors, mates, score
        return Offspring(problem.sample(key, offspring))
