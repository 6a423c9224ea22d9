"""What runs where an individual is evaluated.

Only NumPy is imported here, neither JAX nor the rest of the package: a worker process stays small and quick
to start. What comes back is plain (arrays and text), as an exception of the user's may not survive pickling.
"""

import multiprocessing
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Functions = tuple[Callable[..., Any], Callable[..., Any] | None]
# ("values", objectives, constraints or None), ("failed", message), or ("wrong", message), which ends the run.
Outcome = tuple[Any, ...]

LENGTH = 500


def call(functions: Functions, given: tuple[Any, ...]) -> Outcome:
    """The objectives and constraints of what is given; an exception of the user's becomes a message."""
    function, constraints = functions
    try:
        # Copies, for a function that works in place must not change the population, nor what the other sees.
        values = function(*given[:-1], given[-1].copy())
        limits = None if constraints is None else constraints(*given[:-1], given[-1].copy())
    except (Exception, SystemExit) as error:
        return "failed", describe(error)
    try:
        return (
            "values",
            as_numbers("function", values),
            None if limits is None else as_numbers("constraints", limits),
        )
    except ValueError as error:
        return "wrong", str(error)


def as_numbers(what: str, values: Any) -> np.ndarray:
    if values is None:  # NumPy would make a NaN of it
        raise ValueError(f"{what} must give numbers, got None; is its return missing?")
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{what} must give numbers, got {values!r:.80}") from None


def describe(error: BaseException) -> str:
    """One line: the error's type, what it says, and where it was raised."""
    text = " ".join(str(error).split())[:LENGTH]
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}{': ' if text else ''}{text} ({Path(frame.filename).name}:{frame.lineno})"


def prepare(functions: Functions) -> None:
    """Makes this process a worker: on the CPU, in a group of its own, gone when its parent is.

    The group holds the programs that the function starts as well, so that a time-out ends these too; and the
    terminal's Ctrl-C reaches the parent alone, which then ends the workers.
    """
    global _functions
    _functions = functions
    use_cpu()
    if hasattr(os, "setsid"):
        os.setsid()
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def call_prepared(given: tuple[Any, ...]) -> Outcome:
    return call(_functions, given)


def use_cpu() -> None:
    """Keeps JAX, should the user's function use it, off the GPU, whose memory the run itself needs."""
    platform = os.environ.setdefault("JAX_PLATFORMS", "cpu")
    if "jax" in sys.modules:
        sys.modules["jax"].config.update("jax_platforms", platform)


def end_group(process: int) -> None:
    """Kills a worker and what it has started."""
    try:
        if hasattr(os, "killpg"):
            os.killpg(process, signal.SIGKILL)
        else:
            os.kill(process, signal.SIGTERM)
    except ProcessLookupError:
        pass  # it has ended by itself


def _leave_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        end_group(os.getpid())


_functions: Functions
