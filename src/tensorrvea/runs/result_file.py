"""One result as one file: the arrays of a run directory, in the same format, and a description as JSON.

NumPy can read the arrays; nothing in the file is code, and nothing of it is executed.
"""

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from tensorrvea.evolution import Evolution, check_algorithm
from tensorrvea.history import History, Individuals
from tensorrvea.problem import Problem
from tensorrvea.result import Result
from tensorrvea.runs.arrays import read_arrays, write_arrays
from tensorrvea.runs.errors import DamagedError, RunError
from tensorrvea.runs.files import as_path, canonical_json, parse_json
from tensorrvea.runs.limits import check_claims
from tensorrvea.runs.manifest import damaged_on_error
from tensorrvea.runs.spec import Arrays, decode, decode_problem, describe_problem, encode

SCHEMA = 1
DESCRIPTION = "description"
INPUT = "input."


def save_result(result: Result, path: str | Path) -> Path:
    """Write a result to a file and return its path; an existing file is replaced.

    Raises:
      RunError: if the file cannot be written.
    """
    path = as_path(path, name="path")
    inputs: Arrays = {}
    described = {
        "schema": SCHEMA,
        "problem": describe_problem(result.problem, inputs),
        "algorithm": encode(result.algorithm, inputs),
        "seed": int(result.seed),
        "capacity": int(result.capacity),
        "stopped": result.stopped,
        "failures": [[message.encode(errors="replace").decode(), n] for message, n in result.problem.failures],
        "metrics": list(result.history.metrics),
    }
    arrays = {DESCRIPTION: np.frombuffer(canonical_json(described).encode(), np.uint8)}
    arrays |= {f"{INPUT}{name}": array for name, array in inputs.items()}
    arrays |= _individuals_to_arrays("population.", result.population)
    if result.archive is not None:
        arrays |= _individuals_to_arrays("archive.", result.archive)
    arrays |= _history_to_arrays(result.history)
    try:
        write_arrays(path, arrays)
    except (OSError, ValueError) as error:  # a name with a null byte, or that is not Unicode, is a ValueError
        raise RunError(f"{str(path)!r:.80} cannot be written: {getattr(error, 'strerror', None) or error}") from error
    return path


def load_result(path: Path, *, problem: Problem | None = None, algorithm: Evolution | None = None) -> Result:
    """Read a file that ``save_result`` wrote. A user's own problem is a stand-in, unless it is given.

    Raises:
      RunError: if it is not such a file, is damaged, or has an algorithm of the user's own that is not given.
    """
    if algorithm is not None:
        check_algorithm(algorithm)
    arrays = read_arrays(path)
    if DESCRIPTION not in arrays:
        front = path.name == "result.npz" and "F" in arrays
        advice = "it is the front of a run directory; load the directory" if front else "Result.save writes one"
        raise RunError(f"{path} is not a saved result: {advice}")
    with damaged_on_error(path):
        described = parse_json(arrays[DESCRIPTION].tobytes(), path)
        if described.get("schema") != SCHEMA:
            raise DamagedError(f"{path} has schema {described.get('schema')!r:.20}, but this version reads {SCHEMA}")
        check_claims({name: described[name] for name in ("problem", "algorithm")}, path)
        inputs = {name.removeprefix(INPUT): value for name, value in arrays.items() if name.startswith(INPUT)}
        if problem is None:
            problem = decode_problem(described["problem"], inputs, stand_in=True)
            problem.restore_failures([(str(message), int(count)) for message, count in described["failures"]])
        has_archive = "archive.F" in arrays
        return Result(
            problem=problem,
            algorithm=algorithm or decode(described["algorithm"], inputs, "algorithm"),
            seed=int(described["seed"]),
            population=_individuals(arrays, "population.", problem),
            history=_history(arrays, described["metrics"], problem),
            archive=_individuals(arrays, "archive.", problem) if has_archive else None,
            capacity=int(described["capacity"]),
            stopped=str(described["stopped"]),
        )


def _individuals_to_arrays(prefix: str, individuals: Individuals) -> Arrays:
    return {f"{prefix}{field.name}": getattr(individuals, field.name) for field in fields(Individuals)}


def _individuals(arrays: Arrays, prefix: str, problem: Problem) -> Individuals:
    found = {field.name: arrays[f"{prefix}{field.name}"] for field in fields(Individuals)}
    rows = len(found["F"])
    if found["X"].shape[1] not in (0, problem.variables) or found["F"].shape[1:] != (problem.objectives,):
        raise DamagedError(f"{prefix}X and {prefix}F do not have the columns of {problem.name}")
    if found["G"].shape[1] not in (0, problem.num_constraints):
        raise DamagedError(f"{prefix}G does not have a column for each constraint of {problem.name}")
    if any(len(array) != rows for array in found.values()):
        raise DamagedError(f"the arrays of {prefix.rstrip('.')} do not have the same number of rows")
    return Individuals(**{name: np.array(array) for name, array in found.items()})


# Fronts and populations of all generations are one array each, with the number of rows of each generation.


def _history_to_arrays(history: History) -> Arrays:
    arrays = {f"history.{name}": getattr(history, name) for name in _series()}
    arrays |= {f"history.metrics.{i}": values for i, values in enumerate(history.metrics.values())}
    if history.fronts is not None:
        arrays["history.fronts.rows"] = np.array([len(front) for front in history.fronts])
        arrays["history.fronts"] = np.concatenate(history.fronts)
    if history.populations is not None:
        arrays["history.populations.rows"] = np.array([len(one) for one in history.populations])
        for field in fields(Individuals):
            joined = np.concatenate([getattr(one, field.name) for one in history.populations])
            arrays[f"history.populations.{field.name}"] = joined
    return arrays


def _history(arrays: Arrays, metrics: list[str], problem: Problem) -> History:
    series: dict[str, Any] = {name: np.array(arrays[f"history.{name}"]) for name in _series()}
    recorded = {str(name): np.array(arrays[f"history.metrics.{i}"]) for i, name in enumerate(metrics)}
    generations = len(series["generation"])
    if not generations or any(len(values) != generations for values in (*series.values(), *recorded.values())):
        raise DamagedError("the history does not have one entry per generation")
    history = History(**series, metrics=recorded)
    if "history.fronts" in arrays:
        history.fronts = _split(arrays["history.fronts"], arrays["history.fronts.rows"])
    if "history.populations.F" in arrays:
        joined = _individuals(arrays, "history.populations.", problem)
        parts = [
            _split(getattr(joined, field.name), arrays["history.populations.rows"]) for field in fields(Individuals)
        ]
        history.populations = [Individuals(*rows) for rows in zip(*parts, strict=True)]
    return history


def _series() -> list[str]:
    """The fields of a history that are one array."""
    return [field.name for field in fields(History) if field.name not in ("metrics", "fronts", "populations")]


def _split(joined: np.ndarray, rows: np.ndarray) -> list[np.ndarray]:
    if rows.sum() != len(joined):
        raise DamagedError("the fronts or populations of the history do not have the recorded number of rows")
    return np.split(joined, np.cumsum(rows)[:-1])
