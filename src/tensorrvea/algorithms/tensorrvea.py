"""TensorRVEA: Liang, Jiang, Sun and Cheng, GECCO '24, with additions for irregular fronts and few objectives."""

from dataclasses import replace
from functools import reduce
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray
from numpy.typing import ArrayLike

from tensorrvea.algorithms.paper_tensorrvea import PaperTensorRVEA
from tensorrvea.checks import check_array, check_flag, check_number, is_traced
from tensorrvea.constraints import ConstraintRule
from tensorrvea.domain import Domain
from tensorrvea.evolution import Clock, Evolution, Selection, State
from tensorrvea.mating import binary_tournaments
from tensorrvea.operators import GA, PolynomialMutation, Variation
from tensorrvea.platforms import on_accelerator
from tensorrvea.population import Pool
from tensorrvea.problem import Problem
from tensorrvea.randomness import below, split, uniform, words
from tensorrvea.reference_vectors import reference_vectors
from tensorrvea.rounding import scaled_down
from tensorrvea.selection.apd import angle_penalized_distance, best_per_niche
from tensorrvea.selection.association import associate, make_index, smallest_angles
from tensorrvea.selection.crowding import crowding_distance
from tensorrvea.selection.dominance import rank_rows, widened_for
from tensorrvea.selection.order import best_first, take_smallest
from tensorrvea.selection.spacing import farthest_first
from tensorrvea.settings import settings, static
from tensorrvea.vector_settings import check_vector_setting, unit_vectors

# A range counts as at least this share of the largest one, since float32 resolves no finer directions.
SMALLEST_RANGE = 1e-6
# Up to this many places, ranks are exact by default.
RANKED_PLACES = 4_096
# Up to this share of the budget, the row with the smallest value of each objective survives, if there are more than
# twice as many places as objectives.
KEPT_UNTIL = 0.8
# How many rows of the pool estimate the ranks of the others, and how many of these are compared at once.
SAMPLE, BLOCK = 128, 16


class Guides(NamedTuple):
    """The reference vectors, and what is known of the front."""

    vectors: Float[Array, "r m"]
    gamma: Float[Array, " r"]
    """The smallest angle from each vector to another."""
    index: Any
    """What makes association with the vectors fast."""
    ideal: Float[Array, " m"]
    """The smallest value of each objective among all feasible individuals so far; infinite before the first."""


