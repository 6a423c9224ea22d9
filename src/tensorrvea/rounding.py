"""Sums of products, to the same bits wherever they are compiled, and scales that leave all bits as they are."""

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float


def rounded(product: Float[Array, "..."]) -> Float[Array, "..."]:
    """The same product, which no compiler makes one with an addition that follows.

    A fused multiply-add rounds once instead of twice. In a · b + c · d either product can be the one that is fused, and
    which it is depends on the code around it, which is another for another number of devices. With this between product
    and sum there is no choice. It is a maximum, and changes nothing but minus infinity. A product that is alone in its
    sum is better without: there is no choice, and in SBX, say, the maximum would be felt.
    """
    return jnp.maximum(product, -jnp.finfo(product.dtype).max)


def power_of_two(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """The power of two at or below each of ``x``, none of which is negative: dividing by it changes exponents alone.

    So a sum of squares stays within the range of floats, and is what it would be without. The power and its inverse are
    within that range, too.

    >>> power_of_two(jnp.array([0.3, 1.0, 1e30])).tolist()
    [0.25, 1.0, 6.338253001141147e+29]
    """
    info = jnp.finfo(x.dtype)
    whole = jnp.uint32 if info.bits == 32 else jnp.uint64
    exponent = lax.bitcast_convert_type(x, whole) >> info.nmant << info.nmant
    return jnp.clip(lax.bitcast_convert_type(exponent, x.dtype), info.tiny, 1 / info.tiny)
