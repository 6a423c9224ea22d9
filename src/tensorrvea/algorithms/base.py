"""What every algorithm has in common."""

from typing import Any, Protocol

from jaxtyping import Array, Float, PRNGKeyArray

from tensorrvea.population import Offspring
from tensorrvea.problem import Problem


class Algorithm(Protocol):
    """Three pure functions; they jit, vmap and scan.

    It is a pytree of its numbers, as ``tensorrvea.settings.settings`` makes it: compiled code takes it as an argument.

    A state is a NamedTuple with at least ``population`` (the survivors, as rows), ``score`` (their order, smaller is
    better) and ``progress`` (the share of the budget that was spent when it was told last).
    """

    @property
    def population(self) -> int:
        """How many offspring there are in a generation."""
        ...

    def init(self, key: PRNGKeyArray, problem: Problem, x: Float[Array, "k d"] | None = None) -> tuple[Any, Offspring]:
        """An empty state, and a first population to evaluate; ``x`` are individuals to start from."""
        ...

    def ask(self, key: PRNGKeyArray, state: Any, problem: Problem) -> Offspring:
        """Offspring to evaluate."""
        ...

    def tell(
        self,
        state: Any,
        offspring: Offspring,
        f: Float[Array, "n m"],
        violation: Float[Array, " n"],
        progress: Float[Array, ""] | float,
    ) -> Any:
        """The state after selection. ``f`` is minimised; ``progress`` is 0 for the first population, 1 at the end."""
        ...


def first_population(
    key: PRNGKeyArray, problem: Problem, rows: int, x: Float[Array, "k d"] | None
) -> Float[Array, "n d"]:
    """A sample of the problem, in which the first rows are the given ones."""
    sampled = problem.sample(key, rows)
    return sampled if x is None else sampled.at[: len(x)].set(x[:rows])
