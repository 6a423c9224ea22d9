"""A run with normalised observations that saves every generation, to be killed by a test."""

import tensorrvea as tr
from tensorrvea.neuroevolution import RobotProblem
from tensorrvea.runs import keep

GENERATIONS = 25


def run(directory: str | None) -> tr.Result:
    problem = RobotProblem(
        "MoHopper-m2", backend="mujoco", steps=60, control_weight=0.001, starts="new", normalize_observations=True
    )
    algorithm = tr.TensorRVEA(population=24)
    return tr.optimize(
        problem, algorithm, generations=GENERATIONS, seed=3, directory=directory, checkpoint_seconds=0.0, archive=40
    )


def save_often(directory: str) -> None:
    keep.SHARE = 1e9
    run(directory)
