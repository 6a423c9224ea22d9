"""Rows over devices: every device holds as many, and a row that is wanted elsewhere travels.

All code here is written for one device, and JAX divides it: what is done row by row needs nothing from the others, and
what has one number a row is small. Only where rows of X change their places would JAX gather all of X on every device;
there, ``gather`` sends each row to where it is wanted. A mesh is in force while something is traced under
``jax.set_mesh``; without one, nothing here does anything.
"""

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from math import ceil, sqrt
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import AbstractMesh, AxisType, Mesh, PartitionSpec
from jaxtyping import Array, Bool, Int

# What a mesh divides: the rows of one run, or a batch of runs.
AXIS, RUNS = "rows", "runs"
ROWS, REPLICATED = PartitionSpec(AXIS), PartitionSpec()

# Rows travel in this many turns, a part of their columns at a time, so that what is on its way takes little memory.
TURNS = 4
# Fewer columns than these travel at once.
NARROW = 64


# What can be said of devices: so many, these, or each of this machine's cores.
Devices = int | str | Sequence[jax.Device] | None


def make_mesh(devices: Devices, axis: str = AXIS) -> Mesh | None:
    """A mesh of one axis: of the first so many devices, of the given ones, or of all cores; None for JAX's own.

    After ``tensorrvea.distributed`` it is of all devices of all processes.
    """
    if devices is None and not jax.distributed.is_initialized():
        return None
    if devices == "cores":
        devices = cores()
    there = jax.devices()
    if devices is None:
        devices = there
    if isinstance(devices, int | np.integer) and not isinstance(devices, bool):
        if not 1 <= devices <= len(there):
            raise ValueError(f"devices must be 1 to {len(there)}, as many as there are here, got {devices}")
        devices = there[: int(devices)]
    if isinstance(devices, str) or not isinstance(devices, Sequence) or not devices:
        raise TypeError(f"devices takes a number of devices or a list of them, or 'cores', got {devices!r:.80}")
    if not all(isinstance(device, jax.Device) for device in devices):
        raise TypeError(f"devices takes a number of devices or a list of them, or 'cores', got {devices!r:.80}")
    if len(set(devices)) < len(devices):
        raise ValueError(f"devices must differ from each other, got {devices!r:.80}")
    if jax.process_count() > 1 and set(devices) != set(there):
        raise ValueError(f"devices must be all {len(there)} that the processes have together, got {len(devices)}")
    if list(devices) == there[:1]:
        return None
    return Mesh(np.array(devices), (axis,), axis_types=(AxisType.Auto,))


