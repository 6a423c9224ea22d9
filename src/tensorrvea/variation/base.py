"""What every way to breed has in common."""

from typing import Any, Protocol

from jaxtyping import Array, Float, Int, PRNGKeyArray

from tensorrvea.population import Offspring, Population
from tensorrvea.problem import Problem


class Variation(Protocol):
    """Breeds offspring from parents that the algorithm has chosen."""

    def mates(self, offspring: int) -> int:
        """How many parents it takes to breed this many offspring."""
        ...

    def remember(self, x: Float[Array, "n d"], objectives: int) -> Any:
        """The memory of individuals that nobody has bred: a first population."""
        ...

    def __call__(
        self,
        key: PRNGKeyArray,
        survivors: Population,
        mates: Int[Array, " k"],
        score: Float[Array, " r"],
        problem: Problem,
        offspring: int,
    ) -> Offspring:
        """Breeds ``offspring`` individuals.

        ``mates`` are the rows of the parents, in the order in which they breed; there are ``mates(offspring)``.
        ``score`` is the algorithm's own order of the survivors: smaller is better.
        """
        ...


class Forgetful:
    """A variation without memory."""

    def remember(self, x: Float[Array, "n d"], objectives: int) -> Any:
        del x, objectives
        return ()
