"""Run independent jobs on all local devices."""

from collections import deque
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from threading import Thread
from typing import Any

import jax


def run_on_all_devices(jobs: Sequence[Callable[[], Any]]) -> list[Any]:
    """Return the results of the jobs in order. Each device runs one job at a time; a single device needs no threads."""
    devices = jax.local_devices()
    if len(devices) == 1:
        return [job() for job in jobs]
    pending = deque(enumerate(jobs))
    finished: SimpleQueue[tuple[int, Any, BaseException | None]] = SimpleQueue()

    def work(device: jax.Device) -> None:
        with jax.default_device(device):
            while True:
                try:
                    i, job = pending.popleft()
                except IndexError:  # no job is left
                    return
                try:
                    finished.put((i, job(), None))
                except BaseException as error:  # raised again in the main thread
                    finished.put((i, None, error))

    # Daemon threads, so that Ctrl-C does not wait for running jobs; these have checkpoints.
    for device in devices[: len(jobs)]:
        Thread(target=work, args=(device,), daemon=True).start()
    results: list[Any] = [None] * len(jobs)
    for _ in jobs:
        i, result, error = finished.get()
        if error is not None:
            pending.clear()  # cancel the jobs that have not started
            raise error
        results[i] = result
    return results
