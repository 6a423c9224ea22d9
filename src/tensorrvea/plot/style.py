"""Print style of figures: colours, sizes, labels, saving."""

import io
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import matplotlib as mpl
from cycler import cycler
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from tensorrvea.checks import check_directions

# The palette of Okabe & Ito, distinct for colour-blind readers and in grey.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
FORMATS = (".svg", ".pdf", ".png")

PRINT_STYLE: dict[Any, Any] = {
    "figure.dpi": 150,
    "savefig.dpi": 300,
    "font.size": 8,
    "axes.labelsize": 8,
    "axes.titlesize": 8,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": cycler(color=COLOURS),
    "axes.formatter.use_mathtext": True,
    "lines.linewidth": 1.2,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "grid.color": "0.9",
    "grid.linewidth": 0.5,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "pdf.fonttype": 42,  # TrueType: text stays text, as publishers require
    "svg.fonttype": "none",
    "svg.hashsalt": "tensorrvea",  # makes files reproducible
}


def print_style() -> AbstractContextManager[None]:
    """Apply the print style within a block; the user's settings are restored afterwards."""
    return mpl.rc_context(PRINT_STYLE)


def save(figure: Figure, path: str | Path) -> Path:
    """Write a figure as SVG, PDF or PNG, by the suffix of ``path``; the same figure gives the same bytes.

    Args:
      figure: what the functions of this module return.
      path: the file; directories are made.

    Returns:
      The path of the file.

    Raises:
      ValueError: if the suffix is another one.

    Example::

        save(plot_front(result.F), "front.pdf")
    """
    path = Path(path)
    if path.suffix.lower() not in FORMATS:
        raise ValueError(f"path must end in {', '.join(FORMATS)}, got {path.name!r}")
    dates = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {}}
    with print_style():
        figure.savefig(path, bbox_inches="tight", metadata=dates[path.suffix.lower()])
    return path


class NotebookFigure(Figure):
    """A figure that a notebook shows as a picture, also without ``%matplotlib inline``."""

    def _repr_png_(self) -> bytes:
        return as_png(self, dpi=150)


def as_png(figure: Figure, *, dpi: float) -> bytes:
    """Return a figure as the bytes of a PNG file."""
    stream = io.BytesIO()
    with print_style():
        figure.savefig(stream, format="png", dpi=dpi, bbox_inches="tight")
    return stream.getvalue()


def axis_labels(
    objectives: int, names: Sequence[str] | None, units: Sequence[str] | None, directions: str | Sequence[str]
) -> list[str]:
    """``name [unit] (direction)`` for each objective, with ``$`` escaped, since names are text and not formulas."""
    names = [f"f{j + 1}" for j in range(objectives)] if names is None else list(names)
    units = [""] * objectives if units is None else list(units)
    each = check_directions(directions, objectives)
    for what, given in (("names", names), ("units", units)):
        if len(given) != objectives:
            raise ValueError(f"{what} must have one entry for each of {objectives} objectives, got {len(given)}")
    return [
        (f"{name} [{unit}]" if unit else name).replace("$", r"\$") + f" ({direction})"
        for name, unit, direction in zip(names, units, each, strict=True)
    ]


def make_axes(ax: Any, *, three_d: bool = False, size: tuple[float, float] | None = None) -> tuple[Figure, Any]:
    """The given axes, or new ones with the width of a printed column."""
    if ax is not None:
        if three_d and getattr(ax, "name", "") != "3d":
            raise ValueError('ax must be made with projection="3d" for three objectives, got 2-D axes')
        return ax.figure, ax
    figure = NotebookFigure(figsize=size or ((3.8, 3.4) if three_d else (3.4, 2.6)), layout="constrained")
    return figure, figure.add_subplot(projection="3d" if three_d else None)


def label_axes(axes: Any, labels: Sequence[str]) -> None:
    """Set the axis labels; for 3-D axes also the view, the ticks and transparent panes."""
    axes.set_xlabel(labels[0])
    axes.set_ylabel(labels[1])
    if len(labels) == 3:
        axes.set_zlabel(labels[2])
        # Constrained layout ignores that labels of 3-D axes lie outside of them.
        axes.set_box_aspect(None, zoom=0.85)
        axes.view_init(elev=25, azim=45)
        for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
            axis.pane.fill = False
            axis.set_major_locator(MaxNLocator(5))  # more labels would overlap
