"""Many settings of one algorithm as one compiled program: tables and heat maps of what they lead to."""

import dataclasses
import itertools
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import jax
import numpy as np
from numpy.typing import ArrayLike

from tensorrvea.checks import as_tuple, check_choice, check_number, shown
from tensorrvea.driver.run import Run
from tensorrvea.driver.schedule import Budget
from tensorrvea.driver.search import Search
from tensorrvea.evolution import Evolution, check_algorithm
from tensorrvea.problem import Problem
from tensorrvea.study.comparison import show_median
from tensorrvea.study.indicators import Indicator
from tensorrvea.study.progress import BatchProgress, StudyBar, shows_progress
from tensorrvea.study.series import as_seeds
from tensorrvea.study.statistics import summary
from tensorrvea.study.study import Study
from tensorrvea.study.tables import IN_BOLD, Cell, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# The individuals of all runs of a program take at most this many bytes.
PROGRAM_BYTES = 2**28
Settings = dict[str, float]


def sweep(
    problem: Problem,
    algorithm: Evolution,
    grid: Mapping[str, Iterable[float]],
    *,
    seeds: int | Iterable[int] = 11,
    generations: int | None = None,
    evaluations: int | None = None,
    metrics: str | Indicator | Iterable[str | Indicator] = ("igd", "hypervolume"),
    reference: ArrayLike | None = None,
    progress: bool | None = None,
    effort: str | None = None,
) -> "Sweep":
    """Run every combination of some settings of an algorithm with every seed, as one compiled program.

    Settings are numbers that compiled code takes as arguments, so a hundred combinations compile like one. Settings
    that decide the code, such as the population, make one program for each of their values. A run draws the same
    numbers as with ``replicate``; its last bits may differ where XLA fuses a batch of another size in another way.

    Args:
      problem: what to optimise.
      algorithm: whose settings are changed.
      grid: the values of each setting by its name, as in ``{"alpha": [1, 2, 4], "variation.crossover.eta": [15, 20]}``.
      seeds: the number of runs of each combination, or their seeds.
      generations: the budget of each run, in generations.
      evaluations: the budget of each run, in evaluations.
      metrics: what is measured at the end of each run, as in ``compare``.
      reference: reference point of the hypervolume, in the user's signs.
      progress: whether to show a progress bar; by default in a terminal or notebook.
      effort: as in ``optimize``.

    Returns:
      A ``Sweep``: see its ``table``, ``plot`` and ``best``.

    Example::

        found = tr.sweep(tr.problems.DTLZ2(), tr.TensorRVEA(population=105), {"alpha": [1, 2, 4]}, generations=100)
        print(found.table())
    """
    if not isinstance(problem, Problem):
        raise TypeError(f"problem takes a Problem, got {shown(problem)}")
    if problem.host:
        raise TypeError("sweep takes a problem that can be compiled, got a HostProblem; use compare")
    check_algorithm(algorithm)
    values = check_grid(algorithm, grid)
    each_seed = as_seeds(seeds)
    combinations = [dict(zip(values, chosen, strict=True)) for chosen in itertools.product(*values.values())]
    variants = [with_settings(algorithm, settings) for settings in combinations]
    study = Study(metrics, reference=reference)
    study.check_reference({problem.name: problem})
    shows_progress(progress)
    study.problems[problem.name] = problem
    result = Sweep(problem, algorithm, values, combinations, study)
    limit: dict[str, Any] = {"generations": generations, "evaluations": evaluations}
    budgets = [Budget(population=variant.population, **limit) for variant in variants]
    groups: dict[Any, list[int]] = {}
    for number, variant in enumerate(variants):
        groups.setdefault(jax.tree.structure(variant), []).append(number)
    # All arguments are checked before anything runs.
    for members in groups.values():
        Run(problem, variants[members[0]], seeds=each_seed, is_batched=True, budget=budgets[members[0]], effort=effort)
    found: dict[int, dict[int, np.ndarray]] = {}
    bar = StudyBar(len(variants) * len(each_seed), is_shown=shows_progress(progress))
    try:
        for members in groups.values():
            for batch in split(members, len(each_seed), variants[members[0]], problem):
                found |= run_batch(problem, variants, batch, each_seed, budgets[members[0]], effort, bar)
    finally:
        bar.close()
    for number in range(len(variants)):
        runs = {seed: {"F": front} for seed, front in found[number].items()}
        study.add_runs(problem, result.labels[number], runs, name=problem.name)
    return result


