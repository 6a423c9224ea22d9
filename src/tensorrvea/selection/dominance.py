"""Exact Pareto dominance within bounded memory.

Row a dominates row b if it is no worse in any objective and better in at least one; everything is minimised.
Equal rows do not dominate each other: they share a rank, and all or none of them are non-dominated.

The rows are first sorted lexicographically. Then only an earlier row can dominate a later one, and it does so
if it is no worse in the objectives after the first. These are compared block by block, so that memory is O(n m)
and one block of comparisons, never n × n.
"""

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

import jax
import jax.numpy as jnp
import moocore
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Float, Int
from numpy.typing import ArrayLike

from tensorrvea.checks import check_directions, check_points
from tensorrvea.directions import Directions
from tensorrvea.platforms import on_accelerator, run_if
from tensorrvea.population import Pool
from tensorrvea.rounding import rounded, scaled_down
from tensorrvea.selection.order import integer_of, kth_smallest

# Rows compared at once. On a CPU, 16 take half of the time of 128; an accelerator wants few steps.
CPU_BLOCK, ACCELERATOR_BLOCK = 16, 128
# How much wider the cone of dominance is at the beginning of a run, with three objectives and more.
DEFAULT_SHARE = 0.05
# The largest distance from the smallest value that counts in the sum of a wider cone, in units of the range.
LARGEST_RELATIVE = 2.0


def nondominated(F: ArrayLike, directions: Directions = "min") -> Bool[np.ndarray, " n"]:
    """Return which rows no other row dominates, on the host and in double precision; equal rows are all kept.

    Computed by moocore in O(n log n) for two and three objectives and O(n log^(m-2) n) beyond (Kung, Luccio and
    Preparata, 1975). Inside compiled code, use ``nondominated_rows``.

    Args:
      F: objectives, one row per point, in the user's signs.
      directions: ``"min"`` or ``"max"`` for all objectives, or one of them for each.

    Returns:
      One flag per row.

    Raises:
      ValueError: if the shape is wrong, or a value is NaN.

    >>> nondominated([[1.0, 2.0], [2.0, 1.0], [2.0, 2.0], [1.0, 2.0]])
    array([ True,  True, False,  True])
    >>> nondominated([[1.0, 2.0], [2.0, 1.0], [2.0, 2.0]], directions="max")
    array([False, False,  True])
    """
    f, maximise = _checked(F, directions)
    if len(f) == 0:
        return np.zeros(0, bool)
    return np.asarray(moocore.is_nondominated(f, maximise=maximise, keep_weakly=True), bool)


def ranks(F: ArrayLike, directions: Directions = "min") -> Int[np.ndarray, " n"]:
    """Return the non-dominated ranks, computed by moocore on the host in double precision; equal rows share a rank.

    The first front has rank 0, the next one rank 1, and so on. Inside compiled code, use ``rank_rows``.

    Args:
      F: objectives, one row per point, in the user's signs.
      directions: ``"min"`` or ``"max"`` for all objectives, or one of them for each.

    Returns:
      One rank per row.

    Raises:
      ValueError: if the shape is wrong, or a value is NaN.

    >>> ranks([[1.0, 2.0], [2.0, 1.0], [2.0, 2.0], [1.0, 2.0], [3.0, 2.0]])
    array([0, 0, 1, 0, 2])
    """
    f, maximise = _checked(F, directions)
    if len(f) == 0:
        return np.zeros(0, np.int64)
    return np.asarray(moocore.pareto_rank(f, maximise=maximise), np.int64)


def _checked(F: ArrayLike, directions: Directions) -> tuple[Float[np.ndarray, "n m"], list[bool]]:
    f = check_points("F", F, minimum=0)
    return f, [direction == "max" for direction in check_directions(directions, f.shape[1])]


