"""Which rows of a front to remove, one at a time, so that the least hypervolume is lost.

The contribution of a row is the volume that it dominates alone, up to a reference point. Removing a row can only
increase the contributions of others. So a contribution computed earlier is a lower bound, and only the row with the
smallest bound needs to be computed again: if it stays the smallest, it is the next to remove. This takes O(n) numbers.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from tensorrvea.metrics import device

Columns = tuple[Float[Array, " n"], ...]
# The contribution of a row among those that are left.
Contribution = Callable[[Int[Array, ""], Bool[Array, " n"]], Float[Array, ""]]

# Neighbours that bound the volume of a row in three objectives; with more of them, a slower computation is used.
NEIGHBOURS = 16


def remove_least(contribution: Contribution, front: Bool[Array, " n"], count: Int[Array, ""]) -> Bool[Array, " n"]:
    """Return the front after ``count`` rows with the smallest contribution were removed, one at a time.

    Of equal contributions, that of the highest row is removed.
    """
    row = jnp.arange(len(front), dtype=jnp.int32)

    def step(state: tuple) -> tuple:
        left, bound, removed = state
        i = jnp.where(bound == bound.min(), row, -1).max()
        value = jnp.maximum(contribution(i, left), bound[i])
        bound = bound.at[i].set(value)
        is_least = value <= bound.min()
        return left.at[i].set(~is_least), bound.at[i].set(jnp.where(is_least, jnp.inf, value)), removed + is_least

    bound = jnp.where(front, 0, jnp.inf).astype(jnp.result_type(float))
    state = (front, bound, jnp.zeros((), jnp.int32))
    left, *_ = lax.while_loop(lambda state: state[-1] < count, step, state)
    return left


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


def area_alone(f: Columns, i: Int[Array, ""], left: Bool[Array, " n"], reference: float) -> Float[Array, ""]:
    """Return the area that row i of a front dominates alone: up to the next larger value of each objective."""
    others = left.at[i].set(False)
    is_repeated = (others & (f[0] == f[0][i]) & (f[1] == f[1][i])).any()
    sides = [jnp.where(others & (x > x[i]), x, reference).min() - x[i] for x in f]
    return jnp.where(is_repeated, 0, sides[0] * sides[1])


def volume_alone(f: Columns, i: Int[Array, ""], left: Bool[Array, " n"], reference: float) -> Float[Array, ""]:
    """Return the volume that row i dominates alone.

    In the box from row i to the reference point, another row covers the part above the larger of both values. Of those
    parts, the ones inside others are left out: the row with the smallest sum of coordinates is inside none, and is
    taken first, and so on. Few remain, typically about six.
    """
    others = left.at[i].set(False)
    clipped = tuple(jnp.maximum(x - x[i], 0) for x in f)
    reach = tuple(reference - x[i] for x in f)
    total = clipped[0] + clipped[1] + clipped[2]
    row = jnp.arange(len(total), dtype=jnp.int32)

    def is_going_on(state: tuple) -> Bool[Array, ""]:
        _, smallest, _, count = state
        return (smallest < jnp.inf) & (count < NEIGHBOURS)

    def take(state: tuple) -> tuple:
        key, smallest, taken, count = state
        j = jnp.where(key == smallest, row, len(key)).min()
        corner = tuple(x[j] for x in clipped)
        taken = tuple(values.at[count].set(x) for values, x in zip(taken, corner, strict=True))
        is_inside = (clipped[0] >= corner[0]) & (clipped[1] >= corner[1]) & (clipped[2] >= corner[2])
        key = jnp.where(is_inside, jnp.inf, key)
        return key, key.min(), taken, count + 1

    key = jnp.where(others, total, jnp.inf)
    none = tuple(jnp.full(NEIGHBOURS, side) for side in reach)
    _, smallest, taken, _ = lax.while_loop(is_going_on, take, (key, key.min(), none, jnp.zeros((), jnp.int32)))

    def slowly() -> Float[Array, ""]:
        covered = device.hypervolume(jnp.stack(clipped, axis=1), others, jnp.stack(reach))
        return jnp.maximum(reach[0] * reach[1] * reach[2] - covered, 0)

    return lax.cond(smallest < jnp.inf, slowly, lambda: uncovered_volume(taken, reach))


def uncovered_volume(corners: Columns, reach: tuple[Float[Array, ""], ...]) -> Float[Array, ""]:
    """Return the volume of the box from 0 to ``reach`` that is not above any of the corners.

    In each cell between the first and third coordinates of the corners, it extends up to the smallest second
    coordinate of those below. No volumes are subtracted, so that small ones are accurate.
    """
    x, y, z = corners
    edges = [jnp.pad(jnp.sort(values), (1, 0)) for values in (x, z)]
    widths = [jnp.append(edge[1:], top) - edge for edge, top in zip(edges, (reach[0], reach[2]), strict=True)]
    below = (x <= edges[0][:, None, None]) & (z <= edges[1][:, None])
    height = jnp.where(below, y, reach[1]).min(axis=2)
    return (widths[0][:, None] * widths[1] * height).sum()


def mean_power_of_lengths(
    f: Columns, inverse: Float[Array, "lines m"], i: Int[Array, ""], left: Bool[Array, " n"], reference: float
) -> Float[Array, ""]:
    """Return the mean, over directions, of the m-th power of how far the volume that row i dominates alone extends."""
    others = left.at[i].set(False)
    leaves = jnp.full((), -jnp.inf)
    end = jnp.full((), jnp.inf)
    for k, x in enumerate(f):
        leaves = jnp.maximum(leaves, (x - x[i]) * inverse[:, k, None])
        end = jnp.minimum(end, (reference - x[i]) * inverse[:, k])
    length = jnp.minimum(jnp.where(others, leaves, jnp.inf).min(axis=1), end)
    return (length ** len(f)).mean()
