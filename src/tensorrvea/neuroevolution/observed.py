"""Running mean and variance of what policies have observed."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

SMALLEST_VARIANCE = 1e-4  # of an observation that hardly changes, so that it is not blown up


class Statistics(NamedTuple):
    """Number, means and variances of the observations of all generations before; one per run of a batch."""

    count: Float[Any, "..."]
    mean: Float[Any, "... inputs"]
    variance: Float[Any, "... inputs"]


def initial_statistics(inputs: int) -> Statistics:
    """Nothing observed yet: mean 0 and variance 1, which change nothing."""
    dtype = jnp.result_type(float)
    return Statistics(jnp.zeros((), dtype), jnp.zeros(inputs, dtype), jnp.ones(inputs, dtype))


def log_deviation(known: Statistics) -> Any:
    """Logarithms of the standard deviations."""
    return jnp.log(jnp.maximum(known.variance, SMALLEST_VARIANCE)) / 2


def merge(known: Statistics, count: float, total: np.ndarray, squares: np.ndarray) -> Statistics:
    """Add observations, given their number, sum and sum of squares, in double precision.

    Chan, Golub and LeVeque (1983): variances of two samples and the difference of their means give that of both.
    """
    if count == 0:
        return known
    dtype = known.mean.dtype
    before, mean, variance = (np.asarray(part, np.float64) for part in known)
    new_mean = total / count
    new_variance = np.maximum(squares / count - new_mean**2, 0)
    share, difference = count / (before + count), new_mean - mean
    return Statistics(
        np.asarray(before + count, dtype),
        np.asarray(mean + share * difference, dtype),
        np.asarray((1 - share) * variance + share * new_variance + share * (1 - share) * difference**2, dtype),
    )


def add_observations(
    known: Statistics,
    seen: Sequence[Float[np.ndarray, "n episodes 2 inputs"]],
    lengths: Sequence[np.ndarray],
    failed: Sequence[np.ndarray],
    *,
    is_batched: bool,
) -> Statistics:
    """Add the observations of all episodes that did not fail, separately for each run."""
    merged = []
    for run, (sums, steps, lost) in enumerate(zip(seen, lengths, failed, strict=True)):
        own = Statistics(*(np.asarray(part)[run] if is_batched else np.asarray(part) for part in known))
        total = np.where(lost[..., None, None], 0, sums).sum(axis=(0, 1))
        merged.append(merge(own, float(np.where(lost, 0, steps).sum()), *total))
    return Statistics(*(np.stack(parts) if is_batched else parts[0] for parts in zip(*merged, strict=True)))