@settings
class TensorRVEA(Evolution):
    """Survival of the best individual of each reference vector, and of others where vectors have none.

    The paper's algorithm is ``TensorRVEA.paper(population=...)``. In addition to it,

    - the ideal point is the best of the whole run, and not of the current pool, so that it never gets worse;
    - ranks are by a wider cone of dominance at the beginning of a run, so that an individual that is slightly better in
      one objective and far worse in the others neither survives nor stretches the ranges (where ranks are exact);
    - objectives are divided by their ranges in every generation, instead of vectors multiplied by them ten times in a
      run;
    - the individual with the smallest value of each objective survives during the first four fifths of a run (where
      ranks are exact): it keeps the ideal point in reach of vectors of the user's own, and the ends of a front on which
      a large loss in one objective is a small gain in another;
    - the best individual of a vector is a non-dominated one if there is any, and survives first. Places that are left
      are filled with other non-dominated individuals, always the farthest from those that survive already; then with
      the best of vectors that have only dominated ones; and then with the rest, by rank and crowding distance as in
      NSGA-II;
    - before the first feasible individual, the least violating survive;
    - parents are the better of two by rank and crowding distance, as in NSGA-II (by the rank alone, where ranks are
      estimated).

    Exact ranks take O(n² m) time, which would be nearly all of it in a large population. There, a rank is estimated as
    the number of individuals in a random sample of the pool that are better in all objectives; the best of each vector
    survive first, and then those with the lowest estimates. Time then grows nearly linearly with n. Memory is O(n m).

    Args:
      population: the number of offspring per generation.
      variation: how offspring are bred. By default, one variable per offspring is mutated on average, as is usual; with
        ``GA()``, the setting of the paper's algorithm, half as many are.
      vectors: the reference vectors, one per survivor: ``"lattice"`` (the largest simplex lattice of at most
        ``population``), ``"layers"`` (two lattices, for many objectives), ``"exact"`` (exactly ``population``), or
        an array of shape (r, m), such as ``reference_vectors.around(...)``.
      alpha: how the penalty on the angle grows over the budget, progress^alpha.
      normalize: whether objectives are divided by their ranges, from the ideal point to the worst of the survivors.
        By default they are, except with an array of vectors: its rows are then directions from the ideal point in the
        units of the objectives, and only individuals near them fill places that are left.
      ideal: an ideal point that is known beforehand, one number per objective (of a maximised one, the negative value).
        The ideal point of the run then starts there, and is only replaced by better values. By default it is what the
        run finds.
      cone: how much wider the cone of dominance is at the beginning of a run, as a share of the ranges (see
        ``selection.dominance.widen``); it narrows to plain dominance at the end. By default 0.05, but 0 for two
        objectives. Estimated ranks do not use it.
      exact_ranks: whether ranks are exact. By default they are for at most 4,096 places, and estimated beyond: a
        generation is much faster there, and an irregular front needs more generations.

    Raises:
      TypeError: if a setting has the wrong type.
      ValueError: if a setting is out of range, such as a population below 2.

    >>> TensorRVEA(population=105).places(3)
    105
    """

    population: int = static()
    variation: Variation = GA(mutation=PolynomialMutation(probability=1.0))
    vectors: str | ArrayLike = "lattice"
    alpha: float = 2.0
    normalize: bool | None = static(default=None)
    exact_ranks: bool | None = static(default=None)
    cone: float | None = None
    ideal: ArrayLike | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("alpha", self.alpha, minimum=0.0)
        check_vector_setting(self.vectors)
        if self.normalize is not None:
            check_flag("normalize", self.normalize)
        if self.exact_ranks is not None:
            check_flag("exact_ranks", self.exact_ranks)
        if self.cone is not None:
            check_number("cone", self.cone, minimum=0.0, maximum=1.0)
        if self.ideal is not None and not is_traced(self.ideal):
            check_array("ideal", self.ideal, shape="(objectives,)", ndim=1)

    @staticmethod
    def paper(**arguments: Any) -> PaperTensorRVEA:
        """Return the algorithm exactly as in the paper: ``PaperTensorRVEA`` with these settings.

        Violations of constraints are added up as they are, as in RVEA's paper.

        >>> TensorRVEA.paper(population=105).adaptation
        0.1
        """
        return PaperTensorRVEA(**{"constraint_rule": ConstraintRule(relative=False), **arguments})

    @property
    def normalizes(self) -> bool:
        return isinstance(self.vectors, str) if self.normalize is None else self.normalize

    def bind(self, problem: Problem) -> "TensorRVEA":
        # The vectors are then an argument of compiled code, not a constant in it.
        vectors = reference_vectors(self.vectors, self.population, problem.objectives)
        return replace(self, vectors=vectors, normalize=self.normalizes)

    def places(self, objectives: int) -> int:
        return len(reference_vectors(self.vectors, self.population, objectives))

    def setup(self, key: PRNGKeyArray, problem: Domain) -> Guides:
        del key
        vectors = unit_vectors(self.vectors, self.population, problem.objectives)
        ideal = jnp.full(problem.objectives, jnp.inf, vectors.dtype)
        if self.ideal is not None:
            ideal = jnp.asarray(self.ideal, vectors.dtype)
            if ideal.shape != (problem.objectives,):
                raise ValueError(f"ideal must have {problem.objectives} entries for this problem, got {len(ideal)}")
        if on_accelerator():
            return Guides(vectors, *indexed(vectors), ideal)
        # The first selection makes the index, so that the code for the first population is short.
        shapes = jax.eval_shape(indexed, vectors)
        gamma, index = jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), shapes)
        return Guides(vectors, jnp.ones_like(gamma), index, ideal)

    def mate(self, key: PRNGKeyArray, state: State, count: int) -> Int[Array, " count"]:
        # Survivors are packed: take_smallest leaves no gaps.
        return binary_tournaments(key, state.population.alive, state.score, count, living_come_first=True)

    def select(self, key: PRNGKeyArray, state: State, pool: Pool, clock: Clock) -> Selection:
        guides: Guides = state.extra
        r = len(guides.vectors)
        sample_key, tie_key = split(key)
        gamma, index = guides.gamma, guides.index
        if not on_accelerator():
            gamma, index = lax.cond(clock.is_first, lambda: indexed(guides.vectors), lambda: (gamma, index))
        of_feasible, of_living = smallest_of((pool.feasible, pool.alive), pool.f)
        ideal = jnp.minimum(guides.ideal, of_feasible)
        f = from_ideal(pool, ideal, of_living)
        is_exact = r <= RANKED_PLACES if self.exact_ranks is None else self.exact_ranks
        if is_exact:
            rank = rank_rows(widened_for(pool, self.cone, clock.progress), pool.alive, pool.violation)
        else:
            rank = estimated_rank(sample_key, f, pool)
        keeps_extremes = is_exact and r > 2 * pool.f.shape[1]
        is_extreme = extremes(f, pool.feasible) if keeps_extremes else jnp.zeros_like(pool.alive)
        if self.normalizes:
            f = f / ranges(f, ~pool.is_new & pool.feasible & ~is_extreme | (rank == 0))

        niche, theta = associate(f, guides.vectors, index)
        score = angle_penalized_distance(f, theta, gamma[niche], clock.progress**self.alpha)
        # Of a niche with non-dominated rows, one of these is the best.
        best = best_per_niche(score, niche, pool, niches=r, preferred=rank == 0)
        is_best = best.filled[niche] & (best.row[niche] == jnp.arange(len(niche)))
        is_near = jnp.ones_like(pool.alive) if self.normalizes else theta <= gamma.max()
        # Before the first feasible individual, the least violating survive, whatever their vector.
        any_feasible = jnp.isfinite(of_feasible).all()
        is_best, is_near = is_best & any_feasible, is_near | ~any_feasible
        if is_exact:
            crowded = -crowding_distance(f, rank, pool.alive)
            by_quality, place = best_first((rank, crowded), len(rank))
            quality = jnp.zeros_like(place).at[by_quality].set(place, unique_indices=True)
            is_kept = is_extreme & (clock.progress < KEPT_UNTIL)
            group = jnp.where(is_kept, 0, 1 + group_of(pool, rank, is_best, is_near))
            keys = group, jnp.where(group == 2, farthest_first(f, group < 2, group == 2, r), quality)
        else:
            # Crowding would prefer the worst, since most rows are dominated, and the estimate does not say which.
            group = jnp.where(pool.alive, jnp.where(is_best, 0, jnp.where(is_near, 1, 2)), 3)
            order = jnp.where(pool.feasible, rank + uniform(tie_key, (len(f),)), pool.violation)
            keys = 2 * group + jnp.where(pool.feasible, 0, 1), order
            # Feasible rows are below 0, so that violations of the others keep their precision.
            quality = jnp.where(pool.feasible, rank - (SAMPLE + 1), pool.violation)

        # The first population breeds as it is (line 3 of RVEA's framework), as far as there are places for it.
        row, filled = take_smallest(keys, pool.alive, clock.is_first, r)
        return Selection(row, filled, quality[row], Guides(guides.vectors, gamma, index, ideal))


