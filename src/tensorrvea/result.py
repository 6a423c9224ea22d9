"""The result of a run."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import ArrayLike

from tensorrvea import decision
from tensorrvea.evolution import Evolution
from tensorrvea.history import History, Individuals
from tensorrvea.notebook import result_page
from tensorrvea.optional import import_optional
from tensorrvea.problem import Problem

if TYPE_CHECKING:
    from pathlib import Path

    import pandas
    from matplotlib.figure import Figure


@dataclass
class Result:
    """The result of a run, as NumPy arrays in the user's signs, without NaN and without padding.

    ``population`` holds all living survivors; ``archive`` the best solutions of the whole run, if one was requested.
    ``seconds`` exclude compilation. ``stopped`` says why the run ended.

    Args:
      problem: what was optimised.
      algorithm: how.
      seed: of the run.
      population: all living survivors: ``X``, ``F``, ``G`` and ``violation``.
      history: what was recorded of each generation.
      archive: the best solutions of the whole run; None without ``archive=``.
      capacity: the largest number of survivors.
      stopped: why the run ended.
      largest_violation: of each constraint, by any individual of the run.

    >>> import tensorrvea as tr
    >>> result = tr.optimize(tr.problems.ZDT1(variables=5), tr.NSGA2(population=8), generations=5)
    >>> result.X.shape[1], result.F.shape[1], result.generations, result.evaluations
    (5, 2, 5, 48)
    >>> len(result.F) == len(result.X) <= len(result.population)
    True
    """

    problem: Problem
    algorithm: Evolution
    seed: int
    population: Individuals
    history: History
    archive: Individuals | None
    capacity: int
    stopped: str
    largest_violation: Float[np.ndarray, " c"] | None = None
    """The largest violation of each constraint by any individual of the run; None if it is not known."""

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
    def G(self) -> Float[np.ndarray, "k c"]:
        """Constraint values of the non-dominated feasible survivors, as the problem returns them: all are ≤ 0.

        A value near 0 is a limit that binds; −g is the slack that is left. There are no columns if the problem has no
        constraints; ``problem.constraint_names`` are their names.
        """
        return self.front.G

    @property
    def violation(self) -> Float[np.ndarray, " k"]:
        """Zero for each row of ``X`` and ``F``; see ``population`` for survivors that violate constraints."""
        return self.front.violation

    @property
    def generations(self) -> int:
        """The number of generations after the first population."""
        return int(self.history.generation[-1])

    @property
    def evaluations(self) -> int:
        """The number of evaluations, failed ones included."""
        return int(self.history.evaluations[-1])

    @property
    def seconds(self) -> float:
        """The time of the run, without compilation."""
        return float(self.history.seconds[-1])

    @property
    def failed(self) -> int:
        """The number of evaluations that returned NaN or infinity."""
        return int(self.history.failed.sum())

    @cached_property
    def scores(self) -> Any:
        """``mean`` and ``spread`` of each row of ``X`` over new episodes (see ``neuroevolution.rescore``).

        None for problems without episodes.
        """
        return None if len(self.X) == 0 else self.problem.rescore(self.X)

    def knee(self) -> int:
        """Return the row of ``X`` and ``F`` where a gain in one objective begins to cost much in another.

        Returns:
          The row.

        Raises:
          ValueError: if no solution is feasible.
        """
        self._need_front("knee")
        return decision.knee(self.F, self.problem.directions)

    def best_by_weights(self, weights: ArrayLike, method: str = "sum") -> int:
        """Return the row of ``X`` and ``F`` that is best for the weights, by weighted sum or ``"tchebycheff"``.

        Args:
          weights: one number per objective, none negative; only their ratios matter.
          method: ``"sum"`` or ``"tchebycheff"``.

        Returns:
          The row.

        Raises:
          ValueError: if a weight is negative, all are 0, or no solution is feasible.
        """
        self._need_front("best_by_weights")
        return decision.best_by_weights(self.F, weights, self.problem.directions, method)

    def binding(self, tolerance: float = 0.01) -> Bool[np.ndarray, "k c"]:
        """Return which constraints bind in each row of ``G``.

        A constraint binds if its slack is at most this share of ``constraint_scale``, or of its largest slack in ``G``
        if that is larger.

        Args:
          tolerance: the share.

        Returns:
          One flag per solution and constraint.
        """
        return decision.binding(self.G, tolerance, self.constraint_scale)

    @property
    def constraint_scale(self) -> Float[np.ndarray, " c"] | None:
        """The usual size of each constraint's values: their median size over random designs.

        For a problem on the host, which is not evaluated again, it is the largest violation in the run.
        """
        known = self.problem.constraint_scale
        return self.largest_violation if known is None else known

    def to_dataframe(self) -> "pandas.DataFrame":
        """Return the front as a table: a named column per variable, objective and constraint, and the violation.

        Returns:
          The table.

        Raises:
          ModuleNotFoundError: if pandas is not installed: ``pip install "tensorrvea[report]"``.
        """
        pandas = import_optional("pandas", needed_for="to_dataframe", extra="report")
        problem = self.problem
        names = [*problem.variable_names, *problem.objective_names, *problem.constraint_names, "violation"]
        return pandas.DataFrame(np.column_stack([self.X, self.F, self.G, self.violation]), columns=names)

    def plot(self, **options: Any) -> "Figure":
        """Plot the front in 2-D, 3-D, or, from four objectives on, parallel coordinates (see ``plot_front``).

        Args:
          options: those of ``plot_front``, such as ``label=`` and ``ax=``.

        Returns:
          A matplotlib figure; ``savefig`` writes it.

        Raises:
          ValueError: if no solution is feasible.
        """
        from tensorrvea.plot import plot_front  # which needs matplotlib, an optional package

        self._need_front("plot")
        problem = self.problem
        known = {"front": problem.front()} if problem.objectives <= 3 else {}
        described: dict[str, Any] = {
            "names": problem.objective_names, "units": problem.units, "directions": problem.directions, **known
        }  # fmt: skip
        return plot_front(self.F, **(described | options))

    def report(self, path: "str | Path", *, title: str | None = None, replays: int = 12) -> "Path":
        """Write one HTML page for choosing a solution, and return its path (see ``tensorrvea.report``).

        Args:
          path: the page, ending in ``.html``.
          title: the heading; the problem's name by default.
          replays: the number of episodes to include, for robots.

        Returns:
          The path of the page.
        """
        from tensorrvea.report import report  # which imports this module

        return report(self, path, title=title, replays=replays)

    def save(self, path: "str | Path") -> "Path":
        """Write all of the result to one file, which ``tensorrvea.load`` reads, and return its path.

        The file holds plain arrays and JSON, and no pickles; ``numpy.load`` reads the arrays as well. An existing file
        is replaced. The function of a user's own problem is not saved, and an algorithm of the user's own has to be
        given to ``load``.

        Args:
          path: the file, such as ``"front.npz"``.

        Raises:
          RunError: if it cannot be written.
        """
        from tensorrvea.runs.result_file import save_result  # which imports this module

        return save_result(self, path)

    def __repr__(self) -> str:
        return f"Result({self.problem.name}, {type(self.algorithm).__name__}: {', '.join(self._summary())})"

    def _summary(self) -> list[str]:
        found = f"{_counted(len(self.F), 'non-dominated solution')} of {_counted(len(self.population), 'survivor')}"
        if len(self.F) == 0:
            found = self._why_empty()
        return [
            found,
            _counted(self.capacity, "place"),
            _counted(self.generations, "generation"),
            _counted(self.evaluations, "evaluation") + (f", {self.failed} failed" if self.failed else ""),
            f"{self.seconds:.3g} s",
            self.stopped,
        ]

    def _why_empty(self) -> str:
        """Say why there is no front: by how much the constraints are violated at least."""
        if len(self.population) == 0:
            return "no solution, since all evaluations failed"
        least = float(self.population.violation.min())
        return (
            f"no feasible solution among {len(self.population)} survivors, of which the nearest violates by {least:.3g}"
        )

    def _repr_html_(self) -> str:
        """Show the result in a notebook: a summary, a small picture of the front, and a table of some solutions."""
        from tensorrvea.plot.style import as_png  # which needs matplotlib

        shown = self.front if len(self.F) else self.population
        problem = self.problem
        constraints = problem.constraint_names[: shown.G.shape[1]]
        names = [*problem.objective_names, "violation", *constraints, *problem.variable_names[: shown.X.shape[1]]]
        table = np.column_stack([shown.F, shown.violation, shown.G, shown.X])
        # Sorted by the first objective, so that rows from top to bottom go along the front.
        order = np.argsort(table[:, 0] * problem.signs[0], kind="stable")
        picture = as_png(self.plot(), dpi=100) if len(self.F) else None
        return result_page(f"Result of {problem.name}", self._summary(), picture, names, table, order)

    def _need_front(self, what: str) -> None:
        if len(self.F) == 0:
            raise ValueError(f"{what} needs a feasible solution: {self._why_empty()}; see result.population")


def _counted(number: int, noun: str) -> str:
    """Return the number with the noun, in the plural unless there is one.

    >>> _counted(1, "generation"), _counted(2, "generation")
    ('1 generation', '2 generations')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
