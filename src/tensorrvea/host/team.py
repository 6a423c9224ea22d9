"""The places at work together: who does what next, what takes too long, what has to be started again."""

import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from threading import Lock
from typing import Any, NamedTuple

from tensorrvea.host.batch import Batch, Job
from tensorrvea.host.places import Place

# A cluster may have to start machines first.
START_SECONDS = 600.0
STARTS = 3


class Call(NamedTuple):
    """A job that a place is busy with, and when it is too late (None: never)."""

    place: Place
    job: Job
    deadline: float | None


class Team:
    """Evaluates batches in ``size`` places, or in as many as there are jobs if ``size`` is None.

    Places are opened at the first batch and stay open between batches. One that ends under its call, or
    whose call takes longer than ``timeout`` seconds a row, is ended and opened again; its job is settled as
    lost or late.
    """

    def __init__(self, make_place: Callable[[], Place], *, size: int | None, timeout: float | None = None):
        self._make_place, self._size, self._timeout = make_place, size, timeout
        self._free: list[Place] = []
        self._opening: dict[Future, Place] = {}
        self._calls: dict[Future, Call] = {}
        self._finished: SimpleQueue[Future] = SimpleQueue()
        self._fruitless_starts = 0
        self._one_batch_at_a_time = Lock()

    def run(self, batch: Batch, jobs: list[Job]) -> None:
        """Does the jobs, and those that are to be done again, until none is left."""
        with self._one_batch_at_a_time:
            try:
                self._run(batch, deque(jobs))
            except BaseException:  # a slip in the user's function, or Ctrl-C: nothing may go on running
                self.close()
                raise

    def close(self) -> None:
        """Ends all places; the next batch opens them again."""
        for call in self._calls.values():
            call.place.kill()
        for place in (*self._opening.values(), *self._free):
            place.close()
        self._calls, self._opening, self._free = {}, {}, []

    def _run(self, batch: Batch, waiting: deque[Job]) -> None:
        for _ in range((self._size or 0) - len(self._free) - len(self._opening)):
            self._open(self._make_place())
        while waiting or self._calls:
            while waiting and (self._free or self._size is None):
                self._start(self._free.pop() if self._free else self._make_place(), waiting.popleft(), batch)
            for job, outcome in self._next_outcomes():
                waiting.extend(batch.settle(job, outcome))

    def _open(self, place: Place) -> None:
        future = place.open()
        self._opening[future] = place
        future.add_done_callback(self._finished.put)

    def _start(self, place: Place, job: Job, batch: Batch) -> None:
        limit = None if self._timeout is None else time.monotonic() + self._timeout * len(job.rows)
        future = place.start(batch.given(job))
        self._calls[future] = Call(place, job, limit)
        future.add_done_callback(self._finished.put)

    def _next_outcomes(self) -> list[tuple[Job, Any]]:
        """What the next place to finish brought; what is too late, once none finishes in time."""
        try:
            future = self._finished.get(timeout=self._patience())
        except Empty:
            if not self._calls:
                raise RuntimeError(f"no worker has started in {START_SECONDS:.0f} s") from None
            return [self._end_late_call(f) for f, call in list(self._calls.items()) if _is_late(call)]
        if future in self._opening:
            self._take_in(self._opening.pop(future), future.exception())
        elif future in self._calls:
            return [self._take_back(self._calls.pop(future), future)]
        return []  # a call that was ended as too late

    def _patience(self) -> float | None:
        if not self._calls:
            return START_SECONDS
        deadlines = [call.deadline for call in self._calls.values() if call.deadline is not None]
        return max(0.0, min(deadlines) - time.monotonic()) if deadlines else None

    def _take_in(self, place: Place, error: BaseException | None) -> None:
        if error is None:
            self._fruitless_starts = 0
            self._free.append(place)
            return
        self._fruitless_starts += 1
        place.close()
        if self._fruitless_starts >= STARTS or not (self._free or self._calls):
            reason = str(error).strip().splitlines()[-1:]
            raise RuntimeError(f"a worker could not be started: {' '.join(reason)}; {place.remedy}") from error
        self._open(place)

    def _take_back(self, call: Call, future: Future) -> tuple[Job, Any]:
        error = future.exception()
        if error is None:
            if self._size is not None:
                self._free.append(call.place)
            return call.job, future.result()
        lost = call.place.lost(error)
        if lost is None:
            raise error
        call.place.kill()
        self._open(call.place)
        return call.job, ("lost", lost)

    def _end_late_call(self, future: Future) -> tuple[Job, Any]:
        call = self._calls.pop(future)
        call.place.kill()
        self._open(call.place)
        return call.job, ("late", f"took longer than {self._timeout:g} s")


def _is_late(call: Call) -> bool:
    return call.deadline is not None and call.deadline <= time.monotonic()
