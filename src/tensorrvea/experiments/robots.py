"""Neuroevolution and extensibility: HV and EU over time or generations, and final fronts, on robot tasks."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from tensorrvea.driver.schedule import Budget
from tensorrvea.driver.search import Search
from tensorrvea.experiments.findings import Claim, Findings
from tensorrvea.experiments.plans import Robots, make_algorithm
from tensorrvea.experiments.store import Store
from tensorrvea.metrics import derived_reference_point
from tensorrvea.neuroevolution import RobotProblem
from tensorrvea.plot import plot_attainment
from tensorrvea.study import INDICATORS, Study
from tensorrvea.study.figures import draw_curves
from tensorrvea.study.records import reduce_search
from tensorrvea.study.series import Series
from tensorrvea.study.store import Arrays

METRICS = (replace(INDICATORS["hypervolume"], name="HV"), replace(INDICATORS["expected_utility"], name="EU"))
# The paper limits the reference point to at least zero in these objectives.
NONNEGATIVE = ("forward reward", "height")
PAPER_BACKEND = "brax"
RULES = {"derived": "derived from the runs made here", "paper": "the paper's"}
REFERENCES = tuple(RULES)
PAPER_CLAIMS = {
    "neuroevolution": "TensorRVEA has the best {} on all four tasks, before NSGA-II and random search",
    "extensibility": "CSO has the best {} of the operators on MoHopper-m2 and -m3, then GA",
}
# The best algorithms in the paper's order.
PAPER_ORDER = {"neuroevolution": ["TensorRVEA"], "extensibility": ["CSO", "GA"]}
PAPER_TASKS = {"neuroevolution": 4, "extensibility": 2}
# Algorithm → seed → the arrays of a run.
TaskRuns = Mapping[str, Mapping[int, Arrays]]
COLUMNS = ("problem", "algorithm", "seed", "HV", "EU", "seconds", "generations")


def run_robots(
    store: Store, plan: Robots, *, problems: Mapping[str, RobotProblem], reference: str | None = None
) -> Findings:
    """Run all tasks, algorithms and seeds, then compute the indicators, whose reference point depends on all runs.

    Args:
      store: where runs are kept.
      plan: tasks, algorithms, sizes and seeds.
      problems: the problem of each task, by name.
      reference: ``"paper"`` for the supplement's reference points, ``"derived"`` for its rule applied to the runs made
        here. By default ``"paper"`` on the paper's backend, else ``"derived"``.
    """
    findings = Findings(store)
    points: dict[str, np.ndarray] = {}
    study = Study(METRICS, reference=points, against=plan.ours)
    executor = store.executor(partial(reduce_robots, samples=plan.samples))
    for task, seconds in plan.tasks.items():
        problem = problems[task]
        for algorithm in plan.algorithms:
            series = make_series(plan, problem, algorithm, seconds)
            study.add_runs(problem, algorithm, executor.run(series, range(plan.repetitions)), name=task)
        rule = reference or default_reference(problem.backend)
        points[task] = reference_point(problem, study.runs[task], plan, rule)
        shown = ", ".join(f"{value:.6g}" for value in points[task])
        findings.notes.append(f"Reference point of HV on {problem.name}, {RULES[rule]}: ({shown}).")
    rows = [tuple(row[name] for name in COLUMNS) for row in study.records()]
    store.write_csv("runs", ("task", "algorithm", "seed", "hv", "eu", "seconds", "generations"), rows)
    for name in study.indicators:
        final = study.values(name)
        title = f"{name} at the end (larger is better)"
        findings.add_comparison(name.lower(), title, final, plan.ours, larger_is_better=True)
        findings.claims.append(compare_with_paper(store.experiment, name, final))
        curves = {task: study.curves(task, name) for task in study.runs}
        figures = draw_curves(curves, name, "generation" if plan.generations else "seconds")
        findings.add_figures(name.lower(), figures, f"{name}: mean and 95 % confidence band.")
    for task in study.runs:
        figures = draw_attainment(problems[task], {a: study.fronts(task, a) for a in study.runs[task]})
        findings.add_figures(f"front_{task}", figures, f"{task}: attainment of the final fronts.")
    return findings


def make_series(plan: Robots, problem: RobotProblem, algorithm: str, seconds: float) -> Series:
    limit: dict[str, Any] = {"generations": plan.generations} if plan.generations else {"seconds": seconds}
    return Series(
        label=f"{problem.name}, {algorithm}",
        problem=problem,
        algorithm=make_algorithm(algorithm, plan.population),
        budget=Budget(population=plan.population, **limit),
        is_timed=True,
    )


def reduce_robots(search: Search, samples: int) -> dict[int, Arrays]:
    """Keep what a study keeps, and the worst values of the fronts of all generations for the reference point."""
    worst = {each.seed: derived_reference_point(each.history.fronts or (), "max") for each in search.results()}
    return {seed: run | {"worst": worst[seed]} for seed, run in reduce_search(search, samples).items()}


def default_reference(backend: str) -> str:
    """The paper's reference points on its own backend only, since rewards of different backends are not comparable."""
    return "paper" if backend == PAPER_BACKEND else "derived"


def reference_point(problem: RobotProblem, runs: TaskRuns, plan: Robots, rule: str) -> np.ndarray:
    """Reference point of HV, in the signs of the rewards."""
    if rule == "paper":
        point = problem.reference_point(plan.references)
        assert point is not None  # only without a named experiment
        return point
    limits = [0.0 if name in NONNEGATIVE else None for name in problem.objective_names]
    return derived_reference_point(
        [run["worst"][None] for seeds in runs.values() for run in seeds.values()], "max", limits
    )


def draw_attainment(problem: RobotProblem, fronts: Mapping[str, list[np.ndarray]]) -> dict[str, Figure]:
    """Draw the attainment of the final fronts, one figure per algorithm."""
    names, units = problem.objective_names, problem.units
    return {
        algorithm: plot_attainment(each, names=names, units=units, directions="max")
        for algorithm, each in fronts.items()
    }


def compare_with_paper(experiment: str, name: str, values: Mapping[str, Mapping[str, Any]]) -> Claim:
    texts, same_order = [], []
    for task, by_algorithm in values.items():
        means = {algorithm: float(np.mean(finals)) for algorithm, finals in by_algorithm.items()}
        order = sorted(means, key=lambda algorithm: -means[algorithm])
        same_order.append(order[: len(PAPER_ORDER[experiment])] == PAPER_ORDER[experiment])
        texts.append(f"{task}: " + " > ".join(f"{algorithm} {means[algorithm]:.4g}" for algorithm in order))
    is_partial = len(values) < PAPER_TASKS[experiment]
    here = f"{'on this task only, ' if is_partial else ''}means of {name}: " + "; ".join(texts)
    return Claim(PAPER_CLAIMS[experiment].format(name), here, holds=all(same_order))
