"""Plot the true front of every benchmark problem for docs/problems.md into docs/images/problems/.

Run as ``python docs/make_problem_pictures.py [NAME ...]``; the output is deterministic.
"""

import sys
from io import BytesIO
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

from tensorrvea import problems
from tensorrvea.plot.style import print_style
from tensorrvea.problems import Benchmark

FOLDER = Path(__file__).parent / "images" / "problems"
POINTS = 4000
# Fronts of the unconstrained versions of constrained problems, drawn in grey behind them.
UNCONSTRAINED = {
    "C2": "DTLZ2",
    "C3": "DTLZ4",
    "DC1DTLZ1": "DTLZ1",
    "DC3DTLZ1": "DTLZ1",
    "DC1DTLZ3": "DTLZ3",
    "DC3DTLZ3": "DTLZ3",
}


def main(names: list[str]) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, problem in problems.NAMED.items():
        if names and name not in names:
            continue
        save(picture(problem()), FOLDER / f"{name}.png")


def picture(problem: Benchmark) -> Figure:
    """Plot the front of a problem in two or three dimensions, or over parallel coordinates."""
    # The minus sign of the font is invisible at this size, a hyphen is not.
    with print_style(), mpl.rc_context({"axes.unicode_minus": False}):
        figure = Figure(figsize=(2.3, 2.1), dpi=110)
        if problem.objectives > 3:
            draw_coordinates(figure.add_axes((0.08, 0.14, 0.89, 0.81)), problem)
            return figure
        if problem.objectives == 2:
            axes = figure.add_axes((0.23, 0.19, 0.73, 0.76))
            axes.set_xlabel("f₁", labelpad=0)
            axes.set_ylabel("f₂", labelpad=0)
        else:
            axes = figure.add_axes((0.03, 0.04, 0.92, 0.98), projection="3d")
            axes.view_init(elev=24, azim=28)
            axes.set_xlabel("f₁", labelpad=-9)
            axes.set_ylabel("f₂", labelpad=-11)
            figure.text(0.02, 0.86, "f₃")
        draw(axes, problem)
        axes.tick_params(labelsize=6, length=2, pad=2 if problem.objectives == 2 else -5)
        if problem.objectives == 3:
            # Without the last tick labels, which would overlap in the corner.
            axes.locator_params("x", nbins=4, prune="upper")
            axes.locator_params("y", nbins=4, prune="upper")
            axes.locator_params("z", nbins=4)
    return figure


def draw(axes: Axes, problem: Benchmark) -> None:
    front = problem.front(POINTS)
    unconstrained = next((other for start, other in UNCONSTRAINED.items() if problem.name.startswith(start)), None)
    if unconstrained is not None:
        full_front = problems.named(unconstrained)().front(1500)
        axes.scatter(*full_front.T, s=1.5, color="0.8", linewidths=0, depthshade=False)
    if problem.objectives == 2:
        axes.scatter(*front.T, s=3, linewidths=0)
        return
    # Colour by height, the only cue for depth.
    axes.scatter(*front.T, s=4, c=front[:, 2], cmap="viridis", linewidths=0, depthshade=False)
    top = front.max(axis=0) if unconstrained is None else np.maximum(front.max(axis=0), full_front.max(axis=0))
    low = front.min(axis=0)
    # From zero, except where this would hide the front.
    low = np.where((low > 0) & (low < 0.7 * top), 0, low)
    axes.set(xlim=(low[0], top[0]), ylim=(low[1], top[1]), zlim=(low[2], top[2]))


def draw_coordinates(axes: Axes, problem: Benchmark) -> None:
    """Draw one line per point over all objectives, each scaled to its range."""
    front = problem.front(60)
    scaled = (front - front.min(axis=0)) / np.ptp(front, axis=0)
    numbers = np.arange(1, problem.objectives + 1)
    axes.plot(numbers, scaled.T, color="C0", linewidth=0.4, alpha=0.5)
    axes.set(xticks=numbers, yticks=[], xlim=(1, problem.objectives))
    axes.set_xticklabels([f"f{number}" for number in numbers])
    axes.tick_params(labelsize=6, length=2, pad=2)


def save(figure: Figure, path: Path) -> None:
    """Write a PNG with a palette of 64 colours, a third of the size of a full-colour one."""
    buffer = BytesIO()
    figure.savefig(buffer, format="png")
    image = Image.open(buffer).convert("RGB").quantize(64, dither=Image.Dither.NONE)
    image.save(path, optimize=True)


if __name__ == "__main__":
    main(sys.argv[1:])
