"""The order of rows by several keys, and the first smallest of many values."""

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float, Int

from tensorrvea.mating import first_living
from tensorrvea.platforms import on_accelerator

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


def take_smallest(
    keys: tuple[Array, ...], alive: Bool[Array, " n"], is_first: Bool[Array, ""], count: int
) -> tuple[Int[Array, " count"], Bool[Array, " count"]]:
    """Return the ``count`` living rows with the smallest keys, or the first ones if ``is_first``, and which exist.

    The first of the keys must be of integers, and largest for rows that are not alive. On a CPU, where a sort takes
    long, rows are in their order. On an accelerator a sort takes fewer kernels than bisection, and they are in the
    order of their keys.

    >>> keys, alive = (jnp.array([1, 0, 2, 0]),), jnp.array([True, True, False, True])
    >>> take_smallest(keys, alive, jnp.array(False), 2)[0].tolist()
    [1, 3]
    """
    if not on_accelerator():
        return first_living(alive & (smallest(keys, count) | is_first), count)
    dead = jnp.iinfo(keys[0].dtype).max
    first = jnp.where(alive, jnp.where(is_first, 0, keys[0]), dead)
    others = (jnp.where(is_first, 0, key) for key in keys[1:])
    first, *_, row = lax.sort((first, *others, jnp.arange(len(alive), dtype=jnp.int32)), num_keys=len(keys))
    return row[:count], first[:count] < dead


def smallest(keys: tuple[Array, ...], count: int) -> Bool[Array, " n"]:
    """Return which rows have the ``count`` smallest keys: the rows of ``best_first``, without a sort.

    Keys are at least 0, and whole numbers are at most n. The limit between rows that are in and rows that are out is
    found by bisection, key by key.

    >>> smallest((jnp.array([1, 0, 1, 1]), jnp.array([5.0, 9.0, 2.0, 5.0])), 3).tolist()
    [True, True, True, False]
    """
    n = len(keys[0])
    chosen, tied, left = jnp.zeros(n, bool), jnp.ones(n, bool), jnp.int32(count)
    for key in (*keys, jnp.arange(n, dtype=jnp.int32)):
        bits = n.bit_length()
        if jnp.issubdtype(key.dtype, jnp.floating):
            # The bits of floats that are not negative are in the order of the floats.
            bits = 8 * key.dtype.itemsize - 1
            key = lax.bitcast_convert_type(key + 0, integer_of(key.dtype))
        limit = kth_smallest(key, tied, left, bits)
        chosen |= tied & (key < limit)
        left = count - chosen.sum(dtype=jnp.int32)
        tied &= key == limit
    return chosen | tied


def kth_smallest(key: Int[Array, " n"], among: Bool[Array, " n"], k: Int[Array, ""], bits: int) -> Int[Array, ""]:
    """Return the ``k``-th smallest key of some rows; 0 if k is 0. Keys are at least 0, with at most so many bits.

    By bisection, or on an accelerator by a sort, which takes fewer kernels.
    """
    if on_accelerator():
        ordered = jnp.sort(jnp.where(among, key, jnp.iinfo(key.dtype).max))
        return jnp.where(k > 0, ordered[jnp.maximum(k - 1, 0)], 0)

    def add_bit(number: Int[Array, ""] | int, low: Int[Array, ""]) -> Int[Array, ""]:
        higher = low + (jnp.ones((), key.dtype) << (bits - 1 - number))
        return jnp.where((among & (key < higher)).sum(dtype=jnp.int32) >= k, low, higher)

    return lax.fori_loop(0, bits, add_bit, jnp.zeros((), key.dtype))


def first_smallest(values: Float[Array, " n"]) -> Int[Array, ""]:
    """Return ``argmin(values)``, the lowest of a tie, in two steps: XLA vectorises an integer minimum, and no argmin.

    >>> first_smallest(jnp.array([3.0, 1.0, 2.0, 1.0])).tolist()
    1
    """
    keys = ordered_bits(values)
    largest = jnp.iinfo(keys.dtype).max
    blocks = jnp.pad(keys, (0, -len(keys) % BLOCK), constant_values=largest).reshape(-1, BLOCK)
    number = jnp.argmin(blocks.min(axis=1)).astype(jnp.int32)
    return number * BLOCK + jnp.argmin(blocks[number]).astype(jnp.int32)


def smallest_value(values: Float[Array, "..."], axis: int | None = None) -> Float[Array, "..."]:
    """Return ``values.min(axis)``, which XLA vectorises for integers only. No value may be NaN.

    >>> smallest_value(jnp.array([2.0, -3.0, 0.0])).item()
    -3.0
    """
    return from_ordered_bits(ordered_bits(values).min(axis), values.dtype)


def ordered_bits(values: Float[Array, "..."]) -> Int[Array, "..."]:
    """Return integers in the order of the values, which must not be NaN.

    >>> ordered_bits(jnp.array([-jnp.inf, -1.0, -0.0, 0.0, jnp.inf])).argsort().tolist()
    [0, 1, 2, 3, 4]
    """
    bits = lax.bitcast_convert_type(jnp.where(values == 0, 0, values), integer_of(values.dtype))
    return jnp.where(bits < 0, bits ^ jnp.iinfo(bits.dtype).max, bits)


def from_ordered_bits(keys: Int[Array, "..."], dtype: jnp.dtype) -> Float[Array, "..."]:
    """Return the values of ``ordered_bits``."""
    return lax.bitcast_convert_type(jnp.where(keys < 0, keys ^ jnp.iinfo(keys.dtype).max, keys), dtype)


def integer_of(dtype: jnp.dtype) -> type:
    """Return the type of integers with as many bits as a type of floats."""
    return jnp.int32 if jnp.finfo(dtype).bits == 32 else jnp.int64


def last_smallest(values: Float[Array, " n"]) -> Int[Array, ""]:
    """Return where the smallest value is, the highest place of a tie.

    >>> last_smallest(jnp.array([3.0, 1.0, 2.0, 1.0])).tolist()
    3
    """
    return len(values) - 1 - first_smallest(values[::-1])
