"""Figures of many runs: bands of an indicator, and attainment."""

from collections.abc import Mapping, Sequence

import matplotlib as mpl
import moocore
import numpy as np
import scipy
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from tensorrvea.checks import check_array, check_choice
from tensorrvea.directions import signs
from tensorrvea.plot.front import draw_parallel
from tensorrvea.plot.style import COLOURS, axis_labels, label_axes, make_axes, print_style

# Different dashes keep curves visible that lie on top of each other.
LINES = ("-", "--", "-.", ":")


def plot_convergence(
    curves: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    ylabel: str,
    xlabel: str = "generation",
    band: str = "quartiles",
    log: bool = False,
    ax: Axes | None = None,
) -> Figure:
    """Plot an indicator over many runs of each algorithm, as a line and a band.

    Args:
      curves: label → (steps (g,), values (runs, g)); the steps are generations, evaluations or seconds.
      band: ``"quartiles"`` draws the median and the middle half of the runs; ``"confidence"`` the mean and
        its 95 % confidence interval (Student's t).
      xlabel: the name of the steps.
      ylabel: the name of the indicator.
      log: a logarithmic axis for the values.
      ax: axes to draw on; a new figure if None.

    Returns:
      The figure.

    >>> figure = plot_convergence({"A": ([0, 1, 2], [[3.0, 2.0, 1.0], [4.0, 2.0, 1.5]])}, ylabel="IGD")
    >>> figure.axes[0].get_ylabel()
    'IGD'
    """
    check_choice("band", band, ("quartiles", "confidence"))
    with print_style():
        figure, axes = make_axes(ax)
        for i, (label, (steps, values)) in enumerate(curves.items()):
            x = check_array(f"steps of {label}", steps, shape="(steps,)", ndim=1)
            y = check_array(f"values of {label}", values, shape="(runs, steps)", ndim=2)
            if y.shape[1] != len(x):
                raise ValueError(f"values of {label} must have {len(x)} columns, one per step, got {y.shape[1]}")
            middle, low, high = summarise(y, band)
            colour = COLOURS[i % len(COLOURS)]
            axes.plot(x, middle, LINES[i % len(LINES)], color=colour, label=label)
            axes.fill_between(x, low, high, color=colour, alpha=0.2, linewidth=0)
        axes.set(xlabel=xlabel, ylabel=ylabel, yscale="log" if log else "linear")
        axes.margins(x=0.01)
        if curves:
            axes.legend()
        return figure


