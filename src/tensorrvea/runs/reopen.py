"""Making the search that a directory describes, to resume it or to read what it found."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from tensorrvea.checks import shown
from tensorrvea.devices import Devices, make_mesh
from tensorrvea.driver.run import Callback, Run
from tensorrvea.driver.schedule import Budget
from tensorrvea.driver.search import Search
from tensorrvea.effort import FULL
from tensorrvea.evolution import Evolution, check_algorithm
from tensorrvea.problem import Problem
from tensorrvea.processes import on_primary_process
from tensorrvea.runs.checkpoint import restore
from tensorrvea.runs.errors import RunError
from tensorrvea.runs.files import as_path
from tensorrvea.runs.latest import find_latest
from tensorrvea.runs.limits import check_claims
from tensorrvea.runs.manifest import NAME, damaged_on_error, read_manifest
from tensorrvea.runs.spec import Arrays, decode, decode_budget, decode_metrics, decode_problem


def reopen(
    directory: str | Path, budget: dict[str, Any] | None = None, *, devices: Devices = None, **parts: Any
) -> Search:
    """Return the search of a directory, with a new budget if one is given, for ``keep_run`` to resume.

    Raises:
      ValueError, TypeError: if an argument is wrong.
      RunError: if the directory is.
    """
    path = as_path(directory)
    content = on_primary_process(lambda: read_manifest(path))
    make_mesh(devices)  # checked here, since errors below are taken for those of the manifest
    return search_of(path, content, budget=budget, devices=devices, **parts)


def load_search(directory: str | Path, *, problem: Problem | None = None, algorithm: Evolution | None = None) -> Search:
    """Return the search of a directory as it was at its last checkpoint; it can be read, but not run."""
    path = as_path(directory)
    content = read_manifest(path)
    search = search_of(path, content, problem=problem, algorithm=algorithm, read_only=True)
    _, saved = find_latest(search, path, content[0])
    if saved is None:
        raise RunError(f"{path} has no checkpoint yet")
    restore(search, saved)
    return search


def search_of(
    directory: Path,
    content: tuple[dict[str, Any], Arrays],
    *,
    problem: Problem | None = None,
    algorithm: Evolution | None = None,
    metrics: Mapping[str, Callable] | None = None,
    stop: Callback | Sequence[Callback] | None = None,
    callbacks: Callback | Sequence[Callback] = (),
    budget: dict[str, Any] | None = None,
    devices: Devices = None,
    read_only: bool = False,
) -> Search:
    """Return the search that a manifest describes, not yet restored.

    One that is ``read_only`` has stand-ins for the user's own problem and metrics, and cannot be run.
    """
    manifest, arrays = content
    spec = manifest["spec"]
    if problem is not None and not isinstance(problem, Problem):
        raise TypeError(f"problem takes a Problem, or None for the recorded one, got {shown(problem)}")
    if algorithm is not None:
        check_algorithm(algorithm)
    # What the user gave may be wrong, too, and its errors are not the directory's.
    has_callbacks = not isinstance(callbacks, tuple) or len(callbacks) > 0
    is_given = has_callbacks or any(part is not None for part in (problem, algorithm, metrics, stop))
    with damaged_on_error(directory / NAME):
        check_claims(spec, directory)
        problem = problem or decode_problem(
            spec["problem"], arrays, stand_in=read_only, origin=recorded_origin(manifest)
        )
        algorithm = algorithm or decode(spec["algorithm"], arrays, "algorithm")
        if metrics is None:
            recorded = spec["metrics"]
            metrics = dict.fromkeys(recorded, _stand_in_metric) if read_only else decode_metrics(recorded, problem)
        if stop is None:
            stop = () if read_only else [decode(one, arrays, "stop") for one in spec["stop"]]
        start = None if read_only or spec["start"] is None else decode(spec["start"], arrays, "x")
        described = {name: spec[name] for name in ("seeds", "history", "archive")}
        described |= {"every": spec.get("every", 10), "effort": spec.get("effort", FULL.name)}
        population = algorithm.population
        old_budget = decode_budget(spec["budget"], population)
    new_budget = old_budget if budget is None else Budget(population=population, **budget)
    with nullcontext() if is_given else damaged_on_error(directory / NAME):
        run = Run(
            problem, algorithm, is_batched=spec["batch"], x=start, metrics=metrics, stop=stop, callbacks=callbacks,
            budget=new_budget, devices=devices, **described,
        )  # fmt: skip
        return Search(run)


def recorded_origin(manifest: dict[str, Any]) -> str:
    """Return the ``file.py:name`` that the last session took the problem from; empty if none was recorded."""
    given = [session.get("problem") for session in manifest["sessions"]]
    return next((str(origin)[:200] for origin in reversed(given) if origin), "")


def _stand_in_metric(f: Any, alive: Any) -> Any:
    """Stand for a metric whose values are read from the record."""
    del alive
    return f.min()
