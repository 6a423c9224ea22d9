"""Neuroevolution and extensibility: HV and EU over time or generations, and final fronts, on robot tasks."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from tensorrvea.api import optimize
from tensorrvea.experiments.curves import Arrays, draw_curves, final_rows, final_values, sample_fronts
from tensorrvea.experiments.findings import Claim, Findings
from tensorrvea.experiments.plans import Robots, make_algorithm
from tensorrvea.experiments.store import Store, file_name
from tensorrvea.metrics import derived_reference_point, expected_utility, hypervolume
from tensorrvea.neuroevolution import RobotProblem
from tensorrvea.plot import plot_attainment
from tensorrvea.result import Result

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
# Algorithm → the arrays of each seed.
TaskRuns = dict[str, list[Arrays]]


def run_robots(
    store: Store, plan: Robots, *, problems: Mapping[str, RobotProblem], reference: str | None = None
) -> Findings:
    """Run all tasks, algorithms and seeds, then compute the indicators, whose reference point depends on all runs.

    Args:
      reference: ``"paper"`` for the supplement's reference points, ``"derived"`` for its rule applied to the runs made
        here. By default ``"paper"`` on the paper's backend, else ``"derived"``.
    """
    findings = Findings(store)
    scored: dict[str, TaskRuns] = {}
    for task, seconds in plan.tasks.items():
        problem = problems[task]
        runs: TaskRuns = {}
        for algorithm in plan.algorithms:
            run = partial(run_seed, store, plan, problem, algorithm, seconds=seconds)
            runs[algorithm] = store.load_or_run_seeds(f"{problem.name}, {algorithm}", run, plan.repetitions)
        rule = reference or default_reference(problem.backend)
        point = reference_point(problem, runs, plan, rule)
        shown = ", ".join(f"{value:.6g}" for value in point)
        findings.notes.append(f"Reference point of HV on {problem.name}, {RULES[rule]}: ({shown}).")
        scored[task] = {name: [arrays | indicators(arrays, point) for arrays in seeds] for name, seeds in runs.items()}
    rows = final_rows(scored, "HV", "EU", "seconds", "generation")
    store.write_csv("runs", ("task", "algorithm", "seed", "hv", "eu", "seconds", "generations"), rows)
    for name in ("HV", "EU"):
        final = final_values(scored, name)
        title = f"{name} at the end (larger is better)"
        findings.add_comparison(name.lower(), title, final, plan.ours, larger_is_better=True)
        findings.claims.append(compare_with_paper(store.experiment, name, final))
        figures = draw_curves(scored, name, "generation" if plan.generations else "seconds")
        findings.add_figures(name.lower(), figures, f"{name}: mean and 95 % confidence band.")
    for task, runs in scored.items():
        figures = draw_attainment(problems[task], runs)
        findings.add_figures(f"front_{task}", figures, f"{task}: attainment of the final fronts.")
    return findings


def run_seed(store: Store, plan: Robots, problem: RobotProblem, algorithm: str, seed: int, seconds: float) -> Arrays:
    """Run one seed in its own run directory, and reduce the result."""
    limit: dict[str, Any] = {"generations": plan.generations} if plan.generations else {"seconds": seconds}
    result = optimize(
        problem, make_algorithm(algorithm, plan.population), seed=seed, history="fronts",
        directory=store.directory / "runs" / file_name(f"{problem.name} {algorithm} {seed}"), **limit,
    )  # fmt: skip
    return reduce_result(result, plan.samples)


def reduce_result(result: Result, samples: int) -> Arrays:
    """Keep some of the fronts, concatenated, and the worst values of all of them for the reference point."""
    times, fronts = sample_fronts(result, samples)
    return {
        **times,
        "fronts": np.concatenate(fronts),
        "sizes": np.array([len(front) for front in fronts]),
        "worst": derived_reference_point(result.history.fronts or (), "max"),
        "F": result.F,
        "X": result.X,
    }


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
    return derived_reference_point([run["worst"][None] for seeds in runs.values() for run in seeds], "max", limits)


def indicators(run: Arrays, point: np.ndarray) -> Arrays:
    """HV and EU of the fronts that were kept."""
    fronts = np.split(run["fronts"], np.cumsum(run["sizes"])[:-1])
    return {
        "HV": np.array([hypervolume(f, point, "max") if len(f) else 0.0 for f in fronts]),
        "EU": np.array([expected_utility(f, "max") if len(f) else np.nan for f in fronts]),
    }


def draw_attainment(problem: RobotProblem, runs: TaskRuns) -> dict[str, Figure]:
    """Draw the attainment of the final fronts, one figure per algorithm."""
    names, units = problem.objective_names, problem.units
    return {
        algorithm: plot_attainment([run["F"] for run in seeds], names=names, units=units, directions="max")
        for algorithm, seeds in runs.items()
    }


def compare_with_paper(experiment: str, name: str, values: dict[str, dict[str, list[float]]]) -> Claim:
    texts, same_order = [], []
    for task, by_algorithm in values.items():
        means = {algorithm: float(np.mean(finals)) for algorithm, finals in by_algorithm.items()}
        order = sorted(means, key=lambda algorithm: -means[algorithm])
        same_order.append(order[: len(PAPER_ORDER[experiment])] == PAPER_ORDER[experiment])
        texts.append(f"{task}: " + " > ".join(f"{algorithm} {means[algorithm]:.4g}" for algorithm in order))
    return Claim(PAPER_CLAIMS[experiment].format(name), f"means of {name}: " + "; ".join(texts), holds=all(same_order))
