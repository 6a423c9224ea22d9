"""Where evaluations run, one at a time in each place: here, in a worker process, in a user's executor."""

import multiprocessing
import os
import sys
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from multiprocessing.reduction import ForkingPickler
from typing import Any, Protocol

from tensorrvea.host import worker
from tensorrvea.host.worker import Functions, Outcome

REMEDY = (
    "a worker is a new process that imports what it runs: put the function at the top level of a module (no "
    "lambda, no nested function, nothing typed into a session) and what a script does below "
    "`if __name__ == '__main__':`; or use executor='ray', which takes any function"
)


class Place(Protocol):
    """Evaluates one call after another."""

    remedy: str
    """What a user can do if it does not start."""

    def open(self) -> "Future[Any]":
        """Starts the place; the future is done when it takes calls."""

    def start(self, given: tuple[Any, ...]) -> "Future[Outcome]":
        """Starts a call."""

    def lost(self, error: BaseException) -> str | None:
        """What happened, if a call's exception says that the place ended under it; None if it did not."""

    def close(self) -> None:
        """Ends the place, which is idle."""

    def kill(self) -> None:
        """Ends the place and the call that runs in it."""


class HerePlace:
    """In this process, at once."""

    remedy = ""

    def __init__(self, functions: Functions):
        self._functions = functions

    def open(self) -> "Future[Any]":
        return done(None)

    def start(self, given: tuple[Any, ...]) -> "Future[Outcome]":
        return done(worker.call(self._functions, given))

    def lost(self, error: BaseException) -> str | None:
        del error
        return None

    def close(self) -> None:
        pass

    def kill(self) -> None:
        pass


class ProcessPlace:
    """In a worker process, a pool of one: when it is killed, no other's work is lost with it.

    Processes are spawned, not forked: JAX is threaded, and a fork of a threaded process can lock up.
    """

    remedy = REMEDY

    def __init__(self, functions: Functions):
        self._functions = functions

    def open(self) -> "Future[Any]":
        context = multiprocessing.get_context("spawn")
        # The functions travel once a worker, not once a call.
        self._pool = ProcessPoolExecutor(1, context, initializer=worker.prepare, initargs=(self._functions,))
        self._process = self._pool.submit(os.getpid)
        return self._process

    def start(self, given: tuple[Any, ...]) -> "Future[Outcome]":
        try:
            return self._pool.submit(worker.call_prepared, given)
        except BrokenExecutor as error:  # killed while it was idle
            return failed(error)

    def lost(self, error: BaseException) -> str | None:
        return "its worker process was killed" if isinstance(error, BrokenExecutor) else None

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)

    def kill(self) -> None:
        if self._process.done() and self._process.exception() is None:
            worker.end_group(self._process.result())
        self.close()


class ExecutorPlace:
    """In an executor of the user's, whose workers are its own affair."""

    remedy = ""

    def __init__(self, functions: Functions, executor: Executor):
        self._functions = functions
        self._executor = executor

    def open(self) -> "Future[Any]":
        return done(None)

    def start(self, given: tuple[Any, ...]) -> "Future[Outcome]":
        self._call = self._executor.submit(worker.call, self._functions, given)
        return self._call

    def lost(self, error: BaseException) -> str | None:
        if isinstance(error, BrokenExecutor):
            raise RuntimeError(
                f"the executor that was given is broken ({error}); workers= replaces a worker that was killed"
            ) from error
        return f"{type(error).__name__}: {error}"

    def close(self) -> None:
        pass

    def kill(self) -> None:
        self._call.cancel()


def check_importable(what: str, function: Callable[..., Any] | None) -> None:
    """Refuses a function that a new process could not import, and says how to make it one that it can."""
    if function is None:
        return
    try:
        ForkingPickler.dumps(function)
    except Exception as error:  # pickling runs code of the user's own types
        raise TypeError(f"{what} {function!r} cannot be sent to a worker ({error}); {REMEDY}") from error
    main = sys.modules["__main__"]
    if getattr(function, "__module__", None) == "__main__" and not hasattr(main, "__file__"):
        raise TypeError(f"{what} {function!r} was typed into a session; {REMEDY}")


def done(value: Any) -> "Future[Any]":
    future: Future[Any] = Future()
    future.set_result(value)
    return future


def failed(error: BaseException) -> "Future[Any]":
    future: Future[Any] = Future()
    future.set_exception(error)
    return future
