"""NSGA-II: Deb, Pratap, Agarwal and Meyarivan, "A Fast and Elitist Multiobjective Genetic Algorithm:
NSGA-II", 2002.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from tensorrvea.algorithms.base import first_population
from tensorrvea.checks import check_integer
from tensorrvea.devices import padded_size
from tensorrvea.mating import permutations_of_the_living
from tensorrvea.operators import GA, Variation
from tensorrvea.operators.base import check_variation
from tensorrvea.population import Offspring, Population, choose, empty_population, evaluated
from tensorrvea.problem import Problem
from tensorrvea.selection.crowding import crowding_distance
from tensorrvea.selection.dominance import rank_rows
from tensorrvea.settings import settings, static


class State(NamedTuple):
    """The best rows so far, best first."""

    population: Population
    score: Float[Array, " n"]
    progress: Float[Array, ""]


@settings
class NSGA2:
    """Survival by non-dominated rank, then by crowding distance; parents by binary tournaments on both.

    With constraints, domination is constrained: the feasible come before the infeasible, and those by
    violation.

    Args:
      population: how many offspring there are in a generation, and how many survive.
      variation: how they are bred.
    """

    population: int = static()
    variation: Variation = GA()

    def __post_init__(self) -> None:
        check_integer("population", self.population, minimum=2, why="two parents")
        check_variation(self.variation)

    def init(
        self, key: PRNGKeyArray, problem: Problem, x: Float[Array, "k d"] | None = None
    ) -> tuple[State, Offspring]:
        first = first_population(key, problem, self.population, x)
        offspring = Offspring(first, self.variation.init_memory(first, problem.objectives))
        state = State(
            population=empty_population(self.population, offspring, problem.objectives),
            score=jnp.full(padded_size(self.population), jnp.inf, first.dtype),
            progress=jnp.zeros((), first.dtype),
        )
        return state, offspring

    def ask(self, key: PRNGKeyArray, state: State, problem: Problem) -> Offspring:
        mate_key, vary_key = jax.random.split(key)
        count = self.variation.num_parents(padded_size(self.population))
        mates = binary_tournaments(mate_key, state.population.alive, state.score, count)
        return self.variation(vary_key, state.population, mates, state.score, problem, self.population)

    def tell(
        self,
        state: State,
        offspring: Offspring,
        f: Float[Array, "n m"],
        violation: Float[Array, " n"],
        progress: Float[Array, ""] | float,
    ) -> State:
        old, new = state.population, evaluated(offspring, f, violation, self.population)
        pool_f, pool_violation, alive = (jnp.concatenate([a, b]) for a, b in zip(old[1:4], new[1:4], strict=True))
        rank = rank_rows(pool_f, alive, pool_violation)
        order, score = by_rank_and_crowding(rank, crowding_distance(pool_f, rank, alive))
        places = padded_size(self.population)
        survivors: Population = choose(old, new, order[:places])
        if places > self.population:
            survivors = survivors._replace(alive=survivors.alive & (jnp.arange(places) < self.population))
        score = jnp.where(survivors.alive, score[:places].astype(state.score.dtype), jnp.inf)
        return State(survivors, score, jnp.asarray(progress, state.progress.dtype))


def by_rank_and_crowding(
    rank: Int[Array, " n"], crowding: Float[Array, " n"]
) -> tuple[Int[Array, " n"], Int[Array, " n"]]:
    """Rows from best to worst, and their places, which rows that are as good as each other share.

    A lower rank is better, then a larger crowding distance. Ties go to the lowest row.
    """
    place = jnp.arange(len(rank), dtype=jnp.int32)
    rank, crowding, row = lax.sort((rank, -crowding, place), num_keys=2, is_stable=True)
    worse = (rank[1:] != rank[:-1]) | (crowding[1:] != crowding[:-1])
    return row, jnp.pad(jnp.cumsum(worse, dtype=jnp.int32), (1, 0))


def binary_tournaments(
    key: PRNGKeyArray, alive: Bool[Array, " n"], score: Float[Array, " n"], count: int
) -> Int[Array, " count"]:
    """The better of two, ``count`` times. All the living stand equally often; of equals the first wins."""
    one, other = permutations_of_the_living(key, alive, 2 * count).reshape(count, 2).T
    return jnp.where(score[one] <= score[other], one, other)
