"""The calls that users make: ``optimize``, ``replicate``, ``resume`` and ``load``."""

import signal
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from tensorrvea.algorithms.default import default_algorithm
from tensorrvea.checks import as_tuple, check_number, shown
from tensorrvea.devices import Devices
from tensorrvea.driver.observers import Interruption, standard_observers
from tensorrvea.driver.run import Callback, Run
from tensorrvea.driver.schedule import Budget
from tensorrvea.driver.search import INTERRUPTED, Observer, Search
from tensorrvea.driver.signals import Interrupted, Signals, interrupts_raise
from tensorrvea.evolution import Evolution, check_algorithm
from tensorrvea.problem import Problem
from tensorrvea.processes import is_primary
from tensorrvea.result import Result
from tensorrvea.runs.files import as_path, is_file
from tensorrvea.runs.keep import INTERVAL, keep_run
from tensorrvea.runs.reopen import load_search, reopen
from tensorrvea.runs.result_file import load_result
from tensorrvea.runs.standard_metrics import Metrics, named_metrics


def optimize(
    problem: Problem,
    algorithm: Evolution | None = None,
    *,
    generations: int | None = None,
    evaluations: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    x: "ArrayLike | None" = None,
    history: str = "summary",
    archive: int = 0,
    metrics: "Metrics" = None,
    reference: "ArrayLike | None" = None,
    callbacks: "Callback | Sequence[Callback]" = (),
    stop: "Callback | Sequence[Callback]" = (),
    every: int = 10,
    progress: bool = False,
    directory: str | Path | None = None,
    checkpoint_seconds: float = INTERVAL,
    devices: "Devices" = None,
    effort: str | None = None,
) -> Result:
    """Search for the Pareto front of ``problem``.

    Args:
      problem: what to optimise.
      algorithm: how to search, such as ``TensorRVEA(population=105)``. By default it is ``default_algorithm(problem)``,
        and ``result.algorithm`` says which.
      generations: the budget. The first population is generation 0, so that g generations cost ``population · (g + 1)``
        evaluations. Of several budgets, whichever is spent first ends the run, and progress is that of the one that is
        ahead.
      evaluations: the budget in evaluations.
      seconds: the budget in seconds, which do not include compilation.
      seed: the same seed gives the same result, bit for bit.
      x: individuals to start from, (k, d), the best first: if there are fewer places for survivors than individuals,
        the last are dropped. The rest of the first population is sampled.
      history: what is recorded of each generation: ``"summary"``, also its ``"fronts"``, or also its ``"populations"``.
      archive: keep up to this many of the best non-dominated solutions ever found; 0 for none.
      metrics: what is recorded each generation on the device: names (``igd``, ``igd_plus``, ``gd``, ``hypervolume``,
        ``expected_utility``, ``spacing``), or functions by name of the survivors' objectives (all minimised) and of
        which of them count; see ``tensorrvea.metrics.device``. Distances need the true front.
      reference: reference point of the metric ``hypervolume``, in the user's signs; the problem's own by default.
      callbacks: functions of the ``Result`` so far, called every ``every`` generations; ``True`` ends the run.
      stop: rules of ``tensorrvea.stop``, or functions of the ``Result`` so far; a true value ends the run.
      every: generations from one call of these to the next.
      progress: whether to show a progress bar.
      directory: where the run is saved. Called again with the same directory, it resumes (see ``docs/runs.md``).
      checkpoint_seconds: seconds from one checkpoint to the next.
      devices: the number of devices to divide the rows over, a list of them, or ``"cores"`` for all cores of a CPU; one
        by default, and all after ``distributed``. The result is the same, bit for bit (see ``docs/scale.md``).
      effort: how long the compiler may take: ``"draft"``, ``"standard"`` or ``"full"``. By default it is chosen from
        the sizes and the budget, for the soonest result. Choose ``"full"`` if the same sizes are run many times.

    Returns:
      The front and the history of the run. After Ctrl-C, those of the generations that were finished, with
      ``stopped="interrupted"``; a second Ctrl-C raises ``KeyboardInterrupt`` at once.

    Raises:
      TypeError: if an argument has the wrong type.
      ValueError: if an argument is out of range, if no budget is given, or if the problem's function returns the wrong
        shape.
      RunError: if the directory holds another run, or cannot be used.

    >>> import tensorrvea as tr
    >>> result = tr.optimize(tr.problems.ZDT1(variables=5), tr.NSGA2(population=8), generations=10, seed=1)
    >>> result.F.shape[1], result.evaluations, result.stopped
    (2, 88, 'budget spent')
    """
    algorithm = default_algorithm(problem) if algorithm is None else check_algorithm(algorithm)
    budget = Budget(population=algorithm.population, generations=generations, evaluations=evaluations, seconds=seconds)
    run = Run(
        problem, algorithm, seeds=[seed], is_batched=False, budget=budget, x=x, history=history, archive=archive,
        metrics=named_metrics(metrics, problem, reference), callbacks=callbacks, stop=stop, every=every,
        devices=devices, effort=effort,
    )  # fmt: skip
    return execute(run, directory, checkpoint_seconds, progress)[0]


