"""Adaptation of the reference vectors to the ranges of the objectives (Cheng et al., 2016, Algorithm 4)."""

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from tensorrvea.population import Pool
from tensorrvea.reference_vectors import unit_rows


def objective_ranges(pool: Pool, row: Int[Array, " r"], filled: Bool[Array, " r"]) -> Float[Array, " m"]:
    """Return z_max − z_min of the survivors, or of the feasible ones where there are constraints to meet.

    Infeasible outliers would stretch the ranges until all feasible individuals share a niche, of which one survives.
    Where fewer than two survivors are feasible, feasible offspring count as well.
    """
    survives = jnp.zeros_like(pool.alive).at[row].max(filled)
    surviving, known = survives & pool.feasible, (survives | pool.is_new) & pool.feasible
    counted = jnp.where(surviving.sum() > 1, surviving, jnp.where(known.sum() > 1, known, survives))[:, None]
    return jnp.where(counted, pool.f, -jnp.inf).max(axis=0) - jnp.where(counted, pool.f, jnp.inf).min(axis=0)


def scale_vectors(vectors: Float[Array, "r m"], ranges: Float[Array, " m"]) -> Float[Array, "r m"]:
    """Return V ∘ (z_max − z_min) with rows of length one. An objective without a range gets the smallest other one."""
    usable = jnp.isfinite(ranges) & (ranges > 0)
    smallest = jnp.where(usable, ranges, jnp.inf).min()
    ranges = jnp.where(usable, ranges, jnp.where(usable.any(), smallest, 1))
    # Relative to the largest range, so that squares neither overflow nor underflow, and not below what the precision
    # resolves in a vector's direction (a millionth in float32).
    return unit_rows(vectors * jnp.maximum(ranges / ranges.max(), 8 * jnp.finfo(ranges.dtype).eps))
