"""Trigonometric functions of angles in turns: the period is one, so that range reduction is exact.

A compiled cosine spends most of its time on reduction by π, and multimodal benchmarks spend most of theirs on
cosines. In single precision a short polynomial follows the reduction; in double precision, the general functions.
"""

import jax.numpy as jnp
from jaxtyping import Array, Float

from tensorrvea.powers import polynomial

# Coefficients of minimax polynomials in the square of the angle, for the smallest relative error (Remez's
# exchange in double precision): (1 − cos 2πr) / r² for |r| ≤ 1/2, within 1.4e-8, and sin(πp/2) / p for |p| ≤ 1,
# within 5.4e-9. Both are below the rounding of single precision, 6e-8, in which they are used.
VERSINE = (19.73920853, -64.93932472, 85.45385488, -60.19710641, 26.07422361, -6.672421951)
QUARTER_SINE = (1.570796318, -0.6459637106, 0.07968967895, -0.004673766613, 0.0001514851309)


def versine_of_turns(turns: Float[Array, "..."]) -> Float[Array, "..."]:
    """1 − cos(2π · turns), accurate to a few units in the last place even near zero.

    >>> versine_of_turns(jnp.array([0.0, 0.25, 0.5, -3.0])).tolist()
    [0.0, 1.0, 2.0, 0.0]
    """
    r = turns - jnp.round(turns)
    if r.dtype != jnp.float32:
        return 2 * jnp.sin(jnp.pi * r) ** 2
    square = r * r
    return square * polynomial(square, VERSINE)


def cosine_of_turns(turns: Float[Array, "..."]) -> Float[Array, "..."]:
    """cos(2π · turns)."""
    return 1 - versine_of_turns(turns)


def sine_of_quarter_turns(quarters: Float[Array, "..."]) -> Float[Array, "..."]:
    """sin(π/2 · quarters) for quarters in [−1, 1]; at 1 − quarters, the cosine, with exact zeros."""
    if quarters.dtype != jnp.float32:
        return jnp.sin(0.5 * jnp.pi * quarters)
    return quarters * polynomial(quarters * quarters, QUARTER_SINE)
