"""A study: runs of several algorithms on several problems, with tables, statistics and figures."""

import math
import numbers
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from tensorrvea.checks import as_tuple, check_array, check_choice, check_integer, check_points, check_text, shown
from tensorrvea.problem import Problem
from tensorrvea.runs.user_problem import RecordedProblem
from tensorrvea.selection.dominance import nondominated
from tensorrvea.study.comparison import comparison_table
from tensorrvea.study.indicators import Indicator, as_indicators
from tensorrvea.study.records import unpack_fronts
from tensorrvea.study.references import FRONT_POINTS, Reference, make_reference
from tensorrvea.study.statistics import average_ranks, comparisons, critical_difference, friedman, rank_sum, summary
from tensorrvea.study.store import Arrays
from tensorrvea.study.tables import Cell, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = ("convergence", "boxes", "ranks")
AXES = ("generation", "evaluations", "seconds")
SUMMARY = ("runs", "median", "iqr", "mean", "mean_low", "mean_high")


class Study:
    """Runs of several algorithms on several problems; made by ``tensorrvea.compare``, or run by run with ``add``.

    Args:
      metrics: what is measured: names (``igd``, ``igd_plus``, ``gd``, ``hypervolume``, ``expected_utility``,
        ``spacing``) or ``Indicator`` objects. The first is the main one.
      reference: reference point of the hypervolume in the user's signs: one for all problems, or by name of the
        problem. By default see ``make_reference``.
      against: the algorithm with which the others are compared; the first by default.
      front_points: about how many points of a known true front to measure against.

    >>> study = Study(metrics=("hypervolume",), reference=[1.0, 1.0])
    >>> for seed, shift in enumerate((0.0, 0.1)):
    ...     study.add("line", "exact", seed, [[0.0, 0.5], [0.5, 0.0]])
    ...     study.add("line", "shifted", seed, [[shift, 0.5], [0.5, shift]])
    >>> {name: values.tolist() for name, values in study.values("hypervolume")["line"].items()}
    {'exact': [0.75, 0.75], 'shifted': [0.75, 0.65]}
    """

    def __init__(
        self,
        metrics: str | Indicator | Iterable[str | Indicator] = ("igd", "hypervolume"),
        *,
        reference: ArrayLike | Mapping[str, ArrayLike] | None = None,
        against: str | None = None,
        front_points: int = FRONT_POINTS,
    ):
        self.indicators = as_indicators(metrics)
        self.against = None if against is None else check_text("against", against)
        points = reference.values() if isinstance(reference, Mapping) else [] if reference is None else [reference]
        for point in points:
            check_array("reference", point, shape="(objectives,)", ndim=1)
        self.reference = reference
        self.front_points = check_integer("front_points", front_points, minimum=2)
        self.problems: dict[str, Problem] = {}
        self.algorithms: list[str] = []
        self.runs: dict[str, dict[str, dict[int, Arrays]]] = {}
        """Problem → algorithm → seed → arrays: ``F`` and what ``reduce_search`` keeps besides, or only metrics."""
        self.description: dict[str, Any] = {}
        self.stopped = ""
        """Why runs are missing; empty if none is."""
        self._references: dict[str, Reference] = {}
        self._values: dict[tuple, float] = {}

    # Runs

    def add(
        self,
        problem: Problem | str,
        algorithm: str,
        seed: int,
        F: ArrayLike,
        *,
        directions: str | tuple[str, ...] = "min",
        name: str | None = None,
        **arrays: np.ndarray,
    ) -> None:
        """Add a run that was made elsewhere, such as with another library.

        Args:
          problem: a problem, or only its name if nothing is known of its true front.
          algorithm: the name of the algorithm, a column of the table.
          seed: the number of the run; a run with the same number is replaced.
          F: the objectives of its solutions, (k, m), in the user's signs; dominated ones are left out. No rows for a
            run without a feasible solution.
          directions: of the objectives, for a problem that is given by name.
          name: of the problem in the table; the problem's own by default.
          arrays: what else is kept of the run (see ``reduce_search``).
        """
        f = check_array("F", F, shape="(solutions, objectives)", ndim=2)
        check_points("F", f, minimum=0)
        label = name or (problem if isinstance(problem, str) else problem.name)
        if label not in self.problems:
            self.problems[label] = _described(label, directions, f.shape[1]) if isinstance(problem, str) else problem
        known = self.problems[label]
        if f.shape[1] != known.objectives:
            raise ValueError(f"F must have {known.objectives} columns on {label}, got {f.shape[1]}")
        front = f[nondominated(f, known.directions)] if len(f) else f
        self.add_runs(known, algorithm, {check_integer("seed", seed, minimum=0): {"F": front, **arrays}}, name=label)

    def add_values(
        self, problem: Problem | str, algorithm: str, seed: int, values: Mapping[str, float], *, name: str | None = None
    ) -> None:
        """Add a run of which only the metrics are known, and not the front, such as one from a publication.

        Args:
          problem: a problem, or the name of one that the study has. The metrics should have been measured against its
            true front and reference point.
          algorithm: the name of the algorithm, a column of the table.
          seed: the number of the run; a run with the same number is replaced.
          values: each metric of the study, by name.
          name: of the problem in the table; the problem's own by default.

        >>> study = Study(metrics="hypervolume", reference=[1.0, 1.0])
        >>> study.add("line", "known", 0, [[0.5, 0.5]])
        >>> study.add_values("line", "published", 0, {"hypervolume": 0.3})
        >>> study.values()["line"]["published"].tolist()
        [0.3]
        """
        if isinstance(problem, str):
            name = check_choice("problem", problem, tuple(self.problems))
            problem = self.problems[name]
        for metric in values:
            check_choice("values", metric, tuple(self.indicators))
        missing = [metric for metric in self.indicators if metric not in values]
        if missing:
            raise ValueError(f"values must have each metric of the study, but {', '.join(missing)} is missing")
        known = {metric: np.array(_check_value(metric, value)) for metric, value in values.items()}
        number = check_integer("seed", seed, minimum=0)
        self.add_runs(problem, check_text("algorithm", algorithm), {number: known}, name=name)

    def add_runs(
        self, problem: Problem, algorithm: str, runs: Mapping[int, Arrays], *, name: str | None = None
    ) -> None:
        """Add runs by seed, as ``reduce_search`` returns them."""
        label = name or problem.name
        self.problems.setdefault(label, problem)
        if algorithm not in self.algorithms:
            self.algorithms.append(algorithm)
        self.runs.setdefault(label, {}).setdefault(algorithm, {}).update(runs)
        self._references.clear()
        self._values.clear()

    def fronts(self, problem: str, algorithm: str) -> list[Float[np.ndarray, "k m"]]:
        """Return the final front of each run, where it is known."""
        return [run["F"] for run in self.runs[problem][algorithm].values() if "F" in run]

    # Measurements

    def check_reference(self, problems: Mapping[str, Problem]) -> None:
        """Refuse a reference point that does not fit one of the problems, before anything runs."""
        for name, problem in problems.items():
            given = self.reference.get(name) if isinstance(self.reference, Mapping) else self.reference
            if given is not None and len(np.asarray(given)) != problem.objectives:
                raise ValueError(
                    f"reference must have {problem.objectives} entries for {name}, got {len(np.asarray(given))}"
                )

    def reference_of(self, problem: str) -> Reference:
        """Return what the fronts of a problem are measured against."""
        if problem not in self._references:
            given = self.reference.get(problem) if isinstance(self.reference, Mapping) else self.reference
            fronts = (front for algorithm in self.runs[problem] for front in self.fronts(problem, algorithm))
            self._references[problem] = make_reference(self.problems[problem], fronts, given, self.front_points)
        return self._references[problem]

    def values(self, metric: str | None = None) -> dict[str, dict[str, Float[np.ndarray, " runs"]]]:
        """Return the metric of each run at its end: problem → algorithm → one value per seed."""
        name = self._metric(metric)
        measured: dict[str, dict[str, np.ndarray]] = {}
        for problem, by_algorithm in self.runs.items():
            for algorithm in self.algorithms:
                if algorithm in by_algorithm:
                    each = [self._value(name, problem, algorithm, seed) for seed in by_algorithm[algorithm]]
                    measured.setdefault(problem, {})[algorithm] = np.array(each)
        return measured

    def _value(self, metric: str, problem: str, algorithm: str, seed: int) -> float:
        key = (metric, problem, algorithm, seed)
        if key not in self._values:
            run = self.runs[problem][algorithm][seed]
            if "F" in run:
                self._values[key] = self.indicators[metric](run["F"], self.reference_of(problem))
            else:
                self._values[key] = float(run[metric])
        return self._values[key]

    def curves(self, problem: str, metric: str | None = None) -> dict[str, list[Arrays]]:
        """Return the metric at some generations of each run, beside ``generation``, ``evaluations`` and ``seconds``.

        Runs that were added without their generations are left out.
        """
        indicator, reference = self.indicators[self._metric(metric)], self.reference_of(problem)
        found: dict[str, list[Arrays]] = {}
        for algorithm, runs in self.runs[problem].items():
            for run in runs.values():
                if "fronts" in run:
                    measured = np.array([indicator(front, reference) for front in unpack_fronts(run)])
                    times = {name: run[name] for name in AXES}
                    found.setdefault(algorithm, []).append({**times, indicator.name: measured})
        return found

    def records(self) -> list[dict[str, Any]]:
        """Return a dictionary per run: problem, algorithm, seed, number of solutions, and each metric.

        Runs made here also have ``generations``, ``evaluations`` and ``seconds``; the seconds of a batch are those of
        all its runs together.
        """
        found = []
        for problem, by_algorithm in self.runs.items():
            for algorithm, runs in by_algorithm.items():
                for seed, run in runs.items():
                    row: dict[str, Any] = {"problem": problem, "algorithm": algorithm, "seed": seed}
                    if "F" in run:
                        row["solutions"] = len(run["F"])
                    row |= {name: self._value(name, problem, algorithm, seed) for name in self.indicators}
                    if "generation" in run:
                        times = {"generations": "generation", "evaluations": "evaluations", "seconds": "seconds"}
                        row |= {name: run[array][-1].item() for name, array in times.items()}
                    found.append(row)
        return found

    # Statistics

    def table(self, metric: str | None = None, *, against: str | None = None) -> Table:
        """Return the medians of all runs, with marks for the comparison with an algorithm.

        Args:
          metric: one of the study's metrics; all of them, one after the other, by default.
          against: the algorithm with which the others are compared; that of the study by default.

        Returns:
          A ``Table``: print it, or call ``markdown()``, ``latex()``, ``csv()``, ``html()`` or ``dataframe()``.
        """
        self._need_runs()
        ours = self._against(against)
        names = list(self.indicators) if metric is None else [self._metric(metric)]
        tables = [self._table(name, ours) for name in names]
        note = " ".join([tables[0].note, *self.notes()])
        if len(tables) == 1:
            return Table(tables[0].title, tables[0].head, tables[0].rows, note)
        rows: list[list[Cell]] = []
        rules: list[int] = []
        for name, table in zip(names, tables, strict=True):
            rules.append(len(rows))
            rows += [[Cell(name), *row] for row in table.rows]
        title = f"{', '.join(table.title for table in tables)}"
        return Table(title, ["metric", "problem", *tables[0].head[1:]], rows, note, rules, plain=2)

    def _table(self, name: str, ours: str) -> Table:
        larger = self.indicators[name].larger_is_better
        title = f"{name} ({'larger' if larger else 'smaller'} is better)"
        return comparison_table(title, self.values(name), ours, larger_is_better=larger, with_effects=True)

    def notes(self) -> list[str]:
        """Return what the fronts of each problem are measured against, and which runs found nothing, in words."""
        notes = [f"{problem}: {self.reference_of(problem).note}." for problem in self.runs]
        for problem, by_algorithm in self.runs.items():
            for algorithm, runs in by_algorithm.items():
                empty = sum(len(front) == 0 for front in self.fronts(problem, algorithm))
                if empty:
                    notes.append(f"{algorithm} found no feasible solution of {problem} in {empty} of {len(runs)} runs.")
        return notes

    def statistics(self, metric: str | None = None, *, against: str | None = None) -> list[dict[str, Any]]:
        """Return the statistics behind the table, a dictionary per problem, algorithm and metric.

        ``p`` is that of the two-sided rank-sum test against the algorithm of ``against``, ``p_holm`` is corrected for
        all tests of the metric, ``effect`` is the probability that a run is better than one of that algorithm.
        ``mean_low`` and ``mean_high`` bound the 95 % confidence interval of the mean. ``pandas.DataFrame`` takes it.
        """
        self._need_runs()
        ours, found = self._against(against), []
        for name in [self._metric(metric)] if metric else self.indicators:
            values, larger = self.values(name), self.indicators[name].larger_is_better
            tested = comparisons(values, ours, larger_is_better=larger)
            for problem, by_algorithm in values.items():
                for algorithm, runs in by_algorithm.items():
                    row: dict[str, Any] = {"metric": name, "problem": problem, "algorithm": algorithm}
                    row |= dict(zip(SUMMARY, summary(runs), strict=True))
                    test = tested.get((problem, algorithm))
                    if test is not None:
                        p = rank_sum(runs, by_algorithm[ours])
                        effect = test.probability_better(larger)
                        row |= {"p": p, "p_holm": test.p, "effect": effect, "mark": test.mark}
                    found.append(row)
        return found

    def ranks(self, metric: str | None = None) -> dict[str, Any]:
        """Return the average rank of each algorithm over the problems, with Friedman's test.

        Returns:
          ``ranks`` by algorithm, ``problems`` that count (those on which all algorithms have runs), ``friedman_p``, and
          ``critical_difference``: ranks that differ by less are not significantly different (Nemenyi, 5 %).
        """
        self._need_runs()
        name = self._metric(metric)
        larger = self.indicators[name].larger_is_better
        full = {p: each for p, each in self.values(name).items() if len(each) == len(self.algorithms)}
        if not full or len(self.algorithms) < 2:
            raise ValueError("ranks need two algorithms, and a problem on which all of them have runs")
        return {
            "ranks": average_ranks(full, larger_is_better=larger),
            "problems": len(full),
            "friedman_p": friedman(full, larger_is_better=larger),
            "critical_difference": critical_difference(len(self.algorithms), len(full)),
        }

    # Figures and pages

    def plot(self, kind: str = "convergence", metric: str | None = None, *, axis: str = "generation") -> "Figure":
        """Return a figure of all runs.

        Args:
          kind: ``"convergence"`` for median and quartiles over the generations, one panel per problem; ``"boxes"``
            for the values at the end; ``"ranks"`` for a critical-difference diagram.
          metric: one of the study's metrics; the first by default.
          axis: ``"generation"``, ``"evaluations"`` or ``"seconds"``, for convergence.
        """
        from tensorrvea.study import figures  # which needs matplotlib, and that takes long to import

        self._need_runs()
        name = self._metric(metric)
        if check_choice("kind", kind, KINDS) == "convergence":
            return figures.convergence(self, name, check_choice("axis", axis, AXES))
        return figures.boxes(self, name) if kind == "boxes" else figures.ranks(self, name)

    def report(self, path: str | Path, *, title: str = "Comparison") -> Path:
        """Write one HTML page with tables, figures and settings, which works offline, and return its path."""
        from tensorrvea.study.page import write_page  # which needs matplotlib

        self._need_runs()
        return write_page(self, path, title)

    def write(self, directory: str | Path, *, title: str = "Comparison") -> Path:
        """Write everything to a directory: tables, statistics, the values of all runs, figures and the page.

        Returns:
          The directory, with ``table.md``, ``.csv`` and ``.tex``, ``statistics.csv``, ``runs.csv``, ``report.html``,
          and the figures of each metric as SVG.
        """
        from tensorrvea.study.page import write_files  # which needs matplotlib

        self._need_runs()
        return write_files(self, Path(directory), title)

    def _repr_html_(self) -> str:
        return self.table().html() if self.runs else f"<p>{self!r}</p>"

    def __repr__(self) -> str:
        runs = [len(seeds) for each in self.runs.values() for seeds in each.values()]
        sizes = f"{len(self.runs)} problems × {len(self.algorithms)} algorithms, {sum(runs)} runs"
        return f"Study({sizes}: {', '.join(self.indicators)}{f'; {self.stopped}' if self.stopped else ''})"

    # Arguments

    def _metric(self, metric: str | None) -> str:
        names = tuple(self.indicators)
        return names[0] if metric is None else check_choice("metric", metric, names)

    def _against(self, against: str | None) -> str:
        ours = against or self.against
        return self.algorithms[0] if ours is None else check_choice("against", ours, tuple(self.algorithms))

    def _need_runs(self) -> None:
        if not self.runs:
            raise ValueError("the study has no runs yet; add some")


