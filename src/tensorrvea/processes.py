"""Runs over several processes: JAX's multi-process runtime, and communication between them.

Every process runs the same script, and all of them compile and call the same code in the same order. What only one can
know (its clock, its signals, its disk) is broadcast from the primary process, the first one. With a single process,
these functions do nothing.
"""

import atexit
import os
import pickle
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import jax
import numpy as np
from jax.experimental.multihost_utils import broadcast_one_to_all, process_allgather

from tensorrvea.checks import check_integer

# Seconds without a heartbeat after which a process counts as lost.
HEARTBEAT = 30
# Bytes of the first message of a broadcast, and the most of each further one.
SMALL, LARGE = 2**10, 2**26
# Names of the runtimes that report a broken connection, as they appear in its errors.
RUNTIMES = ("gloo", "nccl", "coordination service", "distributed service")


class LostProcessError(RuntimeError):
    """Another process of the run was lost."""


def distributed(*, coordinator: str | None = None, processes: int | None = None, index: int | None = None) -> None:
    """Join several processes, so that runs use the devices of all of them.

    Every process calls this once, before any other use of JAX, and then runs the same script. Without arguments, the
    processes find each other by the environment of Slurm, Open MPI or Kubernetes (see ``jax.distributed.initialize``).

    Args:
      coordinator: ``"host:port"`` of the first process, with a port that is free there.
      processes: the number of processes.
      index: the number of this process, from 0.

    Raises:
      ValueError: if an argument is out of range, or only some of them are given.
      RuntimeError: if JAX has been used before.

    Example::

        tr.distributed(coordinator="10.0.0.1:8476", processes=4, index=2)
        result = tr.optimize(problem, tr.TensorRVEA(population=1_000_000), generations=100)
    """
    given = {"coordinator": coordinator, "processes": processes, "index": index}
    missing = [name for name, value in given.items() if value is None]
    if processes is not None:
        check_integer("processes", processes, minimum=1)
    if index is not None and check_integer("index", index, minimum=0) >= (processes or index + 1):
        raise ValueError(f"index must be below {processes}, the number of processes, got {index}")
    if coordinator is not None and not (isinstance(coordinator, str) and re.fullmatch(r".+:\d{1,5}", coordinator)):
        raise ValueError(f"coordinator must be host:port, got {coordinator!r}")
    # JAX would handle SIGTERM itself and hide it from the run, which saves a checkpoint.
    jax.config.update("jax_enable_preemption_service", False)
    try:
        jax.distributed.initialize(
            coordinator, processes, index, heartbeat_timeout_seconds=HEARTBEAT,
            cluster_detection_method=None if missing else "deactivate",
        )  # fmt: skip
    except ValueError as error:
        raise ValueError(
            f"no launcher (Slurm, Open MPI, Kubernetes) was found: give {', '.join(missing)} ({error})"
        ) from error
    _disable_compilation_cache()
    atexit.register(_exit_if_peers_lost)


def _disable_compilation_cache() -> None:
    """Turn JAX's persistent compilation cache off for several processes on CPUs.

    Only the first process writes to that cache, and its keys differ from those of the others. So with a warm cache the
    first one loads a program and the others compile it. On CPUs, gloo then aborts, since the processes send data of
    different sizes to each other ("4 vs 1 bytes"): probably a loaded program starts its collectives in another order.
    """
    if is_distributed() and jax.default_backend() == "cpu":
        jax.config.update("jax_enable_compilation_cache", False)


def is_distributed() -> bool:
    """Return whether several processes are one run."""
    return jax.distributed.is_initialized() and jax.process_count() > 1


def is_primary() -> bool:
    """Return whether this is the process that prints and writes."""
    return not is_distributed() or jax.process_index() == 0


# Communication


def broadcast_from_primary(value: Any) -> Any:
    """Return the value that the primary process passes."""
    if not is_distributed():
        return value
    message = pickle.dumps(value) if is_primary() else b""
    head = _broadcast(len(message).to_bytes(8, "big") + message[: SMALL - 8], SMALL)
    length, message = int.from_bytes(head[:8], "big"), message[SMALL - 8 :]
    received = [head[8:]]
    for start in range(0, length - (SMALL - 8), LARGE):
        size = min(LARGE, 1 << (length - SMALL + 8 - start - 1).bit_length())  # powers of two, as each size is compiled
        received.append(_broadcast(message[start : start + size], size))
    return pickle.loads(b"".join(received)[:length])


def _broadcast(message: bytes, size: int) -> bytes:
    return broadcast_one_to_all(np.frombuffer(message.ljust(size, b"\0"), np.uint8)).tobytes()


def on_primary_process(function: Callable[[], Any]) -> Any:
    """Call ``function`` in the primary process only, and return its value, or raise its exception, in all."""
    if not is_distributed():
        return function()
    value, error = None, None
    if is_primary():
        try:
            value = function()
        except BaseException as raised:
            error = raised
    value, reason = broadcast_from_primary((value, None if error is None else _sendable(error)))
    if reason is not None:
        raise error or reason
    return value


def _sendable(error: BaseException) -> BaseException:
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # Pickling or unpickling a user's exception may raise anything.
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def gather_from_all(numbers: list[int]) -> np.ndarray:
    """Return the numbers of all processes, one row per process."""
    row = np.asarray(numbers, np.int32)
    return process_allgather(row) if is_distributed() else row[None]


def fetch(tree: Any) -> Any:
    """Return arrays that are spread over all devices of all processes as NumPy arrays, in every process."""
    return jax.tree.map(_fetch_one, tree) if is_distributed() else jax.device_get(tree)


def _fetch_one(leaf: Any) -> np.ndarray:
    if not isinstance(leaf, jax.Array) or leaf.is_fully_replicated or leaf.is_fully_addressable:
        return np.asarray(leaf)
    # Some columns at a time, since all of X may not fit in the memory of a device.
    pieces = -(-leaf.nbytes // LARGE) if leaf.ndim > 1 else 1
    width = -(-leaf.shape[-1] // pieces)
    starts = range(0, leaf.shape[-1], width) if width else range(1)
    parts = [process_allgather(leaf[..., start : start + width], tiled=True) for start in starts]
    return np.concatenate(parts, axis=-1)


# Lost processes

_lost = False


@contextmanager
def detect_lost_peers() -> Iterator[None]:
    """Raise errors that come from the loss of another process as ``LostProcessError``."""
    global _lost
    try:
        yield
    except (RuntimeError, ValueError) as error:
        from_runtime = any(name in str(error).lower() for name in RUNTIMES)
        if isinstance(error, LostProcessError) or not (is_distributed() and from_runtime):
            raise
        _lost = True
        raise LostProcessError(
            f"process {jax.process_index()} of {jax.process_count()} has lost another one, and the run ends here; "
            "a run with a directory can be resumed from its last checkpoint, with any number of processes "
            f"({error!s:.200})"
        ) from error


def leave(code: int) -> NoReturn:
    """End this process without waiting for the others; JAX would wait, and abort if one is lost."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _exit_if_peers_lost() -> None:
    if is_distributed() and (_lost or isinstance(getattr(sys, "last_value", None), Exception)):
        leave(1)
