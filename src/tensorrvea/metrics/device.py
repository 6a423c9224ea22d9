"""Metrics for compiled code, so that a run records its curves without leaving the device.

Every objective is minimised and ``alive`` masks the rows. If no row is alive, distances are infinite, hypervolume and
spacing are zero, and expected utility is minus infinity. All functions jit, vmap and scan in the precision of ``f``,
with bounded memory. ``tensorrvea.metrics`` defines the metrics under the same names.
"""

from collections.abc import Callable
from math import gamma, pi

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

# Pairs of rows in memory at a time.
BLOCK = 1 << 20


def igd(f: Float[Array, "n m"], alive: Bool[Array, " n"], front: Float[Array, "p m"]) -> Float[Array, ""]:
    """The mean distance from a point of the true front to the nearest alive row.

    Args:
      f: objectives, all minimised, one row per individual.
      alive: which rows count.
      front: points of the true front.

    Returns:
      The mean distance, infinite if no row counts.

    >>> import jax.numpy as jnp
    >>> f, alive = jnp.array([[0.0, 0.0], [9.0, 9.0]]), jnp.array([True, True])
    >>> float(igd(f, alive, front=jnp.array([[0.0, 1.0], [3.0, 4.0]])))
    3.0
    """
    return jnp.sqrt(_smallest(lambda d: d**2, jnp.asarray(front, f.dtype), f, alive)).mean()


def igd_plus(f: Float[Array, "n m"], alive: Bool[Array, " n"], front: Float[Array, "p m"]) -> Float[Array, ""]:
    """Like ``igd``, but counting only the objectives in which a row is worse.

    Args:
      f: objectives, all minimised, one row per individual.
      alive: which rows count.
      front: points of the true front.

    Returns:
      The mean distance, infinite if no row counts.

    >>> import jax.numpy as jnp
    >>> f, alive = jnp.array([[0.0, 0.0], [9.0, 9.0]]), jnp.array([True, True])
    >>> float(igd_plus(f, alive, front=jnp.array([[0.0, 1.0], [3.0, 4.0]])))
    0.0
    """
    return jnp.sqrt(_smallest(lambda d: jnp.maximum(d, 0) ** 2, jnp.asarray(front, f.dtype), f, alive)).mean()


def gd(f: Float[Array, "n m"], alive: Bool[Array, " n"], front: Float[Array, "p m"]) -> Float[Array, ""]:
    """The mean distance from an alive row to the nearest point of the true front.

    Args:
      f: objectives, all minimised, one row per individual.
      alive: which rows count.
      front: points of the true front.

    Returns:
      The mean distance, infinite if no row counts.

    >>> import jax.numpy as jnp
    >>> f, alive = jnp.array([[0.0, 0.0], [9.0, 9.0]]), jnp.array([True, True])
    >>> float(gd(f, alive, front=jnp.array([[3.0, 4.0], [9.0, 9.0]])))
    2.5
    """
    rows = jnp.where(alive[:, None], f, 0)
    front = jnp.asarray(front, f.dtype)
    distance = jnp.sqrt(_smallest(lambda d: d**2, rows, front, jnp.ones(len(front), bool)))
    return jnp.where(alive.any(), jnp.where(alive, distance, 0).sum() / jnp.maximum(alive.sum(), 1), jnp.inf)


def spacing(f: Float[Array, "n m"], alive: Bool[Array, " n"]) -> Float[Array, ""]:
    """The standard deviation of the alive rows' nearest-neighbour distances; 0 for fewer than two rows.

    Args:
      f: objectives, all minimised, one row per individual.
      alive: which rows count.

    Returns:
      The standard deviation.

    >>> import jax.numpy as jnp
    >>> f = jnp.array([[0.0, 3.0], [1.0, 2.0], [3.0, 0.0]])
    >>> round(float(spacing(f, jnp.array([True, True, True]))), 4)
    1.1547
    """
    count = alive.sum()
    rows = jnp.where(alive[:, None], f, 0)
    nearest = jnp.where(alive & (count > 1), _smallest(jnp.abs, rows, f, alive, exclude_self=True), 0)
    mean = nearest.sum() / jnp.maximum(count, 1)
    return jnp.sqrt((jnp.where(alive, nearest - mean, 0) ** 2).sum() / jnp.maximum(count - 1, 1))


def expected_utility(
    f: Float[Array, "n m"], alive: Bool[Array, " n"], weights: Float[Array, "k m"]
) -> Float[Array, ""]:
    """The mean, over weights, of the best weighted sum of rewards -f among the alive rows.

    Args:
      f: objectives, all minimised, one row per individual.
      alive: which rows count.
      weights: points of the simplex, (k, m), such as ``metrics.utility_weights``.

    Returns:
      The mean utility, minus infinity if no row counts.

    >>> import jax.numpy as jnp
    >>> f, weights = jnp.array([[-4.0, 0.0], [-1.0, -3.0]]), jnp.array([[1.0, 0.0], [0.0, 1.0]])
    >>> float(expected_utility(f, jnp.array([True, True]), weights))
    3.5
    """
    reward = jnp.where(alive[:, None], -f, -jnp.inf)

    def best(weight: Float[Array, " m"]) -> Float[Array, ""]:
        # Mask again: a weight of zero turns the infinity of a dead row into NaN.
        return jnp.where(alive, (reward * weight).sum(axis=1), -jnp.inf).max()

    return lax.map(best, jnp.asarray(weights, f.dtype)).mean()


