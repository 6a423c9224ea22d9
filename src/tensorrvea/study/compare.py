"""Compare algorithms on problems over many seeds: run everything, and return a ``Study``."""

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from tensorrvea.checks import check_number, shown
from tensorrvea.devices import Devices
from tensorrvea.driver.schedule import Budget
from tensorrvea.evolution import Evolution, check_algorithm
from tensorrvea.problem import Problem
from tensorrvea.processes import is_distributed
from tensorrvea.runs.files import as_path, locked, write_json
from tensorrvea.runs.keep import INTERVAL
from tensorrvea.study.indicators import Indicator
from tensorrvea.study.progress import StudyBar, shows_progress
from tensorrvea.study.series import Executor, Series, as_seeds
from tensorrvea.study.study import Study


def compare(
    problems: Problem | Iterable[Problem] | Mapping[str, Problem],
    algorithms: Evolution | Iterable[Evolution] | Mapping[str, Evolution],
    *,
    seeds: int | Iterable[int] = 31,
    generations: int | None = None,
    evaluations: int | None = None,
    seconds: float | None = None,
    metrics: str | Indicator | Iterable[str | Indicator] = ("igd", "hypervolume"),
    reference: ArrayLike | Mapping[str, ArrayLike] | None = None,
    against: str | None = None,
    directory: str | Path | None = None,
    progress: bool | None = None,
    checkpoint_seconds: float = INTERVAL,
    devices: Devices = None,
    effort: str | None = None,
) -> Study:
    """Run every algorithm on every problem with every seed, and return the study of all runs.

    The seeds of an algorithm on a problem run as one compiled program. Runs with a budget of seconds, and those of a
    ``HostProblem``, run one by one.

    Args:
      problems: one, several, or by name.
      algorithms: one, several, or by name, such as ``{"small": NSGA2(population=50)}``.
      seeds: the number of runs of each, with seeds 0, 1, …; or the seeds.
      generations: the budget of each run; of several budgets, whichever is spent first ends it.
      evaluations: the same, in evaluations.
      seconds: the same, in seconds; such runs are made one by one.
      metrics: what is measured at the end of each run; names, or ``Indicator`` objects (see ``Study``). Without a known
        true front, the reference is what all runs together have found; the table says so.
      reference: reference point of the hypervolume, in the user's signs: one for all problems, or by name.
      against: the name of the algorithm with which the others are compared; the first by default.
      directory: where finished runs are kept. Called again with the same directory, only missing runs are made, such as
        those of another algorithm, or after an interruption.
      progress: whether to show a progress bar; by default in a terminal or notebook.
      checkpoint_seconds: seconds from one checkpoint of a running batch to the next, with a directory.
      devices: what the runs of a batch are divided over, as in ``replicate``.
      effort: as in ``optimize``.

    Returns:
      A ``Study``: see its ``table``, ``statistics``, ``plot`` and ``report``. After Ctrl-C it has the runs that were
      finished, and ``stopped`` says so.

    Example::

        study = tr.compare([tr.problems.ZDT1(), tr.problems.ZDT2()],
                           [tr.TensorRVEA(population=100), tr.NSGA2(population=100)], seeds=11, generations=100)
        print(study.table())
    """
    if is_distributed():
        raise RuntimeError("compare runs in one process; without tensorrvea.distributed")
    named_problems = name_parts("problems", problems, _check_problem)
    named_algorithms = name_parts("algorithms", algorithms, check_algorithm)
    each_seed = as_seeds(seeds)
    study = Study(metrics, reference=reference, against=against)
    study.algorithms = list(named_algorithms)
    study._against(None)  # refuse an unknown name before anything runs
    study.check_reference(named_problems)
    check_number("checkpoint_seconds", checkpoint_seconds, minimum=0.0, scalar=True)
    shows_progress(progress)
    if isinstance(reference, Mapping):
        unknown = [name for name in reference if name not in named_problems]
        if unknown:
            raise ValueError(f"reference names problems that are not compared: {', '.join(map(repr, unknown))}")
    budget: dict[str, Any] = {"generations": generations, "evaluations": evaluations, "seconds": seconds}
    series = {
        (p, a): Series(
            label=f"{p}, {a}", problem=problem, algorithm=algorithm, effort=effort, devices=devices,
            budget=Budget(population=algorithm.population, **budget),
        )
        for p, problem in named_problems.items()
        for a, algorithm in named_algorithms.items()
    }  # fmt: skip
    study.description = describe_study(series, each_seed, study)
    study.problems = dict(named_problems)
    path = None if directory is None else as_path(directory)
    if path is None:
        run_all(study, series, each_seed, None, progress, checkpoint_seconds)
    else:
        with locked(path):
            write_json(path / "study.json", study.description)
            run_all(study, series, each_seed, path, progress, checkpoint_seconds)
    return study


def run_all(
    study: Study,
    series: Mapping[tuple[str, str], Series],
    seeds: list[int],
    directory: Path | None,
    progress: bool | None,
    checkpoint_seconds: float,
) -> None:
    """Run all series and add them to the study; after Ctrl-C, those that are finished."""
    bar = StudyBar(len(series) * len(seeds), is_shown=shows_progress(progress))
    executor = Executor(directory, bar, checkpoint_seconds)
    try:
        for (problem, algorithm), each in series.items():
            study.add_runs(each.problem, algorithm, executor.run(each, seeds), name=problem)
    except KeyboardInterrupt:
        study.stopped = "interrupted"
        bar.close()
        again = f"; call again with {str(directory)!r} to resume" if directory is not None else ""
        print(f"interrupted after {bar.done} of {bar.total} runs{again}", file=sys.stderr)
        if not study.runs:
            raise
    finally:
        bar.close()


def describe_study(series: Mapping[tuple[str, str], Series], seeds: list[int], study: Study) -> dict[str, Any]:
    """Return the settings of all runs, for people to read."""
    runs = [{"problem": p, "algorithm": a, "spec": each.spec} for (p, a), each in series.items()]
    return {"seeds": seeds, "metrics": list(study.indicators), "runs": runs}


def name_parts(what: str, given: Any, check: Any) -> dict[str, Any]:
    """Return problems or algorithms by name.

    Two of the same name are told apart by their variation; if that does not help, names must be given.
    """
    if isinstance(given, Mapping):
        for name in given:
            if not isinstance(name, str) or not name.strip():
                raise TypeError(f"{what} takes names that are text, got {shown(name)}")
        parts = {name: check(part) for name, part in given.items()}
        if not parts:
            raise ValueError(f"{what} must hold at least one, got none")
        return parts
    is_one = isinstance(given, Problem | Evolution | type) or not isinstance(given, Iterable)
    each = [check(part) for part in ([given] if is_one else given)]
    if not each:
        raise ValueError(f"{what} must hold at least one, got none")
    names = [_name(part) for part in each]
    names = [_long_name(part) if names.count(name) > 1 else name for part, name in zip(each, names, strict=True)]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(f"{what} has more than one named {twice[0]!r}: give them by name, {{'a name': …, …}}")
    return dict(zip(names, each, strict=True))


def _name(part: Any) -> str:
    return part.name if isinstance(part, Problem) else type(part).__name__


def _long_name(part: Any) -> str:
    variation = getattr(part, "variation", None)
    return _name(part) if variation is None else f"{_name(part)} {type(variation).__name__}"


def _check_problem(problem: Any) -> Problem:
    if not isinstance(problem, Problem):
        raise TypeError(f"problems takes Problem objects, such as DTLZ2(), got {shown(problem)}")
    return problem
