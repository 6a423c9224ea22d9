"""Filling places with rows that are far from those already chosen."""

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float, Int

from tensorrvea.mating import first_living
from tensorrvea.platforms import on_accelerator, run_if
from tensorrvea.rounding import power_of_two
from tensorrvea.rows import map_rows
from tensorrvea.selection.order import first_smallest
from tensorrvea.selection.strength import STEP, squared_distance


def farthest_first(
    f: Float[Array, "n m"], chosen: Bool[Array, " n"], candidates: Bool[Array, " n"], places: int
) -> Int[Array, " n"]:
    """Return the order in which candidates are chosen, each the farthest from all rows that were chosen before it.

    That is the one with the largest distance to the nearest of those; the lowest row wins a tie. Memory is O(n m).

    Args:
      f: where the rows are.
      chosen: those that have a place already; if they fill all ``places``, there is no order.
      candidates: those that may be chosen; none of them is in ``chosen``.
      places: how many rows are chosen in all.

    Returns:
      0 for the first candidate that is chosen, 1 for the next, and so on; n for all other rows. If there is a place for
      every candidate, there is no order, and all rows have n.

    >>> f = jnp.array([[0.0, 0.0], [0.1, 0.0], [1.0, 0.0], [0.6, 0.0]])
    >>> farthest_first(f, jnp.array([True, False, False, False]), jnp.array([False, True, True, True]), 3).tolist()
    [4, 4, 0, 1]
    """
    n = len(f)
    f = f / power_of_two(jnp.where((chosen | candidates)[:, None], jnp.abs(f), 0).max())  # so that no square overflows
    columns = [f[:, k] for k in range(f.shape[1])]
    wanted = places - chosen.sum(dtype=jnp.int32)
    must_choose = candidates.sum(dtype=jnp.int32) > wanted

    def measure(near: Float[Array, " n"]) -> Float[Array, " n"]:
        row, exists = first_living(chosen, -(-places // STEP) * STEP)
        return jnp.minimum(near, map_rows(nearest_of, f, jnp.where(exists[:, None], f[row], jnp.inf)))

    def choose(number: Int[Array, ""], state: tuple[Array, Array]) -> tuple[Array, Array]:
        near, order = state
        row = first_smallest(-near)
        near = jnp.minimum(near, squared_distance(columns, list(f[row])))
        return near.at[row].set(-1), order.at[row].set(jnp.int32(number))

    # The squared distance to the nearest chosen row; -1 for rows that cannot be chosen.
    near = run_if(must_choose, measure, jnp.where(candidates, jnp.inf, -1).astype(f.dtype))
    start = near, jnp.full(n, n, jnp.int32)
    return lax.fori_loop(0, jnp.where(must_choose, wanted, 0), choose, start)[1]


def nearest_of(f: Float[Array, "rows m"], others: Float[Array, "k m"]) -> Float[Array, " rows"]:
    """Return the squared distance of each row to the nearest of the others, whose number is a multiple of ``STEP``."""
    objectives = range(f.shape[1])
    if on_accelerator():  # in one kernel
        return squared_distance([f[:, None, k] for k in objectives], [others[None, :, k] for k in objectives]).min(
            axis=1
        )
    columns = [f[:, k] for k in objectives]

    def compare(smallest: Array, block: Array) -> tuple[Array, None]:
        for other in block:
            smallest = jnp.minimum(smallest, squared_distance(columns, list(other)))
        return smallest, None

    blocks = others.reshape(-1, STEP, f.shape[1])
    return lax.scan(compare, jnp.full(len(f), jnp.inf, f.dtype), blocks)[0]
