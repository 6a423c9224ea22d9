"""Decomposition of a multiobjective problem into scalar ones, one per direction.

Zhang and Li, "MOEA/D: A Multiobjective Evolutionary Algorithm Based on Decomposition", 2007.
"""

from functools import reduce

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, Int

from tensorrvea.rounding import rounded
from tensorrvea.selection.strength import squared_distance

DECOMPOSITIONS = ("tchebycheff", "pbi")
# The least component of a direction by which an objective is divided.
LEAST = 1e-6
# Distances that are held at once while neighbours are sought.
HELD = 2**18


def scalar_value(
    decomposition: str, theta: float | Float[Array, ""], f: list[Array], vectors: list[Array]
) -> Float[Array, "..."]:
    """Return the value, to be minimised, of objectives ≥ 0 for directions of length 1; one array per objective each.

    ``"tchebycheff"`` is max_k f_k / v_k: the paper's max_k λ_k f_k with λ = 1/v, whose optimum is where the direction v
    meets the front. ``"pbi"`` is d₁ + θ d₂: the distance along the direction, and θ times that from it.
    """
    if decomposition == "tchebycheff":
        return reduce(jnp.maximum, [a / jnp.maximum(v, LEAST) for a, v in zip(f, vectors, strict=True)])
    along = reduce(jnp.add, [rounded(a * v) for a, v in zip(f, vectors, strict=True)])
    apart = squared_distance(f, [rounded(along * v) for v in vectors])
    return along + rounded(theta * jnp.sqrt(apart))


def nearest_vectors(vectors: Float[Array, "r m"], count: int) -> Int[Array, "r count"]:
    """Return the ``count`` vectors nearest to each, itself first; of equally near ones, the lowest.

    >>> nearest_vectors(jnp.array([[0.0, 1.0], [0.6, 0.8], [1.0, 0.0]]), 2).tolist()
    [[0, 1], [1, 0], [2, 1]]
    """
    r, m = vectors.shape
    block = max(8, min(128, HELD // r // 8 * 8))
    number = jnp.arange(r, dtype=jnp.int32)[:, None]
    columns = [vectors[:, [c]] for c in range(m)]

    def of_block(own: Float[Array, "block m"]) -> Int[Array, "count block"]:
        def take_nearest(squared: Array, _: None) -> tuple[Array, Array]:
            nearest = jnp.where(squared == squared.min(axis=0), number, r).min(axis=0)
            return jnp.where(number == nearest, jnp.inf, squared), nearest

        squared = squared_distance(columns, [own[:, c] for c in range(m)])
        return lax.scan(take_nearest, squared, length=count)[1]

    padded = jnp.pad(vectors, ((0, -r % block), (0, 0)))
    found = lax.map(of_block, padded.reshape(-1, block, m))
    return found.swapaxes(1, 2).reshape(-1, count)[:r]
