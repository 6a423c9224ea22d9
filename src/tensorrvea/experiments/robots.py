"""Neuroevolution and extensibility: HV and EU over time or generations, and final fronts, on robots' tasks."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from tensorrvea.experiments.curves import at_steps, chosen
from tensorrvea.experiments.findings import Claim, Findings
from tensorrvea.experiments.plans import Robots, algorithm_named
from tensorrvea.experiments.store import Store, plain_name
from tensorrvea.metrics import derived_reference_point, expected_utility, hypervolume
from tensorrvea.optimize import optimize
from tensorrvea.plot import plot_attainment, plot_convergence
from tensorrvea.result import Result

# The paper does not let the reference point fall below zero in these.
NOT_BELOW_ZERO = ("forward reward", "height")
PAPERS_BACKEND = "brax"
RULES = {"derived": "derived from the runs made here", "paper": "the paper's"}
REFERENCES = tuple(RULES)
Runs = dict[str, list[dict[str, np.ndarray]]]


def run_robots(store: Store, plan: Robots, *, problems: Mapping[str, Any], reference: str | None = None) -> Findings:
    """All tasks, algorithms and repetitions; then the indicators, which need the reference point of all of them.

    Args:
      problems: the plan's tasks, made.
      reference: ``"paper"`` for the supplement's points, ``"derived"`` for its rule over the runs made here: the
        default, unless the backend is the paper's.
    """
    findings = Findings(store)
    rows: list[tuple[Any, ...]] = []
    final: dict[str, dict[str, dict[str, list[float]]]] = {"HV": {}, "EU": {}}
    for task, seconds in plan.tasks.items():
        problem = problems[task]
        runs: Runs = {
            algorithm: store.every(
                {
                    f"{problem.name}, {algorithm}, seed {seed}": partial(
                        one_run, store, plan, problem, algorithm, seed, seconds
                    )
                    for seed in range(plan.repetitions)
                }
            )
            for algorithm in plan.algorithms
        }
        rule = reference or usual_reference(problem)
        point = reference_point(problem, runs, plan, rule)
        shown = ", ".join(f"{v:.6g}" for v in point)
        findings.notes.append(f"Reference point of HV on {problem.name}, {RULES[rule]}: ({shown}).")
        for of in runs.values():
            for one in of:
                one |= score(one, point)
        draw(findings, task, problem, runs, plan)
        for name, each in final.items():
            each[task] = {algorithm: [float(one[name][-1]) for one in of] for algorithm, of in runs.items()}
        rows += [
            (task, algorithm, seed, one["HV"][-1], one["EU"][-1], one["seconds"][-1], one["generation"][-1])
            for algorithm, of in runs.items()
            for seed, one in enumerate(of)
        ]
    store.write_csv("runs", ("task", "algorithm", "seed", "hv", "eu", "seconds", "generations"), rows)
    for name, values in final.items():
        title = f"{name} at the end (larger is better)"
        findings.comparison(name.lower(), title, values, plan.ours, larger_is_better=True)
        findings.claims.append(claim(store.experiment, name, values))
    return findings


def make_problem(task: str, plan: Robots, backend: str) -> Any:
    from tensorrvea.neuroevolution import RobotProblem  # needs an engine

    return RobotProblem(task, backend=backend, steps=plan.steps)


def one_run(
    store: Store, plan: Robots, problem: Any, algorithm: str, seed: int, seconds: float
) -> dict[str, np.ndarray]:
    """A run, in a directory of its own while it goes, and what is kept of it."""
    limit: dict[str, Any] = {"generations": plan.generations} if plan.generations else {"seconds": seconds}
    result = optimize(
        problem, algorithm_named(algorithm, plan.population), seed=seed, history="fronts",
        directory=store.directory / "runs" / plain_name(f"{problem.name} {algorithm} {seed}"), **limit,
    )  # fmt: skip
    return kept(result, plan.samples)


def kept(result: Result, samples: int) -> dict[str, np.ndarray]:
    """Some of the fronts, joined, and the worst values over all of them, from which the reference point is derived."""
    fronts = result.history.fronts
    assert fronts is not None  # it was asked for
    at = chosen(len(fronts), samples)
    return {
        "generation": result.history.generation[at],
        "seconds": result.history.seconds[at],
        "fronts": np.concatenate([fronts[t] for t in at]),
        "sizes": np.array([len(fronts[t]) for t in at]),
        "worst": derived_reference_point(fronts, "max"),
        "F": result.F,
        "X": result.X,
    }


def usual_reference(problem: Any) -> str:
    """Rewards compare only within one backend, so that the paper's points go with its own."""
    return "paper" if problem.backend == PAPERS_BACKEND else "derived"


def reference_point(problem: Any, runs: Runs, plan: Robots, rule: str) -> np.ndarray:
    """In the rewards' own signs."""
    if rule == "paper":
        return problem.reference_point(plan.references)
    limits = [0.0 if name in NOT_BELOW_ZERO else None for name in problem.objective_names]
    return derived_reference_point([one["worst"][None] for of in runs.values() for one in of], "max", limits)


def score(one: dict[str, np.ndarray], point: np.ndarray) -> dict[str, np.ndarray]:
    """HV and EU of the fronts that were kept."""
    fronts = np.split(one["fronts"], np.cumsum(one["sizes"])[:-1])
    return {
        "HV": np.array([hypervolume(f, point, "max") if len(f) else 0.0 for f in fronts]),
        "EU": np.array([expected_utility(f, "max") if len(f) else np.nan for f in fronts]),
    }


def draw(findings: Findings, task: str, problem: Any, runs: Runs, plan: Robots) -> None:
    axis = "generation" if plan.generations else "seconds"
    for name in ("HV", "EU"):
        curves = {algorithm: at_steps(of, axis, name) for algorithm, of in runs.items()}
        figure = plot_convergence(curves, ylabel=name, xlabel=axis, band="confidence")
        caption = f"{name} on {task}: mean and 95 % confidence band."
        findings.figure(f"{name.lower()}_{plain_name(task)}", figure, caption)
    for algorithm, of in runs.items():
        figure = plot_attainment(
            [one["F"] for one in of], names=problem.objective_names, units=problem.units, directions="max"
        )
        caption = f"{task}: what the final fronts of {algorithm} attain."
        findings.figure(f"front_{plain_name(f'{task} {algorithm}')}", figure, caption)


PAPER = {
    "neuroevolution": "TensorRVEA has the best {} on all four tasks, before NSGA-II and random search",
    "extensibility": "CSO has the best {} of the operators on MoHopper-m2 and -m3, then GA",
}
BEST = {"neuroevolution": ["TensorRVEA"], "extensibility": ["CSO", "GA"]}
"""Who is first, and who is next, where the paper says so."""


def claim(experiment: str, name: str, values: dict[str, dict[str, list[float]]]) -> Claim:
    texts, best = [], []
    for task, each in values.items():
        means = {algorithm: float(np.mean(of)) for algorithm, of in each.items()}
        order = sorted(means, key=lambda algorithm: -means[algorithm])
        best.append(order[: len(BEST[experiment])] == BEST[experiment])
        texts.append(f"{task}: " + " > ".join(f"{algorithm} {means[algorithm]:.4g}" for algorithm in order))
    return Claim(PAPER[experiment].format(name), f"means of {name}: " + "; ".join(texts), holds=all(best))
