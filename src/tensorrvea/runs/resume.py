"""Going on with a run, and reading what it found."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tensorrvea.algorithms.base import Algorithm
from tensorrvea.devices import Devices, make_mesh
from tensorrvea.optimize import Budget, Callback, Search
from tensorrvea.problem import Problem
from tensorrvea.processes import on_primary_process
from tensorrvea.result import Result
from tensorrvea.runs.checkpoint import restore
from tensorrvea.runs.errors import RunError
from tensorrvea.runs.keep import INTERVAL, find_latest, keep_run
from tensorrvea.runs.manifest import NAME, damaged_on_error, read_manifest
from tensorrvea.runs.spec import BUDGETS, Arrays, decode, decode_budget, decode_metrics, decode_problem


def resume(
    directory: str | Path,
    *,
    problem: Problem | None = None,
    algorithm: Algorithm | None = None,
    metrics: Mapping[str, Callable] | None = None,
    stop: Callback | Sequence[Callback] | None = None,
    callbacks: Callback | Sequence[Callback] = (),
    generations: int | None = None,
    evaluations: int | None = None,
    seconds: float | None = None,
    accept_changes: bool = False,
    checkpoint_seconds: float = INTERVAL,
    progress: bool = False,
    devices: Devices = None,
) -> Result | list[Result]:
    """Goes on with a run where its last checkpoint was taken, and gives what a run that was never stopped would give.

    A finished run gives its result at once, unless it gets a larger budget.

    Args:
      problem, algorithm, metrics, stop: needed where they are the user's own: code is never taken from a directory.
      generations, evaluations, seconds: a new budget for the whole run. Progress is from then on the share of this
        new budget: the penalty on angles falls back (from 100 to 200 generations: to (101/200)^alpha) and grows to 1
        again, and vectors adapt again as it does. So an extended run searches widely once more, and is not the run
        that the larger budget would have given from the start.
      accept_changes: goes on although the source of the user's own parts has changed.
      checkpoint_seconds: from one checkpoint to the next.
      devices: as in ``optimize``; any number of them, or of processes, can go on with what any other has begun.

    Returns:
      The result; a list of them for a run of ``replicate``.
    """
    search = reopen(
        directory, generations=generations, evaluations=evaluations, seconds=seconds,
        problem=problem, algorithm=algorithm, metrics=metrics, stop=stop, callbacks=callbacks, devices=devices,
    )  # fmt: skip
    extend = (generations, evaluations, seconds) != (None, None, None)
    keep_run(
        search, directory, every=checkpoint_seconds, progress=progress, extend=extend, accept_changes=accept_changes
    )
    return results_of(search)


def reopen(
    directory: str | Path,
    *,
    generations: int | None = None,
    evaluations: int | None = None,
    seconds: float | None = None,
    devices: Devices = None,
    **parts: Any,
) -> Search:
    """The search of a directory, with a new budget if one is given, as ``keep_run`` goes on with it.

    What is wrong with the arguments is a ValueError or TypeError, what is wrong with the directory a ``RunError``.
    """
    path = Path(directory)
    kept = on_primary_process(lambda: read_manifest(path))
    make_mesh(devices)  # so that the manifest is not blamed for too many of them
    given = {"generations": generations, "evaluations": evaluations, "seconds": seconds}
    budget = None if all(value is None for value in given.values()) else given
    return search_of(path, kept, budget=budget, devices=devices, **parts)


def load(
    directory: str | Path, *, problem: Problem | None = None, algorithm: Algorithm | None = None
) -> Result | list[Result]:
    """What a run has found by its last checkpoint. Runs nothing, and needs no code of the user's own."""
    path = Path(directory)
    kept = read_manifest(path)
    search = search_of(path, kept, problem=problem, algorithm=algorithm, stand_in=True)
    _, saved = find_latest(search, path, kept[0])
    if saved is None:
        raise RunError(f"{path} has no checkpoint yet")
    restore(search, saved)
    return results_of(search)


def results_of(search: Search) -> Result | list[Result]:
    results = search.results()
    return results if search.batch else results[0]


def search_of(
    directory: Path,
    kept: tuple[dict[str, Any], Arrays],
    *,
    problem: Problem | None = None,
    algorithm: Algorithm | None = None,
    metrics: Mapping[str, Callable] | None = None,
    stop: Callback | Sequence[Callback] | None = None,
    callbacks: Callback | Sequence[Callback] = (),
    budget: dict[str, Any] | None = None,
    devices: Devices = None,
    stand_in: bool = False,
) -> Search:
    """The search that a manifest describes, not yet restored; ``stand_in`` if it is only to be looked at."""
    manifest, arrays = kept
    spec = manifest["spec"]
    with damaged_on_error(directory / NAME):
        problem = problem or decode_problem(spec["problem"], arrays, stand_in=stand_in)
        algorithm = algorithm or decode(spec["algorithm"], arrays, "algorithm")
        if metrics is None:
            recorded = spec["metrics"]
            metrics = dict.fromkeys(recorded, _nothing) if stand_in else decode_metrics(recorded, problem)
        if stop is None:
            stop = () if stand_in else [decode(one, arrays, "stop") for one in spec["stop"]]
        content = {name: spec["budget"].get(name) for name in BUDGETS}
        start = None if stand_in or spec["start"] is None else decode(spec["start"], arrays, "x")
        described = {name: spec[name] for name in ("seeds", "batch", "history", "archive")}
        every = spec.get("every", 10)
        old_budget = decode_budget(content, algorithm.population)
    new_budget = Budget(population=algorithm.population, **budget) if budget is not None else old_budget
    with damaged_on_error(directory / NAME):
        return Search(
            problem, algorithm, x=start, metrics=metrics, stop=stop, callbacks=callbacks, every=every,
            budget=new_budget, devices=devices, **described,
        )  # fmt: skip


def _nothing(f: Any, alive: Any) -> Any:
    """Stands for a metric whose values are read from the record."""
    del alive
    return f.min()
