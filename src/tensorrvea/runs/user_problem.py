"""User-defined problems in a manifest: their description, and a placeholder for reading results without their code."""

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from tensorrvea.fingerprint import fingerprint, why_unknown
from tensorrvea.problem import Problem

# The beginning of a source that cannot be described.
UNKNOWN = "unknown: "


def source_of(value: Any) -> str:
    """Return the fingerprint of a user's part, or which value in it makes it impossible to have one."""
    return fingerprint(value) or f"{UNKNOWN}{why_unknown(value)}"


def describe_user_problem(problem: Problem) -> dict[str, Any]:
    """Describe what a reader of results needs, with a hash of the source."""
    description = {
        "name": problem.name, "objectives": problem.objectives, "directions": problem.directions,
        "objective_names": problem.objective_names, "units": problem.units,
        "integer": [i for i, flag in enumerate(problem.integer) if flag],
        "log": [i for i, flag in enumerate(problem.log) if flag],
        "lower": problem.lower, "upper": problem.upper,
    }  # fmt: skip
    if problem.variable_names != tuple(f"x{i + 1}" for i in range(problem.variables)):
        description["variable_names"] = problem.variable_names
    if problem.num_constraints:
        description["constraint_names"] = problem.constraint_names
    source = source_of((type(problem), problem.source_parts))
    return description | {"variables": problem.variables, "host": problem.host, "source": source}


class RecordedProblem(Problem):
    """A user-defined problem as its manifest describes it: it can show results, but not be evaluated."""

    def __init__(self, description: Mapping[str, Any]):
        self._failures: list[tuple[str, int]] = []
        variables = range(description["variables"])
        integer, log = set(description["integer"]), set(description["log"])
        name = description["name"]

        def unavailable(*_: Any) -> NoReturn:
            raise TypeError(f"the function of {name} is not in a run directory; pass it as problem= to resume")

        super().__init__(
            unavailable,
            lower=np.asarray(description["lower"], float),
            upper=np.asarray(description["upper"], float),
            integer=[i in integer for i in variables],
            log=[i in log for i in variables],
            variable_names=description.get("variable_names"),
            constraint_names=description.get("constraint_names"),
            **{key: description[key] for key in ("name", "objectives", "directions", "objective_names", "units")},
        )

    @property
    def constraint_scale(self) -> None:
        """Not known, since there is no function."""

    @property
    def failures(self) -> list[tuple[str, int]]:
        return self._failures

    def restore_failures(self, failures: Sequence[tuple[str, int]]) -> None:
        self._failures = list(failures)

    def _check_outputs(self) -> None:
        """Take the number of constraints from their names, since there is no function."""
        self._num_constraints = len(self._constraint_names or ())

    def _check_representation(self) -> None:
        """Skip: recorded names are shown as they are, and the run may have used another precision."""
