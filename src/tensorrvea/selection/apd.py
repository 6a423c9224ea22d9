"""Selection by reference vectors: Algorithm 1 of the paper, without its n × r tensors."""

from functools import reduce
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float, Int

from tensorrvea.platforms import on_accelerator
from tensorrvea.population import Pool
from tensorrvea.rounding import power_of_two, rounded
from tensorrvea.selection.association import associate


class Selected(NamedTuple):
    """The best row of the pool for each reference vector, whether there is one, and the scores of all rows."""

    row: Int[Array, " r"]
    filled: Bool[Array, " r"]
    score: Float[Array, " n"]


def select_by_niches(
    pool: Pool, vectors: Float[Array, "r m"], gamma: Float[Array, " r"], index: Any, penalty: Float[Array, ""]
) -> Selected:
    """Algorithm 1: return the best individual of every niche, and which niches have one."""
    f = translate(pool)
    niche, theta = associate(f, vectors, index)
    score = angle_penalized_distance(f, theta, gamma[niche], penalty)
    return best_per_niche(score, niche, pool, niches=len(vectors))


def translate(pool: Pool) -> Float[Array, "n m"]:
    """Lines 3 and 4: return the objectives relative to the ideal point of all living rows, infeasible included."""
    ideal = jnp.where(pool.alive[:, None], pool.f, jnp.inf).min(axis=0)
    return jnp.where(pool.alive[:, None], pool.f - ideal, 0)


def angle_penalized_distance(
    f: Float[Array, "n m"], theta: Float[Array, " n"], gamma: Float[Array, " n"], penalty: Float[Array, ""]
) -> Float[Array, " n"]:
    """Eq. 4: combine the distance from the ideal point with the angle to the reference vector."""
    m = f.shape[1]
    return (1 + m * penalty * theta / gamma) * distance(f)


def distance(f: Float[Array, "n m"]) -> Float[Array, " n"]:
    """Return the length of each row of ``f`` ≥ 0."""
    # One array per objective, so that loops are vectorised over the rows.
    objectives = [f[:, c] for c in range(f.shape[1])]
    # Without scaling, squares of very large and very small numbers overflow or underflow.
    scale = power_of_two(reduce(jnp.maximum, objectives))
    inverse = 1 / scale
    squares = [rounded((one * inverse) * (one * inverse)) for one in objectives]
    return scale * jnp.sqrt(reduce(jnp.add, squares))


def best_per_niche(
    score: Float[Array, " n"],
    niche: Int[Array, " n"],
    pool: Pool,
    *,
    niches: int,
    preferred: Bool[Array, " n"] | bool = False,
) -> Selected:
    """Return the feasible row with the smallest score; where none is feasible, the one with the smallest violation.

    Of a niche with preferred rows, which must be alive, it is one of these. Ties go to the lowest row. The penalty for
    violation is absolute, as in RVEA (Cheng et al., 2016, Algorithm 5). On an accelerator, values that differ in their
    last bit only may count as equal.
    """
    standing = pool.feasible + 2 * jnp.asarray(preferred, jnp.int32)
    value = jnp.where(pool.feasible, score, pool.violation)
    if on_accelerator():
        # Standing and value in one integer, for one pass over the rows instead of two.
        integer = jnp.uint32 if value.dtype == jnp.float32 else jnp.uint64
        bits = lax.bitcast_convert_type(value, integer)
        order = bits >> 1 | (3 - standing).astype(integer) << (jnp.iinfo(integer).bits - 2)
        first = jax.ops.segment_min(jnp.where(pool.alive, order, ~integer(0)), niche, niches)
        is_best = pool.alive & (order == first[niche])
    else:
        eligible = pool.alive & (standing == jax.ops.segment_max(standing, niche, niches)[niche])
        best = jax.ops.segment_min(jnp.where(eligible, value, jnp.inf), niche, niches)
        is_best = eligible & (value == best[niche])
    own_row = jnp.arange(len(niche))
    row = jax.ops.segment_min(jnp.where(is_best, own_row, len(own_row)), niche, niches)
    filled = row < len(own_row)
    return Selected(row=jnp.where(filled, row, 0).astype(jnp.int32), filled=filled, score=score)
