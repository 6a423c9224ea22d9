"""Which reference vector is nearest by angle to each individual, without the n × r matrix of angles."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int


class Index(NamedTuple):
    """What is worked out once for a set of vectors."""


def make_index(vectors: Float[Array, "r m"]) -> Index:
    del vectors
    return Index()


def associate(
    f: Float[Array, "n m"], vectors: Float[Array, "r m"], index: Index
) -> tuple[Int[Array, " n"], Float[Array, " n"]]:
    """Eq. 3: the vector at the smallest angle to each row of ``f`` (≥ 0), the lowest index if tied, and that angle."""
    del index
    length = jnp.linalg.norm(f, axis=1, keepdims=True)
    u = jnp.where(length > 0, f / jnp.where(length > 0, length, 1), 0)

    def nearest(one: Float[Array, " m"]) -> tuple[Int[Array, ""], Float[Array, ""]]:
        squared = ((one - vectors) ** 2).sum(axis=1)
        best = jnp.argmin(squared)
        return best, squared[best]

    niche, squared = jax.lax.map(nearest, u, batch_size=64)
    theta = 2 * jnp.arcsin(jnp.minimum(jnp.sqrt(squared) / 2, 1))
    zero = length[:, 0] == 0
    return jnp.where(zero, 0, niche), jnp.where(zero, 0, theta)


def smallest_angles(vectors: Float[Array, "r m"]) -> Float[Array, " r"]:
    """γ: the angle from each vector to the nearest other one."""
    if len(vectors) == 1:
        return jnp.full(1, jnp.pi / 2, vectors.dtype)

    def nearest(j: Int[Array, ""]) -> Float[Array, ""]:
        squared = ((vectors[j] - vectors) ** 2).sum(axis=1)
        return jnp.where(squared > 0, squared, jnp.inf).min()

    squared = jax.lax.map(nearest, jnp.arange(len(vectors)), batch_size=64)
    chord = jnp.where(jnp.isfinite(squared), jnp.sqrt(squared), jnp.sqrt(2.0))
    return (2 * jnp.arcsin(jnp.minimum(chord / 2, 1))).astype(vectors.dtype)
