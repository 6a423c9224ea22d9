"""Plot the pictures of the README and of the first page of the site into docs/images/: a front, and a robot.

Run as ``python docs/make_readme_pictures.py``; it takes some minutes on two cores.
"""

import tempfile
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from PIL import Image

import tensorrvea as tr
from tensorrvea.neuroevolution import RobotProblem, render
from tensorrvea.plot.style import print_style

FOLDER = Path(__file__).parent / "images"


def find_front() -> tr.Result:
    return tr.optimize(tr.problems.DTLZ2(objectives=3, variables=12), generations=100, seed=1)


def evolve_robot() -> tuple[tr.Result, Path]:
    """Return the front of a cheetah's policies, and the animation of its fastest one."""
    problem = RobotProblem(task="MoHalfCheetah", steps=300, backend="mujoco")
    result = tr.optimize(problem, tr.TensorRVEA(population=64), generations=40, seed=1)
    fastest = problem.load(result.X[result.F[:, 0].argmax()])
    return result, render(fastest, Path(tempfile.mkdtemp()) / "cheetah.gif", steps=200, width=720)


def frames_of(path: Path, count: int) -> list[np.ndarray]:
    """Return evenly spaced frames of an animation, without its margins at the top."""
    with Image.open(path) as film:
        frames = []
        for number in np.linspace(0.3, 0.9, count):
            film.seek(int(number * film.n_frames))
            frames.append(np.asarray(film.convert("RGB")))
    return frames


def main() -> None:
    front = find_front()
    front.plot().savefig(FOLDER / "first_front.png", dpi=110)
    robot, film = evolve_robot()
    with print_style():
        figure = Figure(figsize=(10.5, 3.9), layout="constrained")
        grid = figure.add_gridspec(2, 3, width_ratios=[1.25, 1, 1.25])
        axes = figure.add_subplot(grid[:, 0], projection="3d")
        axes.scatter(*front.F.T, s=10, color="#0072B2", depthshade=False)
        axes.set(xlabel="$f_1$", ylabel="$f_2$", zlabel="$f_3$", title="DTLZ2")
        axes.view_init(25, 45)
        axes = figure.add_subplot(grid[:, 1])
        axes.scatter(*robot.F.T, s=10, color="#D55E00")
        axes.set(xlabel="speed", ylabel="energy (negative)", title="policies of a cheetah")
        for row, picture in enumerate(frames_of(film, 2)):
            axes = figure.add_subplot(grid[row, 2])
            axes.imshow(picture)
            axes.set_axis_off()
        figure.savefig(FOLDER / "readme.png", dpi=110)


if __name__ == "__main__":
    mpl.use("agg")
    main()
