"""The nearest of all vectors, a block of them at a time: exact for any vectors, with nothing to prepare."""

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, Int

from tensorrvea.selection.association.chord import squared_chord

# Numbers of the vectors of one step. Each step reads and writes the running best of every row, and vectors share
# that cost; too many do not fit the registers, and take long to compile.
NUMBERS = 64
# Further off than any unit vector: what fills the last block.
NOWHERE = 9.0


def nearest(u: Float[Array, "n m"], vectors: Float[Array, "r m"]) -> tuple[Int[Array, " n"], Float[Array, " n"]]:
    """The vector with the smallest squared chord to each unit row of ``u``, the lowest if tied; that chord."""
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


def nearest_others(u: Float[Array, "n m"], vectors: Float[Array, "r m"]) -> Float[Array, " n"]:
    """The squared chord from each unit row of ``u`` to the nearest vector that is not the same; or infinity."""
    coordinates = [u[:, c] for c in range(u.shape[1])]

    def look(smallest: Array, block: Array) -> tuple[Array, None]:
        for k in range(len(block)):
            squared = squared_chord(coordinates, list(block[k]))
            squared = jnp.where(squared > 0, squared, jnp.inf)
            smallest = jnp.where(squared < smallest, squared, smallest)
        return smallest, None

    smallest = lax.scan(look, jnp.full(len(u), jnp.inf, u.dtype), in_blocks(vectors))[0]
    # What fills the last block is no vector.
    return jnp.where(smallest <= 4.5, smallest, jnp.inf)


def in_blocks(vectors: Float[Array, "r m"]) -> Float[Array, "steps block m"]:
    r, m = vectors.shape
    steps = -(-r // max(8, NUMBERS // m))
    block = -(-r // steps)
    padded = jnp.pad(vectors, ((0, steps * block - r), (0, 0)), constant_values=NOWHERE)
    return padded.reshape(steps, block, m)
