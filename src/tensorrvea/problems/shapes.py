"""Shapes of fronts: position variables in the unit cube mapped to points of a simplex or a sphere."""

import jax.numpy as jnp
from jaxtyping import Array, Float

from tensorrvea.problems.trigonometry import sine_of_quarter_turns


def linear_shape(position: Float[Array, "n p"]) -> Float[Array, "n m"]:
    """Points of the simplex: p₁…pₘ₋₁, p₁…pₘ₋₂(1 − pₘ₋₁), …, 1 − p₁."""
    return _products(position, 1 - position)


def spherical_shape(
    position: Float[Array, "n p"], complement: Float[Array, "n p"] | None = None
) -> Float[Array, "n m"]:
    """Points of the sphere's positive part, at angles of ``position`` quarter turns.

    Args:
      complement: 1 − position, if the caller can compute it more accurately than this difference.
    """
    complement = 1 - position if complement is None else complement
    return _products(sine_of_quarter_turns(complement), sine_of_quarter_turns(position))


def _products(factor: Float[Array, "n p"], last: Float[Array, "n p"]) -> Float[Array, "n m"]:
    """Objective i is the product of the first m − i factors, times ``last`` of the next one."""
    product = jnp.ones_like(factor[:, 0])
    objectives = []
    for i in range(factor.shape[1]):
        objectives.append(product * last[:, i])
        product = product * factor[:, i]
    return jnp.stack([product, *reversed(objectives)], axis=1)
