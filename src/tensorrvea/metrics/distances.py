"""Distances: between a set of points and the true front, and of points among themselves."""

import numpy as np
import scipy
from jaxtyping import Float
from numpy.typing import ArrayLike

from tensorrvea.directions import Directions
from tensorrvea.metrics.inputs import minimised, minimised_pair

# Numbers in memory at a time for all pairs of points: 32 MB.
BLOCK = 1 << 22


def igd(F: ArrayLike, front: ArrayLike, directions: Directions = "min") -> float:
    """Inverted generational distance: the mean distance from a point of the true front to the nearest of F.

    The paper's definition (supplement, numerical benchmarks). Smaller is better; 0 if F covers the front. Independent
    of ``directions``.

    Args:
      F: objectives, one row per solution, in the user's signs.
      front: points of the true front, with the same columns.
      directions: ``"min"`` or ``"max"`` for all objectives, or one of them for each.

    Returns:
      The mean distance; 0 is the best.

    Raises:
      ValueError: if the shapes do not match, or a value is NaN or infinite.

    >>> igd([[0.0, 0.0], [9.0, 9.0]], front=[[0.0, 1.0], [3.0, 4.0]])
    3.0
    """
    f, true = minimised_pair(F, front, directions)
    return float(scipy.spatial.cKDTree(f).query(true)[0].mean())


def gd(F: ArrayLike, front: ArrayLike, directions: Directions = "min") -> float:
    """Generational distance: the mean distance from a point of F to the nearest of the true front.

    Smaller is better. It measures how close F is, not how much of the front it covers. Independent of ``directions``.
    (Van Veldhuizen's original definition, 1998, has √Σd²/n, which shrinks as n grows.)

    Args:
      F: objectives, one row per solution, in the user's signs.
      front: points of the true front, with the same columns.
      directions: ``"min"`` or ``"max"`` for all objectives, or one of them for each.

    Returns:
      The mean distance; 0 is the best.

    Raises:
      ValueError: if the shapes do not match, or a value is NaN or infinite.

    >>> gd([[3.0, 4.0], [0.0, 1.0]], front=[[0.0, 0.0], [0.0, 1.0], [0.0, 8.0]])
    2.1213203435596424
    """
    f, true = minimised_pair(F, front, directions)
    return float(scipy.spatial.cKDTree(true).query(f)[0].mean())


def igd_plus(F: ArrayLike, front: ArrayLike, directions: Directions = "min") -> float:
    """IGD+: like ``igd``, but counting only the objectives in which a point is worse than the front's.

    The distance from z on the front to f is ‖max(f - z, 0)‖ for minimised objectives (Ishibuchi, Masuda, Tanigaki and
    Nojima, 2015). Unlike IGD, it never ranks a set worse than one that it dominates.

    Args:
      F: objectives, one row per solution, in the user's signs.
      front: points of the true front, with the same columns.
      directions: ``"min"`` or ``"max"`` for all objectives, or one of them for each.

    Returns:
      The mean distance; 0 is the best.

    Raises:
      ValueError: if the shapes do not match, or a value is NaN or infinite.

    >>> igd_plus([[0.5, 0.5], [2.0, 0.0]], front=[[0.0, 1.0], [1.0, 0.0]])
    0.5
    >>> igd_plus([[-0.5, -0.5], [-2.0, 0.0]], front=[[0.0, -1.0], [-1.0, 0.0]], directions="max")
    0.5
    """
    f, true = minimised_pair(F, front, directions)
    step = max(1, BLOCK // f.size)
    return float(np.concatenate([_igd_plus_distances(f, true[i : i + step]) for i in range(0, len(true), step)]).mean())


def _igd_plus_distances(f: Float[np.ndarray, "n m"], true: Float[np.ndarray, "p m"]) -> Float[np.ndarray, " p"]:
    """The IGD+ distance from each point of the front to the nearest of F."""
    return np.sqrt((np.maximum(f[None, :, :] - true[:, None, :], 0) ** 2).sum(axis=2).min(axis=1))


def spacing(F: ArrayLike, directions: Directions = "min") -> float:
    """Schott's spacing: the standard deviation of each point's distance to its nearest other point.

    Distances are sums of absolute differences, and the deviation has n - 1 in its denominator (Schott, 1995). Smaller
    is more even. Independent of ``directions``. Needs two points.

    Args:
      F: objectives, one row per solution, in the user's signs.
      directions: ``"min"`` or ``"max"`` for all objectives, or one of them for each.

    Returns:
      The standard deviation; 0 if all points are equally far from their neighbours.

    Raises:
      ValueError: if there are fewer than two points, or a value is NaN or infinite.

    >>> spacing([[0.0, 3.0], [1.0, 2.0], [3.0, 0.0]])
    1.1547005383792515
    """
    f = minimised("F", F, directions, minimum=2)
    nearest = scipy.spatial.cKDTree(f).query(f, k=2, p=1)[0][:, 1]
    return float(np.std(nearest, ddof=1))
