"""Calls of everything public with one hostile argument at a time, and what became of them.

    python tests/fuzz/public_surface.py

prints the counts by module and all raw errors: those that come from JAX, NumPy or Python and not from a check.
"""

import inspect
import linecache
import resource
import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

import jax.numpy as jnp
import numpy as np
from hostile_values import hostile_values

import tensorrvea as tr
from tensorrvea import decision, metrics, neuroevolution, problems, reference_vectors, runs, stop

LIBRARY = str(Path(tr.__file__).parent)
SECONDS = 2.0
MEMORY = 16 * 2**30
PROBLEM = tr.problems.ZDT1(variables=5)
MODULES = {
    "tensorrvea": tr, "metrics": metrics, "problems": problems, "reference_vectors": reference_vectors, "stop": stop,
    "neuroevolution": neuroevolution, "runs": runs, "decision": decision,
}  # fmt: skip
# What is public in modules that do not say so.
OTHERS = {
    "reference_vectors": ("reference_vectors", "two_layers", "exact_count", "simplex_lattice"),
    "decision": ("normalise", "best_by_weights", "knee", "spread"),
    "stop": ("Stagnation", "MetricReached", "Target"),
}
# Valid values by the name of a parameter, so that only one argument of a call is hostile.
VALID: dict[str, Any] = {
    "function": lambda x: jnp.stack([x[0], 1 - x[0]]), "lower": [0.0], "upper": [1.0], "objectives": 2, "population": 8,
    "problem": PROBLEM, "algorithm": tr.TensorRVEA(population=8), "F": [[0.0, 1.0], [1.0, 0.0]], "weights": [1.0, 1.0],
    "front": [[0.0, 1.0], [1.0, 0.0]], "reference": [2.0, 2.0], "points": 10, "divisions": 3, "count": 3, "most": 10,
    "inputs": 2, "outputs": 1, "sets": [[[0.0, 1.0]]], "names": ("igd",), "directory": "nowhere", "generations": 2,
    "seeds": [0], "metric": "igd", "at_most": 0.1, "values": [0.5, 0.5], "vectors": [[1.0, 0.0], [0.0, 1.0]],
    "name": "vectors", "choice": "lattice", "target": [0.5, 0.5], "task": "MoHopper-m2", "variables": 30,
}  # fmt: skip
# Not called: what runs for long when its arguments are valid, changes the process, or has no arguments to check.
LEFT_OUT = {"distributed", "optimize", "replicate", "keep_run", "RobotProblem", "resume", "load"}


class Outcome(NamedTuple):
    """A call that did not end as it should."""

    kind: str
    call: str
    message: str


def public_callables() -> Iterator[tuple[str, str, Callable]]:
    for module, namespace in MODULES.items():
        names = OTHERS.get(module) or getattr(namespace, "__all__", None) or vars(namespace)
        for name in names:
            value = getattr(namespace, name)
            own = getattr(value, "__module__", "").startswith("tensorrvea")
            if callable(value) and own and name not in LEFT_OUT and not issubclass_of_error(value):
                yield module, name, value


def issubclass_of_error(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, BaseException)


def is_checked(error: BaseException) -> bool:
    """Whether an error was raised by the library on purpose: by a ``raise`` of its own."""
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1]
    if not last.filename.startswith(LIBRARY):
        return False
    lines = [linecache.getline(last.filename, n).strip() for n in range(max(last.lineno - 6, 1), last.lineno + 1)]
    return any(line.startswith("raise ") for line in lines)


def calls(function: Callable) -> Iterator[tuple[str, dict[str, Any], Any]]:
    """Yield the name of the hostile argument, the other arguments, and the hostile value."""
    parameters = [
        p for p in inspect.signature(function).parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]
    needed = {p.name: VALID[p.name] for p in parameters if p.default is p.empty and p.name in VALID}
    if any(p.default is p.empty and p.name not in VALID for p in parameters):
        return  # takes what has no valid value here, such as the state of a run
    for parameter in parameters:
        for value in hostile_values():
            yield parameter.name, {k: v for k, v in needed.items() if k != parameter.name}, value


def attempt(module: str, name: str, function: Callable, argument: str, others: dict[str, Any], value: Any):
    started = time.monotonic()
    kind, text = "accepted", ""
    signal.setitimer(signal.ITIMER_REAL, 2 * SECONDS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(**others, **{argument: value})
    except Exception as error:
        kind = "refused" if is_checked(error) else "raw"
        if kind == "refused" and argument not in str(error).replace(" ", "_") and argument not in str(error):
            kind = "unnamed"
        text = f"{type(error).__name__}: {str(error)[:120]!r}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    if time.monotonic() - started > SECONDS:
        kind = "slow"
    try:
        shown = f"{value!r:.40}"
    except Exception:
        shown = type(value).__name__
    return Outcome(kind, f"{module}.{name}({argument}={shown})", text)


def interrupt(*_: Any) -> None:
    raise TimeoutError("too slow")


def survey(only: str = "") -> list[Outcome]:
    signal.signal(signal.SIGALRM, interrupt)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    outcomes = []
    for module, name, function in public_callables():
        if f"{module}.{name}".startswith(only):
            outcomes += [attempt(module, name, function, *call) for call in calls(function)]
    return outcomes


if __name__ == "__main__":
    np.seterr(all="ignore")
    found = survey(*sys.argv[1:2])
    for outcome in found:
        if outcome.kind in ("raw", "slow"):
            print(*outcome)
    print(Counter(outcome.kind for outcome in found), len(found))
