"""Workers, each of which evaluates one call at a time: in this process, in another one, or in a user's executor."""

import os
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from importlib import import_module
from typing import Any, Protocol

import cloudpickle
from loky import ProcessPoolExecutor

from tensorrvea.host import remote
from tensorrvea.host.remote import Functions, Outcome

# Pickled by value, since importing the module would import this package in the worker, and with it JAX.
cloudpickle.register_pickle_by_value(remote)

# Keeps JAX, if the user's function uses it, off the GPU, whose memory the run itself needs.
ENVIRONMENT = {"JAX_PLATFORMS": "cpu"}


class Worker(Protocol):
    """Evaluates one call after another."""

    remedy: str
    """What the user can do if it does not start."""

    def open(self) -> "Future[Any]":
        """Start the worker; the future is done when it accepts calls."""

    def submit(self, arguments: tuple[Any, ...]) -> "Future[Outcome]":
        """Start a call."""

    def loss_message(self, error: BaseException) -> str | None:
        """The message if a call's exception means that the worker died, else None."""

    def close(self) -> None:
        """Stop the idle worker."""

    def kill(self) -> None:
        """Stop the worker and its running call."""


class LocalWorker:
    """Evaluates in this process, synchronously."""

    remedy = ""

    def __init__(self, functions: Functions):
        self._functions = functions

    def open(self) -> "Future[Any]":
        return completed(None)

    def submit(self, arguments: tuple[Any, ...]) -> "Future[Outcome]":
        return completed(remote.call(self._functions, arguments))

    def loss_message(self, error: BaseException) -> str | None:
        del error
        return None

    def close(self) -> None:
        pass

    def kill(self) -> None:
        pass


class ProcessWorker:
    """Evaluates in a process: a pool of one, so that killing it loses no other worker's call.

    The process is spawned, since forking a process with threads, such as JAX's, can deadlock.
    """

    remedy = "see the worker's own message above; what the function imports must be importable there"

    def __init__(self, functions: Functions):
        self._functions = functions

    def open(self) -> "Future[Any]":
        # The functions are sent once per worker, not once per call.
        self._pool = ProcessPoolExecutor(
            1, initializer=remote.prepare, initargs=(self._functions,), env=ENVIRONMENT | os.environ
        )
        return self._pool.submit(os.getpid)

    def submit(self, arguments: tuple[Any, ...]) -> "Future[Outcome]":
        try:
            return self._pool.submit(PreparedCall(), arguments)
        except BrokenExecutor as error:  # killed while it was idle
            return failed(error)

    def loss_message(self, error: BaseException) -> str | None:
        return "its worker process was killed" if isinstance(error, BrokenExecutor) else None

    def close(self) -> None:
        self._pool.shutdown()

    def kill(self) -> None:
        self._pool.shutdown(kill_workers=True)


class PreparedCall:
    """Unpickles, in a worker, to the function that ``remote.prepare`` stored there; only its name is sent."""

    def __reduce__(self) -> tuple[Any, ...]:
        return import_module, (remote.PREPARED,)


class ExecutorWorker:
    """Evaluates in the user's executor, which manages its own workers."""

    remedy = ""

    def __init__(self, functions: Functions, executor: Executor):
        self._functions = functions
        self._executor = executor

    def open(self) -> "Future[Any]":
        return completed(None)

    def submit(self, arguments: tuple[Any, ...]) -> "Future[Outcome]":
        self._call = self._executor.submit(remote.call, self._functions, arguments)
        return self._call

    def loss_message(self, error: BaseException) -> str | None:
        if isinstance(error, BrokenExecutor):
            raise RuntimeError(
                f"the executor that was given is broken ({error}); workers= replaces a worker that was killed"
            ) from error
        return f"{type(error).__name__}: {error}"

    def close(self) -> None:
        pass

    def kill(self) -> None:
        self._call.cancel()


def check_sendable(argument: str, function: Callable[..., Any] | None) -> None:
    """Raise a TypeError if the function cannot be pickled."""
    try:
        cloudpickle.dumps(function)
    except Exception as error:  # pickling runs code of the user's own types
        raise TypeError(
            f"{argument} {function!r} cannot be sent to a worker ({error}); open files, locks and connections must be "
            "made inside the function"
        ) from error


def completed(value: Any) -> "Future[Any]":
    future: Future[Any] = Future()
    future.set_result(value)
    return future


def failed(error: BaseException) -> "Future[Any]":
    future: Future[Any] = Future()
    future.set_exception(error)
    return future
