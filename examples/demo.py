"""The demo of ``make demo``: a benchmark with a known front, and a robot.

The first front is compared with the true one. The second trades the speed of a two-legged robot against its energy, and
becomes a page on which its policies can be compared and watched.
"""

import sys
from functools import partial
from pathlib import Path

import jax.numpy as jnp

import tensorrvea as tr
from tensorrvea.neuroevolution import RobotProblem


def known_front(directory: Path, population: int, generations: int) -> None:
    problem = tr.problems.DTLZ2(objectives=3, variables=12)
    front = problem.front(2926)
    result = tr.optimize(
        problem,
        tr.TensorRVEA(population=population),
        generations=generations,
        seed=1,
        metrics={"igd": partial(tr.metrics.device.igd, front=jnp.asarray(front))},
        progress=True,
    )
    reference = [1.1, 1.1, 1.1]
    volume, best = (tr.metrics.hypervolume(points, reference) for points in (result.F, front))
    table(
        f"{problem}, {result.evaluations:,} evaluations in {result.seconds:.2f} s",
        {
            "non-dominated solutions": f"{len(result.F):,} of {result.capacity:,} reference vectors",
            "hypervolume": f"{volume:.4f} (true front: {best:.4f})",
            "IGD": f"{tr.metrics.igd(result.F, front):.5f}",
            "evaluations per second": f"{result.evaluations / result.seconds:,.0f}",
        },
    )
    path = directory / "demo.png"
    result.plot().savefig(path, dpi=150)
    print(f"\nplot of the front: {path.resolve()}\n")


def robot(directory: Path, population: int, generations: int, steps: int) -> None:
    problem = RobotProblem(task="MoHalfCheetah", steps=steps)
    result = tr.optimize(
        problem,
        tr.TensorRVEA(population=population),
        generations=generations,
        seed=1,
        history="fronts",
        progress=True,
    )
    volume = tr.metrics.hypervolume(result.F, problem.reference_point(), problem.directions)
    table(
        f"{problem.name}: {problem.variables} weights of a network, {result.evaluations:,} policies in "
        f"{result.seconds:.0f} s",
        {
            "non-dominated policies": f"{len(result.F)} of {result.capacity} reference vectors",
            "hypervolume": f"{volume:.4g} (reference point of the paper)",
            "policies per second": f"{result.evaluations / result.seconds:,.0f}",
        },
    )
    page = result.report(directory / "demo.html", title="A cheetah that runs fast or saves its strength")
    print(f"\npage to compare and watch the policies: open\n{page.resolve()}")


def table(title: str, rows: dict[str, str]) -> None:
    width = max(map(len, rows))
    print(f"\n{title}")
    for name, value in rows.items():
        print(f"  {name:<{width}}  {value}")


def main(
    directory: Path,
    *,
    population: int = 1000,
    generations: int = 500,
    policies: int = 64,
    robot_generations: int = 30,
    steps: int = 1000,
) -> None:
    """Run both searches; ``policies`` and ``steps`` are the robot's population and episode length."""
    directory.mkdir(parents=True, exist_ok=True)
    known_front(directory, population, generations)
    robot(directory, policies, robot_generations, steps)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