def cores() -> list[jax.Device]:
    """The cores that this process may use, each a device of its own: JAX makes them so only before its first use."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    with suppress(RuntimeError):  # It has been used, and has as many as it has.
        jax.config.update("jax_num_cpu_devices", count)
    there = jax.devices("cpu")
    if len(there) < count:
        raise ValueError(
            f"devices='cores' comes too late: JAX has been used, with {len(there)} CPU device for {count} cores; "
            f"call jax.config.update('jax_num_cpu_devices', {count}) right after import jax"
        )
    return there


def default_device() -> jax.Device:
    """Where JAX puts what is not put elsewhere, in this thread and context."""
    (device,) = jnp.zeros(()).devices()
    return device


def use_mesh(mesh: Mesh | None) -> AbstractContextManager[Any]:
    """Where what is called or traced is divided over the devices of a mesh."""
    return nullcontext() if mesh is None else jax.set_mesh(mesh)


def current_mesh() -> AbstractMesh | None:
    """The mesh that rows are divided over; None where they are not, or where a device is at work on its own rows."""
    mesh = jax.sharding.get_abstract_mesh()
    return mesh if AXIS in mesh.auto_axes else None


def padded_size(rows: int) -> int:
    """So many rows, and as many empty ones as make each device have the same, even, number."""
    mesh = current_mesh()
    return rows if mesh is None else -(-rows // (2 * mesh.size)) * 2 * mesh.size


def divided(rows: Any) -> Any:
    """The same rows, divided over the devices."""
    if current_mesh() is None:
        return rows
    return jax.tree.map(lambda leaf: lax.with_sharding_constraint(leaf, ROWS), rows)


def map_rows(function: Callable[[Any, Any], Any], rows: Any, shared: Any) -> Any:
    """``function(rows, shared)``, which gives rows: each device does its own, and nobody waits for another."""
    mesh = current_mesh()
    if mesh is None:
        return function(rows, shared)
    divide = jax.shard_map(function, mesh=mesh, in_specs=(ROWS, REPLICATED), out_specs=ROWS, check_vma=False)
    return divide(rows, shared)


def map_runs(function: Callable[..., Any], inputs: Any, outputs: Any) -> Callable[..., Any]:
    """``function`` of a batch of runs, of which each device does a part.

    Where the batch is in each input and output is given as to ``vmap``; None is for what all devices have.
    """
    mesh = jax.sharding.get_abstract_mesh()
    if RUNS not in mesh.auto_axes:
        return function

    def specs(axes: Any) -> Any:
        return jax.tree.map(
            lambda axis: REPLICATED if axis is None else PartitionSpec(*[None] * axis, RUNS),
            axes,
            is_leaf=lambda axis: axis is None,
        )

    return jax.shard_map(function, mesh=mesh, in_specs=specs(inputs), out_specs=specs(outputs), check_vma=False)


def row_numbers(rows: int) -> Int[Array, " rows"]:
    """The numbers, among all, of the rows that are at hand."""
    mesh = jax.sharding.get_abstract_mesh()
    start = lax.axis_index(AXIS) * rows if AXIS in mesh.manual_axes else 0
    return start + jnp.arange(rows)


# Rows that travel.

Read = Callable[[tuple, Array], Any]


def gather(read: Read, tables: tuple, index: Int[Array, " k"]) -> Any:
    """``read(tables, index)``, where ``index`` counts the rows of one table after those of another.

    With rows divided over devices, each device tells each other which rows it wants, and gets them. There is room for
    rather more than the mean of what one wants of another; should it not do, blocks of rows go round instead, from
    device to device, and everybody picks from each.
    """
    mesh = current_mesh()
    if mesh is None:
        return read(tables, index)
    each = [rows_of(table) // mesh.size for table in tables]

    def exchange(tables: tuple, index: Array) -> Any:
        owner, local = located(index, each, mesh.size)
        return exchange_rows(read, tables, owner, local, mesh.size)

    specs = (jax.tree.map(lambda _: ROWS, tables), ROWS)
    return jax.shard_map(exchange, mesh=mesh, in_specs=specs, out_specs=ROWS, check_vma=False)(tables, index)


def rows_of(table: Any) -> int:
    return int(jax.tree.leaves(table)[0].shape[0])


def located(index: Int[Array, " k"], each: list[int], devices: int) -> tuple[Int[Array, " k"], Int[Array, " k"]]:
    """Who has a row of the tables, and its number there, where tables again follow one another."""
    owner, local, start, before = jnp.zeros_like(index), index, 0, 0
    for rows in each:
        here = index >= start
        owner = jnp.where(here, (index - start) // rows, owner)
        local = jnp.where(here, (index - start) % rows + before, local)
        start, before = start + rows * devices, before + rows
    return owner, local


def exchange_rows(read: Read, tables: tuple, owner: Int[Array, " k"], local: Int[Array, " k"], devices: int) -> Any:
    """The wanted rows, from whoever has them; run by each device."""
    me = lax.axis_index(AXIS)
    room = room_for(len(owner), devices)
    mine = owner == me
    slot = slots(jnp.where(mine, devices, owner), devices)
    requests = jnp.zeros((devices, room), local.dtype).at[jnp.where(mine, devices, owner), slot].set(local, mode="drop")
    fits = lax.psum((~mine & (slot >= room)).sum(), AXIS) == 0

    def directly(tables: tuple) -> Any:
        wanted = lax.all_to_all(requests, AXIS, 0, 0)

        def bring(columns: tuple) -> Any:
            own = read(columns, jnp.where(mine, local, 0))
            sent = read(columns, wanted.reshape(-1))
            came = jax.tree.map(
                lambda leaf: lax.all_to_all(leaf.reshape(devices, room, *leaf.shape[1:]), AXIS, 0, 0), sent
            )
            return jax.tree.map(
                lambda o, c: jnp.where(expand_to(mine, o), o, c[owner % devices, slot % room]), own, came
            )

        return by_columns(bring, tables)

    def ring_exchange(tables: tuple) -> Any:
        def bring(columns: tuple) -> Any:
            def turn(i: Array, state: tuple) -> tuple:
                block, got = state
                here = owner == (me + i) % devices
                picked = read(block, jnp.where(here, local, 0))
                got = jax.tree.map(lambda g, p: jnp.where(expand_to(here, g), p, g), got, picked)
                to_the_left = [(j, (j - 1) % devices) for j in range(devices)]
                return jax.tree.map(lambda leaf: lax.ppermute(leaf, AXIS, to_the_left), block), got

            nothing = jax.tree.map(jnp.zeros_like, read(columns, jnp.zeros_like(local)))
            return lax.fori_loop(0, devices, turn, (columns, nothing))[1]

        return by_columns(bring, tables)

    return lax.cond(fits, directly, ring_exchange, tables)


def room_for(rows: int, devices: int) -> int:
    """Rows that one device may want of another: eight standard deviations above the mean, if they fall at random."""
    mean = rows / devices
    return min(rows, ceil(mean + 8 * sqrt(mean) + 8))


def slots(owner: Int[Array, " k"], devices: int) -> Int[Array, " k"]:
    """The place of each row among those that are wanted of the same owner, in order."""
    order = jnp.argsort(owner, stable=True)
    count = jnp.zeros(devices + 1, jnp.int32).at[owner].add(1)
    start = jnp.cumsum(count) - count
    place = jnp.arange(len(owner), dtype=jnp.int32) - start[owner[order]]
    return jnp.zeros_like(place).at[order].set(place)


def expand_to(flags: Bool[Array, " k"], leaf: Array) -> Array:
    """A flag for each row, in the shape that stands beside a leaf with such rows."""
    return flags.reshape(-1, *[1] * (leaf.ndim - 1))


def by_columns(bring: Callable[[tuple], Any], tables: tuple) -> Any:
    """``bring(tables)``, where wide arrays come a part of their columns at a time."""
    widths = {leaf.shape[1] for leaf in jax.tree.leaves(tables) if leaf.ndim == 2}
    wide = max(widths, default=0)
    if wide < NARROW:
        return bring(tables)
    width = ceil(wide / TURNS)

    def is_wide(leaf: Array) -> bool:
        return leaf.ndim == 2 and leaf.shape[1] == wide

    def part(start: Array) -> tuple:
        return jax.tree.map(
            lambda leaf: lax.dynamic_slice_in_dim(leaf, start, width, axis=1) if is_wide(leaf) else leaf, tables
        )

    def turn(i: Array, got: Any) -> Any:
        start = jnp.minimum(i * width, wide - width)  # the last part may repeat some of the one before
        return jax.tree.map(
            lambda whole, piece: (
                lax.dynamic_update_slice_in_dim(whole, piece, start, axis=1) if whole.shape != piece.shape else piece
            ),
            got,
            bring(part(start)),
        )

    shapes = jax.eval_shape(bring, tables)
    return lax.fori_loop(0, TURNS, turn, jax.tree.map(lambda s: jnp.zeros(s.shape, s.dtype), shapes))
