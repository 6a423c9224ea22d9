"""The ``tensorrvea run`` command that repeats a run, for runs made of parts that a command line can name."""

import dataclasses
import json
import shlex
from typing import Any

import jax.numpy as jnp
import numpy as np

from tensorrvea.problem import Problem
from tensorrvea.problem_registry import ROBOT, make_problem, problem_settings
from tensorrvea.report.records import ResultLike

SCALARS = (str, bool, int, float, tuple, type(None))


class UnnameableError(Exception):
    """A part cannot be written on a command line."""


def make_command(result: ResultLike, *, double: bool | None = None) -> str | None:
    """Return ``tensorrvea run ...`` with every setting that affects the result and differs from its default.

    None for user-defined parts, for settings that are arrays, and for a search that ended before its budget, since
    ``--generations`` would give it another progress schedule.

    Args:
      result: the result of the run.
      double: whether the run used double precision; the precision of this process if None.
    """
    progress = result.history.progress
    if len(progress) < 2 or not np.allclose(progress, np.arange(len(progress)) / (len(progress) - 1)):
        return None
    try:
        problem_words, problem_changes = _describe_problem(result.problem)
        algorithm_words, algorithm_changes = _describe_algorithm(result.algorithm)
    except UnnameableError:
        return None
    words = [*problem_words, *algorithm_words, "--generations", str(result.generations), "--seed", str(result.seed)]
    if result.history.fronts is not None:
        words += ["--history", "fronts"]
    elif result.history.populations is not None:
        words += ["--history", "populations"]
    if jnp.result_type(float) == jnp.float64 if double is None else double:
        words.append("--double")
    changes = problem_changes | algorithm_changes
    if not all(isinstance(value, SCALARS) for value in changes.values()):
        return None
    settings = [f"{key}={value if isinstance(value, str) else json.dumps(value)}" for key, value in changes.items()]
    return shlex.join(["tensorrvea", "run", *words, *(["--set", *settings] if settings else [])])


def settings_of(part: Any) -> dict[str, Any]:
    """The dataclass fields of an algorithm or operator; empty for other classes."""
    return {f.name: vars(part)[f.name] for f in dataclasses.fields(part)} if dataclasses.is_dataclass(part) else {}


def _describe_problem(problem: Problem) -> tuple[list[str], dict[str, Any]]:
    """Positional words and flags for a problem, and its settings that differ from their defaults."""
    known = problem_settings(problem)
    if known is None:
        raise UnnameableError
    name, settings = known
    if name == ROBOT:
        given = {key: settings[key] for key in ("task", "backend")}
        words = [settings["task"]]
        # Always name the backend: the default depends on the device, and values differ between backends.
        changes = {"problem.backend": settings["backend"]}
    else:
        given = {key: settings[key] for key in ("objectives", "variables")}
        words = [name, *(word for key, value in given.items() for word in (f"--{key}", str(value)))]
        changes = {}
    _, default = problem_settings(make_problem(name, given)) or (name, {})
    changes |= {
        f"problem.{key}": value for key, value in settings.items() if key not in default or value != default[key]
    }
    return words, changes


def _describe_algorithm(algorithm: Any) -> tuple[list[str], dict[str, Any]]:
    """Flags for an algorithm and its variation, and their settings that differ from their defaults."""
    _require_library_class(algorithm)
    words = ["--population", str(algorithm.population)]
    words += ["--algorithm", type(algorithm).__name__]
    default = type(algorithm)(population=algorithm.population)
    changes: dict[str, Any] = {}
    if "variation" in settings_of(algorithm):
        variation = algorithm.variation
        _require_library_class(variation)
        operator = type(variation).__name__
        if operator != "GA":
            words += ["--variation", operator]
        changes |= _changed_settings(variation, type(variation)(), "variation")
        default = dataclasses.replace(default, variation=variation)
    return words, changes | _changed_settings(algorithm, default, "algorithm")


def _require_library_class(part: Any) -> None:
    if not type(part).__module__.startswith("tensorrvea."):
        raise UnnameableError


def _changed_settings(part: Any, default: Any, path: str) -> dict[str, Any]:
    """Settings of a part, and of the parts inside it, that differ from their defaults, by dotted path."""
    if type(part) is not type(default):
        raise UnnameableError
    changes: dict[str, Any] = {}
    defaults = settings_of(default)
    for name, value in settings_of(part).items():
        if value is defaults[name]:
            continue
        if dataclasses.is_dataclass(value):
            changes |= _changed_settings(value, defaults[name], f"{path}.{name}")
        elif not isinstance(value, SCALARS) or value != defaults[name]:
            changes[f"{path}.{name}"] = value
    return changes