def widen(f: Float[Array, "n m"], rows: Bool[Array, " n"], share: float | Float[Array, ""]) -> Float[Array, "n m"]:
    """Return objectives whose dominance is that of ``f`` with a wider cone.

    Each objective f_i, in units of its range, becomes f_i + share · Σ_j f_j (Ikeda, Kita and Kobayashi, "Failure of
    Pareto-based MOEAs: does non-dominated really mean near to optimal?", 2001); all are halved, so that none overflows.
    A row that gains less than about ``share`` in one objective for each unit that it loses in another is then
    dominated. Without this, a row that is slightly better in one objective and far worse in all others survives, and
    stretches the ranges.

    Args:
      f: the objectives.
      rows: those whose ranges are the units. A range is from the smallest value to the ninth decile, since a few rows
        far from all others would distort it; to the largest value, if nine tenths are equal. In the sum, a value beyond
        twice the range counts as that. An objective in which all rows are equal stays as it is.
      share: 0 for plain dominance.

    >>> f = jnp.array([[0.1, 0.1], [0.09, 1.0], [1.0, 0.0]])
    >>> rank_rows(widen(f, jnp.ones(3, bool), 0.0), jnp.ones(3, bool)).tolist()
    [0, 0, 0]
    >>> rank_rows(widen(f, jnp.ones(3, bool), 0.05), jnp.ones(3, bool)).tolist()
    [0, 1, 0]
    """
    f = jnp.where(jnp.isfinite(f), scaled_down(f), 0)
    low = jnp.where(rows[:, None], f, jnp.inf).min(axis=0)
    above = jnp.where(rows[:, None], f - low, 0)
    spread = jax.vmap(_ninth_decile, (1, None))(above, rows)
    spread = jnp.where(spread > 0, spread, above.max(axis=0))
    has_range = (spread > 0) & jnp.isfinite(spread)
    unit = jnp.where(has_range, spread, 1)
    relative = jnp.where(has_range, jnp.clip((f - low) / unit, 0, LARGEST_RELATIVE), 0)
    total = reduce(jnp.add, [relative[:, j, None] for j in range(f.shape[1])])
    largest = jnp.finfo(f.dtype).max
    # A row must be equal to itself wherever it is compared, so that it is computed in one way only.
    added = jnp.where(has_range, rounded(share * unit * total), 0)
    return lax.optimization_barrier(jnp.clip(f + added, -largest, largest))


def _ninth_decile(values: Float[Array, " n"], rows: Bool[Array, " n"]) -> Float[Array, ""]:
    """Return the smallest value that at most a tenth of the rows exceed. No value may be negative."""
    # The bits of floats that are not negative are in the order of the floats.
    bits = lax.bitcast_convert_type(values + 0, integer_of(values.dtype))
    place = (9 * rows.sum(dtype=jnp.int32) + 9) // 10
    found = kth_smallest(bits, rows, place, bits=8 * values.dtype.itemsize - 1)
    return lax.bitcast_convert_type(found, values.dtype)


def widened_for(pool: Pool, share: float | Float[Array, ""] | None, progress: Float[Array, ""]) -> Float[Array, "n m"]:
    """Return the objectives of a pool by a wider cone, which narrows to plain dominance at the end of a run.

    So individuals at steep ends of a front are found at the end. The units are the ranges of the feasible survivors of
    the last generation, or of all feasible rows if there are none. Without a share, two objectives are compared as they
    are; three and more use ``DEFAULT_SHARE``.
    """
    if share is None:
        if pool.f.shape[1] == 2:
            return pool.f
        share = DEFAULT_SHARE
    survived = pool.feasible & ~pool.is_new
    rows = jnp.where(survived.any(), survived, pool.feasible)
    return widen(pool.f, rows, share * (1 - progress) ** 4)


def nondominated_rows(
    f: Float[Array, "n m"], alive: Bool[Array, " n"], violation: Float[Array, " n"] | None = None
) -> Bool[Array, " n"]:
    """Return which living rows no other living row dominates: ``rank_rows(...) == 0``, without the other ranks.

    With ``violation``, domination is constrained (see ``rank_rows``): if any living row is feasible, only feasible
    rows are returned.
    """
    if violation is None:
        return _first_front(f, alive)
    feasible = alive & (violation <= 0)
    least = jnp.where(alive, violation, jnp.inf).min()
    return jnp.where(feasible.any(), _first_front(f, feasible), alive & (violation == least))


