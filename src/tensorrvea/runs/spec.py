"""The spec of a run as JSON: enough to repeat the run, or to see how another one differs."""

import hashlib
import math
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tensorrvea.checks import hint, shown
from tensorrvea.driver.run import Run
from tensorrvea.driver.schedule import Budget
from tensorrvea.problem import Problem
from tensorrvea.problem_registry import make_problem, problem_settings
from tensorrvea.runs.errors import DamagedError, OwnProblemError, RunError
from tensorrvea.runs.registry import PARTS, find_part, is_of_library, settings_of
from tensorrvea.runs.standard_metrics import describe_metric, standard_metrics
from tensorrvea.runs.user_problem import UNKNOWN, RecordedProblem, describe_user_problem, source_of

Spec = dict[str, Any]
Arrays = dict[str, np.ndarray]
# Arrays up to this size are written to the JSON itself.
SMALL = 16
# The beginning of a difference that ``accept_changes`` accepts.
SOURCE = "the source code of "
# A damaged file must not allocate more elements than this.
LARGEST = 2**24


def describe(run: Run) -> tuple[Spec, Arrays]:
    """Return the spec of a run, and the arrays that it refers to."""
    arrays: Arrays = {}
    stops = [encode(stop, arrays) for stop in run.stop_functions]
    spec = {
        "problem": describe_problem(run.problem, arrays),
        "algorithm": encode(run.algorithm, arrays),
        "budget": run.budget.given,
        "seeds": [int(seed) for seed in run.seeds],
        "batch": run.is_batched,
        "start": None if run.x is None else encode(np.asarray(run.x, float), arrays),
        "history": run.history,
        "archive": run.archive,
        "metrics": {name: describe_metric(name, metric, run.problem) for name, metric in (run.metrics or {}).items()},
        "stop": stops,
        **({"every": run.every} if stops else {}),
        "precision": str(jnp.result_type(float)),
        "effort": run.setting.effort.name,
    }
    return spec, arrays


def describe_problem(problem: Problem, arrays: Arrays) -> dict[str, Any]:
    known = problem_settings(problem)
    if known is not None:
        name, settings = known
        return {"name": name, "settings": {key: encode(value, arrays) for key, value in settings.items()}}
    return {"own": {key: encode(value, arrays) for key, value in describe_user_problem(problem).items()}}


def encode(value: Any, arrays: Arrays) -> Any:
    """Return a setting as JSON; larger arrays are added to ``arrays``."""
    if isinstance(value, np.generic | jax.Array | np.ndarray) and np.ndim(value) == 0:
        value = np.asarray(value).item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.ndarray | jax.Array):
        array = np.asarray(value)
        if array.size and (array == array.flat[0]).all():
            return {"filled": array.flat[0].item(), "shape": list(array.shape)}
        if array.size <= SMALL:
            return array.tolist()
        name = array_name(array)
        arrays[name] = array
        return {"array": name}
    if isinstance(value, tuple | list):
        return [encode(part, arrays) for part in value]
    settings = settings_of(value)
    if settings is None:
        return {"own": getattr(value, "__qualname__", type(value).__qualname__), "source": source_of(value)}
    encoded = {key: encode(part, arrays) for key, part in settings.items()}
    # The code of this library is known by its version; that of users by its source.
    source = {} if is_of_library(value) else {"source": source_of(type(value))}
    return {"name": type(value).__name__, "settings": encoded, **source}


def array_name(array: np.ndarray) -> str:
    """Return the name of an array in the inputs: a hash of its content, which must stay the same in all versions."""
    result = hashlib.sha256()
    for part in (b"numpy.ndarray", f"{array.dtype} {array.shape}".encode(), array.tobytes()):
        result.update(len(part).to_bytes(8, "little") + part)
    return result.hexdigest()


# Decoding


