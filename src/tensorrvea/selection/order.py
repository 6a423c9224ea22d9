"""The order of rows by several keys, and the first smallest of many values."""

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float, Int

# Values per block of a search for the smallest one.
BLOCK = 128


def best_first(keys: tuple[Array, ...], count: int) -> tuple[Int[Array, " count"], Int[Array, " count"]]:
    """Return the ``count`` rows with the smallest keys, and their places, which rows with equal keys share.

    Later keys decide between rows that are equal in all earlier ones; of equal rows the lowest comes first.

    >>> best_first((jnp.array([1, 0, 1, 1]), jnp.array([5.0, 9.0, 2.0, 5.0])), 4)[0].tolist()
    [1, 2, 0, 3]
    >>> best_first((jnp.array([1, 0, 1, 1]), jnp.array([5.0, 9.0, 2.0, 5.0])), 4)[1].tolist()
    [0, 1, 2, 2]
    """
    rows = jnp.arange(len(keys[0]), dtype=jnp.int32)
    *ordered, row = lax.sort((*keys, rows), num_keys=len(keys), is_stable=True)
    differs = jnp.stack([key[1:] != key[:-1] for key in ordered]).any(axis=0)
    return row[:count], jnp.pad(jnp.cumsum(differs, dtype=jnp.int32), (1, 0))[:count]


def smallest_rows(group: Int[Array, " n"], value: Float[Array, " n"], count: int) -> Int[Array, " count"]:
    """Return the ``count`` rows with the smallest group, and in it the smallest value, in the order of the rows.

    Of equal rows the lowest are returned. The limit between rows that are in and rows that are out is found by
    bisection, which takes a tenth of the time of a sort of 30,000 rows.

    >>> smallest_rows(jnp.array([1, 0, 1, 1]), jnp.array([5.0, 9.0, 2.0, 5.0]), 3).tolist()
    [0, 1, 2]
    """
    rows = jnp.arange(len(group), dtype=jnp.int32)
    taken, among, left = jnp.zeros(len(group), bool), jnp.ones(len(group), bool), jnp.int32(count)
    for key in (group.astype(jnp.int32), ordered_bits(value), rows):
        limit = kth_smallest(key, among, left)
        taken |= among & (key < limit)
        left = count - taken.sum(dtype=jnp.int32)
        among &= key == limit
    return jnp.flatnonzero(taken | among, size=count).astype(jnp.int32)


def kth_smallest(key: Int[Array, " n"], among: Bool[Array, " n"], k: Int[Array, ""]) -> Int[Array, ""]:
    """Return the ``k``-th smallest key among some rows, by bisection."""

    def halve(_: int, ends: tuple[Array, Array]) -> tuple[Array, Array]:
        low, high = ends
        middle = (low & high) + ((low ^ high) >> 1)
        enough = (among & (key <= middle)).sum(dtype=jnp.int32) >= k
        return jnp.where(enough, low, middle + 1), jnp.where(enough, middle, high)

    info = jnp.iinfo(key.dtype)
    ends = jnp.array(info.min, key.dtype), jnp.array(info.max, key.dtype)
    return lax.fori_loop(0, info.bits, halve, ends)[0]


def ordered_bits(value: Float[Array, " n"]) -> Int[Array, " n"]:
    """Return integers in the order of the values."""
    integer = jnp.int32 if value.dtype == jnp.float32 else jnp.int64
    bits = lax.bitcast_convert_type(value + 0, integer)  # -0 becomes 0
    return jnp.where(bits < 0, ~bits ^ jnp.iinfo(integer).min, bits)


def first_smallest(values: Float[Array, " n"]) -> Int[Array, ""]:
    """Return ``argmin(values)``, the lowest of a tie, in two steps: XLA vectorises a minimum, and no argmin.

    >>> first_smallest(jnp.array([3.0, 1.0, 2.0, 1.0])).tolist()
    1
    """
    blocks = jnp.pad(values, (0, -len(values) % BLOCK), constant_values=jnp.inf).reshape(-1, BLOCK)
    number = jnp.argmin(blocks.min(axis=1)).astype(jnp.int32)
    return number * BLOCK + jnp.argmin(blocks[number]).astype(jnp.int32)


def last_smallest(values: Float[Array, " n"]) -> Int[Array, ""]:
    """Return where the smallest value is, the highest place of a tie.

    >>> last_smallest(jnp.array([3.0, 1.0, 2.0, 1.0])).tolist()
    3
    """
    return len(values) - 1 - first_smallest(values[::-1])
