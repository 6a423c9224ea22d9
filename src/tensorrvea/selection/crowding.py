"""Crowding distances: how far a row is from its neighbours on its own front."""

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float, Int

from tensorrvea.mating import living_rows
from tensorrvea.rounding import scaled_down


def crowding_distance(f: Float[Array, "n m"], front: Int[Array, " n"], alive: Bool[Array, " n"]) -> Float[Array, " n"]:
    """Return Deb's crowding distance of every row among those with the same ``front``, for all fronts at once.

    It is the sum over the objectives of the gap between a row's two neighbours, divided by the range of the front, and
    infinite for the first and the last row (Deb, Pratap, Agarwal and Meyarivan, 2002). Rows that tie on one objective
    are ordered by row number. In addition to Deb et al., all but the first of several equal rows have distance 0, and
    an objective that is constant on a front adds nothing. Dead rows have distance 0.

    ``front`` holds numbers from 0 to n - 1 for the living rows.

    >>> f = jnp.array([[0.0, 4.0], [1.0, 2.0], [2.0, 1.0], [4.0, 0.0], [1.0, 2.0]])
    >>> crowding_distance(f, jnp.zeros(5, int), jnp.ones(5, bool)).tolist()
    [inf, 1.25, 1.25, inf, 0.0]
    """
    n, m = f.shape
    front = jnp.where(alive, front, n).astype(jnp.int32)
    front = jnp.where(repeated(f, front), n, front)
    f = jnp.where(alive[:, None], scaled_down(f), 0)
    lowest, highest = jax.ops.segment_min(f, front, n), jax.ops.segment_max(f, front, n)
    place = jnp.arange(n, dtype=jnp.int32)
    distance = jnp.zeros(n, f.dtype)
    for k in range(m):
        sorted_front, value, row = lax.sort((front, f[:, k], place), num_keys=2, is_stable=True)
        same = sorted_front[1:] == sorted_front[:-1]
        first, last = jnp.append(True, ~same), jnp.append(~same, True)
        gap = jnp.roll(value, -1) - jnp.roll(value, 1)
        span = (highest[:, k] - lowest[:, k])[sorted_front]
        share = jnp.where(span > 0, gap / jnp.where(span > 0, span, 1), 0)
        share = jnp.where((first | last) & ((span > 0) | (first & last)), jnp.inf, share)
        distance = distance.at[row].add(share, unique_indices=True)
    return jnp.where(front < n, distance, 0)


def prune(f: Float[Array, "n m"], front: Bool[Array, " n"], most: int) -> Bool[Array, " n"]:
    """Keep at most ``most`` rows of one front, the least crowded; ties go to the lowest row.

    Three quarters of the excess rows are removed at a time, the most crowded first, and then the distances are
    recomputed: removing all at once would drop both of two close neighbours and leave a gap.
    """
    place = jnp.arange(len(f), dtype=jnp.int32)

    def drop(kept: Bool[Array, " n"]) -> Bool[Array, " n"]:
        count = kept.sum(dtype=jnp.int32)
        distance = crowding_distance(f, jnp.zeros_like(place), kept)
        left = most + (count - most) // 4
        *_, row = lax.sort((~kept, -distance, place), num_keys=2, is_stable=True)
        return jnp.zeros_like(kept).at[row].set(place < left, unique_indices=True)

    return lax.while_loop(lambda kept: kept.sum(dtype=jnp.int32) > most, drop, front)


def least_crowded(
    f: Float[Array, "n m"], front: Bool[Array, " n"], places: int
) -> tuple[Int[Array, " places"], Bool[Array, " places"]]:
    """Return the rows of ``front`` that ``prune`` keeps for ``places`` places, in order, and which places they fill."""
    kept = prune(f, front, places)
    rows, _ = living_rows(kept)
    return rows[:places], jnp.arange(places) < kept.sum()


def repeated(f: Float[Array, "n m"], front: Int[Array, " n"]) -> Bool[Array, " n"]:
    """Return which rows equal an earlier row of the same front."""
    n, m = f.shape
    keys = (front, *(f[:, k] for k in range(m)))
    *columns, row = lax.sort((*keys, jnp.arange(n, dtype=jnp.int32)), num_keys=m + 1, is_stable=True)
    equal = jnp.stack([column[1:] == column[:-1] for column in columns]).all(axis=0)
    return jnp.zeros(n, bool).at[row].set(jnp.pad(equal, (1, 0)), unique_indices=True)