def split(members: list[int], seeds: int, algorithm: Evolution, problem: Problem) -> list[list[int]]:
    """Divide combinations into programs of a limited size, each of which has all seeds of its combinations."""
    size = algorithm.population * (problem.variables + problem.objectives + 2) * 4 * 4 * seeds
    at_most = max(1, PROGRAM_BYTES // size)
    return [members[i : i + at_most] for i in range(0, len(members), at_most)]


def run_batch(
    problem: Problem,
    variants: list[Evolution],
    batch: list[int],
    seeds: list[int],
    budget: Budget,
    effort: str | None,
    bar: StudyBar,
) -> dict[int, dict[int, np.ndarray]]:
    """Run some combinations with all seeds as one program; return the front of each seed of each."""
    run = Run(
        problem, variants[batch[0]], seeds=seeds * len(batch), is_batched=True, budget=budget, effort=effort,
        algorithms=[variants[number] for number in batch for _ in seeds],
    )  # fmt: skip
    search = Search(run)
    search.execute([BatchProgress(bar, problem.name)])
    fronts = iter(result.F for result in search.results())
    bar.add(len(run.seeds))
    return {number: {seed: next(fronts) for seed in seeds} for number in batch}


class Sweep:
    """What the combinations of some settings lead to; made by ``tensorrvea.sweep``.

    ``study`` has all runs, with a column per combination; ``combinations`` the settings of each.

    Args:
      problem: what was optimised.
      algorithm: whose settings were changed.
      grid: the values of each setting by its name.
      combinations: the settings of each combination.
      study: all runs.
    """

    def __init__(
        self,
        problem: Problem,
        algorithm: Evolution,
        grid: dict[str, list[float]],
        combinations: list[Settings],
        study: Study,
    ):
        self.problem, self.algorithm, self.grid = problem, algorithm, grid
        self.combinations, self.study = combinations, study
        self.labels = [", ".join(f"{name}={value:g}" for name, value in each.items()) for each in combinations]

    def values(self, metric: str | None = None) -> np.ndarray:
        """Return a metric of each run, (combinations, seeds)."""
        by_label = self.study.values(metric)[self.problem.name]
        return np.array([by_label[label] for label in self.labels])

    def medians(self, metric: str | None = None) -> np.ndarray:
        """Return the median of a metric over the seeds, with an axis per setting."""
        each = [summary(row).median for row in self.values(metric)]
        return np.array(each).reshape([len(values) for values in self.grid.values()])

    def best(self, metric: str | None = None) -> Evolution:
        """Return the algorithm with the settings of the best median; the first of equal ones."""
        medians = self.medians(metric).ravel()
        larger = self.study.indicators[self.study._metric(metric)].larger_is_better
        return with_settings(self.algorithm, self.combinations[int((np.argmax if larger else np.argmin)(medians))])

    def table(self, metric: str | None = None) -> Table:
        """Return median and interquartile range of each combination, a column per metric, the best in bold.

        Args:
          metric: one of the metrics; all by default.
        """
        names = list(self.study.indicators) if metric is None else [self.study._metric(metric)]
        columns = {}
        for name in names:
            found = [summary(row) for row in self.values(name)]
            larger = self.study.indicators[name].larger_is_better
            best = (max if larger else min)(each.median for each in found)
            columns[name] = [Cell(show_median(each.median, each.iqr), each.median == best) for each in found]
        rows = [
            [*(Cell(f"{value:g}") for value in settings.values()), *(columns[name][i] for name in names)]
            for i, settings in enumerate(self.combinations)
        ]
        note = f"Median (interquartile range) of {self.values(names[0]).shape[1]} runs, {IN_BOLD}. "
        title = f"{type(self.algorithm).__name__} on {self.problem.name}"
        return Table(title, [*self.grid, *names], rows, note + " ".join(self.study.notes()), plain=len(self.grid))

    def plot(self, metric: str | None = None, *, rows: str | None = None, columns: str | None = None) -> "Figure":
        """Return a heat map of the median of a metric over two settings.

        Args:
          metric: one of the metrics; the first by default.
          rows: the setting along the rows; the first by default.
          columns: the setting along the columns; the second by default. Over others, the best median is shown.
        """
        from tensorrvea.plot import plot_heat_map  # which needs matplotlib, and that takes long to import

        names = tuple(self.grid)
        down = check_choice("rows", rows or next((name for name in names if name != columns), names[0]), names)
        rest = [name for name in names if name != down]
        across = check_choice("columns", columns or rest[0], tuple(rest)) if rest else None
        name = self.study._metric(metric)
        larger = self.study.indicators[name].larger_is_better
        kept = [names.index(each) for each in (down, across) if each is not None]
        others = tuple(i for i in range(len(names)) if i not in kept)
        medians = (np.max if larger else np.min)(self.medians(metric), axis=others)
        if across is None:
            medians = medians[:, None]
        elif kept[0] > kept[1]:
            medians = medians.T
        note = " (best of the other settings)" if others else ""
        return plot_heat_map(
            medians,
            rows=[f"{value:g}" for value in self.grid[down]],
            columns=[""] if across is None else [f"{value:g}" for value in self.grid[across]],
            row_title=down,
            column_title=across or "",
            label=f"{name}, median{note}",
            larger_is_better=larger,
        )

    def _repr_html_(self) -> str:
        return self.table().html()

    def __repr__(self) -> str:
        sizes = " × ".join(f"{len(values)} {name}" for name, values in self.grid.items())
        return f"Sweep({type(self.algorithm).__name__} on {self.problem.name}: {sizes})"


# Settings


def check_grid(algorithm: Evolution, grid: Any) -> dict[str, list[float]]:
    """Return the values of each setting, as floats where the algorithm has a float or a value is one."""
    if not isinstance(grid, Mapping) or not grid:
        raise TypeError(f"grid takes values by name, such as {{'alpha': [1, 2, 4]}}, got {shown(grid)}")
    checked = {}
    for name, given in grid.items():
        values = list(as_tuple(given))
        if not isinstance(name, str) or not values:
            raise TypeError(
                f"grid takes values by name, such as {{'alpha': [1, 2, 4]}}, got {shown(name, 40)}: {shown(given, 40)}"
            )
        for value in values:
            check_number(f"grid[{name!r}]", value, scalar=True)
        if len(set(values)) < len(values):
            raise ValueError(f"grid[{name!r}] must have different values, got {shown(given)}")
        is_whole = all(isinstance(value, int | np.integer) for value in [*values, get_setting(algorithm, name)])
        checked[name] = [int(value) if is_whole else float(value) for value in values]
    return checked


def get_setting(part: Any, path: str) -> Any:
    """Return a setting by its name, such as ``variation.crossover.eta``."""
    for i, name in enumerate(path.split(".")):
        known = tuple(field.name for field in dataclasses.fields(part)) if dataclasses.is_dataclass(part) else ()
        where = ".".join(path.split(".")[:i]) or "the algorithm"
        check_choice(f"a setting of {where}", name, known)
        part = getattr(part, name)
    return part


def with_settings(part: Any, settings: Mapping[str, Any]) -> Any:
    """Return a copy of an algorithm with other settings, by names such as ``variation.crossover.eta``."""
    for path, value in settings.items():
        part = _with_setting(part, path.split("."), value)
    return part


def _with_setting(part: Any, names: list[str], value: Any) -> Any:
    first, *rest = names
    inner = value if not rest else _with_setting(getattr(part, first), rest, value)
    return dataclasses.replace(part, **{first: inner})
