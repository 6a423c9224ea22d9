"""Shapes of fronts, and the functions they share."""

import jax.numpy as jnp
from jaxtyping import Array, Float


def linear_shape(position: Float[Array, "n p"]) -> Float[Array, "n m"]:
    """Points of the simplex: p₁…pₘ₋₁, p₁…pₘ₋₂(1 − pₘ₋₁), …, 1 − p₁."""
    return _products(position, 1 - position)


def spherical_shape(position: Float[Array, "n p"]) -> Float[Array, "n m"]:
    """Points of the sphere's positive part, by angles of ``position`` quarter turns."""
    angle = 0.5 * jnp.pi * position
    return _products(jnp.cos(angle), jnp.sin(angle))


def _products(factor: Float[Array, "n p"], last: Float[Array, "n p"]) -> Float[Array, "n m"]:
    """Objective i is the product of the first m − i factors, times ``last`` of the next one."""
    ones = jnp.ones_like(factor[:, :1])
    products = jnp.concatenate([ones, jnp.cumprod(factor, axis=1)], axis=1)[:, ::-1]
    return products * jnp.concatenate([ones, last[:, ::-1]], axis=1)


def cosine_of_turns(turns: Float[Array, "..."]) -> Float[Array, "..."]:
    """cos(2π · turns)."""
    return jnp.cos(2 * jnp.pi * turns)
