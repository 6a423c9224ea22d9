"""Powers of numbers that are not negative, as arithmetic that compiles to short vector code.

A compiled logarithm and exponential handle signs, infinities, NaN and the last digit. Random numbers need none of that,
and their powers were most of the time of crossover. In single precision two short polynomials take their place. Double
precision and accelerators, which have instructions for both, use the general functions.
"""

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float

from tensorrvea.platforms import on_accelerator

# Coefficients of minimax polynomials for the smallest relative error (Lawson's iteration in double precision):
# log2(1 + f) / f for √½ ≤ 1 + f ≤ √2, within 1.7e-7, and (2^r − 1) / r for |r| ≤ 1/2, so that 2^r is within 9.2e-8.
LOGARITHM = (1.4426949, -0.7213528, 0.48092324, -0.36023962, 0.2870987, -0.24887687, 0.23404238, -0.14581169)
EXPONENTIAL = (0.693147, 0.24022242, 0.055507336, 0.009671513, 0.0013264727)

MANTISSA_BITS = 23
SQUARE_ROOT_OF_HALF = 0x3F3504F3  # the bits of √½
ONE = 0x3F800000
# Exponents of two: the bits of the first are those of zero.
LEAST_EXPONENT, LARGEST_EXPONENT = -127, 126
LOGARITHM_OF_ZERO = -(2.0**20)  # finite, so that its product with zero is zero; yet roots of zero are zero


def power(base: Float[Array, "..."], exponent: Float[Array, "..."] | float) -> Float[Array, "..."]:
    """Return base^exponent for base ≥ 0; in single precision 0 below 2^-126, and at most 2^127.

    The relative error is at most 3e-7 · (1 + |log2(base^exponent)|). 1 to any power is 1, and so is 0 to the power 0.

    >>> power(jnp.array([0.0, 0.25, 1.0]), 1.5).round(6).tolist()
    [0.0, 0.125, 1.0]
    """
    base = jnp.asarray(base)
    if base.dtype != jnp.float32 or on_accelerator():
        return jnp.exp(jnp.log(base) * exponent)
    return exp2(log2(base) * exponent)


def log2(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Return the binary logarithm of x ≥ 0 in single precision; of zero and of subnormal numbers, −2^20."""
    bits = lax.bitcast_convert_type(x, jnp.int32)
    exponent = (bits - SQUARE_ROOT_OF_HALF) >> MANTISSA_BITS
    f = lax.bitcast_convert_type(bits - (exponent << MANTISSA_BITS), jnp.float32) - 1
    return jnp.where(x > 0, exponent.astype(jnp.float32) + f * polynomial(f, LOGARITHM), LOGARITHM_OF_ZERO)


def exp2(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Return 2^x in single precision; 0 below 2^-126, and at most 2^127."""
    nearest = jnp.round(x)
    r = x - nearest
    # Clamped as an integer, since a minimum of floats also looks for NaN.
    exponent = lax.clamp(LEAST_EXPONENT, nearest.astype(jnp.int32), LARGEST_EXPONENT)
    scale = lax.bitcast_convert_type((exponent << MANTISSA_BITS) + ONE, jnp.float32)
    return scale * (1 + r * polynomial(r, EXPONENTIAL))


def polynomial(x: Float[Array, "..."], coefficients: tuple[float, ...]) -> Float[Array, "..."]:
    """Evaluate a polynomial in single precision by Horner's scheme; the coefficients grow in degree."""
    value = jnp.full_like(x, np.float32(coefficients[-1]))
    for coefficient in coefficients[-2::-1]:
        value = value * x + np.float32(coefficient)
    return value
