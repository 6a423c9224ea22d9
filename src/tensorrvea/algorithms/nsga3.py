"""NSGA-III.

Deb and Jain, "An Evolutionary Many-Objective Optimization Algorithm Using Reference-Point-Based Nondominated Sorting
Approach, Part I", 2014; constraints as by Jain and Deb in Part II.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, Int, PRNGKeyArray
from numpy.typing import ArrayLike

from tensorrvea.domain import Domain
from tensorrvea.evolution import Clock, Evolution, Selection, State
from tensorrvea.mating import binary_tournaments
from tensorrvea.operators import GA, Variation
from tensorrvea.population import Pool
from tensorrvea.problem import Problem
from tensorrvea.reference_vectors import reference_vectors
from tensorrvea.selection.association import make_index
from tensorrvea.selection.dominance import rank_rows
from tensorrvea.selection.niching import associate_with_lines, niching, normalize
from tensorrvea.settings import settings, static
from tensorrvea.vector_settings import check_vector_setting, unit_vectors


class Niches(NamedTuple):
    """The reference points, and the best value of each objective so far."""

    vectors: Float[Array, "r m"]
    """The directions of the reference points."""
    index: Any
    """What makes association with them fast."""
    ideal: Float[Array, " m"]
    """The smallest value of each objective among all feasible individuals so far; infinite before the first."""


@settings
class NSGA3(Evolution):
    """Survival by non-dominated rank, then by niches around reference points; parents at random.

    With constraints, domination is constrained, only the feasible determine the scale of the objectives, and parents
    are the less violating of two.

    Args:
      population: the number of offspring per generation, and of survivors.
      variation: how offspring are bred.
      vectors: the reference points, at most about as many as survivors: ``"lattice"`` (the largest simplex lattice of
        at most ``population``), ``"layers"`` (two lattices, for many objectives), ``"exact"`` (exactly
        ``population``), or an array of shape (r, m).

    Raises:
      TypeError: if a setting has the wrong type.
      ValueError: if a setting is out of range, such as a population below 2.

    >>> NSGA3(population=92).places(3)
    92
    """

    population: int = static()
    variation: Variation = GA()
    vectors: str | ArrayLike = "lattice"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_vector_setting(self.vectors)

    def bind(self, problem: Problem) -> "NSGA3":
        return replace(self, vectors=reference_vectors(self.vectors, self.population, problem.objectives))

    def setup(self, key: PRNGKeyArray, problem: Domain) -> Niches:
        del key
        vectors = unit_vectors(self.vectors, self.population, problem.objectives)
        # The first selection makes the index, so that the code for the first population is short.
        index = jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), jax.eval_shape(make_index, vectors))
        return Niches(vectors, index, jnp.full(problem.objectives, jnp.inf, vectors.dtype))

    def mate(self, key: PRNGKeyArray, state: State, count: int) -> Int[Array, " count"]:
        return binary_tournaments(key, state.population.alive, state.population.violation, count)

    def select(self, key: PRNGKeyArray, state: State, pool: Pool, clock: Clock) -> Selection:
        niches: Niches = state.extra
        index = lax.cond(clock.is_first, lambda: make_index(niches.vectors), lambda: niches.index)
        rank = rank_rows(pool.f, pool.alive, pool.violation)
        # Of the last front F_l only a part survives; all living rows are before it if there are too few.
        last = jnp.sort(rank)[self.population - 1]
        before, candidate = pool.alive & (rank < last), pool.alive & (rank == last)
        judged = pool.feasible & (before | candidate)
        ideal = jnp.minimum(niches.ideal, jnp.where(judged[:, None], pool.f, jnp.inf).min(axis=0))
        niche, distance = associate_with_lines(normalize(pool.f, ideal, judged), niches.vectors, index)
        level, tie = niching(key, niche, distance, before, candidate, len(niches.vectors))
        *_, row = lax.sort((rank, level, tie, jnp.arange(len(rank), dtype=jnp.int32)), num_keys=3)
        best = row[: self.population]
        return Selection(best, pool.alive[best], rank[best], niches._replace(index=index, ideal=ideal))
