"""Runs that need nothing of each other, on all devices there are."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

import jax


def on_every_device(jobs: Sequence[Callable[[], Any]]) -> list[Any]:
    """What each job gives, in their order. A device has one at a time; where there is but one, nothing is threaded."""
    devices = jax.local_devices()
    if len(devices) == 1:
        return [job() for job in jobs]
    waiting: SimpleQueue[int] = SimpleQueue()
    done: SimpleQueue[tuple[int, Any, BaseException | None]] = SimpleQueue()
    for i in range(len(jobs)):
        waiting.put(i)

    def work(device: jax.Device) -> None:
        with jax.default_device(device):
            while True:
                try:
                    i = waiting.get_nowait()
                except Empty:
                    return
                try:
                    done.put((i, jobs[i](), None))
                except BaseException as error:  # it is raised where the others are waited for
                    done.put((i, None, error))

    # Daemons: Ctrl-C does not wait for what they are at, of which the last checkpoint is there.
    for device in devices[: len(jobs)]:
        Thread(target=work, args=(device,), daemon=True).start()
    found: dict[int, Any] = {}
    while len(found) < len(jobs):
        i, gives, error = done.get()
        if error is not None:
            while not waiting.empty():  # what has not been begun is not begun any more
                with suppress(Empty):
                    waiting.get_nowait()
            raise error
        found[i] = gives
    return [found[i] for i in range(len(jobs))]
