"""Random reproduction: the baseline that a way to breed has to beat."""

from jaxtyping import Array, Float, Int, PRNGKeyArray

from tensorrvea.population import Offspring, Population
from tensorrvea.problem import Problem
from tensorrvea.settings import settings
from tensorrvea.variation.base import Forgetful


@settings
class Random(Forgetful):
    """Children are drawn as the first population was; nobody's genes are passed on."""

    def mates(self, offspring: int) -> int:
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