def replicate(
    problem: Problem,
    algorithm: Evolution | None = None,
    *,
    seeds: Iterable[int],
    generations: int | None = None,
    evaluations: int | None = None,
    seconds: float | None = None,
    x: "ArrayLike | None" = None,
    history: str = "summary",
    archive: int = 0,
    metrics: "Metrics" = None,
    reference: "ArrayLike | None" = None,
    progress: bool = False,
    directory: str | Path | None = None,
    checkpoint_seconds: float = INTERVAL,
    devices: "Devices" = None,
    effort: str | None = None,
) -> list[Result]:
    """Run several seeds as one compiled program; seed k starts and draws as ``optimize(seed=k)`` does.

    The arguments are those of ``optimize``, except that there are no callbacks and stops: all runs end together.

    Args:
      problem: what to optimise.
      algorithm: how to search; ``default_algorithm(problem)`` by default.
      seeds: one per run.
      generations: the budget. The first population is generation 0, so that g generations cost ``population · (g + 1)``
        evaluations. Of several budgets, whichever is spent first ends the run, and progress is that of the one that is
        ahead.
      evaluations: the budget in evaluations.
      seconds: the budget in seconds, which do not include compilation.
      x: individuals that all runs start from.
      history: what is recorded of each generation.
      archive: the size of each run's archive; 0 for none.
      metrics: what is recorded each generation.
      reference: reference point of the metric ``hypervolume``.
      progress: whether to show a progress bar.
      directory: where the runs are saved, together.
      checkpoint_seconds: seconds from one checkpoint to the next.
      devices: what the runs are divided over.
      effort: how long the compiler may take.

    Returns:
      One result per seed, in their order.

    Raises:
      TypeError: if an argument has the wrong type.
      ValueError: if an argument is out of range, or no budget is given.

    >>> import tensorrvea as tr
    >>> runs = tr.replicate(tr.problems.ZDT1(variables=5), tr.NSGA2(population=8), generations=10, seeds=range(3))
    >>> [run.seed for run in runs]
    [0, 1, 2]
    """
    chosen = as_tuple(seeds)
    if not chosen and not (isinstance(seeds, Sequence) and seeds in ((), [])):
        raise TypeError(f"seeds takes whole numbers, one per run, such as range(31), got {shown(seeds)}")
    algorithm = default_algorithm(problem) if algorithm is None else check_algorithm(algorithm)
    budget = Budget(population=algorithm.population, generations=generations, evaluations=evaluations, seconds=seconds)
    run = Run(
        problem, algorithm, seeds=chosen, is_batched=True, budget=budget, x=x, history=history, archive=archive,
        metrics=named_metrics(metrics, problem, reference), devices=devices, effort=effort,
    )  # fmt: skip
    return execute(run, directory, checkpoint_seconds, progress)


def execute(run: Run, directory: str | Path | None, checkpoint_seconds: float, progress: bool) -> list[Result]:
    """Run to the end, in a directory if one is given, and return the result of each seed."""
    check_number("checkpoint_seconds", checkpoint_seconds, minimum=0.0, scalar=True)
    search = Search(run)
    observers = standard_observers(search, progress=progress)
    if directory is not None:
        return run_in_directory(search, directory, observers, every=checkpoint_seconds)
    with Signals((signal.SIGINT,), has_progress=lambda: search.has_progress, is_slow=run.problem.host) as signals:
        search.execute([*observers, Interruption(signals)])
        results = search.results()
    if search.stopped == INTERRUPTED:
        note_interruption(Interrupted(f"interrupted at {search.schedule}; the result has what was found until then"))
    return results


