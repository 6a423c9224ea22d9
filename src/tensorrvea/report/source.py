"""The attributes of a result that a report reads, so that this package does not depend on ``tensorrvea.result``."""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from tensorrvea.problem import Problem


class SolutionSet(Protocol):
    """Solutions as rows, in the user's units and signs."""

    X: np.ndarray
    F: np.ndarray
    violation: np.ndarray

    def __len__(self) -> int: ...

    def front(self, problem: Problem) -> "SolutionSet": ...


class RecordedHistory(Protocol):
    """Arrays with one entry per recorded generation."""

    generation: np.ndarray
    evaluations: np.ndarray
    seconds: np.ndarray
    progress: np.ndarray
    living: np.ndarray
    ideal: np.ndarray
    nadir: np.ndarray
    metrics: dict[str, np.ndarray]
    fronts: list[np.ndarray] | None

    @property
    def populations(self) -> Sequence[SolutionSet] | None: ...


@runtime_checkable
class ResultLike(Protocol):
    """The result of one run, as ``optimize`` returns it."""

    problem: Problem
    algorithm: Any
    seed: int
    stopped: str

    @property
    def population(self) -> SolutionSet: ...
    @property
    def front(self) -> SolutionSet: ...
    @property
    def history(self) -> RecordedHistory: ...
    @property
    def generations(self) -> int: ...
    @property
    def evaluations(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    @property
    def failed(self) -> int: ...