def rank_rows(
    f: Float[Array, "n m"], alive: Bool[Array, " n"], violation: Float[Array, " n"] | None = None
) -> Int[Array, " n"]:
    """Return the non-dominated ranks: 0 for the non-dominated rows, 1 for those that only rank 0 dominates, and so on.

    The rank of a row is the length of the longest chain of rows, each dominating the next, that leads to it. Dead
    rows have rank n, which no living row reaches. Living rows must be finite.

    With ``violation``, domination is constrained (Deb et al., 2002): a feasible row dominates every
    infeasible one, and of two infeasible rows, the one with the smaller violation dominates, whatever their
    objectives.

    >>> f = jnp.array([[2.0, 2.0], [1.0, 3.0], [2.0, 2.0], [3.0, 3.0], [0.0, 0.0]])
    >>> rank_rows(f, jnp.array([True, True, True, True, False])).tolist()
    [0, 0, 0, 1, 5]
    >>> rank_rows(f, jnp.ones(5, bool), violation=jnp.array([0.0, 0.0, 7.0, 0.0, 2.0])).tolist()
    [0, 0, 3, 1, 2]
    """
    n = len(f)
    if violation is None:
        return jnp.where(alive, _longest_chains(f, alive), n)
    feasible = alive & (violation <= 0)
    by_objectives = _longest_chains(f, feasible)
    fronts = jnp.where(feasible, by_objectives + 1, 0).max(initial=0)
    infeasible = alive & ~feasible
    excess = jnp.where(infeasible, violation, jnp.inf)
    by_violation = fronts + run_if(infeasible.any(), lambda _: _dense_rank(excess), jnp.zeros(n, jnp.int32))
    return jnp.where(feasible, by_objectives, jnp.where(alive, by_violation, n))


class _Sorted(NamedTuple):
    """Rows in lexicographic order, extended to whole blocks."""

    order: Int[Array, " n"]
    columns: tuple[Float[Array, " rows"], ...]  # the objectives after the first, by which rows are sorted
    first: Bool[Array, " rows"]  # whether a row differs from the one before it; False for the extension

    def restore(self, values: Array) -> Array:
        """Return values of sorted rows in the original order; repeated rows get the value of their first occurrence."""
        n = len(self.order)
        place = lax.cummax(jnp.where(self.first[:n], jnp.arange(n, dtype=jnp.int32), 0))
        return jnp.zeros(n, values.dtype).at[self.order].set(values[place], unique_indices=True)


def _sort(f: Float[Array, "n m"], alive: Bool[Array, " n"]) -> _Sorted:
    n, m = f.shape
    # Infinite objectives sort dead rows last, where they dominate no living row.
    objectives = [jnp.where(alive, f[:, k], jnp.inf) for k in range(m)]
    *columns, order = lax.sort((*objectives, jnp.arange(n, dtype=jnp.int32)), num_keys=m, is_stable=True)
    differs = [jnp.ones(1, bool), jnp.stack([column[1:] != column[:-1] for column in columns]).any(axis=0)]
    fill = -n % _block_rows()
    return _Sorted(
        order=order,
        columns=tuple(jnp.pad(column, (0, fill), constant_values=jnp.inf) for column in columns[1:]),
        first=jnp.pad(jnp.concatenate(differs)[:n], (0, fill)),
    )


def _block_rows() -> int:
    return ACCELERATOR_BLOCK if on_accelerator() else CPU_BLOCK


def _block(column: Array, number: Int[Array, ""] | int) -> Array:
    rows = _block_rows()
    return lax.dynamic_slice(column, (number * rows,), (rows,))


def _no_worse(left: Sequence[Array], right: Sequence[Array]) -> Bool[Array, "left right"]:
    """Return whether each ``left`` row is at least as good as each ``right`` row, in the given columns."""
    result = jnp.ones((len(left[0]), len(right[0])), bool)
    for a, b in zip(left, right, strict=True):
        result &= a[:, None] <= b[None, :]
    return result


def _within_block(rows: _Sorted, number: Int[Array, ""] | int) -> Bool[Array, "block block"]:
    """Return which rows of a block dominate which; of repeated rows only the first counts."""
    current = [_block(column, number) for column in rows.columns]
    place = jnp.arange(_block_rows())
    earlier = (place[:, None] < place[None, :]) & _block(rows.first, number)[:, None]
    return _no_worse(current, current) & earlier


