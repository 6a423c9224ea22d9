"""A problem of the user's own in a manifest: what it is made of, and a stand-in where only its results are read."""

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import numpy as np

from tensorrvea.problem import Problem
from tensorrvea.runs.fingerprint import fingerprint

DESCRIBED = ("name", "objectives", "directions", "objective_names", "units", "integer", "log", "lower", "upper")


def describe_own(problem: Problem) -> dict[str, Any]:
    """Name, bounds and what else a reader of results needs, and a hash of the source."""
    each = {name: getattr(problem, name) for name in DESCRIBED}
    for name in ("integer", "log"):
        each[name] = [i for i, flag in enumerate(each[name]) if flag]
    named = problem.variable_names
    if named != tuple(f"x{i + 1}" for i in range(problem.variables)):
        each["variable_names"] = named
    source = fingerprint(problem.source_parts)
    return each | {"variables": problem.variables, "host": problem.host, "source": source}


class RecordedProblem(Problem):
    """The user's own problem as a manifest describes it: shows what was found, but has no function to evaluate."""

    def __init__(self, described: Mapping[str, Any]):
        variables = range(described["variables"])
        integer, log = set(described["integer"]), set(described["log"])
        super().__init__(
            _missing(described["name"]),
            lower=np.asarray(described["lower"], float),
            upper=np.asarray(described["upper"], float),
            objectives=described["objectives"],
            directions=described["directions"],
            integer=[i in integer for i in variables],
            log=[i in log for i in variables],
            objective_names=described["objective_names"],
            units=described["units"],
            variable_names=described.get("variable_names"),
            name=described["name"],
        )

    def _check_outputs(self) -> None:
        """Nothing: there is no function."""

    def _check_columns(self) -> None:
        """Nothing: what was recorded is shown as it is."""

    def _check_precision(self) -> None:
        """Nothing: it is not searched, and may have been in another precision."""


def _missing(name: str) -> Callable[..., NoReturn]:
    def not_here(*_: Any) -> NoReturn:
        raise TypeError(f"the function of {name} is not in a run directory; give the problem to go on with it")

    return not_here
