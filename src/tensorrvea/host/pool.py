"""A pool of workers: scheduling, time-outs and restarts."""

import contextlib
import multiprocessing.util
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from tensorrvea.host.batch import Batch, Job
from tensorrvea.host.workers import GRACE, Worker

START_TIMEOUT = 600.0  # seconds, since a cluster may have to start machines first
LONGEST_WAIT = 3600.0  # seconds, since Python refuses to wait for centuries
MAX_START_ATTEMPTS = 3


class Call(NamedTuple):
    """A job that a worker is running, and its deadline (None for no limit)."""

    worker: Worker
    job: Job
    deadline: float | None


class WorkerPool:
    """Evaluates batches on ``size`` workers, or on one per job if ``size`` is None.

    Workers start with the first batch and stay between batches. A worker that dies, or whose call exceeds ``timeout``
    seconds per row, is restarted, and its job is recorded as lost or late. ``release`` is called once all are stopped.
    """

    def __init__(
        self,
        make_worker: Callable[[], Worker],
        *,
        size: int | None,
        timeout: float | None = None,
        release: Callable[[], None] = lambda: None,
    ):
        self._make_worker, self._size, self._timeout, self._release = make_worker, size, timeout, release
        self._idle: list[Worker] = []
        self._starting: dict[Future, Worker] = {}
        self._calls: dict[Future, Call] = {}
        self._finished: SimpleQueue[Future | None] = SimpleQueue()  # None if another thread closes the pool
        self._failed_starts = 0
        self._batch_lock = threading.Lock()
        self._batch_thread: int | None = None
        self._is_closing = False

    def run(self, batch: Batch, jobs: list[Job]) -> None:
        """Run the jobs, and their repetitions, until none is left."""
        with self._batch_lock:
            self._batch_thread, self._is_closing = threading.get_ident(), False
            try:
                self._run(batch, deque(jobs))
            except BaseException:  # including Ctrl-C: no worker may keep running
                self._close()
                raise
            finally:
                self._batch_thread = None

    def close(self) -> None:
        """Stop all workers; the next batch starts them again. A batch that another thread is running raises."""
        if self._batch_thread == threading.get_ident():
            self._close()
            return
        if not self._batch_lock.acquire(blocking=False):
            self._is_closing = True
            self._finished.put(None)
            if not self._batch_lock.acquire(timeout=2 * GRACE):  # the user's function is called in that thread
                return
        try:
            self._close()
        finally:
            self._batch_lock.release()

    def _close(self) -> None:
        calls, others = [call.worker for call in self._calls.values()], [*self._starting.values(), *self._idle]
        self._calls, self._starting, self._idle = {}, {}, []
        for worker in others:
            worker.begin_close()
        for worker in calls:
            worker.kill()
        for worker in others:
            worker.close()
        self._release()

    def _run(self, batch: Batch, waiting: deque[Job]) -> None:
        for _ in range((self._size or 0) - len(self._idle) - len(self._starting)):
            self._open(self._make_worker())
        _close_at_exit(self)  # after a worker was opened: what is registered last is called first
        while waiting or self._calls:
            while waiting and (self._idle or self._size is None):
                self._submit(self._idle.pop() if self._idle else self._make_worker(), waiting.popleft(), batch)
            for job, outcome in self._next_outcomes():
                waiting.extend(batch.record(job, outcome))

    def _open(self, worker: Worker) -> None:
        future = worker.open()
        self._starting[future] = worker
        future.add_done_callback(self._finished.put)

    def _submit(self, worker: Worker, job: Job, batch: Batch) -> None:
        deadline = None if self._timeout is None else time.monotonic() + self._timeout * len(job.rows)
        future = worker.submit(batch.arguments(job))
        self._calls[future] = Call(worker, job, deadline)
        future.add_done_callback(self._finished.put)

    def _next_outcomes(self) -> list[tuple[Job, Any]]:
        """Wait for the next worker to finish, or for the next deadline."""
        try:
            future = self._finished.get(timeout=self._wait_time())
        except Empty:
            if not self._calls:
                raise RuntimeError(f"no worker has started in {START_TIMEOUT:.0f} s") from None
            now = time.monotonic()
            late = [f for f, call in self._calls.items() if call.deadline is not None and call.deadline <= now]
            message = f"took longer than {self._timeout:g} s"
            return [self._restart(self._calls.pop(f), "late", message) for f in late]
        if future is None:
            if self._is_closing:
                raise RuntimeError("the workers were closed by another thread while they were evaluating")
            return []  # meant for an earlier batch
        if future in self._starting:
            self._finish_start(self._starting.pop(future), future.exception())
        elif future in self._calls:
            return [self._finish_call(self._calls.pop(future), future)]
        return []  # a call that was ended at its deadline

    def _wait_time(self) -> float | None:
        if not self._calls:
            return START_TIMEOUT
        deadlines = [call.deadline for call in self._calls.values() if call.deadline is not None]
        return min(max(0.0, min(deadlines) - time.monotonic()), LONGEST_WAIT) if deadlines else None

    def _finish_start(self, worker: Worker, error: BaseException | None) -> None:
        if error is None:
            self._failed_starts = 0
            self._idle.append(worker)
            return
        self._failed_starts += 1
        worker.close()
        if self._failed_starts >= MAX_START_ATTEMPTS or not (self._idle or self._calls):
            reason = str(error).strip().splitlines()[-1:]
            raise RuntimeError(f"a worker could not be started: {' '.join(reason)}; {worker.remedy}") from error
        self._open(worker)

    def _finish_call(self, call: Call, future: Future) -> tuple[Job, Any]:
        error = future.exception()
        if error is None:
            if self._size is not None:
                self._idle.append(call.worker)
            return call.job, future.result()
        message = call.worker.loss_message(error)
        if message is None:
            raise error
        return self._restart(call, "lost", message)

    def _restart(self, call: Call, kind: str, message: str) -> tuple[Job, Any]:
        """Replace the worker of a call; return the call's outcome."""
        call.worker.kill()
        self._open(call.worker)
        return call.job, (kind, message)


# The end of the program

_open_pools: "weakref.WeakSet[WorkerPool]" = weakref.WeakSet()
_is_registered = False


def _close_at_exit(pool: WorkerPool) -> None:
    """Close the pool before Python waits for the threads and children that its workers need, which would never end."""
    global _is_registered
    _open_pools.add(pool)
    if not _is_registered and pool._idle + list(pool._starting.values()):
        # At the end of a program, Python waits for threads first; in a multiprocessing.Process, for children.
        with contextlib.suppress(AttributeError, RuntimeError):
            threading._register_atexit(_close_all)  # type: ignore[attr-defined]
        multiprocessing.util.Finalize(None, _close_all, exitpriority=100)
        _is_registered = True


def _close_all() -> None:
    for pool in list(_open_pools):
        pool.close()
