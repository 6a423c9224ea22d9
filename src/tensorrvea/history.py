"""The history of a run, generation by generation, on the host and in the user's signs."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import jax
import numpy as np
from jaxtyping import Bool, Float, Int

from tensorrvea.constraints import total_violation
from tensorrvea.loop import Record
from tensorrvea.optional import import_optional
from tensorrvea.population import Population
from tensorrvea.problem import Problem
from tensorrvea.selection.dominance import nondominated

if TYPE_CHECKING:
    import pandas


@dataclass
class Individuals:
    """Solutions as the user sees them: decoded variables, objectives in the user's signs, and constraint values.

    ``violation`` is the sum of the positive constraint values.
    """

    X: Float[np.ndarray, "n d"]
    F: Float[np.ndarray, "n m"]
    violation: Float[np.ndarray, " n"]
    G: Float[np.ndarray, "n c"] = field(default_factory=lambda: np.empty((0, 0)))
    """The value of each constraint, feasible where ≤ 0; no columns if there are none."""

    def __post_init__(self) -> None:
        if self.G.shape[1] == 0:
            self.G = np.empty((len(self.F), 0))

    def __len__(self) -> int:
        return len(self.F)

    def rows(self, which: Bool[np.ndarray, " n"] | Int[np.ndarray, " k"]) -> "Individuals":
        """Return some of the individuals."""
        return Individuals(self.X[which], self.F[which], self.violation[which], self.G[which])

    def read_only(self) -> "Individuals":
        """Make the arrays read-only, so that they can be shared, and return the same object."""
        for array in (self.X, self.F, self.violation, self.G):
            array.flags.writeable = False
        return self

    def front(self, problem: Problem) -> "Individuals":
        """Return the non-dominated feasible individuals, without repetitions."""
        feasible = self.rows(self.violation <= 0)
        best = feasible.rows(nondominated(feasible.F, problem.directions)) if len(feasible) else feasible
        # Adding zero makes −0 and 0 equal. By hash, since sorting long rows would take seconds.
        both = np.concatenate([best.F, best.X], axis=1) + 0.0
        first: dict[bytes, int] = {}
        for i, row in enumerate(both):
            first.setdefault(row.tobytes(), i)
        return best.rows(np.array(list(first.values()), int))


@dataclass
class History:
    """One entry per generation; generation 0 is the first population.

    ``ideal`` and ``nadir`` are the best and the worst value of each objective among the feasible survivors (all
    living ones if none is feasible). ``fronts`` and ``populations`` are recorded if ``history=`` requests
    them; their arrays are read-only.
    """

    generation: Int[np.ndarray, " g"]
    evaluations: Int[np.ndarray, " g"]
    seconds: Float[np.ndarray, " g"]
    progress: Float[np.ndarray, " g"]
    ideal: Float[np.ndarray, "g m"]
    nadir: Float[np.ndarray, "g m"]
    living: Int[np.ndarray, " g"]
    feasible: Int[np.ndarray, " g"]
    failed: Int[np.ndarray, " g"]
    metrics: dict[str, Float[np.ndarray, " g"]] = field(default_factory=dict)
    fronts: list[Float[np.ndarray, "k m"]] | None = None
    populations: list[Individuals] | None = None

    def __len__(self) -> int:
        return len(self.generation)

    def to_dataframe(self) -> "pandas.DataFrame":
        """Return a table with a row per generation; ``ideal_f1`` is the best value of the first objective.

        >>> import tensorrvea as tr
        >>> result = tr.optimize(tr.problems.ZDT1(variables=5), tr.TensorRVEA(population=8), generations=5)
        >>> list(result.history.to_dataframe().columns)[:4]
        ['generation', 'evaluations', 'seconds', 'progress']
        """
        pandas = import_optional("pandas", needed_for="to_dataframe", extra="report")
        return pandas.DataFrame(self.columns())

    def columns(self) -> dict[str, np.ndarray]:
        """Return the numbers of each generation by name, one column each; a metric has its own name."""
        series = ("generation", "evaluations", "seconds", "progress", "living", "feasible", "failed")
        table = {name: getattr(self, name) for name in series}
        for name in ("ideal", "nadir"):
            table |= {f"{name}_f{j + 1}": values for j, values in enumerate(getattr(self, name).T)}
        return table | {f"metric_{name}" if name in table else name: row for name, row in self.metrics.items()}


class Recorder:
    """Records of one run or of a batch, in parts as they came from the device: one per chunk of generations."""

    def __init__(self) -> None:
        self.parts: list[Record] = []
        self._shown: dict[int | None, list[Any]] = {}

    def add(self, records: Record) -> None:
        """Append records, which have a leading axis of generations."""
        self.parts.append(records)

    @property
    def last(self) -> Record:
        """The record of the last generation."""
        return self.parts[-1]

    def summary(self) -> Record:
        """Return all records without the populations, with one leading axis of generations."""
        return concatenate([part._replace(population=()) for part in self.parts])

    def between(self, first: int, last: int) -> Record:
        """Return the records of generations ``first`` to ``last``."""
        chosen, start = [], 0
        for part in self.parts:
            inside = slice(max(first - start, 0), max(last + 1 - start, 0))
            if inside.start < len(part.living) and inside.stop > 0:
                chosen.append(jax.tree.map(lambda rows, at=inside: rows[at], part))
            start += len(part.living)
        return concatenate(chosen)

    def history(
        self, problem: Problem, population: int, kind: str, progress: list[float], seconds: list[float], run: int | None
    ) -> History:
        """Return the history of a single run, or of run number ``run`` of a batch."""
        record: Any = self.summary()
        if run is not None:
            record = jax.tree.map(lambda rows: rows[:, run], record)
        generation = np.arange(len(progress))
        history = History(
            generation=generation,
            evaluations=(generation + 1) * population,
            seconds=np.array(seconds),
            progress=np.array(progress),
            ideal=record.ideal * problem.signs,
            nadir=record.nadir * problem.signs,
            living=record.living,
            feasible=record.feasible,
            failed=record.failed,
            metrics=dict(record.metrics),
        )
        if kind == "fronts":
            history.fronts = [each.F for each in self._show(problem, kind, run)]
        if kind == "populations":
            history.populations = [replace(each) for each in self._show(problem, kind, run)]
        return history

    def _show(self, problem: Problem, kind: str, run: int | None) -> list[Individuals]:
        """Return fronts or populations as the user sees them; cached, since callbacks ask often."""
        shown = self._shown.setdefault(run, [])
        start = 0
        for part in self.parts:
            for t in range(max(len(shown) - start, 0), len(part.living)):
                at = t if run is None else (t, run)
                living = individuals(problem, jax.tree.map(lambda leaf, at=at: leaf[at], part.population))
                shown.append((living.front(problem) if kind == "fronts" else living).read_only())
            start += len(part.living)
        return shown


def concatenate(parts: list[Record]) -> Record:
    """Join records along their axis of generations."""
    return jax.tree.map(lambda *leaves: np.concatenate(leaves) if len(leaves) > 1 else leaves[0], *parts)


def individuals(problem: Problem, rows: Population) -> Individuals:
    """Return the living rows, which are on the host, as the user sees them."""
    alive = rows.alive
    # All rows are decoded, living or not: their number is constant, so decoding is compiled once.
    shown = problem.show(rows.x) if rows.x.shape[1] else np.asarray(rows.x)
    f = np.asarray(rows.f, np.float64)[alive] * problem.signs
    if isinstance(rows.g, tuple):
        return Individuals(shown[alive], f, np.asarray(rows.violation)[alive])
    g = np.asarray(rows.g, np.float64)[alive]
    return Individuals(shown[alive], f, total_violation(g), g)
