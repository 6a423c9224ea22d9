"""Choosing parents among the living rows."""

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from tensorrvea.platforms import on_accelerator
from tensorrvea.randomness import below, key_words, mix, split, threefry, words

# How often an accelerator permutes a value again that is out of range: as often as 32 numbers can be so in a row.
WALKS = 31


def living_rows(alive: Bool[Array, " r"]) -> tuple[Int[Array, " r"], Int[Array, ""]]:
    """Return the living rows in order, followed by zeros, and how many there are (at least 1)."""
    rank = jnp.cumsum(alive) - 1
    rows = jnp.zeros(len(alive), jnp.int32)
    rows = rows.at[jnp.where(alive, rank, len(alive))].set(jnp.arange(len(alive), dtype=jnp.int32), mode="drop")
    return rows, jnp.maximum(alive.sum(), 1)


def first_living(alive: Bool[Array, " n"], places: int) -> tuple[Int[Array, " places"], Bool[Array, " places"]]:
    """Return the first living rows, one per place, and which places they fill."""
    rows, _ = living_rows(alive)
    spare = max(0, places - len(rows))
    return jnp.pad(rows, (0, spare))[:places], jnp.arange(places) < alive.sum()


def permute_living(
    key: PRNGKeyArray, alive: Bool[Array, " r"], count: int, *, living_come_first: bool = False
) -> Int[Array, " count"]:
    """Return random permutations of the living rows, one after the other, cut to ``count``.

    Every row is drawn equally often, up to one, since only a part of the last permutation may be used. If it is known
    that the living rows come before all others, they need not be looked for.
    """
    if living_come_first:
        return shuffled(key, jnp.maximum(alive.sum(), 1), count)
    rows, living = living_rows(alive)
    return rows[shuffled(key, living, count)]


def binary_tournaments(
    key: PRNGKeyArray,
    alive: Bool[Array, " n"],
    score: Float[Array, " n"],
    count: int,
    *,
    living_come_first: bool = False,
) -> Int[Array, " count"]:
    """Return the better of two living rows, ``count`` times. All compete equally often; the first wins a tie."""
    return tournaments(key, alive, score, count, size=2, living_come_first=living_come_first)


def tournaments(
    key: PRNGKeyArray,
    alive: Bool[Array, " n"],
    score: Float[Array, " n"],
    count: int,
    size: int,
    *,
    living_come_first: bool = False,
) -> Int[Array, " count"]:
    """Return the best of ``size`` living rows, ``count`` times. All compete equally often; the first wins a tie."""
    drawn = permute_living(key, alive, size * count, living_come_first=living_come_first)
    first, *others = drawn.reshape(count, size).T
    for other in others:
        first = jnp.where(score[first] <= score[other], first, other)
    return first


def neighbouring_pairs(
    key: PRNGKeyArray,
    alive: Bool[Array, " r"],
    neighbours: Int[Array, "n t"],
    is_local: Bool[Array, " n"],
    family: Int[Array, " count"],
) -> Int[Array, " count"]:
    """Return parents in pairs, drawn from the neighbours of the first parent's family or among all living rows.

    Args:
      key: a random key.
      alive: which rows live; a neighbour that does not is replaced by any living row.
      neighbours: the rows that a family may take its parents from.
      is_local: whether a family takes its parents from its neighbours, rather than from all living rows.
      family: the row of ``neighbours`` and ``is_local`` for each parent.

    The two of a pair are different neighbours, if there are two.
    """
    count, size = len(family), neighbours.shape[1]
    first_key, other_key, any_key = split(key, 3)
    pair = jnp.arange(count, dtype=jnp.int32) // 2
    is_other = jnp.arange(count) % 2 == 1
    pairs = -(-count // 2)
    first = below(words(first_key, (pairs,)), size)
    shift = 1 + below(words(other_key, (pairs,)), max(size - 1, 1))
    drawn = (first[pair] + jnp.where(is_other, shift[pair], 0)) % size
    row = neighbours[family, drawn]
    return jnp.where(is_local[family] & alive[row], row, permute_living(any_key, alive, count))


def shuffled(key: PRNGKeyArray, living: Int[Array, ""], count: int) -> Int[Array, " count"]:
    """Return random permutations of 0 … ``living`` − 1, one after the other, cut to ``count``.

    A Feistel network over just enough bits permutes each block; a value beyond the living is permuted again.
    Every round changes one half of the bits by a random function of the other, so that the network is a bijection
    whatever the functions are (Luby and Rackoff, 1988); repeating it until the value is in range makes it a bijection
    of the range (Black and Rogaway, 2002). Unlike a permutation by random words, it needs no sort.

    An accelerator repeats it a fixed number of times, in one kernel. That is enough for up to 64 living rows; of more,
    a value is still out of range with a probability of less than 2^-32, and then wrapped into it.
    """
    size = living.astype(jnp.uint32)
    # At least five bits, since smaller halves mix too little: among fewer than eight rows, some would come first more.
    bits = jnp.maximum(32 - lax.clz(size - 1), 5)
    low_bits = bits // 2
    low_mask, high_mask = (jnp.uint32(1) << low_bits) - 1, (jnp.uint32(1) << (bits - low_bits)) - 1
    if on_accelerator():
        # All in one kernel.
        size, low_bits, low_mask, high_mask = lax.optimization_barrier((size, low_bits, low_mask, high_mask))
    place = jnp.arange(count, dtype=jnp.uint32)
    block, position = place // size, place % size
    block_key = threefry(key_words(key), (block, jnp.zeros_like(block)))

    def network(value: Array) -> Array:
        low, high = value & low_mask, value >> low_bits
        for number in range(0, 8, 2):
            low = low ^ (mix(high ^ block_key[0], block_key[1] + jnp.uint32(number)) & low_mask)
            high = high ^ (mix(low ^ block_key[1], block_key[0] + jnp.uint32(number + 1)) & high_mask)
        return high << low_bits | low

    def is_outside(value: Array) -> Array:
        return value >= size

    def walk(value: Array) -> Array:
        return jnp.where(is_outside(value), network(value), value)

    if on_accelerator():
        inside = network(position)
        for _ in range(WALKS):
            inside = walk(inside)
        return (inside % size).astype(jnp.int32)
    inside = lax.while_loop(lambda value: is_outside(value).any(), walk, network(position))
    return inside.astype(jnp.int32)
