"""Neuroevolution and extensibility: HV and EU over time or generations, and final fronts, on robots' tasks."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from tensorrvea.api import optimize
from tensorrvea.experiments.curves import at_steps, chosen
from tensorrvea.experiments.findings import Claim, Findings
from tensorrvea.experiments.plans import Robots, algorithm_named
from tensorrvea.experiments.store import Store, plain_name
from tensorrvea.metrics import derived_reference_point, expected_utility, hypervolume
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
    scored: dict[str, Runs] = {}
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
        scored[task] = {algorithm: [one | score(one, point) for one in of] for algorithm, of in runs.items()}
    rows = [
        (task, algorithm, seed, *(one[name][-1] for name in ("HV", "EU", "seconds", "generation")))
        for task, runs in scored.items()
        for algorithm, of in runs.items()
        for seed, one in enumerate(of)
    ]
    store.write_csv("runs", ("task", "algorithm", "seed", "hv", "eu", "seconds", "generations"), rows)
    for name in ("HV", "EU"):
        final = {
            task: {algorithm: [float(one[name][-1]) for one in of] for algorithm, of in runs.items()}
            for task, runs in scored.items()
        }
        findings.comparison(
            name.lower(), f"{name} at the end (larger is better)", final, plan.ours, larger_is_better=True
        )
        findings.claims.append(claim(store.experiment, name, final))
        findings.figures(name.lower(), curves(scored, name, plan), f"{name}: mean and 95 % confidence band.")
    for task, runs in scored.items():
        caption = f"{task}: what the final fronts attain."
        findings.figures(f"front_{task}", final_fronts(problems[task], runs), caption)
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


def curves(scored: Mapping[str, Runs], name: str, plan: Robots) -> dict[str, Figure]:
    """HV or EU as the runs went, a figure a task."""
    axis = "generation" if plan.generations else "seconds"
    return {
        task: plot_convergence(
            {algorithm: at_steps(of, axis, name) for algorithm, of in runs.items()},
            ylabel=name, xlabel=axis, band="confidence",
        )
        for task, runs in scored.items()
    }  # fmt: skip


def final_fronts(problem: Any, runs: Runs) -> dict[str, Figure]:
    """What all runs of an algorithm reach together, a figure an algorithm."""
    names, units = problem.objective_names, problem.units
    return {
        algorithm: plot_attainment([one["F"] for one in of], names=names, units=units, directions="max")
        for algorithm, of in runs.items()
    }


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
