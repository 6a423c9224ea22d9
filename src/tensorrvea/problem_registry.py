"""The problems of this library by name, as command lines and manifests name them."""

from typing import Any

from tensorrvea.neuroevolution import TASKS, RobotProblem
from tensorrvea.problem import Problem
from tensorrvea.problems import NAMED, Benchmark

ROBOT = RobotProblem.__name__
PROBLEMS: dict[str, type[Problem]] = {**NAMED, ROBOT: RobotProblem}


def problem_settings(problem: Problem) -> tuple[str, dict[str, Any]] | None:
    """Return the registered name of a problem and the arguments that recreate it; None for a user-defined one."""
    name = type(problem).__name__
    if PROBLEMS.get(name) is not type(problem):
        return None
    if isinstance(problem, RobotProblem):
        if problem.task not in TASKS.values():
            return None
        settings: dict[str, Any] = dict(problem.settings)
    else:
        assert isinstance(problem, Benchmark)  # PROBLEMS holds nothing else
        settings = {"objectives": problem.objectives, "variables": problem.variables} | dict(problem.settings)
    return (name, settings) if make_problem(name, settings) == problem else None


def make_problem(name: str, settings: dict[str, Any]) -> Problem:
    """Create a registered problem; KeyError for an unknown name."""
    if name == ROBOT and "hidden" in settings:
        settings = settings | {"hidden": tuple(settings["hidden"])}
    return PROBLEMS[name](**settings)