def decode(content: Any, arrays: Arrays, what: str) -> Any:
    """Return a setting from JSON: numbers, strings, arrays, and objects of this library."""
    if isinstance(content, list):
        return [decode(part, arrays, what) for part in content]
    if not isinstance(content, dict):
        return content
    if "array" in content:
        if content["array"] not in arrays:
            raise DamagedError(f"the array of {what} is missing from the directory")
        return arrays[content["array"]]
    if "filled" in content:
        if math.prod(content["shape"]) > LARGEST:
            raise DamagedError(f"{what} claims shape {content['shape']!s:.80}")
        return np.full(content["shape"], content["filled"])
    if "own" in content:
        raise RunError(
            f"{what} is the user's own ({content['own']!s:.80}) and not in the directory: give it as {what}="
        )
    name, settings = content.get("name"), content.get("settings")
    part = find_part(name)
    if part is None and "source" in content:
        raise RunError(
            f"{what} is the user's own ({name!s:.80}), which is not registered here: import the file that registers "
            f"it, or give it as {what}="
        )
    if part is None or not isinstance(settings, dict):
        raise DamagedError(f"{what} names {shown(name)}, which is not known{hint(name, tuple(PARTS))}")
    return part(**{key: decode(value, arrays, f"{what}.{key}") for key, value in settings.items()})


def decode_problem(content: Any, arrays: Arrays, *, stand_in: bool = False, origin: str = "") -> Problem:
    """Return the problem of a spec; a user's own problem only as a stand-in that cannot be evaluated."""
    if "own" in content:
        if not stand_in:
            name = content["own"].get("name")
            reason = f"problem is the user's own ({name!s:.80}), and code is never loaded from a run directory"
            raise OwnProblemError(reason, origin=origin)
        return RecordedProblem({key: decode(part, arrays, key) for key, part in content["own"].items()})
    name = content["name"]
    settings = {key: decode(part, arrays, f"problem.{key}") for key, part in content["settings"].items()}
    try:
        return make_problem(name, settings)
    except KeyError:
        raise DamagedError(f"problem names {shown(name)}, which is not known") from None


def decode_metrics(content: Mapping[str, Any], problem: Problem) -> dict[str, Callable]:
    own = [name for name, how in content.items() if how != "standard" and "reference" not in how]
    if own:
        raise RunError(f"metrics has the user's own ({', '.join(own)}), not in the directory: give them as metrics=")
    references = {name: None if how == "standard" else how["reference"] for name, how in content.items()}
    return {name: standard_metrics((name,), problem, point)[name] for name, point in references.items()}


def decode_budget(content: Mapping[str, Any], population: int) -> Budget:
    known = ("generations", "evaluations", "seconds")
    return Budget(population=population, **{name: content.get(name) for name in known})


# Comparison


def differences(there: Any, here: Any, path: str = "") -> list[str]:
    """Return the differences between the spec in a directory and the requested one, one line each."""
    if isinstance(there, dict) and isinstance(here, dict) and there.get("name") == here.get("name"):
        keys = [*there, *(key for key in here if key not in there)]
        lines = []
        for key in keys:
            below = f"{path}.{key}" if path else str(key)
            # Earlier versions did not record the effort, which was always full, and the names of constraints.
            if (below == "effort" or key == "constraint_names") and key not in there:
                continue
            lines += differences(there.get(key), here.get(key), below)
        return lines
    is_source, path = path.endswith(".source"), path.replace(".settings", "")
    what = path.removesuffix(".source").removesuffix(".own")
    if is_source and isinstance(here, str) and here.startswith(UNKNOWN):
        return [f"{SOURCE}{what} cannot be compared: it uses {here.removeprefix(UNKNOWN)}, which cannot be described"]
    if there == here:
        return []
    if is_source:
        return [f"{SOURCE}{what} has changed, or a value that it uses"]
    return [f"{path}: {_short(there)} in the directory, {_short(here)} here"]


def _short(value: Any) -> str:
    if isinstance(value, dict):
        known = value.get("name") or value.get("own") or value
        value = known.get("name", known) if isinstance(known, dict) else known
    return f"{value!s:.60}"
