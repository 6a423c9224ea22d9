"""Multiobjective neuroevolution: policies for robots with several goals, as a problem like any other."""

from tensorrvea.neuroevolution.backends import BACKENDS
from tensorrvea.neuroevolution.policy import MLP
from tensorrvea.neuroevolution.problem import RobotPolicy, RobotProblem
from tensorrvea.neuroevolution.render import render
from tensorrvea.neuroevolution.replay import Replay, Trajectory, record, replay
from tensorrvea.neuroevolution.scores import Scores, rescore
from tensorrvea.neuroevolution.tasks import TASKS, Objective, Step, Task

__all__ = [
    "BACKENDS",
    "MLP",
    "TASKS",
    "Objective",
    "Replay",
    "RobotPolicy",
    "RobotProblem",
    "Scores",
    "Step",
    "Task",
    "Trajectory",
    "record",
    "render",
    "replay",
    "rescore",
]