def summarise(values: ArrayLike, band: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The line and the lower and upper limits of a band of ``plot_convergence``, from (runs, steps).

    Args:
      values: one row per run.
      band: ``"quartiles"`` or ``"confidence"``.

    Returns:
      The line, the lower and the upper limit, one number per step each.

    >>> [v.tolist() for v in summarise([[1.0], [2.0], [3.0], [4.0], [10.0]], "quartiles")]
    [[3.0], [2.0], [4.0]]
    """
    y = np.asarray(values, dtype=float)
    if check_choice("band", band, ("quartiles", "confidence")) == "quartiles":
        low, middle, high = np.quantile(y, [0.25, 0.5, 0.75], axis=0)
        return middle, low, high
    middle = y.mean(axis=0)
    if len(y) == 1:
        return middle, middle, middle
    half = scipy.stats.t.ppf(0.975, len(y) - 1) * y.std(axis=0, ddof=1) / np.sqrt(len(y))
    return middle, middle - half, middle + half


def attainment(fronts: Sequence[ArrayLike], points: ArrayLike, directions: str | Sequence[str] = "min") -> np.ndarray:
    """The share of runs with a solution at least as good as each point in every objective.

    Args:
      fronts: the objectives of each run.
      points: where the share is computed.
      directions: ``"min"`` or ``"max"`` for all objectives, or one of them for each.

    Returns:
      One share per point, from 0 to 1.

    >>> attainment([[[0.0, 1.0]], [[1.0, 0.0]], [[0.0, 0.0]]], [[0.0, 1.0], [1.0, 1.0]]).tolist()
    [0.6666666666666666, 1.0]
    """
    p = check_array("points", points, shape="(points, objectives)", ndim=2)
    sign = signs(directions, p.shape[1])
    reached = np.zeros(len(p))
    for i, front in enumerate(fronts):
        f = check_array(f"fronts[{i}]", front, shape="(solutions, objectives)", ndim=2)
        if f.shape[1] != p.shape[1]:
            raise ValueError(f"fronts[{i}] must have {p.shape[1]} objectives, got {f.shape[1]}")
        for start in range(0, len(p), 256):  # in blocks, to bound memory
            block = p[start : start + 256, None, :] * sign
            reached[start : start + 256] += (f * sign <= block).all(axis=2).any(axis=1)
    return reached / len(fronts)


def plot_attainment(
    fronts: Sequence[ArrayLike],
    *,
    names: Sequence[str] | None = None,
    units: Sequence[str] | None = None,
    directions: str | Sequence[str] = "min",
    ax: Axes | None = None,
) -> Figure:
    """Plot what share of the runs attains which objectives.

    For two objectives, the best, median and worst attainment surfaces (attained by at least one, half, and all of the
    runs); an empty front attains nothing. For three or more, the solutions of all runs, coloured by the share of
    runs that attain them.
    """
    if len(fronts) == 0:
        raise ValueError("fronts must hold at least one run, got none")
    arrays = [check_array(f"fronts[{i}]", f, shape="(solutions, objectives)", ndim=2) for i, f in enumerate(fronts)]
    every = np.concatenate(arrays)
    if len(every) == 0:
        raise ValueError("fronts must hold at least one solution, got none")
    labels = axis_labels(every.shape[1], names, units, directions)
    if every.shape[1] == 2:
        return _draw_attainment_surfaces(arrays, labels, directions, ax)
    share = attainment(arrays, every, directions)
    with print_style():
        if every.shape[1] == 3:
            figure, axes = make_axes(ax, three_d=True)
            order = np.argsort(share)[::-1]  # draw the solutions that few runs attain last
            drawn = axes.scatter(*every[order].T, c=share[order], cmap="viridis", vmin=0, vmax=1, s=6, linewidths=0)
            label_axes(axes, labels)
        else:
            figure = draw_parallel([every], [None], labels, directions, None, ax, share=share)
            axes = figure.axes[0] if ax is None else ax
            drawn = mpl.cm.ScalarMappable(mpl.colors.Normalize(0, 1), "viridis")
        bar = figure.colorbar(drawn, ax=axes, shrink=0.7, pad=0.12 if every.shape[1] == 3 else 0.03)
        bar.set_label("share of runs that attain")
        return figure


def _draw_attainment_surfaces(
    fronts: list[np.ndarray], labels: Sequence[str], directions: str | Sequence[str], ax: Axes | None
) -> Figure:
    sign = signs(directions, 2)
    data = np.concatenate([f * sign for f in fronts])
    sets = np.repeat(np.arange(len(fronts)), [len(f) for f in fronts])
    # moocore sees only the non-empty fronts: convert shares of all runs to percentages of those.
    nonempty = sum(len(f) > 0 for f in fronts)
    wanted = {"best": 100 / nonempty, "median": 50 * len(fronts) / nonempty, "worst": 100 * len(fronts) / nonempty}
    surfaces = moocore.eaf(data, sets, percentiles=sorted({level for level in wanted.values() if level <= 100}))
    with print_style():
        figure, axes = make_axes(ax)
        high = data.max(axis=0) + 0.03 * np.ptp(data, axis=0)
        for name, style, colour in (("best", ":", "0.4"), ("median", "-", COLOURS[0]), ("worst", "--", "0.4")):
            points = surfaces[np.isclose(surfaces[:, 2], wanted[name]), :2]
            axes.plot(*(_stairs(points, high) * sign).T, style, color=colour, label=name)
        label_axes(axes, labels)
        axes.legend(title=f"attained in {len(fronts)} runs", title_fontsize=7)
        return figure


def _stairs(points: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The border of the region that a minimised 2-D set dominates, up to ``high``; empty for an empty set."""
    if len(points) == 0:
        return np.empty((0, 2))
    points = points[np.argsort(points[:, 0])]
    corners = [(points[0, 0], high[1])]
    for (x, y), next_x in zip(points, [*points[1:, 0], high[0]], strict=True):
        corners += [(x, y), (next_x, y)]
    return np.array(corners)
