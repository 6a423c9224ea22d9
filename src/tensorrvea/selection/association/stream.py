"""Comparison with all vectors, a block at a time: exact for any vectors, with nothing to precompute."""

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, Int

from tensorrvea.platforms import on_accelerator
from tensorrvea.selection.association.chord import squared_chord

# Coordinates per block of vectors. Each step reads and writes the running best of every row, a cost that the vectors of
# a block share; larger blocks do not fit the registers and take long to compile.
BLOCK_COORDINATES = 64
# Up to this many vectors, the number of kernels matters more than their work, and blocks are larger.
FEW = 512
FEW_BLOCK_COORDINATES = 144
# The coordinates that fill the last block: further away than any unit vector.
FAR_AWAY = 9.0


def nearest(u: Float[Array, "n m"], vectors: Float[Array, "r m"]) -> tuple[Int[Array, " n"], Float[Array, " n"]]:
    """Return the vector with the smallest squared chord to each unit row of ``u``, lowest of a tie, and that chord."""
    if on_accelerator():
        return search_at_once(u, vectors)
    return search_few(u, vectors) if len(vectors) <= FEW else search_blocks(u, vectors)


def search_at_once(u: Float[Array, "n m"], vectors: Float[Array, "r m"]) -> tuple[Int[Array, " n"], Float[Array, " n"]]:
    """Search in one kernel for an accelerator, which computes the n × r chords as it reduces them."""
    index = all_chords(u, vectors).argmin(axis=1).astype(jnp.int32)
    nearest = vectors.at[index].get(mode="promise_in_bounds")
    return index, squared_chord(list(u.T), list(nearest.T))


def all_chords(u: Float[Array, "n m"], vectors: Float[Array, "r m"]) -> Float[Array, "n r"]:
    return squared_chord([column[:, None] for column in u.T], [column[None] for column in vectors.T])


def search_few(u: Float[Array, "n m"], vectors: Float[Array, "r m"]) -> tuple[Int[Array, " n"], Float[Array, " n"]]:
    """Search in one pass that keeps chord and index: XLA computes every chord twice, but in the fewest kernels."""
    coordinates = [u[:, c] for c in range(u.shape[1])]

    def compare(best: tuple[Array, Array], blocks: tuple[Array, Array]) -> tuple[tuple[Array, Array], None]:
        index, smallest = best
        first, block = blocks
        for k in range(len(block)):
            squared = squared_chord(coordinates, list(block[k]))
            nearer = squared < smallest
            index = jnp.where(nearer, first + k, index)
            smallest = jnp.where(nearer, squared, smallest)
        return (index, smallest), None

    start = (jnp.zeros(len(u), jnp.int32), jnp.full(len(u), jnp.inf, u.dtype))
    blocks = split_into_blocks(vectors, FEW_BLOCK_COORDINATES)
    starts = jnp.arange(len(blocks), dtype=jnp.int32) * blocks.shape[1]
    return lax.scan(compare, start, (starts, blocks))[0]


def search_blocks(u: Float[Array, "n m"], vectors: Float[Array, "r m"]) -> tuple[Int[Array, " n"], Float[Array, " n"]]:
    """Find the block of the nearest vector, computing every chord once, and then its place in that block."""
    n, m = u.shape
    coordinates = [u[:, c] for c in range(m)]
    blocks = split_into_blocks(vectors)

    def compare(best: tuple[Array, Array], numbered: tuple[Array, Array]) -> tuple[tuple[Array, Array], None]:
        which, smallest = best
        number, block = numbered
        squared = smallest_with_block(coordinates, block, smallest)
        return (jnp.where(squared < smallest, number, which), squared), None

    far = jnp.full(n, jnp.inf, u.dtype)
    numbers = jnp.arange(len(blocks), dtype=jnp.int32)
    (which, smallest), _ = lax.scan(compare, (jnp.zeros(n, jnp.int32), far), (numbers, blocks))

    def compare_inside(best: tuple[Array, Array], k: Array) -> tuple[tuple[Array, Array], None]:
        inside, smallest = best
        at = (which * blocks.shape[1] + k).astype(jnp.uint32)
        there = [blocks[:, :, c].reshape(-1).at[at].get(mode="promise_in_bounds") for c in range(m)]
        squared = squared_chord(coordinates, there)
        nearer = squared < smallest
        return (jnp.where(nearer, k, inside), jnp.where(nearer, squared, smallest)), None

    steps = jnp.arange(blocks.shape[1], dtype=jnp.int32)
    (inside, _), _ = lax.scan(compare_inside, (jnp.zeros(n, jnp.int32), far), steps)
    return which * blocks.shape[1] + inside, smallest


def nearest_others(u: Float[Array, "n m"], vectors: Float[Array, "r m"]) -> Float[Array, " n"]:
    """Return the squared chord from each unit row of ``u`` to the nearest differing vector; infinity without one."""
    if on_accelerator():
        squared = all_chords(u, vectors)
        return jnp.where(squared > 0, squared, jnp.inf).min(axis=1)
    coordinates = [u[:, c] for c in range(u.shape[1])]

    def compare(smallest: Array, block: Array) -> tuple[Array, None]:
        return smallest_with_block(coordinates, block, smallest, others=True), None

    smallest = lax.scan(compare, jnp.full(len(u), jnp.inf, u.dtype), split_into_blocks(vectors))[0]
    # Squared chords between unit vectors are at most 4; larger ones are to the filling of the last block.
    return jnp.where(smallest <= 4.5, smallest, jnp.inf)


def smallest_with_block(
    coordinates: list[Array], block: Float[Array, "block m"], smallest: Float[Array, " n"], *, others: bool = False
) -> Float[Array, " n"]:
    """Return the smallest of the squared chords so far and those to the vectors of a block."""
    for vector in block:
        squared = squared_chord(coordinates, list(vector))
        if others:
            squared = jnp.where(squared > 0, squared, jnp.inf)
        smallest = jnp.where(squared < smallest, squared, smallest)
    return smallest


def split_into_blocks(
    vectors: Float[Array, "r m"], coordinates: int = BLOCK_COORDINATES
) -> Float[Array, "steps block m"]:
    r, m = vectors.shape
    steps = -(-r // max(8, coordinates // m))
    block = -(-r // steps)
    filled = jnp.pad(vectors, ((0, steps * block - r), (0, 0)), constant_values=FAR_AWAY)
    return filled.reshape(steps, block, m)
