"""Expected utility: how well a set of points serves a user whose preferences are unknown."""

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from tensorrvea.checks import check_integer, check_points
from tensorrvea.directions import Directions
from tensorrvea.metrics.inputs import minimised
from tensorrvea.reference_vectors import simplex_lattice_of_about


def utility_weights(objectives: int) -> Float[np.ndarray, "k m"]:
    """Weights uniform over the simplex: the smallest lattice with at least 100 points, or 1 for one objective.

    Args:
      objectives: the number of objectives.

    Returns:
      The weights, one row each, which add up to 1.

    >>> utility_weights(2).shape, utility_weights(3).shape
    ((100, 2), (105, 3))
    """
    if check_integer("objectives", objectives, minimum=1, maximum=2**14) == 1:
        return np.ones((1, 1))  # the only weight there is
    return simplex_lattice_of_about(100, objectives)


def expected_utility(F: ArrayLike, directions: Directions = "min", weights: ArrayLike | None = None) -> float:
    """The mean, over weights, of the best weighted sum of objectives in F. Larger is better.

    The paper defines it for rewards: minimised objectives count with opposite sign (Zintgraf, Kanters, Roijers,
    Oliehoek and Beau, 2015). Normalise objectives of very different scales first.

    Args:
      F: objectives, one row per solution, in the user's signs.
      directions: ``"min"`` or ``"max"`` for all objectives, or one of them for each.
      weights: points of the simplex, (k, m); ``utility_weights`` if None.

    Returns:
      The mean utility.

    Raises:
      ValueError: if the shapes do not match, or a value is NaN or infinite.

    >>> expected_utility([[4.0, 0.0], [1.0, 3.0]], "max", weights=[[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    3.0
    >>> expected_utility([[4.0, 0.0], [1.0, 3.0]], "min", weights=[[1.0, 0.0], [0.0, 1.0]])
    -0.5
    """
    f = minimised("F", F, directions)
    w = utility_weights(f.shape[1]) if weights is None else check_weights(weights, f.shape[1])
    return float(-(w @ f.T).min(axis=1).mean())


def check_weights(weights: ArrayLike, objectives: int) -> Float[np.ndarray, "k m"]:
    """Return weights as an array, or raise an error that names them."""
    w = check_points("weights", weights)
    if w.shape[1] != objectives:
        raise ValueError(f"weights must have one column for each of {objectives} objectives, got {w.shape[1]}")
    off = (w < 0).any(axis=1) | (np.abs(w.sum(axis=1) - 1) > 1e-5)
    if off.any():
        row = int(np.argmax(off))
        raise ValueError(f"weights must be at least 0 and sum to 1 in each row, got {w[row].tolist()} in row {row}")
    return w
