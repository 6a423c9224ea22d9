"""Transformations of the WFG toolkit (Huband et al., 2006, section VIII.A): all map [0, 1] to [0, 1].

Bias (b_…) and shift (s_…) functions work on each element, reductions (r_…) on the columns of a matrix. Floors of the
paper's formulas are written as comparisons, which also hold in single precision.
"""

from math import ceil, pi

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

# Parameters of ``b_param``, as all problems use it.
PARAM_A, PARAM_B, PARAM_C = 0.98 / 49.98, 0.02, 50.0


def b_poly(y: Float[Array, "n d"], alpha: float) -> Float[Array, "n d"]:
    """Polynomial bias: y^α. By logarithm and exponential, which compile to vector code; zero stays zero."""
    return jnp.exp(alpha * jnp.log(y))


def b_flat(y: Float[Array, "n d"], a: float, b: float, c: float) -> Float[Array, "n d"]:
    """Flat region: a for all y in [b, c], linear to 0 and 1 on either side.

    Each side is computed from its own end, so that values close to 0 keep their digits.
    """
    low, high = a * (y / b), 1 - (1 - a) * ((1 - y) / (1 - c))
    return jnp.where(y < b, low, jnp.where(y > c, high, a))


def b_param(y: Float[Array, "n d"], u: Float[Array, "n d"]) -> Float[Array, "n d"]:
    """Dependence on a parameter u in [0, 1]: y raised to a power between 0.02 and 50."""
    # |⌊1/2 − u⌋ + A| is A up to u = 1/2 and 1 − A beyond.
    v = PARAM_A - (1 - 2 * u) * jnp.where(u <= 0.5, PARAM_A, 1 - PARAM_A)
    return jnp.exp((PARAM_B + (PARAM_C - PARAM_B) * v) * jnp.log(y))


def s_linear(y: Float[Array, "n d"], a: float) -> Float[Array, "n d"]:
    """Linear shift: 0 at a, 1 at both ends."""
    return jnp.abs(y - a) / jnp.where(y <= a, a, 1 - a)


def s_decept(y: Float[Array, "n d"], a: float, b: float, c: float) -> Float[Array, "n d"]:
    """Deceptive shift: 0 at a, in a basin of half-width b; local minima c at both ends."""
    left = jnp.where(y < a - b, -(1 - c + (a - b) / b) / (a - b), 0.0)
    right = jnp.where(y > a + b, -(1 - c + (1 - a - b) / b) / (1 - a - b), 0.0)
    return (1 + (jnp.abs(y - a) - b) * (left + right + 1 / b)).clip(0.0, 1.0)


def s_multi(y: Float[Array, "n d"], minima: int, hill: float, c: float) -> Float[Array, "n d"]:
    """Multimodal shift: 0 at c, with 2 · minima local minima of a height controlled by ``hill``."""
    ratio = jnp.abs(y - c) / (2 * jnp.where(y <= c, c, 1 - c))
    wave = 1 + jnp.cos((4 * minima + 2) * pi * (0.5 - ratio))
    return ((wave + 4 * hill * ratio**2) / (hill + 2)).clip(0.0, 1.0)


def r_sum(y: Float[Array, "n d"], weights: Float[np.ndarray, " d"]) -> Float[Array, " n"]:
    """Weighted mean of the columns."""
    return (y * (weights / weights.sum()).astype(y.dtype)).sum(axis=1)


def r_nonsep_pairs(y: Float[Array, "n d"]) -> Float[Array, "n h"]:
    """Non-separable reduction of neighbouring pairs of columns, of degree 2: (y₁ + y₂ + 2 |y₁ − y₂|) / 3."""
    first, second = y[:, ::2], y[:, 1::2]
    return (first + second + 2 * jnp.abs(first - second)) / 3


def r_nonsep(y: Float[Array, "n d"]) -> Float[Array, " n"]:
    """Non-separable reduction of all columns, of degree d.

    The sum of |yᵢ − yⱼ| over all pairs is a weighted sum of the sorted columns, without an array of all pairs.
    """
    d = y.shape[1]
    weights = 1 + 2 * (2 * np.arange(d) - d + 1)
    half = ceil(d / 2)
    return (jnp.sort(y, axis=1) * weights.astype(y.dtype)).sum(axis=1) / (half * (1 + 2 * d - 2 * half))


def means_after(y: Float[Array, "n d"]) -> Float[Array, "n d"]:
    """Per column, the mean of all later columns; the last column's own value, which has none after it."""
    d = y.shape[1]
    sums = jnp.cumsum(y[:, ::-1], axis=1)[:, ::-1]
    counts = np.arange(d - 1, 0, -1).astype(y.dtype)
    return jnp.concatenate([(sums[:, 1:] / counts).clip(0.0, 1.0), y[:, -1:]], axis=1)


def means_before(y: Float[Array, "n d"]) -> Float[Array, "n d"]:
    """Per column, the mean of all earlier columns; the first column's own value, which has none before it."""
    return means_after(y[:, ::-1])[:, ::-1]