def indexed(vectors: Float[Array, "r m"]) -> tuple[Float[Array, " r"], Any]:
    """Return the smallest angle from each vector to another, and what makes association with them fast."""
    index = make_index(vectors)
    return smallest_angles(vectors, index), index


def smallest_of(flags: tuple[Bool[Array, " n"], ...], f: Float[Array, "n m"]) -> list[Float[Array, " m"]]:
    """Return the smallest objectives of the rows that are flagged, for each set of flags."""
    flagged = [jnp.where(flag[:, None], f, jnp.inf) for flag in flags]
    if on_accelerator():  # in the kernels of one minimum
        return jnp.split(jnp.concatenate(flagged, axis=1).min(axis=0), len(flags))
    return [rows.min(axis=0) for rows in flagged]


def from_ideal(pool: Pool, ideal: Float[Array, " m"], of_living: Float[Array, " m"]) -> Float[Array, "n m"]:
    """Return the objectives relative to the ideal point, at least 0; zeros for rows that are not alive.

    Before the first feasible individual there is no ideal point, and that of the living rows is used.
    """
    origin = jnp.where(jnp.isfinite(ideal), ideal, of_living)
    # Infeasible rows may be below the ideal point.
    return jnp.where(pool.alive[:, None], jnp.maximum(scaled_down(pool.f) - scaled_down(origin), 0), 0)