def _longest_chains(f: Float[Array, "n m"], alive: Bool[Array, " n"]) -> Int[Array, " n"]:
    """Return the number of rows before each row in the longest chain of dominating rows; undefined for dead rows.

    Blocks are taken in lexicographic order, so that the lengths of a row's dominators in earlier blocks are known.
    Inside a block the lengths grow to a fixed point, which takes as many steps as its longest chain.
    """
    rows, block = _sort(f, alive), _block_rows()
    # A repeated row must not dominate its equals: at infinity it dominates no living row.
    dominators = [jnp.where(rows.first, column, jnp.inf) for column in rows.columns]

    def lengths_of_block(number: Int[Array, ""] | int, length: Int[Array, " rows"]) -> Int[Array, " rows"]:
        current = [_block(column, number) for column in rows.columns]

        def compare_with(earlier: Int[Array, ""], longest: Int[Array, " block"]) -> Int[Array, " block"]:
            dominates = _no_worse([_block(column, earlier) for column in dominators], current)
            return jnp.maximum(longest, jnp.where(dominates, _block(length, earlier)[:, None], 0).max(axis=0))

        before = lax.fori_loop(0, number, compare_with, jnp.zeros(block, jnp.int32))
        dominates = _within_block(rows, number)

        def grow(state: tuple[Array, Array]) -> tuple[Array, Array]:
            old, _ = state
            new = jnp.maximum(before, jnp.where(dominates, old[:, None], 0).max(axis=0)) + 1
            return new, (new != old).any()

        own, _ = lax.while_loop(lambda state: state[1], grow, (before + 1, jnp.array(True)))
        return lax.dynamic_update_slice(length, own, (number * block,))

    filled = len(rows.first)
    length = lax.fori_loop(0, filled // block, lengths_of_block, jnp.zeros(filled, jnp.int32))
    return rows.restore(length - 1)


def _first_front(f: Float[Array, "n m"], alive: Bool[Array, " n"]) -> Bool[Array, " n"]:
    """Return which living rows no other living row dominates.

    Whatever a dominated row dominates, a non-dominated row dominates as well, so that each block is compared only with
    itself and with the rows kept so far.
    """
    rows = _sort(f, alive)
    if f.shape[1] == 2:
        best_before = lax.cummin(jnp.pad(rows.columns[0], (1, 0), constant_values=jnp.inf))[:-1]
        # Equal rows take the value of the first of them, before which all rows differ from it.
        return rows.restore(best_before > rows.columns[0]) & alive
    filled, block = len(rows.first), _block_rows()

    def keep_of_block(number: Int[Array, ""] | int, state: tuple) -> tuple:
        kept, count, dominated = state
        current = [_block(column, number) for column in rows.columns]

        def compare_with(earlier: Int[Array, ""], found: Bool[Array, " block"]) -> Bool[Array, " block"]:
            return found | _no_worse([_block(column, earlier) for column in kept], current).any(axis=0)

        found = _within_block(rows, number).any(axis=0)
        found = lax.fori_loop(0, (count + block - 1) // block, compare_with, found)
        keeps = ~found & _block(rows.first, number)
        place = jnp.where(keeps, count + jnp.cumsum(keeps, dtype=jnp.int32) - 1, filled)
        kept = tuple(column.at[place].set(own, mode="drop") for column, own in zip(kept, current, strict=True))
        count = count + keeps.sum(dtype=jnp.int32)
        return kept, count, lax.dynamic_update_slice(dominated, found, (number * block,))

    nothing = tuple(jnp.full_like(column, jnp.inf) for column in rows.columns)
    start = (nothing, jnp.zeros((), jnp.int32), jnp.zeros(filled, bool))
    _, _, dominated = lax.fori_loop(0, filled // block, keep_of_block, start)
    return ~rows.restore(dominated) & alive


def _dense_rank(values: Float[Array, " n"]) -> Int[Array, " n"]:
    """Return 0 for the smallest value, 1 for the next larger, and so on; equal values share a rank."""
    ordered, order = lax.sort((values, jnp.arange(len(values), dtype=jnp.int32)), num_keys=1)
    grows = jnp.pad((ordered[1:] != ordered[:-1]).astype(jnp.int32), (1, 0))[: len(values)]
    return jnp.zeros(len(values), jnp.int32).at[order].set(jnp.cumsum(grows, dtype=jnp.int32), unique_indices=True)