def run_in_directory(
    search: Search, directory: str | Path, observers: Sequence[Observer], **options: Any
) -> list[Result]:
    """Run a search with the options of ``keep_run``; if it is interrupted, return what it had found."""
    try:
        keep_run(search, directory, observers, **options)
    except Interrupted as interruption:
        if search.generation < 0:
            raise
        note_interruption(Interrupted(f"{interruption} in {directory}; call again to resume"))
    return search.results()


def note_interruption(interruption: Interrupted) -> None:
    """Print how far an interrupted run got, or raise that where several runs are one program."""
    if interrupts_raise():
        raise interruption
    if is_primary():
        print(interruption, file=sys.stderr, flush=True)


def resume(
    directory: str | Path,
    *,
    problem: Problem | None = None,
    algorithm: Evolution | None = None,
    metrics: Mapping[str, Callable] | None = None,
    stop: "Callback | Sequence[Callback] | None" = None,
    callbacks: "Callback | Sequence[Callback]" = (),
    generations: int | None = None,
    evaluations: int | None = None,
    seconds: float | None = None,
    accept_changes: bool = False,
    checkpoint_seconds: float = INTERVAL,
    progress: bool = False,
    devices: "Devices" = None,
) -> Result | list[Result]:
    """Resume a run from its last checkpoint, and return what an uninterrupted run would return.

    A finished run returns its result at once, unless it gets a larger budget.

    Args:
      directory: where the run was saved.
      problem: required if it is the user's own: code is never loaded from a directory.
      algorithm: required if it is the user's own and not registered.
      metrics: required if they are functions of the user's own.
      stop: required if it is a function of the user's own.
      callbacks: as in ``optimize``.
      generations: a new budget for the whole run. Progress is from then on the share of this
        new budget: the penalty on angles falls back (from 100 to 200 generations: to (101/200)^alpha) and grows to 1
        again, and the vectors adapt again as it does. So an extended run searches widely once more, and differs from
        a run that had the larger budget from the start.
      evaluations: a new budget for the whole run, in evaluations.
      seconds: a new budget for the whole run, in seconds.
      accept_changes: resume although the source of the user's own parts has changed.
      checkpoint_seconds: seconds from one checkpoint to the next.
      progress: whether to show a progress bar.
      devices: as in ``optimize``; their number, and that of processes, may differ from before.

    Returns:
      The result; a list of them for a run of ``replicate``.

    Raises:
      RunError: if there is no run, or if it is damaged.
      SpecDiffersError: if the user's own parts have changed, and ``accept_changes`` is not given.

    Example::

        tr.optimize(problem, generations=100, directory="runs/mine")
        tr.resume("runs/mine", generations=200)
    """
    budget: dict[str, Any] = {"generations": generations, "evaluations": evaluations, "seconds": seconds}
    is_extended = any(value is not None for value in budget.values())
    search = reopen(
        directory, budget if is_extended else None, problem=problem, algorithm=algorithm, metrics=metrics, stop=stop,
        callbacks=callbacks, devices=devices,
    )  # fmt: skip
    results = run_in_directory(
        search, directory, standard_observers(search, progress=progress), every=checkpoint_seconds,
        extend=is_extended, accept_changes=accept_changes,
    )  # fmt: skip
    return results if search.run.is_batched else results[0]


def load(
    directory: str | Path, *, problem: Problem | None = None, algorithm: Evolution | None = None
) -> Result | list[Result]:
    """Return what a run had found at its last checkpoint, or a result that ``Result.save`` wrote.

    Nothing is run, and the code of the user's own problem is not needed.

    Args:
      directory: a run directory, or a file of ``Result.save``.
      problem: the problem, if its function is needed again; otherwise one that only describes it.
      algorithm: required for an algorithm of the user's own.

    Returns:
      The result; a list of them for a run of ``replicate``.

    Raises:
      RunError: if there is no run, or no result, or if it is damaged.

    Example::

        tr.load("runs/mine").F
        tr.load("front.npz").F
    """
    path = as_path(directory)
    if is_file(path):
        return load_result(path, problem=problem, algorithm=algorithm)
    return results_of(load_search(directory, problem=problem, algorithm=algorithm))


def results_of(search: Search) -> Result | list[Result]:
    """Return the result of a search; a list of them for a batch."""
    results = search.results()
    return results if search.run.is_batched else results[0]
