"""``tensorrvea list``, ``show``, ``report`` and ``plot``."""

import dataclasses
import inspect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import tyro

from tensorrvea.cli.errors import printable, reading_arguments
from tensorrvea.cli.named_parts import task_names
from tensorrvea.cli.report_sources import runs_from_directories
from tensorrvea.problems import SUITES
from tensorrvea.report import report
from tensorrvea.result import Result
from tensorrvea.api import load
from tensorrvea.runs import read_manifest
from tensorrvea.runs.manifest import NAME, understood
from tensorrvea.runs.registry import ALGORITHMS, VARIATIONS
from tensorrvea.runs.standard_metrics import STANDARD

Kind = Literal["algorithms", "variations", "problems", "tasks", "metrics"]
KINDS: tuple[Kind, ...] = ("algorithms", "variations", "problems", "tasks", "metrics")


@dataclass(kw_only=True)
class List:
    """What there is: algorithms, variations, problems, tasks, metrics.

    Example:
      tensorrvea list problems
    """

    what: tyro.conf.Positional[Kind | None] = None
    """One kind; all if not given."""

    def __call__(self) -> None:
        for kind in KINDS if self.what is None else (self.what,):
            print(kind)
            for name, about in _named(kind):
                print(f"  {name:<16} {about}")


def _named(kind: Kind) -> Iterable[tuple[str, str]]:
    if kind == "algorithms":
        return [(name, _about(cls)) for name, cls in ALGORITHMS.items()]
    if kind == "variations":
        return [(name, _about(cls)) for name, cls in VARIATIONS.items()]
    if kind == "problems":
        return [(suite, ", ".join(cls.__name__ for cls in members)) for suite, members in SUITES.items()]
    if kind == "tasks":
        return [(name, "a robot, with a network as its policy") for name in task_names()]
    from tensorrvea import metrics

    return [(name, (getattr(metrics, name).__doc__ or "").partition("\n")[0]) for name in STANDARD]


def _about(cls: Any) -> str:
    first = inspect.getdoc(cls) or ""
    settings = [f"{f.name}={_default(f.default)}" for f in dataclasses.fields(cls) if f.name != "population"]
    return first.partition("\n")[0] + (f" ({', '.join(settings)})" if settings else "")


def _default(value: Any) -> str:
    return type(value).__name__ if dataclasses.is_dataclass(value) else repr(value)


@dataclass(kw_only=True)
class Show:
    """What a run directory holds: what was run, where, and how it stands.

    Example:
      tensorrvea show runs/DTLZ2-TensorRVEA-0
    """

    directory: tyro.conf.Positional[Path]
    """The run directory."""

    def __call__(self) -> None:
        manifest, _ = read_manifest(self.directory)
        with understood(self.directory / NAME):
            lines = list(_lines(manifest))
        for line in lines:
            print(printable(line))
        for result in load_all([self.directory]):
            print(printable(f"result      {result!r}"))
            for name, values in result.history.metrics.items():
                print(printable(f"{name:<11} {values[-1]:.6g}"))


def _lines(manifest: dict[str, Any]) -> Iterator[str]:
    """What a manifest says, for a reader."""
    spec = manifest["spec"]
    yield f"problem     {_described(spec['problem'])}"
    yield f"algorithm   {_described(spec['algorithm'])}"
    yield f"budget      {', '.join(f'{value} {name}' for name, value in spec['budget'].items())}"
    yield f"seeds       {', '.join(map(str, spec['seeds']))}"
    for one in manifest["extended"]:
        yield f"extended    at generation {one['generation']}"
    for session in manifest["sessions"]:
        versions = session["versions"]
        yield (
            f"session     from generation {session['from']}, {session['started']} to {session['ended'] or '?'}, "
            f"{session['device']['kind']}, jax {versions.get('jax')}, tensorrvea {versions.get('tensorrvea')}"
        )


