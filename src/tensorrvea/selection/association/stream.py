"""The nearest of all vectors, a block of them at a time: exact for any vectors, with nothing to prepare."""

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, Int

from tensorrvea.selection.association.chord import squared_chord

# Vectors a step. Each step reads and writes the running best of every row once, and vectors share that cost;
# more of them only make the program longer to compile.
BLOCK = 32
# Further off than any unit vector: what fills the last block.
NOWHERE = 9.0


def nearest(
    u: Float[Array, "n m"], vectors: Float[Array, "r m"], *, others: bool = False
) -> tuple[Int[Array, " n"], Float[Array, " n"]]:
    """The vector with the smallest squared chord to each unit row of ``u``, the lowest if tied; that chord.

    With ``others``, vectors that equal the row are passed over; the chord is infinite if all do.
    """
    (n, m), r = u.shape, len(vectors)
    steps = -(-r // BLOCK)
    block = -(-r // steps)
    padded = jnp.pad(vectors, ((0, steps * block - r), (0, 0)), constant_values=NOWHERE)
    coordinates = [u[:, c] for c in range(m)]

    def look(best: tuple[Array, Array], blocks: tuple[Array, Array]) -> tuple[tuple[Array, Array], None]:
        index, smallest = best
        start, some = blocks
        for k in range(block):
            squared = squared_chord(coordinates, [some[k, c] for c in range(m)])
            nearer = squared < smallest
            if others:
                nearer &= squared > 0
            index = jnp.where(nearer, start + k, index)
            smallest = jnp.where(nearer, squared, smallest)
        return (index, smallest), None

    nothing = (jnp.zeros(n, jnp.int32), jnp.full(n, jnp.inf, u.dtype))
    starts = jnp.arange(0, steps * block, block, dtype=jnp.int32)
    (index, smallest), _ = lax.scan(look, nothing, (starts, padded.reshape(steps, block, m)))
    return index, smallest
