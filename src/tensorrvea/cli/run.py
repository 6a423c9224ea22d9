"""``tensorrvea run`` and ``tensorrvea resume``."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import tyro

from tensorrvea.cli.errors import reading_arguments
from tensorrvea.cli.named_parts import find_problem, make_algorithm, parse_settings, read_table, read_value
from tensorrvea.cli.session import USUAL, Session
from tensorrvea.optimize import Budget, Search
from tensorrvea.problem import Problem
from tensorrvea.processes import is_primary
from tensorrvea.result import Result
from tensorrvea.runs import keep_run, standard_metrics
from tensorrvea.runs.resume import reopen
from tensorrvea.runs.standard_metrics import HYPERVOLUME
from tensorrvea.stop import MetricReached, Stagnation, Target

GENERATIONS = 100
# Up to this population, an indicator that is known for the problem is recorded without being asked for.
SMALL = 1000


@dataclass(kw_only=True)
class Run:
    """Optimise a problem, into a run directory. The same command again goes on where it was stopped.

    Examples:
      tensorrvea run DTLZ2 --generations 200
      tensorrvea run DTLZ2 --objectives 5 --population 210 --variation CSO --set algorithm.alpha=1.5
      tensorrvea run design.py:bridge --seconds 60 --out runs/bridge
      tensorrvea run --config bridge.toml
    """

    problem: tyro.conf.Positional[str]
    """A benchmark or a robot's task (see tensorrvea list problems), or file.py:name of your own."""
    out: Path | None = None
    """The run directory; runs/PROBLEM-ALGORITHM-SEED if not given."""
    config: Path | None = None
    """A TOML or JSON file with any of these options; flags go before it."""

    algorithm: str = "TensorRVEA"
    """TensorRVEA, RVEA, NSGA2 or RandomSearch."""
    variation: str | None = None
    """How offspring are bred: GA (the default), DE, PSO, CSO or Random."""
    population: int = 105
    """How many offspring there are in a generation."""
    set: tuple[str, ...] = ()
    """Any setting of the parts, like algorithm.alpha=1.5, variation.crossover.eta=15 or problem.backend=mjx."""
    objectives: int | None = None
    """The number of objectives, where the problem leaves a choice."""
    variables: int | None = None
    """The number of variables, where the problem leaves a choice."""

    generations: int | None = None
    """The budget; 100 generations if no other is given."""
    evaluations: int | None = None
    """Another kind of budget: how often the problem is evaluated."""
    seconds: float | None = None
    """Another kind of budget: time, without compilation."""
    seed: int = 0
    """The same seed gives the same result."""
    seeds: tuple[int, ...] = ()
    """Several runs as one program."""
    start: Path | None = None
    """A .csv or .npy file of individuals to start from."""

    history: Literal["summary", "fronts", "populations"] = "summary"
    """What is recorded of each generation."""
    archive: int = 0
    """How many of the best ever found are kept besides the survivors."""
    metrics: tuple[str, ...] | None = None
    """Recorded each generation (see tensorrvea list metrics), or none; if not given, igd where the front is known, and
    hypervolume for robots with a reference point of the paper's."""
    reference: tuple[float, ...] = ()
    """The point up to which hypervolume is measured, a value for each objective; if not given, the problem's own."""
    stop_when_stagnant: int | None = None
    """End the run when neither ideal nor nadir point has moved for this many generations."""
    stagnant_within: float | None = None
    """How far they may move for that, as a share of the range between them; 0.001 if not given."""
    stop_at: tuple[float, ...] = ()
    """End the run when a solution is at least this good in every objective."""
    stop_metric: tuple[str, ...] = ()
    """End the run when a recorded metric gets there, as in 'igd<=0.06' or 'hypervolume>=0.7'."""
    every: int = 10
    """How many generations from one look at what could end the run to the next."""

    session: tyro.conf.OmitArgPrefixes[Session] = USUAL

    def __call__(self) -> None:
        with reading_arguments():
            self.session.begin()
            search = self.search()
            out = self.out or Path("runs") / self.name(search.problem)
        keep_run(search, out, every=self.session.checkpoint_seconds, progress=self.session.shows_progress())
        tell(search.results(), out)

    def search(self) -> Search:
        """What the options ask for."""
        settings = parse_settings(dict(_pair(text) for text in self.set))
        problem = find_problem(self.problem, settings["problem"], self.objectives, self.variables)
        given = {"generations": self.generations, "evaluations": self.evaluations, "seconds": self.seconds}
        if all(value is None for value in given.values()):
            given["generations"] = GENERATIONS
        return Search(
            problem,
            make_algorithm(self.algorithm, self.variation, self.population, settings),
            seeds=list(self.seeds) or [self.seed],
            batch=bool(self.seeds),
            budget=Budget(population=self.population, **given),  # type: ignore[arg-type]
            x=None if self.start is None else read_table(self.start, "start"),
            history=self.history,
            archive=self.archive,
            metrics=standard_metrics(self.metric_names(problem), problem, self.reference or None),
            stop=self.stops(),
            every=self.every,
            devices=self.session.devices,
        )

    def metric_names(self, problem: Problem) -> tuple[str, ...]:
        if self.metrics is not None:
            return () if self.metrics == ("none",) else self.metrics
        if self.reference:
            return (HYPERVOLUME,)
        if self.population > SMALL:
            return ()
        if problem.front(2) is not None:
            return ("igd",)
        return () if problem.reference_point() is None else (HYPERVOLUME,)

    def stops(self) -> list[Callable[[Result], bool]]:
        """What ends the run before its budget is spent."""
        rules: list[Callable[[Result], bool]] = []
        if self.stop_when_stagnant is not None:
            within = {} if self.stagnant_within is None else {"tolerance": self.stagnant_within}
            rules.append(Stagnation(generations=self.stop_when_stagnant, **within))
        elif self.stagnant_within is not None:
            raise ValueError("stagnant_within goes with stop_when_stagnant, which was not given")
        if self.stop_at:
            rules.append(Target(self.stop_at))
        rules += map(metric_reached, self.stop_metric)
        return rules

    def name(self, problem: Problem) -> str:
        bred = "" if self.variation in (None, "GA") else f"-{self.variation}"
        seed = f"{min(self.seeds)}to{max(self.seeds)}" if self.seeds else str(self.seed)
        name = self.problem.rpartition(":")[2] if ":" in self.problem else problem.name.replace(" ", "")
        return f"{name}-{self.algorithm}{bred}-{seed}"


