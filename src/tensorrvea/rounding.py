"""Sums of products, to the same bits wherever they are compiled."""

import jax.numpy as jnp
from jaxtyping import Array, Float


def rounded(product: Float[Array, "..."]) -> Float[Array, "..."]:
    """The same product, which no compiler makes one with an addition that follows.

    A fused multiply-add rounds once instead of twice. In a · b + c · d either product can be the one that is fused, and
    which it is depends on the code around it, which is another for another number of devices. With this between product
    and sum there is no choice. It is a maximum, and changes nothing but minus infinity. A product that is alone in its
    sum is better without: there is no choice, and in SBX, say, the maximum would be felt.
    """
    return jnp.maximum(product, -jnp.finfo(product.dtype).max)
