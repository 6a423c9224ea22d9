"""What a run found."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from tensorrvea import decision
from tensorrvea.evolution import Evolution
from tensorrvea.history import History, Individuals
from tensorrvea.problem import Problem

if TYPE_CHECKING:
    from pathlib import Path

    import pandas
    from matplotlib.figure import Figure


@dataclass
class Result:
    """What a run found, as NumPy arrays in the user's signs; never a NaN, never padding.

    ``population`` are all living survivors; ``archive`` the best ever found, if one was asked for. ``seconds`` leave
    out compilation. ``stopped`` says why the run ended.
    """

    problem: Problem
    algorithm: Evolution
    seed: int
    population: Individuals
    history: History
    archive: Individuals | None
    capacity: int
    stopped: str

    @cached_property
    def front(self) -> Individuals:
        """The non-dominated feasible survivors."""
        return self.population.front(self.problem)

    @property
    def X(self) -> Float[np.ndarray, "k d"]:
        """Variables of the non-dominated feasible survivors."""
        return self.front.X

    @property
    def F(self) -> Float[np.ndarray, "k m"]:
        """Objectives of the non-dominated feasible survivors."""
        return self.front.F

    @property
    def violation(self) -> Float[np.ndarray, " k"]:
        """Zero for each row of ``X`` and ``F``; see ``population`` for survivors that violate constraints."""
        return self.front.violation

    @property
    def generations(self) -> int:
        return int(self.history.generation[-1])

    @property
    def evaluations(self) -> int:
        return int(self.history.evaluations[-1])

    @property
    def seconds(self) -> float:
        return float(self.history.seconds[-1])

    @property
    def failed(self) -> int:
        """How many evaluations came back NaN or infinite."""
        return int(self.history.failed.sum())

    @cached_property
    def scores(self) -> Any:
        """The front scored again where the search has not looked, from problems that can: ``mean`` and ``spread``
        of each row of ``X``, as ``neuroevolution.rescore`` gives them. None from others.
        """
        return None if len(self.X) == 0 else self.problem.rescore(self.X)

    def knee(self) -> int:
        """The row of ``X`` and ``F`` where a gain in one objective begins to cost much in another."""
        self._need_front("knee")
        return decision.knee(self.F, self.problem.directions)

    def best_by_weights(self, weights: ArrayLike, method: str = "sum") -> int:
        """The row of ``X`` and ``F`` that serves the weights best, by weighted sum or ``"tchebycheff"``."""
        self._need_front("best_by_weights")
        return decision.best_by_weights(self.F, weights, self.problem.directions, method)

    def to_dataframe(self) -> "pandas.DataFrame":
        """The front as a table: a column for each variable and objective, by name, and one for the violation."""
        try:
            import pandas
        except ImportError:
            raise ImportError('to_dataframe needs pandas: pip install "tensorrvea[report]"') from None
        names = [*self.problem.variable_names, *self.problem.objective_names, "violation"]
        return pandas.DataFrame(np.column_stack([self.X, self.F, self.violation]), columns=names)

    def plot(self, **options: Any) -> "Figure":
        """The front as a picture: 2-D, 3-D, or parallel coordinates from four objectives on (see ``plot_front``)."""
        from tensorrvea.plot import plot_front

        self._need_front("plot")
        problem = self.problem
        known = {"front": problem.front()} if problem.objectives <= 3 else {}
        described: dict[str, Any] = {
            "names": problem.objective_names, "units": problem.units, "directions": problem.directions, **known
        }  # fmt: skip
        return plot_front(self.F, **(described | options))

    def report(self, path: "str | Path", *, title: str | None = None, replays: int = 12) -> "Path":
        """Writes one HTML page, made for choosing a solution, and gives its path (see ``tensorrvea.report``)."""
        from tensorrvea.report import report

        return report(self, path, title=title, replays=replays)

    def __repr__(self) -> str:
        parts: Sequence[str] = (
            f"{len(self.F)} non-dominated solutions of {len(self.population)} survivors",
            f"{self.capacity} places",
            f"{self.generations} generations",
            f"{self.evaluations} evaluations" + (f", {self.failed} failed" if self.failed else ""),
            f"{self.seconds:.3g} s",
            self.stopped,
        )
        return f"Result({self.problem.name}: {', '.join(parts)})"

    def _need_front(self, what: str) -> None:
        if len(self.F) == 0:
            raise ValueError(f"{what} needs a feasible solution, and this run found none; see result.population")
