"""Sums of products with the same bits in every compilation, and scaling without rounding."""

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float


def rounded(product: Float[Array, "..."]) -> Float[Array, "..."]:
    """Return the product, kept from being fused with a following addition.

    A fused multiply-add rounds once instead of twice. In a · b + c · d either product may be fused, and which one is
    depends on the surrounding code, which differs with the number of devices. A maximum in between prevents this; it
    changes no value but minus infinity. A sum with a single product needs none: there is only one way to fuse it, and
    the maximum costs time (noticeably in SBX).
    """
    return jnp.maximum(product, -jnp.finfo(product.dtype).max)


def scaled_down(f: Float[Array, "..."]) -> Float[Array, "..."]:
    """Return f / 64: differences of the largest floats are then finite, and can be divided by.

    Compiled code divides all rows by one number by multiplying them by its inverse, and the inverse of a number above
    8.5e37 is subnormal, which processors take for zero.
    """
    return f * 0.015625


def power_of_two(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """Return the largest power of two not above each of ``x`` ≥ 0: dividing by it changes only exponents.

    So sums of squares can be scaled into the range of floats without rounding. The power and its inverse are normal
    floats.

    >>> power_of_two(jnp.array([0.3, 1.0, 1e30])).tolist()
    [0.25, 1.0, 6.338253001141147e+29]
    """
    info = jnp.finfo(x.dtype)
    integer = jnp.uint32 if info.bits == 32 else jnp.uint64
    exponent = lax.bitcast_convert_type(x, integer) >> info.nmant << info.nmant
    return jnp.clip(lax.bitcast_convert_type(exponent, x.dtype), info.tiny, 1 / info.tiny)
