"""The paper's two conventions for the reference point of the hypervolume."""

from collections.abc import Iterable, Sequence

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from tensorrvea.checks import as_tuple, check_number, check_points, shown
from tensorrvea.directions import Directions, signs
from tensorrvea.metrics.hypervolume import hypervolume
from tensorrvea.metrics.inputs import minimised_pair
from tensorrvea.selection.dominance import nondominated


def normalise_by_front(F: ArrayLike, front: ArrayLike, directions: Directions = "min") -> Float[np.ndarray, "n m"]:
    """Scale objectives so that the true front's ideal point is 0 and its nadir point 1; all minimised.

    An objective that is constant on the front is only shifted.

    Args:
      F: objectives, one row per solution, in the user's signs.
      front: points of the true front.
      directions: ``"min"`` or ``"max"`` for all objectives, or one of them for each.

    Returns:
      The scaled objectives.

    >>> front = [[0.0, 20.0], [1.0, 30.0]]
    >>> normalise_by_front([[2.0, 30.0], [0.0, 10.0]], front, directions=("min", "max"))
    array([[2., 0.],
           [0., 2.]])
    """
    f, true = minimised_pair(F, front, directions)
    ideal, nadir = true.min(axis=0), true.max(axis=0)
    # Adding zero turns -0.0, which a sign change makes, into 0.0.
    return (f - ideal) / np.where(nadir > ideal, nadir - ideal, 1.0) + 0.0


def normalised_hypervolume(F: ArrayLike, front: ArrayLike, directions: Directions = "min") -> float:
    """The paper's hypervolume for numerical benchmarks: of normalised objectives, with reference point 1.

    Args:
      F: objectives, one row per solution, in the user's signs.
      front: points of the true front.
      directions: ``"min"`` or ``"max"`` for all objectives, or one of them for each.

    Returns:
      The hypervolume, at most 1.

    >>> normalised_hypervolume([[0.0, 2.0], [1.0, 1.0], [2.0, 0.0]], front=[[0.0, 2.0], [2.0, 0.0]])
    0.25
    """
    f = normalise_by_front(F, front, directions)
    return hypervolume(f, np.ones(f.shape[1]))


def derived_reference_point(
    sets: Iterable[ArrayLike], directions: Directions = "min", limits: Sequence[float | None] | None = None
) -> Float[np.ndarray, " m"]:
    """The paper's reference point for neuroevolution, in the user's signs.

    It is the worst value of each objective over the non-dominated points of each set.

    Args:
      sets: the fronts of all compared algorithms at all generations; empty ones are ignored.
      directions: ``"min"`` or ``"max"`` for all objectives, or one of them for each.
      limits: for each objective, a value that the reference is never worse than, or None. The paper uses 0 for
        forward reward and height.

    Returns:
      The reference point, one number per objective.

    Raises:
      ValueError: if the shapes do not match, or a value is NaN or infinite.

    >>> sets = [[[5.0, -9.0], [7.0, -12.0], [4.0, -20.0]], [[-3.0, -1.0]]]
    >>> derived_reference_point(sets, "max", limits=(0.0, None))
    array([  0., -12.])
    """
    if isinstance(sets, str | bytes) or not isinstance(sets, Iterable | np.ndarray):
        raise TypeError(f"sets takes sets of points, one per front, got {shown(sets)}")
    worst = None
    for number, points in enumerate(as_tuple(sets)):
        f = check_points(f"sets[{number}]", points, minimum=0)
        if len(f) == 0:
            continue
        front_worst = (f * signs(directions, f.shape[1]))[nondominated(f, directions)].max(axis=0)
        if worst is not None and len(worst) != len(front_worst):
            raise ValueError(
                "sets must all have the same number of objectives, "
                f"got {len(worst)}, then {len(front_worst)} in sets[{number}]"
            )
        worst = front_worst if worst is None else np.maximum(worst, front_worst)
    if worst is None:
        raise ValueError("sets must hold at least one point, got none")
    sign = signs(directions, len(worst))
    if limits is not None:
        each = as_tuple(limits)
        if len(each) != len(worst):
            raise ValueError(f"limits must have one entry for each of {len(worst)} objectives, got {shown(limits)}")
        for limit in each:
            if limit is not None:
                check_number("limits", limit, scalar=True)
        bounds = [np.inf if limit is None else s * limit for s, limit in zip(sign, each, strict=True)]
        worst = np.minimum(worst, bounds)
    return worst * sign + 0.0
