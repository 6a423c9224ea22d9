"""The nearest of all vectors, a block of them at a time: exact for any vectors, with nothing to prepare."""

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, Int

from tensorrvea.selection.association.chord import squared_chord

# Numbers of the vectors of one step. Each step reads and writes the running best of every row, and vectors share
# that cost; too many do not fit the registers, and take long to compile.
NUMBERS = 64
# Up to so many vectors, what counts is the number of kernels, and not their work.
FEW = 512
# Further off than any unit vector: what fills the last block.
NOWHERE = 9.0


def nearest(u: Float[Array, "n m"], vectors: Float[Array, "r m"]) -> tuple[Int[Array, " n"], Float[Array, " n"]]:
    """The vector with the smallest squared chord to each unit row of ``u``, the lowest if tied; that chord."""
    return best_of_few(u, vectors) if len(vectors) <= FEW else best_block(u, vectors)


def best_of_few(u: Float[Array, "n m"], vectors: Float[Array, "r m"]) -> tuple[Int[Array, " n"], Float[Array, " n"]]:
    """In one pass that keeps chord and index: XLA works every chord out twice, but it is the fewest kernels."""
    coordinates = [u[:, c] for c in range(u.shape[1])]

    def look(best: tuple[Array, Array], blocks: tuple[Array, Array]) -> tuple[tuple[Array, Array], None]:
        index, smallest = best
        start, block = blocks
        for k in range(len(block)):
            squared = squared_chord(coordinates, list(block[k]))
            nearer = squared < smallest
            index = jnp.where(nearer, start + k, index)
            smallest = jnp.where(nearer, squared, smallest)
        return (index, smallest), None

    nothing = (jnp.zeros(len(u), jnp.int32), jnp.full(len(u), jnp.inf, u.dtype))
    blocks = in_blocks(vectors)
    starts = jnp.arange(len(blocks), dtype=jnp.int32) * blocks.shape[1]
    return lax.scan(look, nothing, (starts, blocks))[0]


def best_block(u: Float[Array, "n m"], vectors: Float[Array, "r m"]) -> tuple[Int[Array, " n"], Float[Array, " n"]]:
    """First in which block the nearest is, with every chord worked out once; then where in that block."""
    n, m = u.shape
    coordinates = [u[:, c] for c in range(m)]
    blocks = in_blocks(vectors)

    def look(best: tuple[Array, Array], numbered: tuple[Array, Array]) -> tuple[tuple[Array, Array], None]:
        which, smallest = best
        number, block = numbered
        squared = nearer_of_block(coordinates, block, smallest)
        return (jnp.where(squared < smallest, number, which), squared), None

    far = jnp.full(n, jnp.inf, u.dtype)
    numbers = jnp.arange(len(blocks), dtype=jnp.int32)
    (which, smallest), _ = lax.scan(look, (jnp.zeros(n, jnp.int32), far), (numbers, blocks))

    def look_inside(best: tuple[Array, Array], k: Array) -> tuple[tuple[Array, Array], None]:
        inside, smallest = best
        at = (which * blocks.shape[1] + k).astype(jnp.uint32)
        there = [blocks[:, :, c].reshape(-1).at[at].get(mode="promise_in_bounds") for c in range(m)]
        squared = squared_chord(coordinates, there)
        nearer = squared < smallest
        return (jnp.where(nearer, k, inside), jnp.where(nearer, squared, smallest)), None

    steps = jnp.arange(blocks.shape[1], dtype=jnp.int32)
    (inside, _), _ = lax.scan(look_inside, (jnp.zeros(n, jnp.int32), far), steps)
    return which * blocks.shape[1] + inside, smallest


def nearest_others(u: Float[Array, "n m"], vectors: Float[Array, "r m"]) -> Float[Array, " n"]:
    """The squared chord from each unit row of ``u`` to the nearest vector that is not the same; or infinity."""
    coordinates = [u[:, c] for c in range(u.shape[1])]

    def look(smallest: Array, block: Array) -> tuple[Array, None]:
        return nearer_of_block(coordinates, block, smallest, others=True), None

    smallest = lax.scan(look, jnp.full(len(u), jnp.inf, u.dtype), in_blocks(vectors))[0]
    # What fills the last block is no vector.
    return jnp.where(smallest <= 4.5, smallest, jnp.inf)


def nearer_of_block(
    coordinates: list[Array],
    block: Float[Array, "block m"],
    smallest: Float[Array, " n"],
    *,
    others: bool = False,
) -> Float[Array, " n"]:
    """The smallest of the chords so far and those to the vectors of a block."""
    for vector in block:
        squared = squared_chord(coordinates, list(vector))
        if others:
            squared = jnp.where(squared > 0, squared, jnp.inf)
        smallest = jnp.where(squared < smallest, squared, smallest)
    return smallest


def in_blocks(vectors: Float[Array, "r m"]) -> Float[Array, "steps block m"]:
    r, m = vectors.shape
    steps = -(-r // max(8, NUMBERS // m))
    block = -(-r // steps)
    padded = jnp.pad(vectors, ((0, steps * block - r), (0, 0)), constant_values=NOWHERE)
    return padded.reshape(steps, block, m)
