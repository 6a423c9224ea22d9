"""Figures that compare algorithms: boxes of an indicator, a critical-difference diagram, and a heat map."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from tensorrvea.checks import check_array, check_number
from tensorrvea.plot.style import COLOURS, make_axes, print_style


def plot_boxes(values: Mapping[str, ArrayLike], *, ylabel: str, log: bool = False, ax: Axes | None = None) -> Figure:
    """Plot an indicator of many runs of each algorithm as boxes: median, quartiles, and whiskers of 1.5 × the IQR.

    Args:
      values: label → one value per run; infinite ones are left out.
      ylabel: the name of the indicator.
      log: a logarithmic axis for the values.
      ax: axes to draw on; a new figure if None.

    Returns:
      The figure.

    >>> len(plot_boxes({"A": [1.0, 2.0], "B": [2.0, 3.0]}, ylabel="IGD").axes)
    1
    """
    with print_style():
        figure, axes = make_axes(ax)
        finite = [np.asarray(each, float)[np.isfinite(np.asarray(each, float))] for each in values.values()]
        drawn = axes.boxplot(finite, widths=0.6, patch_artist=True, flierprops={"markersize": 3})
        for i, (box, median) in enumerate(zip(drawn["boxes"], drawn["medians"], strict=True)):
            box.set(facecolor=COLOURS[i % len(COLOURS)], alpha=0.35, linewidth=0.6)
            median.set(color="black")
        axes.set_xticks(range(1, len(values) + 1), [_text(name) for name in values], rotation=30, ha="right")
        axes.set(ylabel=_text(ylabel), yscale="log" if log else "linear")
        return figure


def plot_ranks(ranks: Mapping[str, float], critical_difference: float, *, ax: Axes | None = None) -> Figure:
    """Plot average ranks as a critical-difference diagram (Demšar, JMLR 7, 2006).

    The best rank is on the left. Algorithms that a thick line joins are not significantly different.

    Args:
      ranks: the average rank of each algorithm, 1 for the best.
      critical_difference: ranks that differ by less are joined.
      ax: axes to draw on; a new figure if None.

    Returns:
      The figure.

    >>> len(plot_ranks({"A": 1.2, "B": 2.0, "C": 2.8}, critical_difference=1.0).axes)
    1
    """
    check_number("critical_difference", critical_difference, minimum=0.0, scalar=True)
    order = sorted(ranks, key=lambda name: ranks[name])
    at = np.array([ranks[name] for name in order])
    groups = joined_groups(at, critical_difference)
    rows = (len(order) + 1) // 2
    with print_style():
        low, high = 1.0, float(max(len(order), 2))
        # In inches: the line of ranks, wide enough for the number of each, and the names on both sides.
        line, names = max(1.9, 0.18 * (high - low)), 1.15
        figure, axes = make_axes(ax, size=(line + 2 * names, 1.0 + 0.2 * rows + 0.12 * len(groups)))
        depth = 0.5 + 0.35 * len(groups)
        axes.plot([low, high], [0, 0], color="black", linewidth=0.8)
        for tick in range(int(low), int(high) + 1):
            axes.plot([tick, tick], [0, 0.15], color="black", linewidth=0.8)
            axes.text(tick, 0.25, str(tick), ha="center", va="bottom", fontsize=7)
        width = high - low
        inch = width / line
        for i, name in enumerate(order):
            is_left = i < rows
            level = -(depth + 0.6 * (i if is_left else len(order) - 1 - i))
            end = low - 0.1 * inch if is_left else high + 0.1 * inch
            axes.plot([at[i], at[i], end], [0, level, level], color=COLOURS[i % len(COLOURS)], linewidth=0.9)
            text = f"{_text(name)} ({at[i]:.2f})"
            axes.text(end, level, f"{text} " if is_left else f" {text}", ha="right" if is_left else "left", va="center")
        for i, (first, last) in enumerate(groups):
            level = -0.35 * (i + 1)
            axes.plot([at[first] - 0.01 * width, at[last] + 0.01 * width], [level] * 2, color="black", linewidth=2.5)
        start = low + min(critical_difference, width)
        axes.plot([low, start], [1.2, 1.2], color="black", linewidth=1.2)
        axes.text(low, 1.35, f"critical difference {critical_difference:.2f}", fontsize=7, va="bottom")
        axes.set_xlim(low - names * inch, high + names * inch)
        axes.set_axis_off()
        return figure


def joined_groups(ranks: ArrayLike, critical_difference: float) -> list[tuple[int, int]]:
    """Return the first and the last of each largest group of sorted ranks that differ by less than the difference.

    >>> joined_groups([1.0, 1.5, 2.0, 4.0], 0.7)
    [(0, 1), (1, 2)]
    """
    each = np.asarray(ranks, float)
    groups: list[tuple[int, int]] = []
    for first in range(len(each)):
        last = int(np.flatnonzero(each - each[first] < critical_difference)[-1])
        if last > first and (not groups or last > groups[-1][1]):
            groups.append((first, last))
    return groups


def plot_heat_map(
    values: ArrayLike,
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    row_title: str = "",
    column_title: str = "",
    label: str = "",
    larger_is_better: bool = False,
    ax: Axes | None = None,
) -> Figure:
    """Plot a grid of numbers as colours, with the numbers in them; the best is framed.

    Args:
      values: (rows, columns).
      rows: the labels of the rows.
      columns: the labels of the columns.
      row_title: the title of the rows.
      column_title: the title of the columns.
      label: the name of the numbers.
      larger_is_better: which of them is the best.
      ax: axes to draw on; a new figure if None.

    Returns:
      The figure.
    """
    v = check_array("values", values, shape="(rows, columns)", ndim=2)
    if v.shape != (len(rows), len(columns)):
        raise ValueError(f"values must have shape {(len(rows), len(columns))}, got {v.shape}")
    with print_style():
        figure, axes = make_axes(ax, size=(1.4 + 0.62 * len(columns), 1.0 + 0.34 * len(rows)))
        image = axes.imshow(v, cmap="viridis" if larger_is_better else "viridis_r", aspect="auto")
        axes.set_xticks(range(len(columns)), [_text(name) for name in columns])
        axes.set_yticks(range(len(rows)), [_text(name) for name in rows])
        axes.set(xlabel=_text(column_title), ylabel=_text(row_title))
        best = np.unravel_index((np.argmax if larger_is_better else np.argmin)(v), v.shape)
        for (i, j), number in np.ndenumerate(v):
            red, green, blue, _ = image.cmap(image.norm(number))
            dark = 0.3 * red + 0.6 * green + 0.1 * blue < 0.5
            weight = "bold" if (i, j) == best else "normal"
            colour = "white" if dark else "black"
            axes.text(j, i, f"{number:.3g}", ha="center", va="center", color=colour, fontsize=7, weight=weight)
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0)
        figure.colorbar(image, ax=axes, label=_text(label))
        return figure


def _text(name: str) -> str:
    """Escape a name, which is text and not a formula."""
    return name.replace("$", r"\$")
