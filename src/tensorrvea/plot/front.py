"""Figures of sets of solutions: 2-D, 3-D, parallel coordinates."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from tensorrvea.checks import check_array
from tensorrvea.decision import normalise
from tensorrvea.directions import signs
from tensorrvea.plot.style import COLOURS, axis_labels, label_axes, make_axes, print_style


def plot_front(
    F: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    units: Sequence[str] | None = None,
    directions: str | Sequence[str] = "min",
    front: ArrayLike | None = None,
    label: str | None = None,
    ax: Axes | None = None,
) -> Figure:
    """Plot solutions in objective space: 2-D, 3-D, or parallel coordinates for four or more objectives.

    Args:
      F: objectives in the user's signs, (n, m).
      names: of the objectives, for the axes.
      units: of the objectives.
      directions: ``"min"`` or ``"max"`` for all objectives, or one of them for each.
      front: points of the true front, drawn behind the solutions.
      label: of the solutions in the legend.
      ax: axes to draw on (with ``projection="3d"`` for three objectives); a new figure if None.

    Returns:
      The figure.

    >>> figure = plot_front([[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]], names=["cost", "mass"], units=["€", "kg"])
    >>> figure.axes[0].get_xlabel()
    'cost [€] (min)'
    """
    f = check_array("F", F, shape="(solutions, objectives)", ndim=2)
    if f.shape[1] < 2:
        raise ValueError(f"F must have at least 2 objectives, got {f.shape[1]}")
    truth = None if front is None else check_array("front", front, shape="(points, objectives)", ndim=2)
    if truth is not None and truth.shape[1] != f.shape[1]:
        raise ValueError(f"front must have {f.shape[1]} columns, as F has, got {truth.shape[1]}")
    labels = axis_labels(f.shape[1], names, units, directions)
    if f.shape[1] > 3:
        return draw_parallel([f], [label], labels, directions, truth, ax)
    with print_style():
        figure, axes = make_axes(ax, three_d=f.shape[1] == 3)
        if truth is not None:
            axes.scatter(*truth.T, s=2, color="0.75", linewidths=0, label="true front", zorder=1, rasterized=True)
        axes.scatter(*f.T, s=9, alpha=0.85, linewidths=0, label=label or "solutions", zorder=2)
        label_axes(axes, labels)
        if truth is not None or label is not None:
            axes.legend()
        return figure


def plot_parallel(
    F: ArrayLike | Mapping[str, ArrayLike],
    *,
    names: Sequence[str] | None = None,
    units: Sequence[str] | None = None,
    directions: str | Sequence[str] = "min",
    ax: Axes | None = None,
) -> Figure:
    """Plot parallel coordinates for any number of objectives: one line per solution, the best values at the bottom.

    Args:
      F: objectives (n, m), or a mapping from labels to such arrays, each drawn in its own colour.
      names: of the objectives, for the axes.
      units: of the objectives.
      directions: ``"min"`` or ``"max"`` for all objectives, or one of them for each.
      ax: axes to draw on; a new figure if None.

    Returns:
      The figure.

    >>> len(plot_parallel([[0.0, 1.0, 2.0], [1.0, 0.0, 1.0]]).axes)
    1
    """
    groups = dict(F) if isinstance(F, Mapping) else {None: F}
    arrays = [check_array("F", f, shape="(solutions, objectives)", ndim=2) for f in groups.values()]
    if len({f.shape[1] for f in arrays}) != 1:
        raise ValueError(f"F must have the same objectives in every set, got shapes {[f.shape for f in arrays]}")
    labels = axis_labels(arrays[0].shape[1], names, units, directions)
    return draw_parallel(arrays, list(groups), labels, directions, None, ax)


def draw_parallel(
    groups: list[np.ndarray],
    group_labels: Sequence[str | None],
    labels: Sequence[str],
    directions: str | Sequence[str],
    truth: np.ndarray | None,
    ax: Axes | None,
    share: np.ndarray | None = None,
) -> Figure:
    """Draw one line per solution, normalised over all groups, with the values at both ends of each axis."""
    every = np.concatenate([*groups, *([] if truth is None else [truth])])
    parts = np.split(normalise(every, directions), np.cumsum([len(f) for f in groups]))
    m = every.shape[1]
    with print_style():
        figure, axes = make_axes(ax, size=(max(3.4, 0.85 * m), 2.6))
        if truth is not None:
            axes.add_collection(LineCollection(_lines(parts[-1]), colors="0.85", linewidths=0.4, zorder=1))
            axes.plot([], [], color="0.75", label="true front")
        for i, (scaled, label) in enumerate(zip(parts[:-1], group_labels, strict=True)):
            alpha = float(np.clip(30 / max(len(scaled), 1), 0.08, 0.7))
            colour: Any = COLOURS[i % len(COLOURS)] if share is None else mpl.colormaps["viridis"](share)
            lines = LineCollection(_lines(scaled), colors=colour, alpha=alpha, linewidths=0.7)
            lines.set_rasterized(len(scaled) > 2000)
            axes.add_collection(lines)
            if label is not None:
                axes.plot([], [], color=colour, label=label)
        minimised = every * signs(directions, m)
        ends = np.stack([minimised.min(axis=0), minimised.max(axis=0)]) * signs(directions, m)
        for j, (best, worst) in enumerate(ends.T):
            axes.plot([j, j], [0, 1], color="0.3", linewidth=0.5, zorder=0.5)
            axes.text(j, 1.03, f"{worst:.3g}", ha="center", va="bottom", fontsize=6)
            axes.text(j, -0.03, f"{best:.3g}", ha="center", va="top", fontsize=6)
        axes.set(xlim=(-0.15, m - 0.85), ylim=(-0.1, 1.1), yticks=[], xticks=range(m))
        long = max(map(len, labels)) * m > 60
        axes.set_xticklabels(labels, rotation=20 if long else 0, ha="right" if long else "center")
        axes.tick_params(axis="x", length=0)
        for side in ("left", "bottom"):
            axes.spines[side].set_visible(False)
        if axes.get_legend_handles_labels()[1]:
            axes.legend(loc="lower left", bbox_to_anchor=(0, 1.02), ncols=4)
        return figure


def _lines(scaled: np.ndarray) -> Any:
    """One polyline per solution, (n, m, 2)."""
    n, m = scaled.shape
    return np.stack([np.broadcast_to(np.arange(m, dtype=float), (n, m)), scaled], axis=2)
