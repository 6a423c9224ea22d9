"""Workers, each of which evaluates one call at a time: in this process, in another one, or in a user's executor."""

import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from tensorrvea.host import remote
from tensorrvea.host.guard import Guard, kill_marked
from tensorrvea.host.remote import Functions, Outcome

# Keeps JAX, if the user's function uses it, off the GPU, whose memory the run itself needs.
ENVIRONMENT = {"JAX_PLATFORMS": "cpu"}
# Seconds that a worker has to end before it is killed, with all that it has started.
GRACE = 3.0


class Worker(ABC):
    """Evaluates one call after another."""

    remedy = ""
    """What the user can do if it does not start."""

    def open(self) -> "Future[Any]":
        """Start the worker; the future is done when it accepts calls."""
        return completed()

    @abstractmethod
    def submit(self, arguments: tuple[Any, ...]) -> "Future[Outcome]":
        """Start a call."""

    def loss_message(self, error: BaseException) -> str | None:
        """The message if a call's exception means that the worker died, else None."""
        del error
        return None

    def begin_close(self) -> None:  # noqa: B027
        """Ask the idle worker to stop, without waiting for it."""

    def close(self) -> None:  # noqa: B027, since a worker may have nothing to stop
        """Stop the idle worker."""

    def kill(self) -> None:
        """Stop the worker and its running call."""
        self.close()


@dataclass
class LocalWorker(Worker):
    """Evaluates in this process, synchronously."""

    functions: Functions

    def submit(self, arguments: tuple[Any, ...]) -> "Future[Outcome]":
        return completed(remote.call(self.functions, arguments))


@dataclass
class ProcessWorker(Worker):
    """Evaluates in a process: a pool of one, so that killing it loses no other worker's call.

    The process is spawned, since forking a process with threads, such as JAX's, can deadlock.
    """

    remedy = "see the worker's own message above; what the function imports must be importable there"

    functions: Functions
    guard: Guard

    def open(self) -> "Future[Any]":
        from loky import ProcessPoolExecutor  # imported late, since most runs have no workers

        # The functions are sent once per worker, not once per call; as bytes, so that a worker first prepares for the
        # end of its parent, and then imports what they need.
        functions = pickled(self.functions)
        self._mark = self.guard.new_mark()
        self._ending: threading.Thread | None = None
        self._pool = ProcessPoolExecutor(
            1, initializer=remote.prepare, initargs=(os.getpid(), functions),
            env=ENVIRONMENT | os.environ | self._mark,
        )  # fmt: skip
        return self._pool.submit(os.getpid)

    def submit(self, arguments: tuple[Any, ...]) -> "Future[Outcome]":
        try:
            return self._pool.submit(PreparedCall(), arguments)
        except BrokenExecutor as error:  # killed while it was idle
            return completed(error=error)

    def loss_message(self, error: BaseException) -> str | None:
        return "its worker process was killed" if isinstance(error, BrokenExecutor) else None

    def begin_close(self) -> None:
        self._shut_down(kill=False)

    def close(self) -> None:
        """End the process, and kill it after a grace period: a thread or a fork that it left would keep it alive."""
        if self._ending is None:
            self.begin_close()
        self._wait()

    def kill(self) -> None:
        kill_marked(self._mark)
        self._shut_down(kill=True)
        self._wait()

    def _shut_down(self, *, kill: bool) -> None:
        self._ending = threading.Thread(target=self._pool.shutdown, kwargs={"kill_workers": kill}, daemon=True)
        try:
            self._ending.start()
        except RuntimeError:  # the interpreter is shutting down and starts no threads
            self._ending = None

    def _wait(self) -> None:
        ending, self._ending = self._ending, None
        if ending is not None:
            ending.join(GRACE)
        if ending is None or ending.is_alive():
            kill_marked(self._mark)
        if ending is not None:
            ending.join(GRACE)


class PreparedCall:
    """Unpickles, in a worker, to the function that ``remote.prepare`` stored there; only its name is sent."""

    def __reduce__(self) -> tuple[Any, ...]:
        return import_module, (remote.PREPARED,)


@dataclass
class ExecutorWorker(Worker):
    """Evaluates in the user's executor, which manages its own workers."""

    functions: Functions
    executor: Executor

    def submit(self, arguments: tuple[Any, ...]) -> "Future[Outcome]":
        self._call = self.executor.submit(remote.call, self.functions, arguments)
        return self._call

    def loss_message(self, error: BaseException) -> str | None:
        if isinstance(error, BrokenExecutor):
            raise RuntimeError(
                f"the executor that was given is broken ({error}); workers= replaces a worker that was killed"
            ) from error
        if isinstance(
            error, KeyboardInterrupt
        ):  # Ctrl-C reached the executor's processes: no failure of the individual
            return None
        return f"{type(error).__name__}: {error}"

    def kill(self) -> None:
        self._call.cancel()


def check_sendable(argument: str, function: Callable[..., Any] | None) -> None:
    """Raise a TypeError if the function cannot be pickled."""
    try:
        pickled(function)
    except Exception as error:  # pickling runs code of the user's own types
        raise TypeError(
            f"{argument} {function!r} cannot be sent to a worker ({error}); open files, locks and connections must be "
            "made inside the function"
        ) from error


def pickled(sent: Any) -> bytes:
    """Return the bytes of what is sent to a worker."""
    import cloudpickle  # imported late, since most runs have no workers

    # By value, since importing the module would import this package in the worker, and with it JAX.
    cloudpickle.register_pickle_by_value(remote)
    return cloudpickle.dumps(sent)


def completed(value: Any = None, *, error: BaseException | None = None) -> "Future[Any]":
    """A future that is done, with a value or an error."""
    future: Future[Any] = Future()
    future.set_result(value) if error is None else future.set_exception(error)
    return future