@dataclass(kw_only=True)
class Resume:
    """Go on with a run after a crash, or for longer.

    A larger budget is for the whole run: progress becomes the share of the new one, so that the penalty on angles falls
    back and grows again. That is not the run which the larger budget would have given from the start.

    Examples:
      tensorrvea resume runs/bridge --problem design.py:bridge
      tensorrvea resume runs/DTLZ2-TensorRVEA-0 --generations 400
    """

    directory: tyro.conf.Positional[Path]
    """The run directory."""
    problem: str | None = None
    """file.py:name, if the problem is your own: code is never taken from a run directory."""
    accept_changes: bool = False
    """Go on although the problem's source has changed."""
    generations: int | None = None
    """A new budget for the whole run."""
    evaluations: int | None = None
    """A new budget for the whole run."""
    seconds: float | None = None
    """A new budget for the whole run."""
    session: tyro.conf.OmitArgPrefixes[Session] = USUAL

    def __call__(self) -> None:
        with reading_arguments():
            self.session.begin()
            search = reopen(
                self.directory, problem=None if self.problem is None else find_problem(self.problem),
                generations=self.generations, evaluations=self.evaluations, seconds=self.seconds,
                devices=self.session.devices,
            )  # fmt: skip
        keep_run(
            search, self.directory, every=self.session.checkpoint_seconds, progress=self.session.shows_progress(),
            extend=(self.generations, self.evaluations, self.seconds) != (None, None, None),
            accept_changes=self.accept_changes,
        )  # fmt: skip
        tell(search.results(), self.directory)


def tell(results: list[Result], directory: Path) -> None:
    """What came of it, a line a run."""
    if not is_primary():
        return
    for result in results:
        last = ", ".join(f"{name} {values[-1]:.4g}" for name, values in result.history.metrics.items())
        seed = f"seed {result.seed}: " if len(results) > 1 else ""
        print(f"{seed}{result!r}" + (f"; {last}" if last else ""))
    print(directory)


def metric_reached(text: str) -> MetricReached:
    """A rule like ``igd<=0.06``.

    >>> metric_reached("igd<=0.06")
    MetricReached(metric='igd', at_least=None, at_most=0.06)
    """
    found = re.fullmatch(r"\s*(\w+)\s*([<>]=)\s*(.+)", text)
    value = read_value(found[3]) if found else None
    if found is None or not isinstance(value, int | float):
        raise ValueError(f"stop_metric takes a metric and a value, like 'igd<=0.06', got {text!r}")
    return MetricReached(metric=found[1], **{"at_most" if found[2] == "<=" else "at_least": value})


def _pair(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"set takes name=value, got {text!r}")
    return name, read_value(value)