def _described(part: dict[str, Any]) -> str:
    """A part of a spec on one line.

    >>> _described({"name": "DTLZ2", "settings": {"objectives": 3}})
    'DTLZ2(objectives=3)'
    """
    if "own" in part:
        own = part["own"]
        return f"{own['name'] if isinstance(own, dict) else own} (the user's own)"
    settings = (
        f"{name}={_described(value) if isinstance(value, dict) and ('name' in value or 'own' in value) else value}"
        for name, value in part.get("settings", {}).items()
    )
    return f"{part.get('name')}({', '.join(settings)})"


Out = Annotated[Path, tyro.conf.arg(aliases=["-o"])]


@dataclass(kw_only=True)
class Report:
    """One HTML page from runs of one problem, for choosing a solution.

    Example:
      tensorrvea report runs/DTLZ2-TensorRVEA-0 --out front.html
    """

    directories: tyro.conf.Positional[tuple[Path, ...]]
    """Run directories."""
    out: Out = Path("report.html")
    """The page."""
    title: str | None = None
    """Its heading; the problem's name if not given."""
    replays: int = 12
    """For robots' tasks, how many episodes of each run are played and put into the page."""

    def __call__(self) -> None:
        with reading_arguments():
            runs = runs_from_directories(self.directories, replays=self.replays)
            print(report(runs, self.out, title=self.title, replays=self.replays))


@dataclass(kw_only=True)
class Plot:
    """A figure of runs, for print.

    Examples:
      tensorrvea plot runs/DTLZ2-TensorRVEA-0 --out front.svg
      tensorrvea plot runs/DTLZ2-TensorRVEA-0 --metric igd --out igd.pdf
      tensorrvea plot runs/zdt --kind attainment --out attained.png
    """

    directories: tyro.conf.Positional[tuple[Path, ...]]
    """Run directories."""
    out: Out = Path("front.svg")
    """The figure: SVG, PDF or PNG."""
    kind: Literal["front", "parallel", "attainment", "convergence"] = "front"
    """The front of one run; parallel coordinates; what many runs attain together; how a metric went."""
    metric: str | None = None
    """Draw how this metric went, with a band for runs of the same algorithm; it is a plot of convergence."""

    def __call__(self) -> None:
        from tensorrvea.plot import plot_attainment, plot_convergence, plot_parallel, save

        with reading_arguments():
            results = load_all(self.directories)
            problem = results[0].problem
            axes: dict[str, Any] = {
                "names": problem.objective_names,
                "units": problem.units,
                "directions": problem.directions,
            }
            if self.metric is not None or self.kind == "convergence":
                figure = plot_convergence(curves_of(results, self.metric), ylabel=str(self.metric))
            elif self.kind == "attainment":
                figure = plot_attainment([result.F for result in results], **axes)
            elif self.kind == "parallel":
                figure = plot_parallel({run_name(result): result.F for result in results}, **axes)
            elif len(results) == 1:
                figure = results[0].plot()
            else:
                raise ValueError(f"plot takes one run for a front, got {len(results)}; try --kind attainment")
            save(figure, self.out)
        print(self.out)


def curves_of(results: list[Result], metric: str | None) -> dict[str, tuple[Any, Any]]:
    """How a metric went, for each algorithm: runs that are as long make one band."""
    grouped: dict[str, list[Result]] = {}
    for result in results:
        known = ", ".join(result.history.metrics) or "none"
        if metric not in result.history.metrics:
            raise ValueError(f"metric must be one that was recorded ({known}), got {metric!r}")
        label = type(result.algorithm).__name__
        if label in grouped and len(grouped[label][0].history) != len(result.history):
            label = f"{run_name(result)}, {result.generations} generations"
        grouped.setdefault(label, []).append(result)
    return {
        label: (runs[0].history.generation, np.stack([run.history.metrics[str(metric)] for run in runs]))
        for label, runs in grouped.items()
    }


def run_name(result: Result) -> str:
    return f"{type(result.algorithm).__name__}, seed {result.seed}"


def load_all(directories: Iterable[Path]) -> list[Result]:
    """The results of all runs in all directories."""
    results: list[Result] = []
    for directory in directories:
        found = load(directory)
        results += found if isinstance(found, list) else [found]
    if not results:
        raise ValueError("give at least one run directory")
    return results
