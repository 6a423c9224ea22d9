"""Figures of a study: one panel per problem, or one diagram for all."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from tensorrvea.plot import plot_boxes, plot_convergence, plot_ranks
from tensorrvea.plot.style import NotebookFigure, print_style
from tensorrvea.study.records import Runs, resample

if TYPE_CHECKING:
    from tensorrvea.study.study import Study

COLUMNS = 3


def panels(titles: list[str], draw: Callable[[str, Any], Any]) -> Figure:
    """Return a figure with a panel per title, which ``draw(title, axes)`` fills; one legend is enough for all."""
    columns = min(COLUMNS, len(titles))
    rows = math.ceil(len(titles) / columns)
    with print_style():
        figure = NotebookFigure(figsize=(3.0 * columns + 0.4, 2.3 * rows + 0.2), layout="constrained")
        each = figure.subplots(rows, columns, squeeze=False).flat
        for number, axes in enumerate(each):
            if number >= len(titles):
                axes.set_axis_off()
                continue
            draw(titles[number], axes)
            axes.set_title(titles[number].replace("$", r"\$"))
            if number and axes.get_legend() is not None:
                axes.get_legend().remove()
        return figure


def convergence(study: "Study", metric: str, axis: str) -> Figure:
    """Median and quartiles of a metric over generations, evaluations or seconds."""
    curves = {problem: study.curves(problem, metric) for problem in study.runs}
    if not any(curves.values()):
        raise ValueError(
            "no run has the fronts of its generations: they were added without, or would take too much memory"
        )

    def draw(problem: str, axes: Any) -> None:
        bands = {name: _finite(*resample(runs, axis, metric)) for name, runs in curves[problem].items()}
        bands = {name: band for name, band in bands.items() if len(band[0])}
        is_log = not study.indicators[metric].larger_is_better and all((band[1] > 0).all() for band in bands.values())
        plot_convergence(bands, ylabel=metric, xlabel=axis, log=is_log, ax=axes)

    return panels(list(study.runs), draw)


def _finite(steps: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Leave out the steps at which a run has no feasible solution yet."""
    known = np.isfinite(values).all(axis=0)
    return steps[known], values[:, known]


def boxes(study: "Study", metric: str) -> Figure:
    """A metric at the end of the runs."""
    values = study.values(metric)

    def draw(problem: str, axes: Any) -> None:
        finite = np.concatenate([each[np.isfinite(each)] for each in values[problem].values()])
        is_log = bool(len(finite)) and finite.min() > 0 and finite.max() > 20 * finite.min()
        plot_boxes(values[problem], ylabel=metric, log=is_log, ax=axes)

    return panels(list(values), draw)


def ranks(study: "Study", metric: str) -> Figure:
    """A critical-difference diagram."""
    found = study.ranks(metric)
    return plot_ranks(found["ranks"], found["critical_difference"])


def draw_curves(runs: Runs, name: str, axis: str, *, log: bool = False) -> dict[str, Figure]:
    """Draw an indicator over time or generations as mean and confidence band, one figure per problem."""
    figures = {}
    for problem, by_algorithm in runs.items():
        curves = {algorithm: resample(seeds, axis, name) for algorithm, seeds in by_algorithm.items()}
        figures[problem] = plot_convergence(curves, ylabel=name, xlabel=axis, band="confidence", log=log)
    return figures
