"""Criteria that end a run before its budget is spent: functions of the result so far."""

from collections.abc import Collection

import numpy as np
from numpy.typing import ArrayLike

from tensorrvea.checks import check_array, check_integer, check_number, check_text
from tensorrvea.problem import Problem
from tensorrvea.result import Result
from tensorrvea.settings import settings

__all__ = ["MetricReached", "Stagnation", "StopCriterion", "Target"]


class StopCriterion:
    """Base class of the criteria in this module; ``stop=`` takes any function of a ``Result`` as well."""

    def check(self, problem: Problem, metrics: Collection[str]) -> None:
        """Raise before the run if the criterion does not fit the problem or the recorded metrics."""

    def __call__(self, result: Result) -> bool:
        """Return whether the run should end."""
        raise NotImplementedError(f"{type(self).__name__} must define __call__")


@settings
class Stagnation(StopCriterion):
    """End a run when neither the ideal nor the nadir point has moved for ``generations`` generations.

    A point has moved if one of its objectives changed by more than ``tolerance`` times the range between the points.
    """

    generations: int = 50
    tolerance: float = 1e-3

    def __post_init__(self) -> None:
        check_integer("generations", self.generations, minimum=1)
        check_number("tolerance", self.tolerance, minimum=0.0)

    def __call__(self, result: Result) -> bool:
        history = result.history
        if len(history) <= self.generations:
            return False
        recent = slice(len(history) - self.generations - 1, None)
        span = np.maximum(np.abs(history.nadir[-1] - history.ideal[-1]), np.finfo(np.float32).tiny)
        moved = [np.ptp(points[recent], axis=0) / span for points in (history.ideal, history.nadir)]
        return bool(np.max(moved) <= self.tolerance)


class Target(StopCriterion):
    """End a run when a solution is at least as good as ``objectives`` in every objective."""

    def __init__(self, objectives: ArrayLike):
        self.objectives = check_array("objectives", objectives, shape="(objectives,)", ndim=1)

    def check(self, problem: Problem, metrics: Collection[str]) -> None:
        del metrics
        m = problem.objectives
        if len(self.objectives) != m:
            raise ValueError(f"objectives must have {m} entries for this problem, got {len(self.objectives)}")

    def __call__(self, result: Result) -> bool:
        signs = result.problem.signs
        return bool((result.F * signs <= self.objectives * signs).all(axis=1).any())


@settings
class MetricReached(StopCriterion):
    """End a run when a recorded metric reaches ``at_least`` or ``at_most``."""

    metric: str
    at_least: float | None = None
    at_most: float | None = None

    def __post_init__(self) -> None:
        check_text("metric", self.metric)
        if (self.at_least is None) == (self.at_most is None):
            raise ValueError("MetricReached takes exactly one of at_least and at_most")
        for name, value in (("at_least", self.at_least), ("at_most", self.at_most)):
            if value is not None:
                check_number(name, value, scalar=True)

    def check(self, problem: Problem, metrics: Collection[str]) -> None:
        del problem
        if self.metric not in metrics:
            recorded = ", ".join(map(repr, metrics)) or "none"
            raise ValueError(f"metric must be one that is recorded ({recorded}), got {self.metric!r}; see metrics=")

    def __call__(self, result: Result) -> bool:
        value = result.history.metrics[self.metric][-1]
        return bool(value >= self.at_least if self.at_least is not None else value <= self.at_most)
