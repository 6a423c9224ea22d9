"""Choice of one solution from a front: by weights, or at its knee.

Objectives are converted to minimisation and normalised by the range of the set,
a_ij = (f_ij - min_i f_ij) / (max_i f_ij - min_i f_ij), so 0 is the best value in the set and 1 the worst; a constant
objective is 0. Ties go to the lowest index.

The HTML report computes the same formulas in the browser (``report/assets/js/decision.js``).
"""

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import ArrayLike

from tensorrvea.checks import check_array, check_choice, check_integer, check_number, check_points
from tensorrvea.directions import Directions, signs

METHODS = ("sum", "tchebycheff")
LARGEST_WEIGHT = 1e300


def normalise(F: ArrayLike, directions: Directions = "min") -> Float[np.ndarray, "n m"]:
    """Scale each objective so that 0 is the best value in the set and 1 the worst.

    Args:
      F: objectives, one row per solution, in the user's signs.
      directions: ``"min"`` or ``"max"`` for all objectives, or one of them for each.

    Returns:
      The scaled objectives.

    Raises:
      ValueError: if the shapes do not match, or a value is NaN or infinite.

    >>> normalise([[1.0, 10.0], [3.0, 30.0], [2.0, 20.0]], ("min", "max")).tolist()
    [[0.0, 1.0], [1.0, 0.0], [0.5, 0.5]]
    """
    f = check_points("F", F)
    f = f * signs(directions, f.shape[1])
    with np.errstate(over="ignore"):
        if not np.isfinite(f.max(axis=0) - f.min(axis=0)).all():
            f = f / 2
    ideal, nadir = f.min(axis=0), f.max(axis=0)
    span = np.where(nadir > ideal, nadir - ideal, 1.0)
    return (f - ideal) / span


def best_by_weights(F: ArrayLike, weights: ArrayLike, directions: Directions = "min", method: str = "sum") -> int:
    """The row of the best solution for the given weights.

    With normalised objectives a and weights w divided by their sum, it minimises

    * ``"sum"``: the weighted sum Σ_j w_j a_ij. Finds only solutions on the convex hull of the front.
    * ``"tchebycheff"``: the largest weighted distance to the ideal point, max_j w_j a_ij, then the weighted sum, so
      that the solution is not weakly dominated. Also finds solutions on concave parts.

    Args:
      F: objectives, one row per solution, in the user's signs.
      weights: one number per objective, none negative; only their ratios matter.
      directions: ``"min"`` or ``"max"`` for all objectives, or one of them for each.
      method: ``"sum"`` or ``"tchebycheff"``.

    Returns:
      The row.

    Raises:
      ValueError: if the shapes do not match, a weight is negative, or all weights are 0.

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
    if w.max() > LARGEST_WEIGHT:  # their sum could overflow
        w = w / w.max()
    weighted = a * (w / _sum_in_order(w[None, :]))
    total = _sum_in_order(weighted)
    if method == "sum":
        return int(np.argmin(total))
    return int(np.lexsort((np.arange(len(a)), total, weighted.max(axis=1)))[0])


def knee(F: ArrayLike, directions: Directions = "min") -> int:
    """The row of the knee: the solution from which a gain in one objective costs much in another.

    With normalised objectives a, it maximises ∏_j (1 - a_ij), the volume of the box between the solution and the worst
    values of the set, then minimises Σ_j a_ij. On a convex front this is the bulge towards the ideal point. On other
    fronts it is still a compromise, the bargaining solution of Nash ("The Bargaining Problem", Econometrica 18, 1950),
    while the largest distance from the plane through the extremes (Das, Structural Optimization 18, 1999), the other
    common definition, gives one of the extremes.

    Args:
      F: objectives, one row per solution, in the user's signs.
      directions: ``"min"`` or ``"max"`` for all objectives, or one of them for each.

    Returns:
      The row.

    Raises:
      ValueError: if the shapes do not match, or a value is NaN or infinite.

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


def spread(F: ArrayLike, count: int, directions: Directions = "min") -> list[int]:
    """Rows of at most ``count`` distinct solutions that cover the front, in increasing order.

    The best solution in each objective, then repeatedly the one furthest, in normalised objectives, from those already
    chosen.

    Args:
      F: objectives, one row per solution, in the user's signs.
      count: the most rows.
      directions: ``"min"`` or ``"max"`` for all objectives, or one of them for each.

    Returns:
      The rows.

    Raises:
      ValueError: if the shapes do not match, or a value is NaN or infinite.

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
    """Row sums from left to right, the order of the report's script, so that ties are resolved alike."""
    total = np.zeros(len(a))
    for column in a.T:
        total = total + column
    return total


def binding_slack(G: ArrayLike, tolerance: float = 0.01, scale: ArrayLike | None = None) -> Float[np.ndarray, " c"]:
    """Return the slack up to which each constraint binds.

    It is a share of the usual size of the constraint's values, or of its largest slack among the solutions if that is
    larger.

    Args:
      G: constraint values, one row per solution, feasible where ≤ 0.
      tolerance: the share.
      scale: the usual size of each constraint's values; None if it is not known.

    Returns:
      One slack per constraint.

    Raises:
      ValueError: if the shapes do not match, or ``tolerance`` is not from 0 to 1.

    >>> binding_slack([[-10.0, -0.01], [-0.05, -0.02]], scale=[3.0, 4.0]).tolist()
    [0.1, 0.04]
    """
    check_number("tolerance", tolerance, minimum=0.0, maximum=1.0, scalar=True)
    slack = np.maximum(-check_array("G", G, shape="(solutions, constraints)", ndim=2, finite=False), 0)
    if np.isnan(slack).any():
        row = int(np.isnan(slack).any(axis=1).argmax())
        raise ValueError(f"G must not be NaN, got {slack[row]} in row {row}")
    largest = np.where(np.isfinite(slack), slack, 0).max(axis=0, initial=0.0)
    if scale is None:
        return tolerance * largest
    usual = check_array("scale", scale, shape="(constraints,)", ndim=1, finite=False)
    if usual.shape != largest.shape:
        raise ValueError(f"scale must have one entry for each of {len(largest)} constraints, got {len(usual)}")
    return tolerance * np.maximum(largest, usual)


def binding(G: ArrayLike, tolerance: float = 0.01, scale: ArrayLike | None = None) -> Bool[np.ndarray, "k c"]:
    """Return which constraints bind in which solutions: those of which next to no slack is left.

    Args:
      G: constraint values, one row per solution, feasible where ≤ 0.
      tolerance: the share of a constraint's scale up to which its slack counts as none.
      scale: the usual size of each constraint's values; None if it is not known.

    Returns:
      One flag per solution and constraint.

    Raises:
      ValueError: as in ``binding_slack``.

    >>> binding([[-10.0, -3.0], [-0.05, -2.0]]).tolist()
    [[False, False], [True, False]]
    """
    slack = binding_slack(G, tolerance, scale)
    return -np.asarray(G, float) <= slack
