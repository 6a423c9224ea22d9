"""Products that are rounded before anything is added to them."""

import jax.numpy as jnp
from jaxtyping import Array, Float


def rounded(product: Float[Array, "..."]) -> Float[Array, "..."]:
    """The same product, which no compiler makes one with an addition that follows.

    A fused multiply-add rounds once instead of twice. Whether there is one depends on the code around it, which is
    another for another number of devices; with this between the two, their bits are the same. It is a maximum that
    changes nothing but minus infinity.
    """
    return jnp.maximum(product, -jnp.finfo(product.dtype).max)
