"""Evolve a hopper in a few minutes on the CPU of a laptop, and watch three policies of the front.

    python examples/hopper.py [directory]

Writes three animations: the fastest policy, the one that jumps highest, and the knee between them.
"""

import sys
from pathlib import Path

import numpy as np

from tensorrvea import TensorRVEA, metrics, optimize
from tensorrvea.neuroevolution import RobotProblem, render, rescore

POPULATION, GENERATIONS = 128, 60


def main(directory: Path, population: int = POPULATION, generations: int = GENERATIONS) -> None:
    # The backend on a CPU is MuJoCo. The control cost has the weight of Brax, so that moving is worthwhile.
    problem = RobotProblem(task="MoHopper-m2", control_weight=0.001)
    print(f"evolving {problem.variables} weights: {problem.name}")
    result = optimize(problem, TensorRVEA(population=population), generations=generations, seed=1, progress=True)
    print(result)
    volume = metrics.hypervolume(result.F, problem.reference_point(), problem.directions)
    print(f"hypervolume with the paper's reference point: {volume:.4g}")

    chosen = {
        "fastest": int(np.argmax(result.F[:, 0])),
        "knee": result.knee(),
        "highest": int(np.argmax(result.F[:, 1])),
    }
    scores = rescore(problem, result.X[list(chosen.values())], episodes=8)
    directory.mkdir(parents=True, exist_ok=True)
    for row, (name, index) in enumerate(chosen.items()):
        path = render(problem.load(result.X[index]), directory / f"hopper-{name}.gif", steps=500)
        searched = ", ".join(f"{value:.0f}" for value in result.F[index])
        unseen = ", ".join(
            f"{mean:.0f} ± {spread:.0f}" for mean, spread in zip(scores.mean[row], scores.spread[row], strict=True)
        )
        print(f"{name}: {searched} in the search, {unseen} from unseen start states; {path}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
