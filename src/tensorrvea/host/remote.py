"""The code that runs in a worker.

It imports only NumPy, neither JAX nor the rest of the package, so that a worker process is small and starts quickly.
It returns only arrays and text, since a user's exception may not survive pickling.
"""

import os
import pickle
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

Functions = tuple[Callable[..., Any], Callable[..., Any] | None]
# ("values", objectives, constraints or None), ("failed", message), or ("wrong", message), which ends the run.
# The pool adds ("lost", message) and ("late", message).
Outcome = tuple[Any, ...]

PREPARED = "tensorrvea_prepared"
MAX_LENGTH = 500
POLL_SECONDS = 0.5


def call(functions: Functions, arguments: tuple[Any, ...]) -> Outcome:
    """Evaluate objectives and constraints; a user's exception becomes a message."""
    function, constraints = functions
    try:
        # Copies, so that a function that works in place changes neither the population nor the other's argument.
        values = function(*arguments[:-1], arguments[-1].copy())
        limits = None if constraints is None else constraints(*arguments[:-1], arguments[-1].copy())
    except (Exception, SystemExit) as error:
        return "failed", describe(error)
    try:
        numbers = as_numbers("function", values)
        return "values", numbers, None if limits is None else as_numbers("constraints", limits)
    except ValueError as error:
        return "wrong", str(error)


@dataclass(frozen=True)
class WithEqualities:
    """Constraints and equalities as one function: each equality is |h| minus the tolerance."""

    constraints: Callable[..., Any] | None
    equalities: Callable[..., Any]
    tolerance: float
    batched: bool

    def __call__(self, *arguments: Any) -> np.ndarray:
        def values(source: str, function: Callable[..., Any]) -> np.ndarray:
            numbers = as_numbers(source, function(*arguments[:-1], arguments[-1].copy()))
            return numbers.reshape((len(numbers), -1) if self.batched else -1)

        h = np.abs(values("equalities", self.equalities)) - self.tolerance
        return h if self.constraints is None else np.concatenate([values("constraints", self.constraints), h], axis=-1)


def as_numbers(source: str, values: Any) -> np.ndarray:
    """Return the values as an array; NumPy alone would parse text and dates, and drop imaginary parts and masks."""
    if values is None:  # NumPy would convert it to NaN
        raise ValueError(f"{source} must give numbers, got None; is its return missing?")
    try:
        is_masked = np.ma.isMaskedArray(values) or (
            isinstance(values, list | tuple) and any(map(np.ma.isMaskedArray, values))
        )
        array = np.asarray(values)
        if not is_masked and array.dtype == object:
            return np.array([as_float(each) for each in array.flat]).reshape(array.shape)
        # The kinds of booleans and numbers; V are those of JAX, such as bfloat16.
        if not is_masked and (array.dtype.kind in "biuf" or (array.dtype.kind == "V" and array.dtype.names is None)):
            return array.astype(np.float64)
    except (TypeError, ValueError):
        pass
    kind = "without a mask, got" if is_masked else "got"
    raise ValueError(f"{source} must give real numbers, {kind} {short(values)}")


def as_float(value: Any) -> float:
    if isinstance(value, str | bytes) or (value is not None and not hasattr(value, "__float__")):
        raise TypeError
    try:
        return np.nan if value is None else float(value)
    except OverflowError:  # an integer of hundreds of digits
        return np.inf


def short(value: Any) -> str:
    try:
        return f"{value!r:.80}"
    except Exception:  # whatever the user's type raises
        return f"a {type(value).__name__}"


def describe(error: BaseException) -> str:
    """Format an error as one line: type, message and location."""
    try:
        text = " ".join(str(error).split())[:MAX_LENGTH]
    except Exception:  # whatever the user's exception raises
        text = "its message cannot be shown"
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}{': ' if text else ''}{text} ({Path(frame.filename).name}:{frame.lineno})"


def prepare(parent: int, functions: bytes) -> None:
    """Set up this process as a worker, in its own process group, that exits when its parent does.

    The parent's id is given, since it may have ended before this process could ask for it. The functions are pickled.

    In its own group, Ctrl-C reaches only the parent, which stops its workers; the group includes the programs that the
    function starts.
    """
    if hasattr(os, "setsid"):
        os.setsid()
    threading.Thread(target=exit_with_parent, args=(parent,), daemon=True).start()
    # Stored under a name that calls can import: a module that is pickled by value shares no globals between calls.
    modules: dict[str, Any] = sys.modules
    modules[PREPARED] = partial(call, pickle.loads(functions))


def exit_with_parent(parent: int) -> None:
    """Wait until the parent exits, then kill this process group."""
    while os.getppid() == parent:
        time.sleep(POLL_SECONDS)
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(1)
