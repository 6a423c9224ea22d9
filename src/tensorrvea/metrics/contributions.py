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

from tensorrvea.metrics import device
from tensorrvea.platforms import run_if
from tensorrvea.selection.order import first_smallest, last_smallest, smallest_value

Columns = tuple[Float[Array, "..."], ...]


class Alone(NamedTuple):
    """What a row dominates alone."""

    volume: Float[Array, "..."]
    corner: tuple[Float[Array, "..."], ...]
    """One coordinate per objective; the rows that are larger in any of them do not bound the volume."""


# What a row dominates alone among those that are left.
Contribution = Callable[[Int[Array, ""], Bool[Array, " n"]], Alone]

# Neighbours that bound the volume of a row in three objectives; with more of them, a slower computation is used.
NEIGHBOURS = 16
# The same for many rows at once; with more of them, a row gets a lower bound.
NEIGHBOURS_AT_ONCE = 8
# Rows whose volumes are computed at once: with a front of 500 rows, their comparisons fit into a processor's cache.
BLOCK = 128
# Corners of estimates are this much larger than computed, so that rounding excludes no row. Fronts reach from 0 to 1.
SLACK = 1e-5


class Bounds(NamedTuple):
    """Lower bounds of contributions while rows are removed."""

    left: Bool[Array, " n"]
    volume: Float[Array, " n"]
    """Infinite for rows that are not left."""
    is_exact: Bool[Array, " n"]
    corner: Columns


