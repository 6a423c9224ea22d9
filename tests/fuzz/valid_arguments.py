"""Valid values by the name of a parameter, so that only one argument of a call is hostile."""

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np

import tensorrvea as tr
from tensorrvea.driver.run import Run
from tensorrvea.driver.schedule import Budget
from tensorrvea.driver.search import Search
from tensorrvea.neuroevolution import Objective, RobotPolicy, RobotProblem
from tensorrvea.neuroevolution.rules import noisy_start

PROBLEM, ALGORITHM = tr.problems.ZDT1(variables=5), tr.TensorRVEA(population=8)
FRONT = [[0.0, 1.0], [1.0, 0.0]]


@cache
def finished_run() -> Path:
    """A finished run in a directory."""
    directory = Path(tempfile.mkdtemp()) / "run"
    tr.optimize(PROBLEM, ALGORITHM, generations=2, seed=1, directory=directory)
    return directory


@cache
def result() -> tr.Result:
    return tr.optimize(PROBLEM, ALGORITHM, generations=2)


@cache
def robot() -> RobotProblem:
    return RobotProblem("MoHopper-m2", backend="mujoco", hidden=(2,), steps=3)


@cache
def policy() -> RobotPolicy:
    return RobotPolicy(robot(), np.zeros(robot().variables))


def new_directory() -> Path:
    return Path(tempfile.mkdtemp()) / "run"


def search() -> Search:
    return Search(Run(PROBLEM, ALGORITHM, seeds=[0], is_batched=False, budget=Budget(population=8, generations=2)))


VALID: dict[str, Any] = {
    "function": lambda: lambda x: jnp.stack([x[0], 1 - x[0]]), "lower": lambda: [0.0], "upper": lambda: [1.0],
    "objectives": lambda: 2, "population": lambda: 8, "problem": lambda: PROBLEM, "algorithm": lambda: ALGORITHM,
    "F": lambda: FRONT, "weights": lambda: [1.0, 1.0], "front": lambda: FRONT, "reference": lambda: [2.0, 2.0],
    "points": lambda: 10, "divisions": lambda: 3, "count": lambda: 3, "most": lambda: 10, "inputs": lambda: 2,
    "outputs": lambda: 1, "sets": lambda: [[[0.0, 1.0]]], "names": lambda: ("igd",), "directory": finished_run,
    "generations": lambda: 2, "seeds": lambda: [0], "metric": lambda: "igd", "at_most": lambda: 0.1,
    "values": lambda: [0.5, 0.5], "vectors": lambda: [[1.0, 0.0], [0.0, 1.0]], "name": lambda: "vectors",
    "choice": lambda: "lattice", "target": lambda: [0.5, 0.5], "task": lambda: "MoHopper-m2", "dimensions": lambda: 2,
    "search": search, "direction": lambda: [1.0, 1.0], "radius": lambda: 0.2, "G": lambda: [[-1.0, 0.0], [-0.5, -0.1]],
    "grid": lambda: {"alpha": [1.0, 2.0]}, "problems": lambda: [PROBLEM], "algorithms": lambda: [ALGORITHM],
    "fronts": lambda: {"ZDT1": {"ours": [FRONT], "theirs": [FRONT]}}, "larger_is_better": lambda: False,
    "empty": lambda: 0.0, "results": lambda: [result()], "scale": lambda: 0.1, "path": lambda: "written.html",
}  # fmt: skip
# Where a name means something else than above, or a call needs an argument that has a default.
BY_CALL: dict[str, dict[str, Any]] = {
    "problems.Benchmark": {"function": lambda: lambda x: x[:, :2], "variables": lambda: 5},
    "tensorrvea.compare": {"generations": lambda: 2, "seeds": lambda: 2},
    "tensorrvea.sweep": {"generations": lambda: 2, "seeds": lambda: 2},
    "tensorrvea.register": {"cls": lambda: tr.NSGA2},
    "problems.named": {"name": lambda: "DTLZ2"},
    "runs.keep_run": {"directory": new_directory},
    "neuroevolution.State": {"q": lambda: np.zeros(3), "qd": lambda: np.zeros(3)},
    "stop.Target": {"objectives": lambda: [0.5, 0.5]},
    "stop.MetricReached": {"at_most": lambda: 0.1},
    "tensorrvea.optimize": {"generations": lambda: 2},
    "tensorrvea.replicate": {"generations": lambda: 2},
    "neuroevolution.Objective": {"name": lambda: "speed", "reward": lambda: lambda step: step.velocity[..., 0]},
    "neuroevolution.RobotProblem": {"backend": lambda: "mujoco"},
    "neuroevolution.RobotPolicy": {"problem": robot, "x": lambda: np.zeros(robot().variables)},
    "neuroevolution.rescore": {"problem": robot, "x": lambda: np.zeros((1, robot().variables)), "episodes": lambda: 1},
    "neuroevolution.record": {"policy": policy},
    "neuroevolution.replay": {"policy": policy},
    "neuroevolution.render": {
        "policy": policy, "path": lambda: "robot.gif",
        "steps": lambda: 2,
    },
    "neuroevolution.Task": {
        "name": lambda: "Toy", "model": lambda: "none", "frames": lambda: 1, "observations": lambda: 4,
        "actions": lambda: 1, "observe": lambda: lambda q, _: q, "start": lambda: noisy_start(0.2),
        "objectives": lambda: (Objective(name="distance", reward=lambda step: step.after[..., 0]),),
    },
}  # fmt: skip


def valid_arguments(call: str, required: list[str]) -> dict[str, Any]:
    """Return the arguments that a call needs.

    Raises:
      KeyError: if one has no valid value here: add it above.
    """
    special = BY_CALL.get(call, {})
    needed = {name: special.get(name) or VALID[name] for name in required} | special
    return {name: make() for name, make in needed.items()}
