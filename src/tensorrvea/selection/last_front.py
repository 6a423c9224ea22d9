"""The front of which only a part survives, for algorithms that remove rows from it."""

from collections.abc import Callable

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float, Int

from tensorrvea.mating import first_living
from tensorrvea.population import Pool
from tensorrvea.rounding import scaled_down
from tensorrvea.selection.order import BLOCK

# Takes the objectives of a front, which of its rows exist, and how many to remove; returns which are left.
Removal = Callable[[Float[Array, "rows m"], Bool[Array, " rows"], Int[Array, ""]], Bool[Array, " rows"]]


def split_last_front(rank: Int[Array, " n"], pool: Pool, places: int) -> tuple[Bool[Array, " n"], Int[Array, ""]]:
    """Return the feasible rows of the last front of which any survives, and how many of them must be removed.

    Infeasible rows of one front are equally violating: there, the first ones survive, and nothing is removed.
    """
    last = jnp.sort(rank)[places - 1]
    candidate = pool.feasible & (rank == last)
    surplus = (pool.alive & (rank <= last)).sum(dtype=jnp.int32) - places
    return candidate, jnp.where(candidate.any(), jnp.maximum(surplus, 0), 0)


def scale_to_unit(f: Float[Array, "n m"], front: Bool[Array, " n"]) -> Float[Array, "n m"]:
    """Return the objectives in units in which the front reaches from 0 to 1 in each; 0 for other rows."""
    f = scaled_down(f)
    lowest = jnp.where(front[:, None], f, jnp.inf).min(axis=0)
    span = jnp.where(front[:, None], f, -jnp.inf).max(axis=0) - lowest
    return jnp.where(front[:, None], (f - lowest) / jnp.where(span > 0, span, 1), 0)


def first_by_rank(rank: Int[Array, " n"], is_removed: Bool[Array, " n"]) -> Int[Array, " n"]:
    """Return the rows by rank, those removed from a front after the others of it, and then in order."""
    row = jnp.arange(len(rank), dtype=jnp.int32)
    return lax.sort((rank, is_removed, row), num_keys=2, is_stable=True)[-1]


def remove_in_small_arrays(
    remove: Removal, f: Float[Array, "n m"], front: Bool[Array, " n"], surplus: Int[Array, ""]
) -> Bool[Array, " n"]:
    """Return ``remove(f, front, surplus)``, computed on the rows of the front alone, in their order.

    They are moved to an array of a quarter of the rows if they fit into it, and of all rows otherwise, both rounded up
    to whole blocks: a removal looks at all rows of its array.
    """
    n = len(front)
    sizes = sorted({-(-size // BLOCK) * BLOCK for size in (n // 4, n)})
    fits = jnp.searchsorted(jnp.array(sizes), front.sum())

    def remove_among(number: int, size: int) -> Callable[[], Bool[Array, " n"]]:
        def call() -> Bool[Array, " n"]:
            row, filled = first_living(front, size)
            # In a batch of runs all branches are computed: those that are not needed have nothing to remove.
            left = remove(f[row], filled, jnp.where(fits == number, surplus, 0))
            return jnp.zeros(n, bool).at[jnp.where(filled, row, n)].set(left, mode="drop")

        return call

    return lax.switch(fits, [remove_among(number, size) for number, size in enumerate(sizes)])