def remove_least(
    f: Float[Array, "n m"],
    front: Bool[Array, " n"],
    count: Int[Array, ""],
    reference: float,
    key: PRNGKeyArray | None = None,
    lines: int = 0,
) -> Bool[Array, " n"]:
    """Return the front after ``count`` rows with the smallest contribution were removed, one at a time.

    Of equal contributions, that of the highest row is removed. The other arguments are those of ``contribution_to``.
    """
    n, m = f.shape
    columns, contribution = tuple(f.T), contribution_to(f, reference, key, lines)

    def compute(bounds: Bounds) -> Bounds:
        i = last_smallest(bounds.volume)
        alone = contribution(i, bounds.left)
        corner = tuple(old.at[i].set(new) for old, new in zip(bounds.corner, alone.corner, strict=True))
        volume = bounds.volume.at[i].max(alone.volume)
        return bounds._replace(volume=volume, is_exact=bounds.is_exact.at[i].set(True), corner=corner)

    def remove(_: Int[Array, ""], bounds: Bounds) -> Bounds:
        bounds = lax.while_loop(lambda now: ~now.is_exact[last_smallest(now.volume)], compute, bounds)
        i = last_smallest(bounds.volume)
        is_beyond = jnp.stack([x[i] > c for x, c in zip(columns, bounds.corner, strict=True)]).any(axis=0)
        volume = bounds.volume.at[i].set(jnp.inf)
        return Bounds(bounds.left.at[i].set(False), volume, bounds.is_exact & is_beyond, bounds.corner)

    infinite = jnp.full(n, jnp.inf, f.dtype)
    bounds = Bounds(front, jnp.where(front, 0, infinite), jnp.zeros(n, bool), (infinite,) * m)
    if m == 3:
        bounds = run_if(count > 0, lambda start: bounds_at_once(columns, start, reference), bounds)
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

    In the box that contains the volume, a row covers the part above the larger of its values and those of row i. Of
    those parts, the ones inside others are left out: the row with the smallest sum of coordinates is inside none, and
    is taken first, and so on. Few remain, typically about three.
    """
    own = tuple(x[i] for x in f)
    corner, is_inside = box_alone(f, own, left.at[i].set(False), reference)
    clipped = tuple(jnp.maximum(x - start, 0) for x, start in zip(f, own, strict=True))
    sides = tuple(end - start for end, start in zip(corner, own, strict=True))

    def is_going_on(state: tuple) -> Bool[Array, ""]:
        key, j, _, count = state
        return (key[j] < jnp.inf) & (count < NEIGHBOURS)

    def take(state: tuple) -> tuple:
        key, j, taken, count = state
        start = tuple(x[j] for x in clipped)
        taken = tuple(values.at[count].set(x) for values, x in zip(taken, start, strict=True))
        is_covered = (clipped[0] >= start[0]) & (clipped[1] >= start[1]) & (clipped[2] >= start[2])
        key = jnp.where(is_covered, jnp.inf, key)
        return key, first_smallest(key), taken, count + 1

    key = jnp.where(is_inside, clipped[0] + clipped[1] + clipped[2], jnp.inf)
    none = tuple(jnp.full(NEIGHBOURS, side) for side in sides)
    key, j, taken, _ = lax.while_loop(is_going_on, take, (key, first_smallest(key), none, jnp.zeros((), jnp.int32)))

    def compute_slowly(state: tuple) -> tuple:
        _, is_incomplete = state
        # The rows depend on the state, since XLA would otherwise move the computation out of the loop.
        covered = device.hypervolume(jnp.stack(clipped, axis=1), is_inside & is_incomplete, jnp.stack(sides))
        return jnp.maximum(sides[0] * sides[1] * sides[2] - covered, 0), jnp.zeros((), bool)

    # A loop, since a condition on a batch of runs computes both of its sides.
    quickly = (uncovered_volume(taken, sides), key[j] < jnp.inf)
    volume, _ = lax.while_loop(lambda state: state[1], compute_slowly, quickly)
    return Alone(volume, corner)


def bounds_at_once(f: Columns, bounds: Bounds, reference: float) -> Bounds:
    """Return bounds of the volumes that rows dominate alone, by ``volumes_alone`` in blocks of rows."""
    n, left = len(bounds.left), bounds.left
    rows = jnp.arange(-(-n // BLOCK) * BLOCK, dtype=jnp.int32).reshape(-1, BLOCK)
    found = lax.map(lambda block: volumes_alone(f, jnp.minimum(block, n - 1), left, reference), rows)
    alone, is_exact = jax.tree.map(lambda values: values.reshape(-1)[:n], found)
    return Bounds(left, jnp.where(left, alone.volume, jnp.inf), is_exact, alone.corner)


def volumes_alone(
    f: Columns, rows: Int[Array, " block"], left: Bool[Array, " n"], reference: float
) -> tuple[Alone, Bool[Array, " block"]]:
    """Return the volumes that some rows dominate alone, and which of them are exact.

    The volume of a row with many neighbours is that of the largest box with the proportions of its own box that no
    other row covers: a lower bound. The last axis is that of the rows, so that instructions compute several at once.
    """
    own = tuple(x[rows] for x in f)
    n = len(left)
    number = jnp.arange(n, dtype=jnp.int32)[:, None]
    others = tuple(x[:, None] for x in f)
    corner, is_inside = box_alone(others, own, left[:, None] & (number != rows), reference)
    sides = tuple(end - start for end, start in zip(corner, own, strict=True))
    waiting = jnp.where(is_inside, number, n)
    last, neighbours = jnp.full_like(rows, -1), []
    for _ in range(NEIGHBOURS_AT_ONCE):
        last = jnp.where(waiting > last, waiting, n).min(axis=0)
        neighbours.append(last)
    j = jnp.stack(neighbours)
    taken = tuple(
        jnp.where(j < n, jnp.maximum(x[jnp.minimum(j, n - 1)] - start, 0), side)
        for x, start, side in zip(f, own, sides, strict=True)
    )
    share = jnp.zeros((), f[0].dtype)
    for x, start, side in zip(others, own, sides, strict=True):
        share = jnp.maximum(share, (x - start) * jnp.where(side > 0, 1 / side, 0))
    share = smallest_value(jnp.where(is_inside, share, 1), axis=0)
    is_exact = is_inside.sum(axis=0, dtype=jnp.int32) <= NEIGHBOURS_AT_ONCE
    volume = jnp.where(is_exact, uncovered_volume(taken, sides), share**3 * sides[0] * sides[1] * sides[2])
    return Alone(volume, corner), is_exact


def box_alone(
    f: Columns, own: Columns, is_other: Bool[Array, "n ..."], reference: float
) -> tuple[Columns, Bool[Array, "n ..."]]:
    """Return the corner of the smallest box that contains what a row dominates alone, and which rows reach into it.

    Along an axis, the volume ends where a row begins that is not larger in the other two objectives.
    """
    is_low = tuple(x <= start for x, start in zip(f, own, strict=True))
    corner = []
    for axis, (x, start) in enumerate(zip(f, own, strict=True)):
        first, second = (low for k, low in enumerate(is_low) if k != axis)
        ends = jnp.where(is_other & first & second, jnp.maximum(x, start), reference)
        corner.append(smallest_value(ends, axis=0))
    for x, end in zip(f, corner, strict=True):
        is_other &= x < end
    return tuple(corner), is_other


def uncovered_volume(corners: Columns, sides: Columns) -> Float[Array, "..."]:
    """Return the volume of the box from 0 to ``sides`` that is not above any of the corners.

    In each cell between the first and third coordinates of the corners, it extends up to the smallest second
    coordinate of those below. No volumes are subtracted, so that small ones are accurate. The first axis is that of
    the corners; others are those of the boxes.
    """
    x, y, z = corners
    starts = [jnp.concatenate([jnp.zeros_like(values[:1]), jnp.sort(values, axis=0)]) for values in (x, z)]
    ends = [jnp.concatenate([start[1:], side[None]]) for start, side in zip(starts, (sides[0], sides[2]), strict=True)]
    height = sides[1]
    for k in range(len(y)):
        is_below = (x[k] <= starts[0])[:, None] & (z[k] <= starts[1])
        height = jnp.where(is_below, jnp.minimum(height, y[k]), height)
    return ((ends[0] - starts[0])[:, None] * (ends[1] - starts[1]) * height).sum(axis=(0, 1))


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
