"""``tensorrvea run`` and ``tensorrvea resume``."""

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from tensorrvea.algorithms.default import default_algorithm
from tensorrvea.checks import match_choice
from tensorrvea.cli.errors import WrongArgumentsError, argument_errors
from tensorrvea.cli.part_settings import (
    make_algorithm,
    make_default,
    match_part,
    parse_settings,
    parse_value,
    read_table,
)
from tensorrvea.cli.problem_lookup import find_problem, import_file
from tensorrvea.cli.session import DEFAULT_SESSION, Session
from tensorrvea.driver.observers import standard_observers
from tensorrvea.driver.run import Run as RunArguments
from tensorrvea.driver.schedule import Budget
from tensorrvea.driver.search import Search
from tensorrvea.driver.signals import Interrupted
from tensorrvea.problem import Problem
from tensorrvea.problem_registry import problem_settings
from tensorrvea.processes import is_primary
from tensorrvea.result import Result
from tensorrvea.runs import keep_run, standard_metrics
from tensorrvea.runs.errors import OwnProblemError, RunError, SpecDiffersError
from tensorrvea.runs.registry import ALGORITHMS, VARIATIONS
from tensorrvea.runs.reopen import reopen
from tensorrvea.runs.standard_metrics import ALIASES, HYPERVOLUME, STANDARD
from tensorrvea.stop import MetricReached, Stagnation, Target

DEFAULT_GENERATIONS = 100
# A typing slip such as 0-300000000 must not fill the memory.
MOST_SEEDS = 2**20
# Larger populations record no metric unless asked to.
LARGEST_WITH_DEFAULT_METRIC = 1000
AlgorithmName = Annotated[
    str | None,
    tyro.conf.arg(help=f"One of {', '.join(ALGORITHMS)}; or file.py:Name. By default, one that suits the problem."),
]
VariationName = Annotated[
    str | None,
    tyro.conf.arg(help=f"One of {', '.join(VARIATIONS)}; or file.py:Name. By default, that of the algorithm."),
]


