"""What metrics are given, checked, and turned so that everything is minimised."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from tensorrvea.checks import check_array, check_points
from tensorrvea.directions import signs


def minimised(name: str, F: ArrayLike, directions: str | Sequence[str], minimum: int = 1) -> Float[np.ndarray, "n m"]:
    """Points in objective space, signs turned."""
    f = check_points(name, F, minimum=minimum)
    return f * signs(directions, f.shape[1])


def minimised_pair(
    F: ArrayLike, front: ArrayLike, directions: str | Sequence[str]
) -> tuple[Float[np.ndarray, "n m"], Float[np.ndarray, "p m"]]:
    """Points and the true front they are compared with, signs turned."""
    points, true = minimised("F", F, directions), check_points("front", front)
    if points.shape[1] != true.shape[1]:
        raise ValueError(f"F and front must have as many objectives, got {points.shape[1]} and {true.shape[1]}")
    return points, minimised("front", true, directions)


def minimised_reference(
    reference: ArrayLike, directions: str | Sequence[str], objectives: int
) -> Float[np.ndarray, " m"]:
    """The point that hypervolume is measured from, signs turned."""
    point = check_array("reference", reference, shape="(objectives,)", ndim=1)
    if len(point) != objectives:
        raise ValueError(f"reference must have one value for each of {objectives} objectives, got {len(point)}")
    return point * signs(directions, objectives)
