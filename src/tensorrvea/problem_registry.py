"""The problems of this library by name, as command lines and manifests name them."""

from typing import Any

from tensorrvea.problem import Problem
from tensorrvea.problems import NAMED, Benchmark

ROBOT = "RobotProblem"


def problem_class(name: str) -> type[Problem]:
    """Return the class of a registered problem; KeyError for an unknown name."""
    if name == ROBOT:
        from tensorrvea.neuroevolution import RobotProblem

        return RobotProblem
    return NAMED[name]


def problem_settings(problem: Problem) -> tuple[str, dict[str, Any]] | None:
    """Return the registered name of a problem and the arguments that recreate it; None for a user-defined one."""
    name = type(problem).__name__
    if (name != ROBOT and name not in NAMED) or problem_class(name) is not type(problem):
        return None
    if isinstance(problem, Benchmark):
        settings = {"objectives": problem.objectives, "variables": problem.variables} | dict(problem.settings)
    else:
        from tensorrvea.neuroevolution import TASKS, RobotProblem

        assert isinstance(problem, RobotProblem)  # nothing else is registered
        if problem.task not in TASKS.values():
            return None
        settings = dict(problem.settings)
    return (name, settings) if make_problem(name, settings) == problem else None


def make_problem(name: str, settings: dict[str, Any]) -> Problem:
    """Create a registered problem; KeyError for an unknown name."""
    if name == ROBOT and "hidden" in settings:
        settings = settings | {"hidden": tuple(settings["hidden"])}
    return problem_class(name)(**settings)
