"""Multiobjective neuroevolution: policies for robots with several objectives."""

from tensorrvea.neuroevolution.backends import BACKENDS
from tensorrvea.neuroevolution.capsules import Replay
from tensorrvea.neuroevolution.policy import MLP
from tensorrvea.neuroevolution.problem import RobotPolicy, RobotProblem, record, replay, rescore
from tensorrvea.neuroevolution.render import render
from tensorrvea.neuroevolution.scores import Scores
from tensorrvea.neuroevolution.state import State
from tensorrvea.neuroevolution.task import Objective, Step, Task, noisy_start
from tensorrvea.neuroevolution.tasks import TASKS
from tensorrvea.neuroevolution.trajectory import Trajectory

__all__ = [
    "BACKENDS",
    "MLP",
    "TASKS",
    "Objective",
    "Replay",
    "RobotPolicy",
    "RobotProblem",
    "Scores",
    "State",
    "Step",
    "Task",
    "Trajectory",
    "noisy_start",
    "record",
    "render",
    "replay",
    "rescore",
]
