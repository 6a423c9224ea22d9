"""The parts of this library that a manifest can name. Nothing else is ever created from a manifest."""

import dataclasses
from typing import Any

from tensorrvea import algorithms, operators, stop
from tensorrvea.neuroevolution import TASKS, RobotProblem
from tensorrvea.problem import Problem
from tensorrvea.problems import NAMED, Benchmark

ALGORITHMS: dict[str, type] = {cls.__name__: cls for cls in algorithms.ALL}
VARIATIONS: dict[str, type] = {cls.__name__: cls for cls in operators.VARIATIONS}
OPERATORS: dict[str, type] = {cls.__name__: cls for cls in operators.ALL}
STOPS: dict[str, type] = {cls.__name__: cls for cls in (stop.Stagnation, stop.MetricReached, stop.Target)}
PARTS = ALGORITHMS | OPERATORS | STOPS
ROBOT = RobotProblem.__name__
PROBLEMS: dict[str, type[Problem]] = {**NAMED, ROBOT: RobotProblem}


def settings_of(part: Any) -> dict[str, Any] | None:
    """Return the arguments that recreate a registered part; None for a user-defined one."""
    if PARTS.get(type(part).__name__) is not type(part):
        return None
    values = dict(vars(part))
    if dataclasses.is_dataclass(part):
        return {field.name: values[field.name] for field in dataclasses.fields(part)}
    return values


def problem_settings(problem: Problem) -> tuple[str, dict[str, Any]] | None:
    """Return the registered name of a problem and the arguments that recreate it; None for a user-defined one."""
    name = type(problem).__name__
    if PROBLEMS.get(name) is not type(problem):
        return None
    if isinstance(problem, RobotProblem):
        if problem.task not in TASKS.values():
            return None
        settings: dict[str, Any] = {
            "task": problem.task.name, "hidden": problem.policy.hidden, "backend": problem.backend,
            "steps": problem.steps, "episodes": problem.episodes, "starts": problem.starts,
            "start_seed": problem.start_seed, "control_weight": problem.control_weight, "lanes": problem.lanes,
        }  # fmt: skip
    else:
        assert isinstance(problem, Benchmark)  # PROBLEMS holds nothing else
        settings = {"objectives": problem.objectives, "variables": problem.variables} | dict(problem.settings)
    return (name, settings) if make_problem(name, settings) == problem else None


def make_problem(name: str, settings: dict[str, Any]) -> Problem:
    """Create a registered problem; KeyError for an unknown name."""
    if name == ROBOT and "hidden" in settings:
        settings = settings | {"hidden": tuple(settings["hidden"])}
    return PROBLEMS[name](**settings)
