"""Shapes of fronts: position variables in the unit cube mapped to points of a simplex or a sphere."""

from typing import Any

import numpy as np
from jaxtyping import Array, Float

from tensorrvea.problems.trigonometry import sine_of_quarter_turns


def linear_shape(position: Float[Array, "n p"]) -> Float[Array, "n m"]:
    """Points of the simplex: p₁…pₘ₋₁, p₁…pₘ₋₂(1 − pₘ₋₁), …, 1 − p₁."""
    return products(position, 1 - position)


def spherical_shape(
    position: Float[Array, "n p"], complement: Float[Array, "n p"] | None = None
) -> Float[Array, "n m"]:
    """Points of the sphere's positive part, at angles of ``position`` quarter turns.

    Args:
      position: shares of a quarter turn, one per angle.
      complement: 1 − position, if the caller can compute it more accurately than this difference.
    """
    complement = 1 - position if complement is None else complement
    return products(sine_of_quarter_turns(complement), sine_of_quarter_turns(position))


def sphere_points(position: Float[Any, "n p"]) -> Float[Any, "n m"]:
    """``spherical_shape`` with general functions, in NumPy or JAX; coordinates are zero, not below, at right angles."""
    xp = position.__array_namespace__()
    return products(xp.sin(0.5 * np.pi * (1 - position)), xp.sin(0.5 * np.pi * position))


def products(factor: Float[Any, "n p"], last: Float[Any, "n p"]) -> Float[Any, "n m"]:
    """Objective i is the product of the first m − i factors, times ``last`` of the next one, in NumPy or JAX."""
    xp = factor.__array_namespace__()
    product = xp.ones_like(factor[:, 0])
    objectives = []
    for i in range(factor.shape[1]):
        objectives.append(product * last[:, i])
        product = product * factor[:, i]
    return xp.stack([product, *reversed(objectives)], axis=1)


def positions_of_simplex(simplex: Float[np.ndarray, "k m"]) -> Float[np.ndarray, "k p"]:
    """The positions at which ``products(1 − position, position)`` is a given point of the simplex.

    >>> positions_of_simplex(np.array([[0.5, 0.25, 0.25], [0.0, 0.0, 1.0]])).round(6).tolist()
    [[0.25, 0.333333], [1.0, 0.0]]
    """
    left = np.cumsum(simplex, axis=1)[:, :0:-1]  # sums of the first objectives, from all to two
    last = simplex[:, :0:-1]
    return np.divide(last, left, out=np.zeros_like(last), where=left > 0).clip(0.0, 1.0)
