"""Checks of the arguments of metrics, and their conversion to minimisation."""

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from tensorrvea.checks import check_array, check_points
from tensorrvea.directions import Directions, signs


def minimised(name: str, F: ArrayLike, directions: Directions, minimum: int = 1) -> Float[np.ndarray, "n m"]:
    """Check points and convert them to minimisation."""
    f = check_points(name, F, minimum=minimum)
    return f * signs(directions, f.shape[1])


def minimised_pair(
    F: ArrayLike, front: ArrayLike, directions: Directions
) -> tuple[Float[np.ndarray, "n m"], Float[np.ndarray, "p m"]]:
    """Check points and the true front, and convert both to minimisation."""
    points, true = minimised("F", F, directions), check_points("front", front)
    if points.shape[1] != true.shape[1]:
        raise ValueError(f"F and front must have equally many objectives, got {points.shape[1]} and {true.shape[1]}")
    return points, minimised("front", true, directions)


def minimised_reference(reference: ArrayLike, directions: Directions, objectives: int) -> Float[np.ndarray, " m"]:
    """Check the reference point of the hypervolume and convert it to minimisation."""
    point = check_array("reference", reference, shape="(objectives,)", ndim=1)
    if len(point) != objectives:
        raise ValueError(f"reference must have one value for each of {objectives} objectives, got {len(point)}")
    return point * signs(directions, objectives)
