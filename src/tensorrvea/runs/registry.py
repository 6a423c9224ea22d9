"""What a manifest can name, and so what can be made again from one: parts of this library, and nothing else."""

import dataclasses
from typing import Any

from tensorrvea import stop
from tensorrvea.algorithms import NSGA2, RVEA, RandomSearch, TensorRVEA
from tensorrvea.operators import CSO, DE, GA, PSO, SBX, PolynomialMutation, Random
from tensorrvea.problem import Problem
from tensorrvea.problem_registry import PROBLEMS
from tensorrvea.problem_registry import ROBOT as ROBOT
from tensorrvea.problem_registry import make_problem as make_problem
from tensorrvea.problem_registry import problem_settings as problem_settings

ALGORITHMS: dict[str, type] = {cls.__name__: cls for cls in (TensorRVEA, RVEA, NSGA2, RandomSearch)}
VARIATIONS: dict[str, type] = {cls.__name__: cls for cls in (GA, DE, PSO, CSO, Random)}
OPERATORS: dict[str, type] = {cls.__name__: cls for cls in (SBX, PolynomialMutation)}
STOPS: dict[str, type] = {cls.__name__: cls for cls in (stop.Stagnation, stop.MetricReached, stop.Target)}
PARTS = ALGORITHMS | VARIATIONS | OPERATORS | STOPS


def problem_class(name: str) -> type[Problem]:
    return PROBLEMS[name]


def settings_of(part: Any) -> dict[str, Any] | None:
    """The arguments that make a registered part again; None if it is somebody's own."""
    if PARTS.get(type(part).__name__) is not type(part):
        return None
    if dataclasses.is_dataclass(part):
        return {field.name: getattr(part, field.name) for field in dataclasses.fields(part)}
    return dict(vars(part))
