"""The metrics inside compiled code, so that a whole run can record its curve without leaving the device.

Everything is minimised, ``alive`` says which rows count, and nothing is raised: with nobody alive, distances
are infinite, hypervolume and spacing are zero and expected utility is minus infinity. They jit, vmap and
scan, in the precision of ``f``; memory is bounded, whatever the number of rows. See the functions of the same
names in ``tensorrvea.metrics`` for what they mean.
"""

from collections.abc import Callable
from math import gamma, pi

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

# Pairs looked at at once.
BLOCK = 1 << 20


def igd(f: Float[Array, "n m"], alive: Bool[Array, " n"], front: Float[Array, "p m"]) -> Float[Array, ""]:
    """The mean distance from a point of the true front to the nearest living row."""
    return jnp.sqrt(_smallest(lambda d: d**2, jnp.asarray(front, f.dtype), f, alive)).mean()


def igd_plus(f: Float[Array, "n m"], alive: Bool[Array, " n"], front: Float[Array, "p m"]) -> Float[Array, ""]:
    """As ``igd``, but counting only by how much a row is worse."""
    return jnp.sqrt(_smallest(lambda d: jnp.maximum(d, 0) ** 2, jnp.asarray(front, f.dtype), f, alive)).mean()


def gd(f: Float[Array, "n m"], alive: Bool[Array, " n"], front: Float[Array, "p m"]) -> Float[Array, ""]:
    """The mean distance from a living row to the nearest point of the true front."""
    rows = jnp.where(alive[:, None], f, 0)
    front = jnp.asarray(front, f.dtype)
    distance = jnp.sqrt(_smallest(lambda d: d**2, rows, front, jnp.ones(len(front), bool)))
    return jnp.where(alive.any(), jnp.where(alive, distance, 0).sum() / jnp.maximum(alive.sum(), 1), jnp.inf)


def spacing(f: Float[Array, "n m"], alive: Bool[Array, " n"]) -> Float[Array, ""]:
    """The standard deviation of the living rows' distances to their nearest; 0 for fewer than two."""
    count = alive.sum()
    rows = jnp.where(alive[:, None], f, 0)
    nearest = jnp.where(alive & (count > 1), _smallest(jnp.abs, rows, f, alive, others=True), 0)
    mean = nearest.sum() / jnp.maximum(count, 1)
    return jnp.sqrt((jnp.where(alive, nearest - mean, 0) ** 2).sum() / jnp.maximum(count - 1, 1))


def expected_utility(
    f: Float[Array, "n m"], alive: Bool[Array, " n"], weights: Float[Array, "k m"]
) -> Float[Array, ""]:
    """The mean, over weights, of the best weighted sum of rewards -f among the living rows."""
    reward = jnp.where(alive[:, None], -f, -jnp.inf)

    def best(weight: Float[Array, " m"]) -> Float[Array, ""]:
        # A weight of zero does not make a number of a dead row's infinity.
        return jnp.where(alive, (reward * weight).sum(axis=1), -jnp.inf).max()

    return lax.map(best, jnp.asarray(weights, f.dtype)).mean()


def hypervolume(f: Float[Array, "n m"], alive: Bool[Array, " n"], reference: Float[Array, " m"]) -> Float[Array, ""]:
    """The exact hypervolume of two or three objectives; of more, use ``hypervolume_estimate``."""
    m = f.shape[1]
    if m not in (2, 3):
        raise ValueError(f"hypervolume on the device takes 2 or 3 objectives, got {m}; use hypervolume_estimate")
    reference = jnp.asarray(reference, f.dtype)
    counts = alive & (f < reference).all(axis=1)
    # Seen from the reference point, in which those that do not count are.
    reach = jnp.where(counts[:, None], reference - f, 0)
    return _area(reach) if m == 2 else _volume(reach, counts)


def hypervolume_estimate(
    key: PRNGKeyArray,
    f: Float[Array, "n m"],
    alive: Bool[Array, " n"],
    reference: Float[Array, " m"],
    samples: int = 10_000,
) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """The hypervolume of any number of objectives by Monte Carlo, and its standard error."""
    m = f.shape[1]
    counts = alive & (f < jnp.asarray(reference, f.dtype)).all(axis=1)
    reach = jnp.where(counts[:, None], jnp.asarray(reference, f.dtype) - f, 0)
    box = jnp.where(counts.any(), reach.max(axis=0), 1)
    reach = reach / box
    directions = jnp.abs(jax.random.normal(key, (samples, m), f.dtype))
    directions = directions / jnp.linalg.norm(directions, axis=1, keepdims=True)

    def farthest(direction: Float[Array, " m"]) -> Float[Array, ""]:
        return (reach / jnp.maximum(direction, jnp.finfo(f.dtype).tiny)).min(axis=1).max()

    each = lax.map(farthest, directions, batch_size=max(1, min(samples, BLOCK // len(f)))) ** m
    ball = pi ** (m / 2) / (2**m * gamma(m / 2 + 1)) * box.prod()
    return ball * each.mean(), ball * each.std(ddof=1) / jnp.sqrt(samples)


def _smallest(
    part: Callable[[Array], Array],
    points: Float[Array, "p m"],
    rows: Float[Array, "n m"],
    alive: Bool[Array, " n"],
    *,
    others: bool = False,
) -> Float[Array, " p"]:
    """For each point, the smallest Σ_k part(row_k - point_k) of the living rows, maybe but its own."""
    numbers = jnp.arange(len(rows), dtype=jnp.int32)

    def smallest(point: tuple[Float[Array, " m"], Int[Array, ""]]) -> Float[Array, ""]:
        at, own = point
        total = jnp.zeros(len(rows), rows.dtype)
        for k in range(rows.shape[1]):
            total += part(rows[:, k] - at[k])
        return jnp.where(alive & ~((numbers == own) & others), total, jnp.inf).min()

    batch = max(1, min(len(points), BLOCK // len(rows)))
    return lax.map(smallest, (points, jnp.arange(len(points), dtype=jnp.int32)), batch_size=batch)


def _area(reach: Float[Array, "n 2"]) -> Float[Array, ""]:
    """The union of rectangles from the origin: from the widest on, each adds what is higher than all before."""
    width, height = lax.sort((-reach[:, 0], reach[:, 1]), num_keys=1)
    width, highest = -width, lax.cummax(height)
    return ((width - jnp.append(width[1:], 0)) * highest).sum()


def _volume(reach: Float[Array, "n 3"], counts: Bool[Array, " n"]) -> Float[Array, ""]:
    """The union of boxes from the origin, from the deepest on: each adds area that was bare, times its depth.

    The area that is covered is a staircase over the widths of all boxes. A box raises a part of it, so that
    the union takes n steps over n numbers, and no more memory than those.
    """
    edge = jnp.sort(reach[:, 0])
    strip = jnp.diff(edge, prepend=0)
    depth, width, height = lax.sort((-reach[:, 2], reach[:, 0], reach[:, 1]), num_keys=1)

    def lay(i: Int[Array, ""], state: tuple[Array, Array]) -> tuple[Array, Array]:
        stairs, gains = state
        raised = jnp.where(edge <= width[i], jnp.maximum(stairs, height[i]), stairs)
        return raised, gains.at[i].set((strip * (raised - stairs)).sum())

    nothing = jnp.zeros_like(edge)
    _, gains = lax.fori_loop(0, counts.sum(), lay, (nothing, nothing))
    return (gains * -depth).sum()