def hypervolume(f: Float[Array, "n m"], alive: Bool[Array, " n"], reference: Float[Array, " m"]) -> Float[Array, ""]:
    """The exact hypervolume for two or three objectives; use ``hypervolume_estimate`` for more.

    Args:
      f: objectives, all minimised, one row per individual.
      alive: which rows count.
      reference: the reference point, minimised as well.

    Returns:
      The area or volume.

    Raises:
      ValueError: for other numbers of objectives.

    >>> import jax.numpy as jnp
    >>> f = jnp.array([[5.0, 5.0], [4.0, 6.0], [2.0, 7.0], [7.0, 4.0]])
    >>> float(hypervolume(f, jnp.ones(4, bool), jnp.array([10.0, 10.0])))
    38.0
    """
    m = f.shape[1]
    if m not in (2, 3):
        raise ValueError(f"hypervolume on the device takes 2 or 3 objectives, got {m}; use hypervolume_estimate")
    reach, counts = _reach(f, alive, reference)
    return _area(reach) if m == 2 else _volume(reach, counts)


def hypervolume_estimate(
    key: PRNGKeyArray,
    f: Float[Array, "n m"],
    alive: Bool[Array, " n"],
    reference: Float[Array, " m"],
    samples: int = 10_000,
) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """A Monte Carlo estimate of the hypervolume, and its standard error.

    Args:
      key: for the random directions.
      f: objectives, all minimised, one row per individual.
      alive: which rows count.
      reference: the reference point, minimised as well.
      samples: the number of directions.

    Returns:
      The estimate, and its standard error.

    >>> import jax, jax.numpy as jnp
    >>> f = jnp.array([[0.0, 0.5], [0.5, 0.0]])
    >>> value, error = hypervolume_estimate(jax.random.key(0), f, jnp.ones(2, bool), jnp.ones(2))
    >>> bool(abs(value - 0.75) < 4 * error)
    True
    """
    m = f.shape[1]
    reach, counts = _reach(f, alive, reference)
    box = jnp.where(counts.any(), reach.max(axis=0), 1)
    reach = reach / box
    directions = jnp.abs(jax.random.normal(key, (samples, m), f.dtype))
    directions = directions / jnp.linalg.norm(directions, axis=1, keepdims=True)

    def farthest(direction: Float[Array, " m"]) -> Float[Array, ""]:
        return (reach / jnp.maximum(direction, jnp.finfo(f.dtype).tiny)).min(axis=1).max()

    each = lax.map(farthest, directions, batch_size=max(1, min(samples, BLOCK // len(f)))) ** m
    ball = pi ** (m / 2) / (2**m * gamma(m / 2 + 1)) * box.prod()
    return ball * each.mean(), ball * each.std(ddof=1) / jnp.sqrt(samples)


def _reach(
    f: Float[Array, "n m"], alive: Bool[Array, " n"], reference: Float[Array, " m"]
) -> tuple[Float[Array, "n m"], Bool[Array, " n"]]:
    """The sides of each row's box up to the reference point, 0 for rows that add nothing; and which rows count."""
    reference = jnp.asarray(reference, f.dtype)
    counts = alive & (f < reference).all(axis=1)
    return jnp.where(counts[:, None], reference - f, 0), counts


def _smallest(
    term: Callable[[Array], Array],
    points: Float[Array, "p m"],
    rows: Float[Array, "n m"],
    alive: Bool[Array, " n"],
    *,
    exclude_self: bool = False,
) -> Float[Array, " p"]:
    """For each point, the smallest Σ_k term(row_k - point_k) over the alive rows, without the point's own if asked."""
    numbers = jnp.arange(len(rows), dtype=jnp.int32)

    def smallest(point: tuple[Float[Array, " m"], Int[Array, ""]]) -> Float[Array, ""]:
        at, own = point
        total = jnp.zeros(len(rows), rows.dtype)
        for k in range(rows.shape[1]):
            total += term(rows[:, k] - at[k])
        return jnp.where(alive & ~((numbers == own) & exclude_self), total, jnp.inf).min()

    batch = max(1, min(len(points), BLOCK // len(rows)))
    return lax.map(smallest, (points, jnp.arange(len(points), dtype=jnp.int32)), batch_size=batch)


def _area(reach: Float[Array, "n 2"]) -> Float[Array, ""]:
    """The area of a union of rectangles at the origin: by decreasing width, each adds its height above the others."""
    width, height = lax.sort((-reach[:, 0], reach[:, 1]), num_keys=1)
    width, highest = -width, lax.cummax(height)
    return ((width - jnp.append(width[1:], 0)) * highest).sum()


def _volume(reach: Float[Array, "n 3"], counts: Bool[Array, " n"]) -> Float[Array, ""]:
    """The volume of a union of boxes at the origin: by decreasing depth, each adds newly covered area × its depth.

    The covered area is a staircase over the widths of all boxes, and each box raises a part of it, so the union takes
    n steps over n numbers and O(n) memory.
    """
    edge = jnp.sort(reach[:, 0])
    strip = jnp.diff(edge, prepend=0)
    depth, width, height = lax.sort((-reach[:, 2], reach[:, 0], reach[:, 1]), num_keys=1)

    def add_box(i: Int[Array, ""], state: tuple[Array, Array]) -> tuple[Array, Array]:
        stairs, gains = state
        raised = jnp.where(edge <= width[i], jnp.maximum(stairs, height[i]), stairs)
        return raised, gains.at[i].set((strip * (raised - stairs)).sum())

    zeros = jnp.zeros_like(edge)
    _, gains = lax.fori_loop(0, counts.sum(), add_box, (zeros, zeros))
    return (gains * -depth).sum()
