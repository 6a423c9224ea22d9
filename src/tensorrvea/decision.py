"""Choosing one solution from a front: by weights, or at its knee.

Objectives are first made comparable. With directions turned so that everything is minimised, each is
normalised by the set's own range, a_ij = (f_ij - min_i f_ij) / (max_i f_ij - min_i f_ij), so 0 is the best
value in the set and 1 the worst; an objective on which all agree is 0 throughout. Ties go to the lowest
index.

The HTML report computes the same formulas in the browser (``report/assets/js/decision.js``).
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from tensorrvea.checks import check_array, check_choice, check_integer
from tensorrvea.directions import signs

METHODS = ("sum", "tchebycheff")


def normalise(F: ArrayLike, directions: str | Sequence[str] = "min") -> Float[np.ndarray, "n m"]:
    """Objectives on a common scale: 0 is the best value in the set, 1 the worst.

    >>> normalise([[1.0, 10.0], [3.0, 30.0], [2.0, 20.0]], ("min", "max")).tolist()
    [[0.0, 1.0], [1.0, 0.0], [0.5, 0.5]]
    """
    f = check_array("F", F, shape="(solutions, objectives)", ndim=2)
    if len(f) == 0:
        raise ValueError("F must hold at least one solution, got none")
    f = f * signs(directions, f.shape[1])
    ideal, nadir = f.min(axis=0), f.max(axis=0)
    span = np.where(nadir > ideal, nadir - ideal, 1.0)
    return (f - ideal) / span


def best_by_weights(
    F: ArrayLike, weights: ArrayLike, directions: str | Sequence[str] = "min", method: str = "sum"
) -> int:
    """The solution that serves the given weights best.

    With a the normalised objectives and w the weights, divided by their sum, it has the smallest

    * ``"sum"``: weighted sum, Σ_j w_j a_ij. Finds only solutions on the convex hull of the front.
    * ``"tchebycheff"``: largest weighted distance to the ideal point, max_j w_j a_ij, and among equals the
      smallest weighted sum, so that what is found is never weakly dominated by another. Finds solutions on
      concave parts as well.

    >>> F = [[0.0, 1.0], [0.6, 0.6], [1.0, 0.0]]
    >>> best_by_weights(F, [1, 1]), best_by_weights(F, [1, 1], method="tchebycheff")
    (0, 1)
    >>> best_by_weights(F, [1, 2])
    2
    """
    a = normalise(F, directions)
    check_choice("method", method, METHODS)
    w = check_array("weights", weights, shape="(objectives,)", ndim=1)
    if len(w) != a.shape[1]:
        raise ValueError(f"weights must have one entry for each of {a.shape[1]} objectives, got {len(w)}")
    if (w < 0).any() or not w.any():
        raise ValueError(f"weights must be at least 0 and not all 0, got {w.tolist()}")
    weighted = a * (w / _sum_in_order(w[None, :]))
    total = _sum_in_order(weighted)
    if method == "sum":
        return int(np.argmin(total))
    return int(np.lexsort((np.arange(len(a)), total, weighted.max(axis=1)))[0])


def knee(F: ArrayLike, directions: str | Sequence[str] = "min") -> int:
    """The solution that is good in all objectives at once, where a gain in one begins to cost much in another.

    With a the normalised objectives, it has the largest ∏_j (1 - a_ij): the box between it and the worst values of
    the set. Among equals, it has the smallest Σ_j a_ij. Where the front bulges towards the ideal point, this is the
    bulge. Where it does not bulge (it is straight, or concave), this is a compromise still, known from bargaining
    (Nash, "The Bargaining Problem", Econometrica 18, 1950); the other usual definition, the largest distance from the
    plane through the extremes (Das, Structural Optimization 18, 1999), would give one of the extremes there.

    >>> knee([[0.0, 1.0], [0.2, 0.2], [0.6, 0.1], [1.0, 0.0]])
    1
    >>> knee([[0.0, 0.0], [0.8, 0.2], [1.0, 1.0]], directions=("max", "min"))
    1
    """
    a = normalise(F, directions)
    box = np.ones(len(a))
    for column in a.T:
        box = box * (1 - column)
    return int(np.lexsort((np.arange(len(a)), _sum_in_order(a), -box))[0])


def spread(F: ArrayLike, count: int, directions: str | Sequence[str] = "min") -> list[int]:
    """A few solutions that stand for the whole front, as row numbers in increasing order.

    The best in each objective, then always the one that is furthest, in normalised objectives, from those
    already chosen; at most ``count`` of them, and none that equals another.

    >>> spread([[0.0, 1.0], [0.1, 0.9], [0.5, 0.5], [1.0, 0.0]], 3)
    [0, 2, 3]
    """
    check_integer("count", count, minimum=1)
    a = normalise(F, directions)
    chosen: list[int] = []
    distance = np.full(len(a), np.inf)
    best = [int(np.lexsort((np.arange(len(a)), _sum_in_order(a), column))[0]) for column in a.T]
    while len(chosen) < count and distance.max() > 0:
        row = next((i for i in best if distance[i] > 0), int(np.argmax(distance)))
        chosen.append(row)
        distance = np.minimum(distance, ((a - a[row]) ** 2).sum(axis=1))
    return sorted(chosen)


def _sum_in_order(a: Float[np.ndarray, "n m"]) -> Float[np.ndarray, " n"]:
    """Row sums, added from left to right: the page does so too, and ties are then the same there."""
    total = np.zeros(len(a))
    for column in a.T:
        total = total + column
    return total
