"""Random search: the baseline that any algorithm has to beat."""

from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from tensorrvea.algorithms.base import first_population
from tensorrvea.archive import keep
from tensorrvea.checks import check_integer
from tensorrvea.devices import padded_size
from tensorrvea.population import Offspring, Population, empty_population, evaluated
from tensorrvea.problem import Problem
from tensorrvea.selection.dominance import nondominated_rows
from tensorrvea.settings import settings, static


class State(NamedTuple):
    """The non-dominated of all samples so far."""

    population: Population
    score: Float[Array, " n"]
    progress: Float[Array, ""]


@settings
class RandomSearch:
    """Every generation is drawn as the first population of any algorithm is; the non-dominated are kept.

    With constraints, domination is constrained: as long as nothing feasible was found, the least infeasible
    is kept.

    Args:
      population: how many samples there are in a generation, and how many are kept at most, the least
      crowded.
    """

    population: int = static()

    def __post_init__(self) -> None:
        check_integer("population", self.population, minimum=1)

    def init(
        self, key: PRNGKeyArray, problem: Problem, x: Float[Array, "k d"] | None = None
    ) -> tuple[State, Offspring]:
        offspring = Offspring(first_population(key, problem, self.population, x))
        dtype = offspring.x.dtype
        state = State(
            population=empty_population(self.population, offspring, problem.objectives),
            score=jnp.full(padded_size(self.population), jnp.inf, dtype),
            progress=jnp.zeros((), dtype),
        )
        return state, offspring

    def ask(self, key: PRNGKeyArray, state: State, problem: Problem) -> Offspring:
        del state
        return Offspring(problem.sample(key, self.population))

    def tell(
        self,
        state: State,
        offspring: Offspring,
        f: Float[Array, "n m"],
        violation: Float[Array, " n"],
        progress: Float[Array, ""] | float,
    ) -> State:
        old, new = state.population, evaluated(offspring, f, violation, self.population)
        pool = (jnp.concatenate([a, b]) for a, b in zip(old[1:4], new[1:4], strict=True))
        pool_f, pool_violation, alive = pool
        survivors = keep(old, new, nondominated_rows(pool_f, alive, pool_violation), self.population)
        # All that are kept are as good as each other.
        score = jnp.where(survivors.alive, 0, jnp.inf).astype(state.score.dtype)
        return State(survivors, score, jnp.asarray(progress, state.progress.dtype))