def extremes(f: Float[Array, "n m"], feasible: Bool[Array, " n"]) -> Bool[Array, " n"]:
    """Return which feasible rows have the smallest value of an objective; of several, the one with the smallest sum."""
    values = jnp.where(feasible[:, None], f, jnp.inf)
    total = reduce(jnp.add, [f[:, k] for k in range(f.shape[1])])
    row = jnp.argmin(jnp.where(values == values.min(axis=0), total[:, None], jnp.inf), axis=0)
    return (jnp.arange(len(f))[:, None] == row).any(axis=1) & feasible


def ranges(f: Float[Array, "n m"], judged: Bool[Array, " n"]) -> Float[Array, " m"]:
    """Return the largest values of ``f`` among some rows: the front, and the feasible survivors of the last generation.

    Survivors count although others may dominate them: a front of a few individuals says little about ranges.
    """
    largest = jnp.where(judged[:, None], f, 0).max(axis=0)
    smallest = jnp.where(largest > 0, largest, jnp.inf).min()
    largest = jnp.where(largest > 0, largest, jnp.where(jnp.isfinite(smallest), smallest, 1))
    return jnp.maximum(largest, SMALLEST_RANGE * largest.max())


def estimated_rank(key: PRNGKeyArray, f: Float[Array, "n m"], pool: Pool) -> Int[Array, " n"]:
    """Return how many rows of a random sample are better in all objectives, and are feasible.

    Infeasible rows are behind all feasible ones, and dead rows behind these.
    """
    sample = below(words(key, (SAMPLE,)), len(f))
    block = SAMPLE if on_accelerator() else BLOCK
    rivals = jnp.where(pool.feasible[sample, None], f[sample], jnp.inf).reshape(-1, block, f.shape[1])

    def compare(count: Int[Array, " n"], some: Float[Array, "block m"]) -> tuple[Int[Array, " n"], None]:
        better = jnp.ones((block, len(f)), bool)
        for k in range(f.shape[1]):
            better &= some[:, k, None] < f[None, :, k]
        return count + better.sum(axis=0, dtype=jnp.int32), None

    count, _ = lax.scan(compare, jnp.zeros(len(f), jnp.int32), rivals)
    return jnp.where(pool.feasible, count, jnp.where(pool.alive, SAMPLE + 1, SAMPLE + 2))


def group_of(
    pool: Pool, rank: Int[Array, " n"], is_best: Bool[Array, " n"], is_near: Bool[Array, " n"]
) -> Int[Array, " n"]:
    """Return the order in which groups of rows survive.

    Groups are the best of each vector that are non-dominated, other non-dominated rows, the other best, other rows,
    rows that are not near any vector, and dead rows. If any row is feasible, only such rows are non-dominated.
    """
    front = rank == 0
    group = jnp.where(is_best, jnp.where(front, 0, 2), jnp.where(is_near, jnp.where(front, 1, 3), 4))
    return jnp.where(pool.alive, group, 5)
