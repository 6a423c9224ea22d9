"""What every operator has in common."""

from typing import Any, NamedTuple

from jaxtyping import Array, Float, Int, PRNGKeyArray

from tensorrvea.checks import check_part, shown
from tensorrvea.domain import Domain
from tensorrvea.population import Offspring, Population


class Mating(NamedTuple):
    """The parents of a generation."""

    survivors: Population
    """The rows that parents are taken from, with ``rows.take``."""
    parents: Int[Array, " k"]
    """Rows of the survivors, in the order in which they breed."""
    score: Float[Array, " r"]
    """The algorithm's order of the survivors, smaller is better."""


class Variation:
    """The base of every operator that breeds offspring from the parents that an algorithm has chosen.

    Make subclasses with ``tensorrvea.settings.settings``, so that their numbers are arguments of compiled code. What is
    drawn for a row must depend on the key and the row's number only. What is computed over all survivors (a mean, say)
    must leave out those that are not alive, and not depend on the order of additions.
    """

    def num_parents(self, offspring: int) -> int:
        """Return how many parents it takes to breed this many offspring; by default, one each."""
        return offspring

    def init_memory(self, x: Float[Array, "n d"], objectives: int) -> Any:
        """Return what is remembered of a first population: a tree of arrays with a row per individual; default ()."""
        del x, objectives
        return ()

    def __call__(self, key: PRNGKeyArray, mating: Mating, problem: Domain, offspring: int) -> Offspring:
        """Return at least ``offspring`` individuals, bred from all parents; more than these are dropped.

        There are at least ``num_parents(offspring)`` parents. ``problem.box`` are the bounds of the variables.
        """
        raise NotImplementedError(f"{type(self).__name__} must define __call__")


def check_variation(variation: Any, name: str = "variation") -> None:
    """Raise a ``TypeError`` unless it is a ``Variation``."""
    if not isinstance(variation, Variation):
        raise TypeError(f"{name} takes an operator such as GA() or CSO(), got {shown(variation)}")


def check_mutation(mutation: Any) -> None:
    """Raise a ``TypeError`` unless it is a mutation."""
    takes = "a mutation such as PolynomialMutation(), or PolynomialMutation(rate=0.0) for none"
    check_part("mutation", mutation, "__call__", takes=takes)
