"""What every operator has in common."""

from typing import Any, Protocol

from jaxtyping import Array, Float, Int, PRNGKeyArray

from tensorrvea.checks import check_part
from tensorrvea.population import Offspring, Population
from tensorrvea.problem import Problem


class Variation(Protocol):
    """Breeds offspring from parents that the algorithm has chosen.

    Make it with ``tensorrvea.settings.settings``, so that its numbers are arguments of compiled code. What it draws
    for a row must depend on the key and the row's number only, and what it computes over all survivors (a mean, say)
    must leave out those that are not alive and not depend on the order of additions.
    """

    def num_parents(self, offspring: int) -> int:
        """Return how many parents it takes to breed this many offspring."""
        ...

    def init_memory(self, x: Float[Array, "n d"], objectives: int) -> Any:
        """Return what it remembers of a first population: a tree of arrays with a row for each individual."""
        ...

    def __call__(
        self,
        key: PRNGKeyArray,
        survivors: Population,
        parents: Int[Array, " k"],
        score: Float[Array, " r"],
        problem: Problem,
        offspring: int,
    ) -> Offspring:
        """Return at least ``offspring`` individuals; more than these are dropped.

        Args:
          key: for everything that is drawn.
          survivors: the rows to take parents from, with ``rows.take``.
          parents: rows of the survivors, in the order in which they breed; at least ``num_parents(offspring)``. Breed
            from all of them.
          score: the algorithm's order of the survivors, smaller is better.
          problem: for its ``box``, the bounds of the variables.
          offspring: how many individuals are wanted.
        """
        ...


class Stateless:
    """A variation that remembers nothing of an individual."""

    def init_memory(self, x: Float[Array, "n d"], objectives: int) -> Any:
        del x, objectives
        return ()


def check_variation(variation: Any) -> None:
    takes = "an operator such as GA() or CSO()"
    check_part("variation", variation, "num_parents", "init_memory", "__call__", takes=takes)


def check_mutation(mutation: Any) -> None:
    takes = "a mutation such as PolynomialMutation(), or PolynomialMutation(rate=0.0) for none"
    check_part("mutation", mutation, "__call__", takes=takes)
