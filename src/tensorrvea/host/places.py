"""Where evaluations run, one at a time in each place: here, in a worker process, in a user's executor."""

import os
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from importlib import import_module
from typing import Any, Protocol

import cloudpickle
from loky import ProcessPoolExecutor

from tensorrvea.host import worker
from tensorrvea.host.worker import Functions, Outcome

# The module is sent by value: to import it, a worker would have to import this package, and with it JAX.
cloudpickle.register_pickle_by_value(worker)

# JAX, should the user's function use it, stays off the GPU, whose memory the run itself needs.
ENVIRONMENT = {"JAX_PLATFORMS": "cpu"}


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

    The process is a new one and not a fork: JAX is threaded, and a fork of a threaded process can lock up.
    """

    remedy = "see the worker's own message above; what the function imports must be importable there"

    def __init__(self, functions: Functions):
        self._functions = functions

    def open(self) -> "Future[Any]":
        # The functions travel once a worker, not once a call.
        self._pool = ProcessPoolExecutor(
            1, initializer=worker.prepare, initargs=(self._functions,), env=ENVIRONMENT | os.environ
        )
        return self._pool.submit(os.getpid)

    def start(self, given: tuple[Any, ...]) -> "Future[Outcome]":
        try:
            return self._pool.submit(PreparedCall(), given)
        except BrokenExecutor as error:  # killed while it was idle
            return failed(error)

    def lost(self, error: BaseException) -> str | None:
        return "its worker process was killed" if isinstance(error, BrokenExecutor) else None

    def close(self) -> None:
        self._pool.shutdown()

    def kill(self) -> None:
        self._pool.shutdown(kill_workers=True)


class PreparedCall:
    """Becomes, in a worker, the call that it was prepared for: sent as a name, in few bytes and little time."""

    def __reduce__(self) -> tuple[Any, ...]:
        return import_module, (worker.PREPARED,)


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


def check_sendable(what: str, function: Callable[..., Any] | None) -> None:
    """Refuses a function that cannot be sent to another process, and says why."""
    try:
        cloudpickle.dumps(function)
    except Exception as error:  # pickling runs code of the user's own types
        raise TypeError(
            f"{what} {function!r} cannot be sent to a worker ({error}); open files, locks and connections must be "
            "made inside the function"
        ) from error


def done(value: Any) -> "Future[Any]":
    future: Future[Any] = Future()
    future.set_result(value)
    return future


def failed(error: BaseException) -> "Future[Any]":
    future: Future[Any] = Future()
    future.set_exception(error)
    return future
