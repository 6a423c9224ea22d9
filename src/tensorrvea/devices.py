"""Meshes of devices: which devices a run uses, and how rows or runs are divided over them.

The library is written for one device, and JAX partitions it. A mesh is current while code is traced under
``jax.set_mesh``; without one, the functions here change nothing.
"""

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import AbstractMesh, AxisType, Mesh, PartitionSpec
from jaxtyping import Array, Int

from tensorrvea.checks import shown

# A mesh divides either the rows of one run or the runs of a batch.
AXIS, RUNS = "rows", "runs"
ROWS, REPLICATED = PartitionSpec(AXIS), PartitionSpec()

# A number of devices, a list of them, or "cores".
Devices = int | str | Sequence[jax.Device] | None


def make_mesh(devices: Devices, axis: str = AXIS) -> Mesh | None:
    """Return a mesh with one axis, or None for JAX's default device.

    Args:
      devices: how many of JAX's devices to use, a list of them, or ``"cores"``. None means the default device, or
        all devices of all processes after ``tensorrvea.distributed``.
      axis: what the mesh divides: ``AXIS`` (rows) or ``RUNS``.
    """
    if devices is None and not jax.distributed.is_initialized():
        return None
    if isinstance(devices, str) and devices == "cores":
        devices = cores()
    available = jax.devices()
    if devices is None:
        devices = available
    if isinstance(devices, int | np.integer) and not isinstance(devices, bool):
        if not 1 <= devices <= len(available):
            raise ValueError(f"devices must be 1 to {len(available)} on this machine, got {devices}")
        devices = available[: int(devices)]
    chosen = list(devices) if isinstance(devices, Sequence) and not isinstance(devices, str) else []
    if not chosen or not all(isinstance(device, jax.Device) for device in chosen):
        raise TypeError(f"devices takes a number of devices, a list of them, or 'cores', got {shown(devices)}")
    if len(set(chosen)) < len(chosen):
        raise ValueError(f"devices must not repeat a device, got {shown(devices)}")
    if jax.process_count() > 1 and set(chosen) != set(available):
        raise ValueError(f"devices must be all {len(available)} devices of all processes, got {len(chosen)}")
    if chosen == available[:1]:
        return None
    return Mesh(np.array(chosen), (axis,), axis_types=(AxisType.Auto,))


def cores() -> list[jax.Device]:
    """Make each core that this process may use a device of its own, which JAX allows only before its first use."""
    count = available_cores()
    with suppress(RuntimeError):  # JAX is already initialised; the check below decides.
        jax.config.update("jax_num_cpu_devices", count)
    devices = jax.devices("cpu")
    if len(devices) < count:
        raise ValueError(
            f"devices='cores' must come before JAX is used; it has {len(devices)} CPU device for {count} cores; "
            f"call jax.config.update('jax_num_cpu_devices', {count}) right after import jax"
        )
    return devices


def available_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def default_device() -> jax.Device:
    """Return the device on which JAX places new arrays in this thread and context."""
    (device,) = jax.device_put(np.float32(0)).devices()  # without compiling anything
    return device


def use_mesh(mesh: Mesh | None) -> AbstractContextManager[Any]:
    """Return a context in which traced and called code is partitioned over ``mesh``."""
    return nullcontext() if mesh is None else jax.set_mesh(mesh)


def current_mesh() -> AbstractMesh | None:
    """Return the mesh that rows are divided over; None if they are not, or inside a ``shard_map`` over them."""
    mesh = jax.sharding.get_abstract_mesh()
    return mesh if AXIS in mesh.auto_axes else None


def padded_size(rows: int) -> int:
    """Round up to a multiple of 2 × devices, so that every device holds the same, even, number of rows."""
    mesh = current_mesh()
    return rows if mesh is None else -(-rows // (2 * mesh.size)) * 2 * mesh.size


def map_runs(function: Callable[..., Any], inputs: Any, outputs: Any) -> Callable[..., Any]:
    """Divide ``function`` of a batch of runs over the devices of a mesh of runs.

    ``inputs`` and ``outputs`` name the axis of the batch as in ``vmap``; None marks what every device gets whole.
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

    return shard(function, mesh, specs(inputs), specs(outputs))


def shard(function: Callable[..., Any], mesh: AbstractMesh, inputs: Any, outputs: Any) -> Callable[..., Any]:
    """Return ``function`` as run by every device on its own shard."""
    return jax.shard_map(function, mesh=mesh, in_specs=inputs, out_specs=outputs, check_vma=False)


def row_numbers(rows: int) -> Int[Array, " rows"]:
    """Return the global numbers of the ``rows`` rows at hand, also inside a ``shard_map`` over rows."""
    mesh = jax.sharding.get_abstract_mesh()
    start = lax.axis_index(AXIS) * rows if AXIS in mesh.manual_axes else 0
    return start + jnp.arange(rows)
