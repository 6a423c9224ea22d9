"""What a manifest can name, and so what can be made again from one: parts of this library, and nothing else."""

import dataclasses
from typing import Any

from tensorrvea import stop
from tensorrvea.algorithms import NSGA2, RVEA, RandomSearch, TensorRVEA
from tensorrvea.neuroevolution import TASKS, RobotProblem
from tensorrvea.operators import CSO, DE, GA, PSO, SBX, PolynomialMutation, Random
from tensorrvea.problem import Problem
from tensorrvea.problems import NAMED, Benchmark

ALGORITHMS: dict[str, type] = {cls.__name__: cls for cls in (TensorRVEA, RVEA, NSGA2, RandomSearch)}
VARIATIONS: dict[str, type] = {cls.__name__: cls for cls in (GA, DE, PSO, CSO, Random)}
OPERATORS: dict[str, type] = {cls.__name__: cls for cls in (SBX, PolynomialMutation)}
STOPS: dict[str, type] = {cls.__name__: cls for cls in (stop.Stagnation, stop.MetricReached, stop.Target)}
PARTS = ALGORITHMS | VARIATIONS | OPERATORS | STOPS
ROBOT = "RobotProblem"


def problem_class(name: str) -> type[Problem]:
    """The class of a benchmark problem or of a robot's task; KeyError for anything else."""
    if name == ROBOT:
        return RobotProblem
    return NAMED[name]


def settings_of(part: Any) -> dict[str, Any] | None:
    """The arguments that make a registered part again; None if it is somebody's own."""
    if PARTS.get(type(part).__name__) is not type(part):
        return None
    if dataclasses.is_dataclass(part):
        return {field.name: getattr(part, field.name) for field in dataclasses.fields(part)}
    return dict(vars(part))


def problem_settings(problem: Problem) -> tuple[str, dict[str, Any]] | None:
    """The registered name of a problem and the arguments that make it again; None if it is the user's own."""
    name = type(problem).__name__
    settings: dict[str, Any]
    if type(problem) is RobotProblem:
        if problem.task not in TASKS.values():
            return None
        settings = dict(problem.settings)
    elif isinstance(problem, Benchmark) and NAMED.get(name) is type(problem):
        settings = {"objectives": problem.objectives, "variables": problem.variables} | dict(problem.settings)
    else:
        return None
    made = make_problem(name, settings)
    return (name, settings) if made == problem else None


def make_problem(name: str, settings: dict[str, Any]) -> Problem:
    """A registered problem."""
    if name == ROBOT and "hidden" in settings:
        settings = settings | {"hidden": tuple(settings["hidden"])}
    return problem_class(name)(**settings)
