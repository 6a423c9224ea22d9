"""Sums over some of a row's columns.

A slice of columns would be copied before anything is computed with it. Two ways around that, each the faster for its
kind of terms on a CPU (on a GPU all of it is one loop either way).
"""

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

# Up to here a row's terms stay in a core's cache between their computation and their sum.
SHORT_ROW = 2**14


def sum_from(first: int, terms: Float[Array, "n d"], end: int | None = None) -> Float[Array, " n"]:
    """The sum of the columns from ``first`` up to ``end``, for terms of a few operations.

    In short rows the other columns are multiplied by zero, which joins terms and sum in one loop that stores
    nothing. In long ones a mask is faster.

    >>> sum_from(1, jnp.array([[8.0, 1.0, 2.0]])).tolist()
    [3.0]
    """
    if terms.shape[1] > SHORT_ROW:
        return masked_sum_from(first, terms, end)
    return (terms * _chosen(terms, first, end).astype(terms.dtype)).sum(axis=1)


def masked_sum_from(first: int, terms: Float[Array, "n d"], end: int | None = None) -> Float[Array, " n"]:
    """As ``sum_from``, for terms of many operations.

    The mask makes the terms a loop of their own, as fast as vector code can be, and their sum another: less than
    half the time of a slice for DTLZ1.
    """
    return jnp.where(_chosen(terms, first, end), terms, 0).sum(axis=1)


def _chosen(terms: Float[Array, "n d"], first: int, end: int | None) -> Bool[Array, " d"]:
    columns = jnp.arange(terms.shape[1])
    return columns >= first if end is None else (columns >= first) & (columns < end)
