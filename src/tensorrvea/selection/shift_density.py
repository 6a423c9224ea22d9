"""Shift-based density estimation: a fitness of both convergence and diversity.

Li, Yang and Liu, "Shift-Based Density Estimation for Pareto-Based Algorithms in Many-Objective Optimization", 2014. As
seen from a row, every other row is first shifted to its value in the objectives in which the other is better. So rows
that are much better, and not only rows nearby, are at a small distance.
"""

from functools import reduce

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float, Int

from tensorrvea.rounding import power_of_two, rounded
from tensorrvea.rows import map_rows


def shifted_distance(f: Float[Array, "n m"], competes: Bool[Array, " n"]) -> Float[Array, " n"]:
    """Return the distance from each row to the nearest other row after the shift, min √Σ max(0, f(q) − f(p))².

    Larger is better; dominated rows have 0. Only rows that compete count as others. It is infinite if there is none,
    and undefined for rows that do not compete.

    >>> f = jnp.array([[0.0, 4.0], [3.0, 0.0], [3.0, 1.0]])
    >>> shifted_distance(f, jnp.ones(3, bool)).tolist()
    [3.0, 1.0, 0.0]
    """
    # Halved and scaled, so that neither differences nor squares overflow.
    half = jnp.where(competes[:, None], 0.5 * f, 0)
    scale = power_of_two(jnp.abs(half).max(initial=0))
    scaled = half * (1 / scale)
    others = jnp.where(competes[:, None], scaled, jnp.inf)
    number = jnp.arange(len(f), dtype=jnp.int32)
    return 2 * scale * jnp.sqrt(map_rows(nearest_after_shift, (scaled, number), (others, number)))


def nearest_after_shift(
    rows: tuple[Float[Array, "k m"], Int[Array, " k"]], everyone: tuple[Float[Array, "n m"], Int[Array, " n"]]
) -> Float[Array, " k"]:
    """Return the smallest squared distance of each row to all others, which are compared one by one."""
    f, own = rows

    def compare(nearest: Float[Array, " k"], one: tuple[Array, Array]) -> tuple[Float[Array, " k"], None]:
        other, number = one
        worse = [jnp.maximum(other[k] - f[:, k], 0) for k in range(f.shape[1])]
        squared = reduce(jnp.add, [rounded(each * each) for each in worse])
        return jnp.minimum(nearest, jnp.where(own == number, jnp.inf, squared)), None

    return lax.scan(compare, jnp.full(len(f), jnp.inf, f.dtype), everyone)[0]
