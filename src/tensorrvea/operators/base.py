"""What every way to breed has in common."""

from typing import Any, Protocol

from jaxtyping import Array, Float, Int, PRNGKeyArray

from tensorrvea.checks import check_part
from tensorrvea.population import Offspring, Population
from tensorrvea.problem import Problem


class Variation(Protocol):
    """Breeds offspring from parents that the algorithm has chosen.

    It is a pytree of its numbers, as ``tensorrvea.settings.settings`` makes it: compiled code takes it as an argument.
    """

    def num_parents(self, offspring: int) -> int:
        """How many parents it takes to breed this many offspring."""
        ...

    def init_memory(self, x: Float[Array, "n d"], objectives: int) -> Any:
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

        ``mates`` are the rows of the parents, in the order in which they breed; there are ``num_parents(offspring)``. Where
        rows are divided over devices, both are for ``devices.padded_size(offspring)``, so that each device has as many.
        ``score`` is the algorithm's own order of the survivors: smaller is better.
        """
        ...


def check_variation(variation: Any) -> None:
    takes = "a way to breed, such as GA() or CSO()"
    check_part("variation", variation, "num_parents", "init_memory", "__call__", takes=takes)


def check_mutation(mutation: Any) -> None:
    takes = "a way to mutate, such as PolynomialMutation(), or PolynomialMutation(rate=0.0) for none"
    check_part("mutation", mutation, "__call__", takes=takes)


class Stateless:
    """A variation without memory."""

    def init_memory(self, x: Float[Array, "n d"], objectives: int) -> Any:
        del x, objectives
        return ()
