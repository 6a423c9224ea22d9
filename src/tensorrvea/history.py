"""What was recorded of a run, generation by generation, on the host and in the user's signs."""

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import jax
import numpy as np
from jaxtyping import Bool, Float, Int

from tensorrvea.loop import Record
from tensorrvea.problem import Problem
from tensorrvea.selection.dominance import nondominated


@dataclass
class Individuals:
    """Solutions as the user sees them: decoded variables, objectives in their own signs, violation of constraints."""

    X: Float[np.ndarray, "n d"]
    F: Float[np.ndarray, "n m"]
    violation: Float[np.ndarray, " n"]

    def __len__(self) -> int:
        return len(self.F)

    def rows(self, which: Bool[np.ndarray, " n"] | Int[np.ndarray, " k"]) -> "Individuals":
        return Individuals(self.X[which], self.F[which], self.violation[which])

    def front(self, problem: Problem) -> "Individuals":
        """The non-dominated of the feasible, each once."""
        feasible = self.rows(self.violation <= 0)
        best = feasible.rows(nondominated(feasible.F, problem.directions)) if len(feasible) else feasible
        # Adding zero makes equal what is: there are two zeros. Sorting rows would take seconds where they are long.
        both = np.concatenate([best.F, best.X], axis=1) + 0.0
        first: dict[bytes, int] = {}
        for i, row in enumerate(both):
            first.setdefault(row.tobytes(), i)
        return best.rows(np.array(list(first.values()), int))


@dataclass
class History:
    """One entry a generation; generation 0 is the first population.

    ``ideal`` and ``nadir`` are the best and the worst value of each objective among the feasible survivors (all
    living ones where none is feasible). ``fronts`` and ``populations`` are there if they were asked for.
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


@dataclass
class Recorder:
    """Records as they came from the device, for one run or a batch, with when they were made."""

    progress: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    shown: dict[int | None, list[Any]] = field(default_factory=dict)
    """Of each run of a batch, the fronts or populations as the user sees them, as far as they were asked for."""

    def add(self, records: Record, progress: list[float], seconds: list[float]) -> None:
        """``records`` have a leading axis of generations, of which the first ``len(progress)`` are real."""
        self.progress += progress
        self.seconds += seconds
        self.records.append(jax.tree.map(lambda rows: np.asarray(rows)[: len(progress)], records))

    def joined(self) -> Record:
        """All records with one leading axis; made into one, so that the next time is quick."""
        if len(self.records) > 1:
            leaves = [jax.tree.leaves(record) for record in self.records]
            merged = iter([np.concatenate(parts) for parts in zip(*leaves, strict=True)])
            self.records = [jax.tree.map(lambda _: next(merged), self.records[0])]
        return self.records[0]

    def history(self, problem: Problem, population: int, kind: str, run: int | None) -> History:
        """The history of one run, or of number ``run`` of a batch."""
        record: Any = self.joined()
        if run is not None:
            record = jax.tree.map(lambda rows: rows[:, run], record)
        generation = np.arange(len(self.progress))
        ideal, nadir = record.ideal * problem.signs, record.nadir * problem.signs
        history = History(
            generation=generation,
            evaluations=(generation + 1) * population,
            seconds=np.array(self.seconds),
            progress=np.array(self.progress),
            ideal=ideal,
            nadir=nadir,
            living=record.living,
            feasible=record.feasible,
            failed=record.failed,
            metrics=dict(record.metrics),
        )
        if kind != "summary":
            # What was shown before is not worked out again: callbacks ask for it again and again.
            shown = self.shown.setdefault(run, [])
            for t in range(len(shown), len(generation)):
                living = individuals(problem, *(rows[t] for rows in record.population[:4]))
                shown.append(living.front(problem).F if kind == "fronts" else living)
            setattr(history, kind, deepcopy(shown))  # whoever has it may change it
        return history


def individuals(
    problem: Problem, x: np.ndarray, f: np.ndarray, violation: np.ndarray, alive: np.ndarray
) -> Individuals:
    """The living, as the user sees them."""
    # All rows are shown, for there are as many each time: what decodes them is compiled once.
    shown = problem.show(x) if x.shape[1] else np.asarray(x)
    return Individuals(shown[alive], np.asarray(f, np.float64)[alive] * problem.signs, np.asarray(violation)[alive])
