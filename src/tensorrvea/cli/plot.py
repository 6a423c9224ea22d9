"""``tensorrvea plot``."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import tyro

from tensorrvea.api import load
from tensorrvea.cli.errors import argument_errors
from tensorrvea.result import Result

Out = Annotated[Path, tyro.conf.arg(aliases=["-o"])]


@dataclass(kw_only=True)
class Plot:
    """Draw a figure of runs, for print.

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
    """The front of one run, parallel coordinates, the attainment surface of several runs, or a metric over
    generations."""
    metric: str | None = None
    """The metric to draw over generations, with a band for runs of the same algorithm; implies convergence."""

    def __call__(self) -> None:
        from tensorrvea.plot import save

        with argument_errors():
            save(self.figure(load_all(self.directories)), self.out)
        print(self.out)

    def figure(self, results: list[Result]) -> Any:
        """Return the figure that was asked for."""
        from tensorrvea.plot import plot_attainment, plot_convergence, plot_parallel

        p = results[0].problem
        axes: dict[str, Any] = {"names": p.objective_names, "units": p.units, "directions": p.directions}
        if self.metric is not None or self.kind == "convergence":
            return plot_convergence(metric_curves(results, self.metric), ylabel=str(self.metric))
        if self.kind == "attainment":
            return plot_attainment([result.F for result in results], **axes)
        if self.kind == "parallel":
            return plot_parallel({run_name(result): result.F for result in results}, **axes)
        if len(results) > 1:
            raise ValueError(f"a plot of kind front takes one run, got {len(results)}; try --kind attainment")
        return results[0].plot()


def metric_curves(results: list[Result], metric: str | None) -> dict[str, tuple[Any, Any]]:
    """Group a metric's values by algorithm: runs of the same length share a band."""
    groups: dict[str, list[Result]] = {}
    for result in results:
        if metric not in result.history.metrics:
            recorded = ", ".join(result.history.metrics) or "none"
            raise ValueError(f"metric must be a recorded one ({recorded}), got {metric!r}")
        label = type(result.algorithm).__name__
        if label in groups and len(groups[label][0].history) != len(result.history):
            label = f"{run_name(result)}, {result.generations} generations"
        groups.setdefault(label, []).append(result)
    return {
        label: (runs[0].history.generation, np.stack([run.history.metrics[str(metric)] for run in runs]))
        for label, runs in groups.items()
    }


def run_name(result: Result) -> str:
    return f"{type(result.algorithm).__name__}, seed {result.seed}"


def load_all(directories: Iterable[Path]) -> list[Result]:
    """Load the results of all runs in all directories, and of files of ``Result.save``."""
    loaded = [load(directory) for directory in directories]
    results = [result for one in loaded for result in (one if isinstance(one, list) else [one])]
    if not results:
        raise ValueError("give at least one run directory")
    return results
