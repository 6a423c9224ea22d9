"""The command that makes a run again, where it is made of parts which a command line can name."""

import dataclasses
import json
import shlex
from typing import Any

import jax.numpy as jnp
import numpy as np

from tensorrvea.problem import Problem
from tensorrvea.result import Result
from tensorrvea.runs.registry import ALGORITHMS, ROBOT, VARIATIONS, make_problem, problem_settings

PLAIN = (str, bool, int, float, tuple, type(None))


class UnnameableError(Exception):
    """A part that cannot be written on a command line."""


def make_command(result: Result, *, double: bool | None = None) -> str | None:
    """``tensorrvea run ...`` with everything that decides what is found, and is not as it is by default.

    None where a part is the user's own or holds arrays, and where the search was cut short, since its pace then was
    another.

    Args:
      double: whether it was computed in double precision; as in this process, if not given.
    """
    pace = result.history.progress
    if len(pace) < 2 or not np.allclose(pace, np.arange(len(pace)) / (len(pace) - 1)):
        return None
    try:
        what, of_problem = _problem(result.problem)
        how, of_algorithm = _algorithm(result.algorithm)
    except UnnameableError:
        return None
    words = [*what, *how, "--generations", str(result.generations), "--seed", str(result.seed)]
    if result.history.fronts is not None:
        words += ["--history", "fronts"]
    elif result.history.populations is not None:
        words += ["--history", "populations"]
    if jnp.result_type(float) == jnp.float64 if double is None else double:
        words.append("--double")
    settings = [f"{name}={_written(value)}" for name, value in (of_problem | of_algorithm).items()]
    return shlex.join(["tensorrvea", "run", *words, *(["--set", *settings] if settings else [])])


def _problem(problem: Problem) -> tuple[list[str], dict[str, Any]]:
    """Words for a problem, and its settings that are not as usual."""
    known = problem_settings(problem)
    if known is None:
        raise UnnameableError
    name, settings = known
    if name == ROBOT:
        given = {key: settings[key] for key in ("task", "backend")}
        words = [settings["task"]]
        # The engine is always named: which one is the default depends on the device, and values differ by it.
        changes = {"problem.backend": settings["backend"]}
    else:
        given = {key: settings[key] for key in ("objectives", "variables")}
        words = [name, *(word for key, value in given.items() for word in (f"--{key}", str(value)))]
        changes = {}
    _, usual = problem_settings(make_problem(name, given)) or (name, {})
    changes |= {f"problem.{key}": value for key, value in settings.items() if key not in usual or value != usual[key]}
    return words, _checked(changes)


def _algorithm(algorithm: Any) -> tuple[list[str], dict[str, Any]]:
    """The same for an algorithm and its variation."""
    kind: Any = type(algorithm)
    name = kind.__name__
    if ALGORITHMS.get(name) is not kind:
        raise UnnameableError
    words = ["--population", str(algorithm.population)]
    if name != "TensorRVEA":
        words += ["--algorithm", name]
    usual = ALGORITHMS[name](population=algorithm.population)
    changes: dict[str, Any] = {}
    if hasattr(algorithm, "variation"):
        variation = algorithm.variation
        operator = type(variation).__name__
        if VARIATIONS.get(operator) is not type(variation):
            raise UnnameableError
        if operator != "GA":
            words += ["--variation", operator]
        changes |= _changes(variation, VARIATIONS[operator](), "variation")
        usual = dataclasses.replace(usual, variation=algorithm.variation)
    return words, _checked(changes | _changes(algorithm, usual, "algorithm"))


def _changes(part: Any, usual: Any, path: str) -> dict[str, Any]:
    """Settings of a part, and of the parts that it is made of, which are not as usual."""
    if type(part) is not type(usual):
        raise UnnameableError
    found: dict[str, Any] = {}
    for field in dataclasses.fields(part):
        value, other = getattr(part, field.name), getattr(usual, field.name)
        if value is other:
            continue
        if dataclasses.is_dataclass(value):
            found |= _changes(value, other, f"{path}.{field.name}")
        elif not isinstance(value, PLAIN) or value != other:
            found[f"{path}.{field.name}"] = value
    return found


def _checked(settings: dict[str, Any]) -> dict[str, Any]:
    if not all(isinstance(value, PLAIN) for value in settings.values()):
        raise UnnameableError
    return settings


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
