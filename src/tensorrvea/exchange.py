"""Gathering rows that are divided over devices, without copying all of X to every device.

Each device tells every other which rows it wants, and receives them. The buffers have room for rather more than the
mean number of rows that one device wants of another. If that does not suffice, whole blocks of rows are passed round
the ring of devices instead, and each device picks its rows from every block.
"""

from collections.abc import Callable
from math import ceil, sqrt
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Int

from tensorrvea.devices import AXIS, ROWS, current_mesh, shard

# Wide arrays are sent in this many parts of their columns, to bound the memory of what is in transit.
PARTS = 4
# Arrays with fewer columns are sent at once.
NARROW = 64

Read = Callable[[tuple, Array], Any]


def exchange(read: Read, tables: tuple, index: Int[Array, " k"]) -> Any:
    """Return ``read(tables, index)``, where ``index`` numbers the rows of the tables one after the other."""
    mesh = current_mesh()
    if mesh is None:
        return read(tables, index)
    rows_per_device = [num_rows(table) // mesh.size for table in tables]

    def on_device(tables: tuple, index: Array) -> Any:
        owner, local = locate(index, rows_per_device, mesh.size)
        return exchange_rows(read, tables, owner, local, mesh.size)

    specs = (jax.tree.map(lambda _: ROWS, tables), ROWS)
    return shard(on_device, mesh, specs, ROWS)(tables, index)


def num_rows(table: Any) -> int:
    """Return the length of the first axis of every leaf."""
    return int(jax.tree.leaves(table)[0].shape[0])


def where_rows(flags: Bool[Array, " k"], a: Array, b: Array) -> Array:
    """Return the rows of ``a`` where the flag is set, those of ``b`` elsewhere."""
    return jnp.where(flags.reshape(-1, *[1] * (a.ndim - 1)), a, b)


def locate(index: Int[Array, " k"], rows_per_device: list[int], devices: int) -> tuple[Array, Array]:
    """Return the device that holds each row, and the row's number among that device's rows of all tables."""
    owner, local, start, before = jnp.zeros_like(index), index, 0, 0
    for rows in rows_per_device:
        inside = index >= start
        owner = jnp.where(inside, (index - start) // rows, owner)
        local = jnp.where(inside, (index - start) % rows + before, local)
        start, before = start + rows * devices, before + rows
    return owner, local


def exchange_rows(read: Read, tables: tuple, owner: Int[Array, " k"], local: Int[Array, " k"], devices: int) -> Any:
    """Return the wanted rows; called by each device inside a ``shard_map``."""
    me = lax.axis_index(AXIS)
    capacity = exchange_capacity(len(owner), devices)
    is_mine = owner == me
    receiver = jnp.where(is_mine, devices, owner)
    slot = slots(receiver, devices)
    requests = jnp.zeros((devices, capacity), local.dtype).at[receiver, slot].set(local, mode="drop")
    fits = lax.psum((~is_mine & (slot >= capacity)).sum(), AXIS) == 0

    def direct_exchange(tables: tuple) -> Any:
        wanted = lax.all_to_all(requests, AXIS, 0, 0)

        def fetch(columns: tuple) -> Any:
            own = read(columns, jnp.where(is_mine, local, 0))
            sent = read(columns, wanted.reshape(-1))
            received = jax.tree.map(
                lambda leaf: lax.all_to_all(leaf.reshape(devices, capacity, *leaf.shape[1:]), AXIS, 0, 0), sent
            )
            return jax.tree.map(lambda o, r: where_rows(is_mine, o, r[owner % devices, slot % capacity]), own, received)

        return by_columns(fetch, tables)

    def ring_exchange(tables: tuple) -> Any:
        def fetch(columns: tuple) -> Any:
            def step(i: Array, state: tuple) -> tuple:
                block, result = state
                is_here = owner == (me + i) % devices
                picked = read(block, jnp.where(is_here, local, 0))
                result = jax.tree.map(lambda r, p: where_rows(is_here, p, r), result, picked)
                to_the_left = [(j, (j - 1) % devices) for j in range(devices)]
                return jax.tree.map(lambda leaf: lax.ppermute(leaf, AXIS, to_the_left), block), result

            empty = jax.tree.map(jnp.zeros_like, read(columns, jnp.zeros_like(local)))
            return lax.fori_loop(0, devices, step, (columns, empty))[1]

        return by_columns(fetch, tables)

    return lax.cond(fits, direct_exchange, ring_exchange, tables)


def exchange_capacity(rows: int, devices: int) -> int:
    """Return the rows one device may want of another: eight standard deviations above the mean of a random draw."""
    mean = rows / devices
    return min(rows, ceil(mean + 8 * sqrt(mean) + 8))


def slots(owner: Int[Array, " k"], devices: int) -> Int[Array, " k"]:
    """Number the rows that are wanted of the same owner, in order."""
    order = jnp.argsort(owner, stable=True)
    count = jnp.zeros(devices + 1, jnp.int32).at[owner].add(1)
    start = jnp.cumsum(count) - count
    place = jnp.arange(len(owner), dtype=jnp.int32) - start[owner[order]]
    return jnp.zeros_like(place).at[order].set(place)


def by_columns(fetch: Callable[[tuple], Any], tables: tuple) -> Any:
    """Return ``fetch(tables)``, made of a part of the columns of wide arrays at a time."""
    wide = max((leaf.shape[1] for leaf in jax.tree.leaves(tables) if leaf.ndim == 2), default=0)
    if wide < NARROW:
        return fetch(tables)
    width = ceil(wide / PARTS)

    def part(start: Array) -> tuple:
        return jax.tree.map(
            lambda leaf: (
                lax.dynamic_slice_in_dim(leaf, start, width, axis=1)
                if leaf.ndim == 2 and leaf.shape[1] == wide
                else leaf
            ),
            tables,
        )

    def step(i: Array, result: Any) -> Any:
        start = jnp.minimum(i * width, wide - width)  # the last part may repeat columns of the one before
        return jax.tree.map(
            lambda all_columns, piece: (
                piece
                if all_columns.shape == piece.shape
                else lax.dynamic_update_slice_in_dim(all_columns, piece, start, axis=1)
            ),
            result,
            fetch(part(start)),
        )

    shapes = jax.eval_shape(fetch, tables)
    return lax.fori_loop(0, PARTS, step, jax.tree.map(lambda s: jnp.zeros(s.shape, s.dtype), shapes))
