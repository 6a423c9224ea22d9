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
    """Base class of the criteria in this module; ``stop=`` takes any function of a ``Result`` as well.

    Example::

        class EnoughSolutions(tr.stop.StopCriterion):
            def __call__(self, result):
                return len(result.F) >= 50

        tr.optimize(problem, generations=500, stop=EnoughSolutions())
    """

    def check(self, problem: Problem, metrics: Collection[str]) -> None:
        """Raise before the run if the criterion does not fit the problem or the recorded metrics.

        Args:
          problem: what is optimised.
          metrics: the names of the metrics that the run records.
        """

    def __call__(self, result: Result) -> bool:
        """Return whether the run should end."""
        raise NotImplementedError(f"{type(self).__name__} must define __call__")


@settings
class Stagnation(StopCriterion):
    """End a run when neither the ideal nor the nadir point has moved for ``generations`` generations.

    A point has moved if one of its objectives changed by more than ``tolerance`` times the range between the points.

    Args:
      generations: for how long nothing may have moved, in generations.
      tolerance: how far a point may move and still count as unmoved, relative to the range.

    Raises:
      ValueError: if ``generations`` is below 1 or ``tolerance`` negative.

    >>> import tensorrvea as tr
    >>> problem, rule = tr.problems.ZDT1(variables=5), tr.stop.Stagnation(generations=5, tolerance=1.0)
    >>> result = tr.optimize(problem, tr.NSGA2(population=8), generations=100, stop=rule, every=10)
    >>> result.generations < 100, "Stagnation" in result.stopped
    (True, True)
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
    """End a run when a solution is at least as good as ``objectives`` in every objective.

    Args:
      objectives: one value per objective, in the user's signs.

    Raises:
      ValueError: before the run, if the problem has another number of objectives.

    >>> import tensorrvea as tr
    >>> problem = tr.problems.ZDT1(variables=5)
    >>> result = tr.optimize(problem, tr.NSGA2(population=8), generations=100, stop=tr.stop.Target([1.0, 9.0]))
    >>> result.generations < 100
    True
    """

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
    """End a run when a recorded metric reaches ``at_least`` or ``at_most``.

    Args:
      metric: the name of a metric that the run records (``metrics=`` of ``optimize``).
      at_least: the value, for a metric of which larger is better.
      at_most: the value, for a metric of which smaller is better.

    Raises:
      ValueError: unless exactly one of ``at_least`` and ``at_most`` is given; before the run, if the metric is not
        recorded.

    >>> MetricReached(metric="igd", at_most=0.05)
    MetricReached(metric='igd', at_least=None, at_most=0.05)
    """

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
