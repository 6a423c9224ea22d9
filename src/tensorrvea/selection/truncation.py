"""SPEA2's truncation: remove the row whose distances to the others are smallest, again and again.

The paper (Zitzler, Laumanns and Thiele, 2001) compares the sorted distances of two rows lexicographically: the nearest
neighbours first, then the second nearest, and so on. Here the same choice is made without sorting, and without a matrix
of distances:

- Equal rows are one point with a weight. A point of weight w has w − 1 distances of 0, so that the heaviest points come
  first, and among them only distances to other points matter.
- The distance of each point to its nearest other point is kept. After a removal, only points whose nearest one was
  removed are compared with all others again.
- Points that tie have the same distances up to some v. Of these, the ones come first that have more neighbours at
  distance v, and then the ones whose next larger distance is the smallest. This is repeated with the next v until one
  point is left, or all distances are equal.

So a removal takes a few passes over the rows, unless many points tie.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float, Int

from tensorrvea.devices import row_numbers
from tensorrvea.rows import map_rows
from tensorrvea.selection.order import BLOCK, first_smallest, smallest_value
from tensorrvea.selection.strength import STEP, squared_distance


class Points(NamedTuple):
    """What is left: how often each point, and how far from its nearest other point (infinite if it is removed)."""

    weight: Int[Array, " n"]
    near: Float[Array, " n"]


def truncate(f: Float[Array, "n m"], members: Bool[Array, " n"], most: int) -> Bool[Array, " n"]:
    """Return which of ``members`` are left after removing one at a time until there are at most ``most``.

    Of equal rows the highest is removed first; of points with all distances equal, the one with the lowest row.
    """
    n, m = f.shape
    fill = -n % BLOCK
    f, members = jnp.pad(f, ((0, fill), (0, 0))), jnp.pad(members, (0, fill))
    first, copy, weight = group_equal_rows(f, members)
    at = jnp.where((weight > 0)[:, None], f, 0)
    columns = [at[:, k] for k in range(m)]
    row = jnp.arange(len(members), dtype=jnp.int32)

    def neighbours(point: Int[Array, ""], weight: Array, beyond: Array | float) -> tuple[Array, Array]:
        """Return how many rows are at the squared distance ``beyond`` from a point, and the next larger distance."""
        squared = distances_from(point, weight)
        at_distance = jnp.where(squared == beyond, weight, 0).sum(dtype=jnp.int32)
        return at_distance, smallest_value(jnp.where(squared > beyond, squared, jnp.inf))

    def distances_from(point: Int[Array, ""], weight: Array) -> Array:
        squared = squared_distance(columns, list(at[point]))
        return jnp.where((weight > 0) & (row != point), squared, jnp.inf)

    def most_crowded(points: Points) -> Int[Array, ""]:
        weight, near = points
        tied = weight == weight.max()
        level = smallest_value(jnp.where(tied, near, jnp.inf))

        def compare(state: tuple[Array, Array]) -> tuple[Array, Array]:
            tied, level = state

            def look(state: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
                todo, count, larger = state
                point = first_true(todo)
                found, beyond = neighbours(point, weight, level)
                return todo.at[point].set(False), count.at[point].set(found), larger.at[point].set(beyond)

            start = (tied, jnp.zeros_like(weight), jnp.full_like(near, jnp.inf))
            _, count, larger = lax.while_loop(lambda state: state[0].any(), look, start)
            tied &= count == count.max()
            level = smallest_value(jnp.where(tied, larger, jnp.inf))
            return tied & (larger == level), level

        def is_undecided(state: tuple[Array, Array]) -> Array:
            tied, level = state
            return (tied.sum(dtype=jnp.int32) > 1) & (level < jnp.inf)

        tied, _ = lax.while_loop(is_undecided, compare, (tied & (near == level), level))
        return first_true(tied)

    def remove(_: Array, points: Points) -> Points:
        point = most_crowded(points)
        weight = points.weight.at[point].add(-1)
        is_gone = weight[point] == 0
        near = points.near.at[point].set(jnp.where(is_gone, jnp.inf, points.near[point]))
        lost = is_gone & (weight > 0) & (distances_from(point, points.weight) == near)

        def update(state: tuple[Array, Array]) -> tuple[Array, Array]:
            todo, near = state
            point = first_true(todo)
            return todo.at[point].set(False), near.at[point].set(neighbours(point, weight, -1.0)[1])

        _, near = lax.while_loop(lambda state: state[0].any(), update, (lost, near))
        return Points(weight, near)

    near = map_rows(nearest_other, at, jnp.where((weight > 0)[:, None], f, jnp.inf))
    points = Points(weight, jnp.where(weight > 0, near, jnp.inf))
    weight, _ = lax.fori_loop(0, members.sum(dtype=jnp.int32) - most, remove, points)
    return (members & (copy < weight[first]))[:n]


def group_equal_rows(
    f: Float[Array, "n m"], members: Bool[Array, " n"]
) -> tuple[Int[Array, " n"], Int[Array, " n"], Int[Array, " n"]]:
    """Return the first member that equals each row, how many are before it, and of first members how many are equal."""
    n, m = f.shape
    place = jnp.arange(n, dtype=jnp.int32)
    keys = (~members, *(f[:, k] for k in range(m)))
    *columns, row = lax.sort((*keys, place), num_keys=m + 1, is_stable=True)
    differs = jnp.stack([column[1:] != column[:-1] for column in columns]).any(axis=0)
    start = lax.cummax(jnp.where(jnp.pad(differs, (1, 0), constant_values=True), place, 0))
    first = jnp.zeros(n, jnp.int32).at[row].set(row[start], unique_indices=True)
    copy = jnp.zeros(n, jnp.int32).at[row].set(place - start, unique_indices=True)
    return first, copy, jnp.zeros(n, jnp.int32).at[first].add(members.astype(jnp.int32))


def nearest_other(f: Float[Array, "rows m"], everyone: Float[Array, "n m"]) -> Float[Array, " rows"]:
    """Return the squared distance of each row to the nearest of ``everyone`` but itself."""
    columns = [f[:, k] for k in range(f.shape[1])]
    own = row_numbers(len(f))

    def compare(smallest: Array, numbered: tuple[Array, Array]) -> tuple[Array, None]:
        number, block = numbered
        for i, other in enumerate(block):
            squared = squared_distance(columns, list(other))
            smallest = jnp.where((squared < smallest) & (own != number + i), squared, smallest)
        return smallest, None

    numbers = jnp.arange(0, len(everyone), STEP)
    blocks = everyone.reshape(-1, STEP, f.shape[1])
    return lax.scan(compare, jnp.full(len(f), jnp.inf, f.dtype), (numbers, blocks))[0]


def first_true(flags: Bool[Array, " n"]) -> Int[Array, ""]:
    return first_smallest(jnp.where(flags, 0.0, 1.0))