@dataclass(kw_only=True)
class Run:
    """Optimise a problem in a run directory. The same command continues an interrupted run.

    Examples:
      tensorrvea run DTLZ2 --generations 200
      tensorrvea run DTLZ2 --objectives 5 --algorithm TensorRVEA --variation CSO --set algorithm.alpha=1.5
      tensorrvea run design.py:bridge --seconds 60 --out runs/bridge
      tensorrvea run --config bridge.toml
    """

    problem: tyro.conf.Positional[str]
    """A benchmark or robot task (see tensorrvea list), or file.py:name for a problem of your own."""
    out: Path | None = None
    """The run directory; runs/PROBLEM-ALGORITHM-SEED by default."""
    config: Path | None = None
    """A TOML or JSON file with any of these options; flags win over the file."""

    algorithm: AlgorithmName = None
    variation: VariationName = None
    population: int | None = None
    """Number of offspring per generation; by default, one that suits the number of objectives."""
    set: tuple[str, ...] = ()
    """Settings of the parts, such as algorithm.alpha=1.5, variation.crossover.eta=15 or problem.backend=mjx."""
    objectives: int | None = None
    """Number of objectives, if the problem allows a choice."""
    variables: int | None = None
    """Number of variables, if the problem allows a choice."""

    generations: int | None = None
    """The budget; 100 generations unless another budget is given. Of several, whichever is spent first ends the run."""
    evaluations: int | None = None
    """The budget as a number of evaluations."""
    seconds: float | None = None
    """The budget as a time, without compilation."""
    seed: int | None = None
    """The same seed gives the same result; 0 by default."""
    seeds: tuple[int | str, ...] = ()
    """Several runs in one program: 0 1 2, or 0,1,2, or 0-30."""
    start: Path | None = None
    """A .csv or .npy file of initial individuals."""

    history: Literal["summary", "fronts", "populations"] = "summary"
    """What is recorded in each generation."""
    archive: int = 0
    """Size of the archive of the best solutions found, kept in addition to the survivors."""
    metrics: tuple[str, ...] | None = None
    """Metrics recorded in each generation (see tensorrvea list metrics), or none. Default: igd if the true front is
    known, hypervolume for robot tasks with a reference point in the paper."""
    reference: tuple[float, ...] = ()
    """Reference point of the hypervolume, one value per objective; the problem's own by default."""
    stop_when_stagnant: int | None = None
    """Stop when neither the ideal nor the nadir point has moved for this many generations."""
    stagnant_within: float | None = None
    """Largest movement that counts as stagnation, relative to the range between the two points; 0.001 by default."""
    stop_at: tuple[float, ...] = ()
    """Stop when a solution is at least this good in every objective."""
    stop_metric: tuple[str, ...] = ()
    """Stop when a recorded metric reaches a value, as in 'igd<0.06' or 'hypervolume>0.7'."""
    every: int = 10
    """Number of generations between checks of the stopping rules."""
    effort: Literal["draft", "standard", "full"] | None = None
    """How long the compiler may take; by default it is chosen from sizes and budget, for the soonest result."""

    session: tyro.conf.OmitArgPrefixes[Session] = DEFAULT_SESSION

    def __call__(self) -> None:
        with argument_errors():
            self.session.initialize()
            search = self.search()
            out = self.out or Path("runs") / self.directory_name(search.run)
        execute(search, out, self.session)

    def search(self) -> Search:
        """Create the search that the options describe."""
        settings = parse_settings(dict(_split_setting(text) for text in self.set))
        problem = find_problem(self.problem, settings["problem"], self.objectives, self.variables)
        if self.algorithm is None:
            algorithm = make_default(problem, self.variation, self.population, settings)
        else:
            population = default_algorithm(problem).population if self.population is None else self.population
            algorithm = make_algorithm(self.algorithm, self.variation, population, settings)
        has_budget = (self.generations, self.evaluations, self.seconds) != (None, None, None)
        generations = self.generations if has_budget else DEFAULT_GENERATIONS
        arguments = RunArguments(
            problem,
            algorithm,
            seeds=self.all_seeds(),
            is_batched=bool(self.seeds),
            budget=Budget(
                population=algorithm.population,  # which --set may have changed
                generations=generations,
                evaluations=self.evaluations,
                seconds=self.seconds,
            ),
            x=None if self.start is None else read_table(self.start, "start"),
            history=self.history,
            archive=self.archive,
            metrics=standard_metrics(self.metric_names(problem, algorithm.population), problem, self.reference or None),
            stop=self.stopping_rules(),
            every=self.every,
            effort=self.effort,
            devices=self.session.devices,
        )
        return Search(arguments)

    def all_seeds(self) -> list[int]:
        if self.seeds and self.seed is not None:
            raise ValueError("give seed for one run, or seeds for several, not both")
        return [seed for part in self.seeds for seed in parse_seeds(str(part))] or [self.seed or 0]

    def metric_names(self, problem: Problem, population: int) -> tuple[str, ...]:
        if self.metrics is not None:
            if self.metrics == ("none",):
                return ()
            return tuple(match_choice("metrics", name, tuple(STANDARD), ALIASES) for name in self.metrics)
        if self.reference:
            return (HYPERVOLUME,)
        if population > LARGEST_WITH_DEFAULT_METRIC:
            return ()
        if problem.front(2) is not None:
            return ("igd",)
        return () if problem.reference_point() is None else (HYPERVOLUME,)

    def stopping_rules(self) -> list[Callable[[Result], bool]]:
        rules: list[Callable[[Result], bool]] = []
        if self.stop_when_stagnant is not None:
            tolerance = {} if self.stagnant_within is None else {"tolerance": self.stagnant_within}
            rules.append(Stagnation(generations=self.stop_when_stagnant, **tolerance))
        elif self.stagnant_within is not None:
            raise ValueError("stagnant_within needs stop_when_stagnant, which was not given")
        if self.stop_at:
            rules.append(Target(self.stop_at))
        rules += map(parse_metric_rule, self.stop_metric)
        return rules

    def directory_name(self, run: RunArguments) -> str:
        variation = "" if self.variation is None else f"-{match_part('variation', self.variation, VARIATIONS)}"
        seeds = self.all_seeds()
        seed = f"{min(seeds)}to{max(seeds)}" if self.seeds else str(seeds[0])
        name = self.problem.rpartition(":")[2] if ":" in self.problem else run.problem.name.replace(" ", "")
        return f"{name}-{type(run.algorithm).__name__}{variation}-{seed}"


