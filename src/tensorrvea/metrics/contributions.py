"""Which rows of a front to remove, one at a time, so that the least hypervolume is lost.

The contribution of a row is the volume that it dominates alone, up to a reference point. Removing a row can only
increase the contributions of others, and only of those whose volume it bounds. So a contribution is kept, together with
the corner of a box that contains the volume: it stays exact until a row in the box is removed, and is a lower bound
after that. Only a row with the smallest bound needs to be computed again. This takes O(n) numbers.
"""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from tensorrvea.mating import living_rows
from tensorrvea.metrics import device
from tensorrvea.selection.order import first_smallest, last_smallest, smallest_value

Columns = tuple[Float[Array, " n"], ...]


class Alone(NamedTuple):
    """What a row dominates alone."""

    volume: Float[Array, "..."]
    corner: tuple[Float[Array, "..."], ...]
    """One coordinate per objective; the rows that are larger in any of them do not bound the volume."""


# What a row dominates alone among those that are left.
Contribution = Callable[[Int[Array, ""], Bool[Array, " n"]], Alone]

# Neighbours that bound the volume of a row in three objectives; with more of them, a slower computation is used.
NEIGHBOURS = 16
# Corners are this much larger than computed, so that rounding excludes no row. Fronts reach from 0 to 1.
SLACK = 1e-5


class Bounds(NamedTuple):
    """Lower bounds of contributions while rows are removed."""

    left: Bool[Array, " n"]
    volume: Float[Array, " n"]
    """Infinite for rows that are not left."""
    is_exact: Bool[Array, " n"]
    corner: Columns


def remove_least(
    contribution: Contribution, f: Float[Array, "n m"], front: Bool[Array, " n"], count: Int[Array, ""]
) -> Bool[Array, " n"]:
    """Return the front after ``count`` rows with the smallest contribution were removed, one at a time.

    Of equal contributions, that of the highest row is removed.
    """
    n, columns = len(front), tuple(f.T)
    rows, living = living_rows(front)

    def compute(number: Int[Array, ""], bounds: Bounds) -> Bounds:
        i = rows[number]
        alone = contribution(i, front)
        corner = tuple(old.at[i].set(new) for old, new in zip(bounds.corner, alone.corner, strict=True))
        return bounds._replace(volume=bounds.volume.at[i].set(alone.volume), corner=corner)

    def compute_again(bounds: Bounds) -> Bounds:
        i = last_smallest(bounds.volume)
        alone = contribution(i, bounds.left)
        corner = tuple(old.at[i].set(new) for old, new in zip(bounds.corner, alone.corner, strict=True))
        volume = bounds.volume.at[i].max(alone.volume)
        return bounds._replace(volume=volume, is_exact=bounds.is_exact.at[i].set(True), corner=corner)

    def remove(_: Int[Array, ""], bounds: Bounds) -> Bounds:
        bounds = lax.while_loop(lambda now: ~now.is_exact[last_smallest(now.volume)], compute_again, bounds)
        i = last_smallest(bounds.volume)
        is_beyond = jnp.stack([x[i] > c for x, c in zip(columns, bounds.corner, strict=True)]).any(axis=0)
        volume = bounds.volume.at[i].set(jnp.inf)
        return Bounds(bounds.left.at[i].set(False), volume, bounds.is_exact & is_beyond, bounds.corner)

    none = jnp.full(n, jnp.inf, f.dtype)
    bounds = Bounds(front, none, jnp.ones(n, bool), (none,) * len(columns))
    bounds = lax.fori_loop(0, jnp.where(count > 0, living, 0), compute, bounds)
    return lax.fori_loop(0, count, remove, bounds).left


def contribution_to(
    f: Float[Array, "n m"], reference: float, key: PRNGKeyArray | None = None, lines: int = 0
) -> Contribution:
    """Return the function that computes contributions up to a point with the same coordinate in every objective.

    It is exact for two and three objectives. For more, the volume is estimated from the lengths of ``lines`` in random
    directions: the volume that a row dominates alone is star-shaped around it, so it is proportional to the mean
    of the lengths to the power m (Deng and Zhang, 2019; Shang, Ishibuchi and Ni, 2020). The factor is left out.
    """
    columns, m = tuple(f.T), f.shape[1]
    if m == 2:
        return lambda i, left: area_alone(columns, i, left, reference)
    if m == 3:
        return lambda i, left: volume_alone(columns, i, left, reference)
    assert key is not None
    normal = jnp.abs(jax.random.normal(key, (lines, m), f.dtype))
    inverse = 1 / jnp.maximum(normal / jnp.linalg.norm(normal, axis=1, keepdims=True), 1e-6)
    return lambda i, left: mean_power_of_lengths(columns, inverse, i, left, reference)


