"""What runs where an individual is evaluated.

Only NumPy is imported here, neither JAX nor the rest of the package: a worker process stays small and quick
to start. What comes back is plain (arrays and text), as an exception of the user's may not survive pickling.
"""

import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

Functions = tuple[Callable[..., Any], Callable[..., Any] | None]
# ("values", objectives, constraints or None), ("failed", message), or ("wrong", message), which ends the run.
Outcome = tuple[Any, ...]

PREPARED = "tensorrvea_prepared"
LENGTH = 500
LOOK_SECONDS = 0.5


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
    """Makes this process a worker: in a group of its own, and gone when its parent is.

    The terminal's Ctrl-C then reaches the parent alone, which ends its workers. The group holds the programs that
    the function starts as well.
    """
    # Where calls find it by name: functions of this module, which is sent by value, share no globals between calls.
    sys.modules[PREPARED] = partial(call, functions)  # type: ignore[assignment]
    if hasattr(os, "setsid"):
        os.setsid()
    threading.Thread(target=leave_with, args=(os.getppid(),), daemon=True).start()


def leave_with(parent: int) -> None:
    """Waits for the parent's end, then ends this process and what it has started."""
    while os.getppid() == parent:
        time.sleep(LOOK_SECONDS)
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(1)