@dataclass(kw_only=True)
class Resume:
    """Continue a run after an interruption, or with a larger budget.

    A new budget is for the whole run. Progress becomes relative to it, so the angle penalty drops and grows again. The
    result differs from that of a run with the larger budget from the start.

    Examples:
      tensorrvea resume runs/bridge --problem design.py:bridge
      tensorrvea resume runs/DTLZ2-TensorRVEA-0 --generations 400
    """

    directory: tyro.conf.Positional[Path]
    """The run directory."""
    problem: str | None = None
    """file.py:name of a user-defined problem, since code is never loaded from a run directory."""
    parts: Path | None = None
    """A Python file that registers an algorithm or operator of your own."""
    accept_changes: bool = False
    """Continue although the source of the problem has changed."""
    generations: int | None = None
    """A new budget for the whole run."""
    evaluations: int | None = None
    """A new budget for the whole run."""
    seconds: float | None = None
    """A new budget for the whole run."""
    session: tyro.conf.OmitArgPrefixes[Session] = DEFAULT_SESSION

    def __call__(self) -> None:
        with argument_errors():
            self.session.initialize()
            budget = {"generations": self.generations, "evaluations": self.evaluations, "seconds": self.seconds}
            extend = any(value is not None for value in budget.values())
            if self.parts is not None:
                import_file(self.parts, "parts")
            problem = None if self.problem is None else find_problem(self.problem)
            devices = self.session.devices
            try:
                search = reopen(self.directory, budget if extend else None, problem=problem, devices=devices)
            except OwnProblemError as error:
                given = error.origin or "FILE.py:NAME"
                raise WrongArgumentsError(f"{error.reason}: add --problem {given}") from None
        execute(search, self.directory, self.session, extend=extend, accept_changes=self.accept_changes)


def execute(search: Search, directory: Path, session: Session, **options: bool) -> None:
    """Run a search in its directory, with the ``options`` of ``keep_run``, and print one line per run."""
    observers = standard_observers(search, progress=session.shows_progress())
    try:
        keep_run(search, directory, observers, every=session.checkpoint_seconds, **options)
    except Interrupted as interruption:
        advice = f"; to continue: {resume_command(search, directory)}" if search.generation >= 0 else ""
        raise Interrupted(f"{interruption}{advice}") from None
    except SpecDiffersError as error:
        budget = " ".join(f"--{name} {value}" for name, value in search.run.budget.given.items())
        flags = {"budget": budget, "source": "--accept-changes"}.get(error.kind)
        advice = f"\nTo continue it: {resume_command(search, directory)} {flags}" if flags else ""
        other = "" if flags else "\nFor a run of its own, give another directory: --out DIRECTORY"
        raise RunError(f"{error.differences}{advice}{other}") from None
    results = search.results()
    if not is_primary():
        return
    for result in results:
        metrics = ", ".join(f"{name} {values[-1]:.4g}" for name, values in result.history.metrics.items())
        seed = f"seed {result.seed}: " if len(results) > 1 else ""
        print(f"{seed}{result!r}" + (f"; {metrics}" if metrics else ""))
    print(directory)


def resume_command(search: Search, directory: Path) -> str:
    """Return the command that continues a run."""
    problem = search.run.problem
    own = f" --problem {problem.origin or 'FILE.py:NAME'}" if problem_settings(problem) is None else ""
    return f"tensorrvea resume {shlex.quote(str(directory))}{own}"


def parse_metric_rule(text: str) -> MetricReached:
    """Parse a stopping rule such as ``igd<=0.06``.

    >>> parse_metric_rule("igd<=0.06")
    MetricReached(metric='igd', at_least=None, at_most=0.06)
    """
    match = re.fullmatch(r"\s*(\w+)\s*([<>]=?)\s*(.+)", text)
    value = parse_value(match[3]) if match else None
    if match is None or not isinstance(value, int | float):
        raise ValueError(f"stop_metric takes a metric and a value, like 'igd<0.06', got {text!r}")
    metric = ALIASES.get(match[1].lower(), match[1].lower() if match[1].lower() in STANDARD else match[1])
    return MetricReached(metric=metric, **{"at_most" if match[2].startswith("<") else "at_least": value})


def parse_seeds(text: str) -> list[int]:
    """Parse seeds such as ``3``, ``0,1,2`` or ``0-30``, which includes both ends.

    >>> parse_seeds("0-3"), parse_seeds("5,7")
    ([0, 1, 2, 3], [5, 7])
    """
    seeds: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,10})\s*(?:-\s*(\d{1,10})\s*)?", part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if last < first or last - first >= MOST_SEEDS:
            raise ValueError(f"seeds takes whole numbers, such as 0 1 2 or 0,1,2 or 0-30, got {text!r}")
        seeds += range(first, last + 1)
    return seeds


def _split_setting(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"set takes name=value, got {text!r}")
    return name, parse_value(value)