def _check_value(metric: str, value: Any) -> float:
    """Return a metric as a float; it may be infinite, as for a run without a feasible solution."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{metric} takes a number, got {shown(value)}")
    if math.isnan(value):
        raise ValueError(f"{metric} must be a number, got nan")
    return float(value)


def _described(name: str, directions: str | tuple[str, ...], objectives: int) -> Problem:
    """Return a problem of which only the name and the objectives are known."""
    known = {"name": name, "objectives": objectives, "directions": directions, "objective_names": None, "units": None}
    return RecordedProblem({**known, "variables": 1, "integer": (), "log": (), "lower": [0.0], "upper": [1.0]})


def study_from_fronts(
    fronts: Mapping[str, Mapping[str, Iterable[ArrayLike]]],
    *,
    problems: Mapping[str, Problem] | None = None,
    directions: str | tuple[str, ...] = "min",
    **options: Any,
) -> Study:
    """Return a study of fronts that were found elsewhere.

    Args:
      fronts: problem → algorithm → the objectives of each run.
      problems: by name, those of which the true front is known.
      directions: of the objectives of the others.
      options: those of ``Study``.

    Returns:
      The study.

    Raises:
      ValueError: if a front has the wrong shape.

    >>> fronts = {"bridge": {"A": [[[1.0, 3.0]], [[2.0, 2.0]]], "B": [[[3.0, 3.0]], [[3.0, 2.0]]]}}
    >>> study = study_from_fronts(fronts, metrics="hypervolume", reference=[4.0, 4.0])
    >>> study.values()["bridge"]["A"].tolist()
    [3.0, 4.0]
    """
    study = Study(**options)
    if not isinstance(fronts, Mapping) or not all(isinstance(each, Mapping) for each in fronts.values()):
        raise TypeError(f"fronts takes the fronts of each algorithm, by problem and algorithm, got {shown(fronts)}")
    if problems is not None and not isinstance(problems, Mapping):
        raise TypeError(f"problems takes problems by name, got {shown(problems)}")
    for problem, by_algorithm in fronts.items():
        known: Problem | str = (problems or {}).get(problem, check_text("the name of a problem in fronts", problem))
        if not isinstance(known, Problem | str):
            raise TypeError(f"problems[{problem!r}] takes a Problem, got {shown(known)}")
        for algorithm, runs in by_algorithm.items():
            check_text("the name of an algorithm in fronts", algorithm)
            given = as_tuple(runs)
            if not given and not isinstance(runs, list | tuple):
                raise TypeError(f"fronts[{problem!r}][{algorithm!r}] takes a front per run, got {shown(runs)}")
            for seed, F in enumerate(given):
                study.add(known, algorithm, seed, F, directions=directions, name=problem)
    return study