def area_alone(f: Columns, i: Int[Array, ""], left: Bool[Array, " n"], reference: float) -> Alone:
    """Return the area that row i of a front dominates alone: up to the next larger value of each objective."""
    others = left.at[i].set(False)
    is_repeated = (others & (f[0] == f[0][i]) & (f[1] == f[1][i])).any()
    corner = tuple(jnp.where(others & (x > x[i]), x, reference).min() for x in f)
    area = (corner[0] - f[0][i]) * (corner[1] - f[1][i])
    return Alone(jnp.where(is_repeated, 0, area), corner)


def volume_alone(f: Columns, i: Int[Array, ""], left: Bool[Array, " n"], reference: float) -> Alone:
    """Return the volume that row i dominates alone.

    In the box from row i to the reference point, another row covers the part above the larger of both values. Of those
    parts, the ones inside others are left out: the row with the smallest sum of coordinates is inside none, and is
    taken first, and so on. Few remain, typically about six.
    """
    others = left.at[i].set(False)
    clipped = tuple(jnp.maximum(x - x[i], 0) for x in f)
    reach = tuple(reference - x[i] for x in f)
    total = clipped[0] + clipped[1] + clipped[2]

    def is_going_on(state: tuple) -> Bool[Array, ""]:
        key, j, _, count = state
        return (key[j] < jnp.inf) & (count < NEIGHBOURS)

    def take(state: tuple) -> tuple:
        key, j, taken, count = state
        corner = tuple(x[j] for x in clipped)
        taken = tuple(values.at[count].set(x) for values, x in zip(taken, corner, strict=True))
        is_inside = (clipped[0] >= corner[0]) & (clipped[1] >= corner[1]) & (clipped[2] >= corner[2])
        key = jnp.where(is_inside, jnp.inf, key)
        return key, first_smallest(key), taken, count + 1

    key = jnp.where(others, total, jnp.inf)
    none = tuple(jnp.full(NEIGHBOURS, side) for side in reach)
    start = (key, first_smallest(key), none, jnp.zeros((), jnp.int32))
    key, j, taken, _ = lax.while_loop(is_going_on, take, start)

    def compute_slowly(state: tuple) -> tuple:
        _, is_incomplete = state
        # The rows depend on the state, since XLA would otherwise move the computation out of the loop.
        covered = device.hypervolume(jnp.stack(clipped, axis=1), others & is_incomplete, jnp.stack(reach))
        return jnp.maximum(reach[0] * reach[1] * reach[2] - covered, 0), jnp.zeros((), bool)

    # A loop, since a condition on a batch of runs computes both of its sides.
    is_incomplete = key[j] < jnp.inf
    quickly = (uncovered_volume(taken, reach), is_incomplete)
    volume, _ = lax.while_loop(lambda state: state[1], compute_slowly, quickly)
    corner = (axis_end(taken, reach, axis) + f[axis][i] + SLACK for axis in range(3))
    return Alone(volume, tuple(jnp.where(is_incomplete, jnp.inf, end) for end in corner))


def axis_end(corners: Columns, reach: tuple[Float[Array, ""], ...], axis: int) -> Float[Array, ""]:
    """Return how far along an axis the volume that is not above any of the corners extends."""
    others = [x for k, x in enumerate(corners) if k != axis]
    return jnp.where((others[0] <= 0) & (others[1] <= 0), corners[axis], reach[axis]).min()


def uncovered_volume(corners: Columns, reach: tuple[Float[Array, ""], ...]) -> Float[Array, ""]:
    """Return the volume of the box from 0 to ``reach`` that is not above any of the corners.

    In each cell between the first and third coordinates of the corners, it extends up to the smallest second
    coordinate of those below. No volumes are subtracted, so that small ones are accurate.
    """
    x, y, z = corners
    edges = [jnp.pad(jnp.sort(values), (1, 0)) for values in (x, z)]
    widths = [jnp.append(edge[1:], top) - edge for edge, top in zip(edges, (reach[0], reach[2]), strict=True)]
    below = (x <= edges[0][:, None, None]) & (z <= edges[1][:, None])
    height = smallest_value(jnp.where(below, y, reach[1]), axis=2)
    return (widths[0][:, None] * widths[1] * height).sum()


def mean_power_of_lengths(
    f: Columns, inverse: Float[Array, "lines m"], i: Int[Array, ""], left: Bool[Array, " n"], reference: float
) -> Alone:
    """Return the mean, over directions, of the m-th power of how far the volume that row i dominates alone extends."""
    others = left.at[i].set(False)
    leaves = jnp.full((), -jnp.inf)
    end = jnp.full((), jnp.inf)
    for k, x in enumerate(f):
        leaves = jnp.maximum(leaves, (x - x[i]) * inverse[:, k, None])
        end = jnp.minimum(end, (reference - x[i]) * inverse[:, k])
    length = jnp.minimum(jnp.where(others, leaves, jnp.inf).min(axis=1), end)
    corner = tuple(x[i] + (length / inverse[:, k]).max() + SLACK for k, x in enumerate(f))
    return Alone((length ** len(f)).mean(), corner)
