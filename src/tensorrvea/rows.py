"""Operations on individuals as rows: trees of arrays whose first axes have the same length.

Rows may be divided over devices. Code that moves or maps rows through this module need not know: it gets the same
rows, to the bit, on one device and on many.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int

from tensorrvea.devices import REPLICATED, ROWS, current_mesh, padded_size, shard
from tensorrvea.exchange import exchange, num_rows, where_rows


def take(rows: Any, index: Int[Array, " k"]) -> Any:
    """Return the rows at ``index``, which must be within bounds, of every leaf."""
    return exchange(lambda tables, at: _take(tables[0], at), (rows,), index)


def choose(first: Any, second: Any, index: Int[Array, " k"]) -> Any:
    """Return rows of ``first`` followed by ``second`` at ``index``, without concatenating the two.

    So the large leaves (X, and an operator's memory) are read and written only once.
    """
    return exchange(lambda tables, at: _choose(tables[0], tables[1], at), (first, second), index)


def map_rows(function: Callable[[Any, Any], Any], rows: Any, shared: Any) -> Any:
    """Return ``function(rows, shared)``, for a function that treats every row alone.

    Divided rows are mapped where they are.
    """
    mesh = current_mesh()
    if mesh is None:
        return function(rows, shared)
    count = num_rows(rows)
    mapped = shard(function, mesh, (ROWS, REPLICATED), ROWS)(resize_rows(rows, padded_size(count)), shared)
    return resize_rows(mapped, count)


def resize_rows(rows: Any, count: int) -> Any:
    """Cut off the last rows, or repeat the last one, so that there are ``count``."""
    spare = count - num_rows(rows)
    if spare == 0:
        return rows
    if spare < 0:
        return jax.tree.map(lambda leaf: leaf[:count], rows)
    return jax.tree.map(lambda leaf: jnp.pad(leaf, [(0, spare), *[(0, 0)] * (leaf.ndim - 1)], mode="edge"), rows)


def _take(rows: Any, index: Int[Array, " k"]) -> Any:
    return jax.tree.map(lambda leaf: leaf.at[index].get(mode="promise_in_bounds"), rows)


def _choose(first: Any, second: Any, index: Int[Array, " k"]) -> Any:
    from_first = index < num_rows(first)
    chosen_first = _take(first, jnp.where(from_first, index, 0))
    chosen_second = _take(second, jnp.clip(index - num_rows(first), 0, num_rows(second) - 1))
    return jax.tree.map(lambda a, b: where_rows(from_first, a, b), chosen_first, chosen_second)
