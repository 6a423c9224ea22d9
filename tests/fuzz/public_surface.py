"""Calls of everything public with one hostile argument at a time, and what became of them.

    python tests/fuzz/public_surface.py [PART [BUDGET]]

prints how many calls were accepted and refused, and all that ended as they should not: with an error that comes from
JAX, NumPy or Python and not from a check ("raw"), after more than 2 s of CPU time ("slow"), or by accepting what cannot
be meant ("meaningless"). BUDGET is the number of values per argument, chosen with a fixed seed; all by default.
"""

import inspect
import linecache
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir, contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, TypeVar
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parent))

import jax
import numpy as np
from hostile_values import hostile_values
from valid_arguments import result, valid_arguments

import tensorrvea as tr
from tensorrvea import decision, neuroevolution, runs
from tensorrvea.driver.search import Search

LIBRARY = str(Path(tr.__file__).parent)
SECONDS = 2.0
# Wall-clock seconds after which a call counts as endless; others may be using the machine, too.
ENDLESS = 60.0
MEMORY = 16 * 2**30
WRONG = ("raw", "slow", "meaningless")
# What the library makes and users read: their constructors check nothing. Of Evolution there are only subclasses.
RECORDS = {"Evolution", "Replay", "Result", "Scores", "State", "Study", "Sweep"}
# Errors of Python's own machinery, also where a line of the library that raises an error caused them.
NEVER_MEANT = (RecursionError, MemoryError, AttributeError, KeyError, IndexError, UnboundLocalError)


Item = TypeVar("Item")


class Outcome(NamedTuple):
    kind: str
    call: str
    message: str


def modules() -> dict[str, ModuleType]:
    """The package, its public modules, and those whose functions users import from them."""
    listed = {name: value for name, value in vars(tr).items() if name in tr.__all__ and inspect.ismodule(value)}
    # Algorithms and operators are names of the package itself.
    package = set(tr.__all__)
    public = {name: value for name, value in listed.items() if not set(getattr(value, "__all__", "?")) <= package}
    return {"tensorrvea": tr, **public, "neuroevolution": neuroevolution, "runs": runs, "decision": decision}


def public_callables() -> Iterator[tuple[str, Callable]]:
    """Yield everything public by name: what a module lists, or else defines."""
    seen: set[int] = set()
    for module, namespace in modules().items():
        listed = getattr(namespace, "__all__", None)
        for name in listed or [name for name in vars(namespace) if not name.startswith("_")]:
            value = getattr(namespace, name)
            own = getattr(value, "__module__", None)
            is_own = str(own).startswith("tensorrvea") if listed else own == namespace.__name__
            if callable(value) and is_own and not is_record(value) and id(value) not in seen:
                seen.add(id(value))
                yield f"{module}.{name}", value
    for name, method in inspect.getmembers(result(), inspect.ismethod):
        if not name.startswith("_"):
            yield f"Result.{name}", method


def is_record(value: Any) -> bool:
    if not isinstance(value, type):
        return False
    return issubclass(value, BaseException) or hasattr(value, "_fields") or value.__name__ in RECORDS


def is_checked(error: BaseException) -> bool:
    """Whether an error was raised by the library on purpose: by a ``raise`` of its own."""
    if isinstance(error, NEVER_MEANT):
        return False
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1]
    if not last.filename.startswith(LIBRARY):
        return False
    lines = [linecache.getline(last.filename, n).strip() for n in range(max(last.lineno - 6, 1), last.lineno + 1)]
    return any(line.startswith("raise ") for line in lines)


def choose(items: Sequence[Item], budget: int | None, seed: str) -> list[Item]:
    """Return so many of the items, always the same for a seed, or all of them."""
    return random.Random(seed).sample(items, budget) if budget is not None and budget < len(items) else list(items)


def calls(call: str, function: Callable, budget: int | None) -> Iterator[tuple[str, dict[str, Any], bool, Any]]:
    """Yield the name of the hostile argument, the other arguments, whether the value may be meant, and the value."""
    parameters = [
        p for p in inspect.signature(function).parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]
    required = [p.name for p in parameters if p.default is p.empty]
    for parameter in parameters:
        for may_be_meant, value in choose(hostile_values(), budget, f"{call} {parameter.name}"):
            others = valid_arguments(call, required)
            others.pop(parameter.name, None)
            if parameter.name in ("evaluations", "seconds"):  # one budget excludes the others
                others.pop("generations", None)
            yield parameter.name, others, may_be_meant, value


def attempt(
    call: str, function: Callable, argument: str, others: dict[str, Any], may_be_meant: bool, value: Any
) -> Outcome:
    kind, text = "accepted", ""
    started = time.process_time()
    signal.setitimer(signal.ITIMER_REAL, ENDLESS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(**others, **{argument: value})
        if not may_be_meant:
            kind = "meaningless"
    except Exception as error:
        signal.setitimer(signal.ITIMER_REAL, 0)
        kind = "refused" if is_checked(error) else "raw"
        if kind == "raw" and argument in ("callbacks", "stop") and callable(value):
            kind = "accepted"  # what the user's function raises is the user's
        if kind == "refused" and argument not in str(error).replace(" ", "_") and argument not in str(error):
            kind = "unnamed"
        if isinstance(error, TimeoutError) or (kind != "raw" and time.process_time() - started > SECONDS):
            kind = "slow"
        text = f"{type(error).__name__}: {str(error)[:120]!r} {_place(error)}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return Outcome(kind, f"{call}({argument}={_shown(value)})", text)


def _shown(value: Any) -> str:
    try:
        return f"{value!r:.40}"
    except Exception:
        return type(value).__name__


def _place(error: BaseException) -> str:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(LIBRARY)]
    return f"({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""


def interrupt(*_: Any) -> None:
    raise TimeoutError("too slow")


@contextmanager
def briefly() -> Iterator[None]:
    """Stop every run after two chunks."""
    advance = Search.advance

    def advance_briefly(search: Search) -> None:
        advance(search)
        if search.generation >= 1:
            search.stopped = search.stopped or "long enough"

    with patch.object(Search, "advance", advance_briefly):
        yield


def survey(only: str | tuple[str, ...] = "", budget: int | None = None) -> list[Outcome]:
    """Attempt all calls whose name begins with ``only``; runs that are accepted stop after two chunks.

    Args:
      only: how names begin, or how they may begin.
      budget: the most values per argument.
    """
    outcomes = []
    with limited(), briefly(), patch.object(jax.distributed, "initialize"):
        for call, function in public_callables():
            if call.startswith(only):
                outcomes += [attempt(call, function, *arguments) for arguments in calls(call, function, budget)]
    return outcomes


@contextmanager
def limited() -> Iterator[None]:
    """Limit time and memory, and write to a temporary directory."""
    np.seterr(all="ignore")
    signal.signal(signal.SIGALRM, interrupt)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    with tempfile.TemporaryDirectory() as directory, chdir(directory):
        yield


def show(found: list[Outcome]) -> None:
    """Print the wrong outcomes, those of an argument together, and the counts."""
    groups: dict[tuple[str, str], list[Outcome]] = {}
    for outcome in found:
        if outcome.kind in WRONG:
            groups.setdefault((outcome.kind, outcome.call.partition("=")[0]), []).append(outcome)
    for (kind, _), outcomes in groups.items():
        print(f"{kind} {len(outcomes)}:", *outcomes[0][1:])
    print(len(found), dict(Counter(outcome.kind for outcome in found)))


if __name__ == "__main__":
    show(survey(*sys.argv[1:2], *map(int, sys.argv[2:3])))
