"""Neuroevolution and extensibility: HV and EU over time or generations, and final fronts, on robot tasks."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from tensorrvea.api import optimize
from tensorrvea.experiments.curves import resample, sample_indices
from tensorrvea.experiments.findings import Claim, Findings
from tensorrvea.experiments.plans import Robots, make_algorithm
from tensorrvea.experiments.store import Store, file_name
from tensorrvea.metrics import derived_reference_point, expected_utility, hypervolume
from tensorrvea.neuroevolution import RobotProblem
from tensorrvea.plot import plot_attainment, plot_convergence
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
# Algorithm → one dictionary of arrays per seed.
Runs = dict[str, list[dict[str, np.ndarray]]]


def run_robots(
    store: Store, plan: Robots, *, problems: Mapping[str, RobotProblem], reference: str | None = None
) -> Findings:
    """Run all tasks, algorithms and seeds, then compute the indicators, whose reference point depends on all runs.

    Args:
      problems: the problem of each task of the plan.
      reference: ``"paper"`` for the supplement's reference points, ``"derived"`` for its rule applied to the runs made
        here. By default ``"paper"`` on the paper's backend, else ``"derived"``.
    """
    findings = Findings(store)
    scored: dict[str, Runs] = {}
    for task, seconds in plan.tasks.items():
        problem = problems[task]
        runs: Runs = {}
        for algorithm in plan.algorithms:
            jobs = {
                f"{problem.name}, {algorithm}, seed {seed}": partial(
                    run_seed, store, plan, problem, algorithm, seed, seconds
                )
                for seed in range(plan.repetitions)
            }
            runs[algorithm] = store.load_or_run_all(jobs)
        rule = reference or default_reference(problem.backend)
        point = reference_point(problem, runs, plan, rule)
        shown = ", ".join(f"{value:.6g}" for value in point)
        findings.notes.append(f"Reference point of HV on {problem.name}, {RULES[rule]}: ({shown}).")
        scored[task] = {algorithm: [run | indicators(run, point) for run in seeds] for algorithm, seeds in runs.items()}
    rows = [
        (task, algorithm, seed, *(run[name][-1] for name in ("HV", "EU", "seconds", "generation")))
        for task, runs in scored.items()
        for algorithm, seeds in runs.items()
        for seed, run in enumerate(seeds)
    ]
    store.write_csv("runs", ("task", "algorithm", "seed", "hv", "eu", "seconds", "generations"), rows)
    for name in ("HV", "EU"):
        final = {
            task: {algorithm: [float(run[name][-1]) for run in seeds] for algorithm, seeds in runs.items()}
            for task, runs in scored.items()
        }
        title = f"{name} at the end (larger is better)"
        findings.add_comparison(name.lower(), title, final, plan.ours, larger_is_better=True)
        findings.claims.append(compare_with_paper(store.experiment, name, final))
        findings.add_figures(name.lower(), draw_curves(scored, name, plan), f"{name}: mean and 95 % confidence band.")
    for task, runs in scored.items():
        figures = draw_attainment(problems[task], runs)
        findings.add_figures(f"front_{task}", figures, f"{task}: attainment of the final fronts.")
    return findings


def run_seed(
    store: Store, plan: Robots, problem: RobotProblem, algorithm: str, seed: int, seconds: float
) -> dict[str, np.ndarray]:
    """Run one seed in its own run directory, and reduce the result."""
    limit: dict[str, Any] = {"generations": plan.generations} if plan.generations else {"seconds": seconds}
    result = optimize(
        problem, make_algorithm(algorithm, plan.population), seed=seed, history="fronts",
        directory=store.directory / "runs" / file_name(f"{problem.name} {algorithm} {seed}"), **limit,
    )  # fmt: skip
    return reduce_result(result, plan.samples)


def reduce_result(result: Result, samples: int) -> dict[str, np.ndarray]:
    """Keep some of the fronts, concatenated, and the worst values of all of them for the reference point."""
    fronts = result.history.fronts
    assert fronts is not None  # recorded by history="fronts"
    sampled = sample_indices(len(fronts), samples)
    return {
        "generation": result.history.generation[sampled],
        "seconds": result.history.seconds[sampled],
        "fronts": np.concatenate([fronts[t] for t in sampled]),
        "sizes": np.array([len(fronts[t]) for t in sampled]),
        "worst": derived_reference_point(fronts, "max"),
        "F": result.F,
        "X": result.X,
    }


def default_reference(backend: str) -> str:
    """The paper's reference points on its own backend only, since rewards of different backends are not comparable."""
    return "paper" if backend == PAPER_BACKEND else "derived"


def reference_point(problem: RobotProblem, runs: Runs, plan: Robots, rule: str) -> np.ndarray:
    """Reference point of HV, in the signs of the rewards."""
    if rule == "paper":
        point = problem.reference_point(plan.references)
        assert point is not None  # only without a named experiment
        return point
    limits = [0.0 if name in NONNEGATIVE else None for name in problem.objective_names]
    return derived_reference_point([run["worst"][None] for seeds in runs.values() for run in seeds], "max", limits)


def indicators(run: dict[str, np.ndarray], point: np.ndarray) -> dict[str, np.ndarray]:
    """HV and EU of the fronts that were kept."""
    fronts = np.split(run["fronts"], np.cumsum(run["sizes"])[:-1])
    return {
        "HV": np.array([hypervolume(f, point, "max") if len(f) else 0.0 for f in fronts]),
        "EU": np.array([expected_utility(f, "max") if len(f) else np.nan for f in fronts]),
    }


def draw_curves(scored: Mapping[str, Runs], name: str, plan: Robots) -> dict[str, Figure]:
    """Draw an indicator over time or generations, one figure per task."""
    axis = "generation" if plan.generations else "seconds"
    return {
        task: plot_convergence(
            {algorithm: resample(seeds, axis, name) for algorithm, seeds in runs.items()},
            ylabel=name, xlabel=axis, band="confidence",
        )
        for task, runs in scored.items()
    }  # fmt: skip


def draw_attainment(problem: RobotProblem, runs: Runs) -> dict[str, Figure]:
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
