"""Numerical benchmarks: IGD and HV of RVEA and TensorRVEA on DTLZ, over time and over generations."""

from functools import cache, partial
from typing import Any

import jax
import numpy as np

from tensorrvea.api import optimize
from tensorrvea.devices import default_device
from tensorrvea.experiments.curves import at_steps, chosen
from tensorrvea.experiments.findings import Claim, Findings
from tensorrvea.experiments.plans import Numerical, algorithm_named
from tensorrvea.experiments.store import Store
from tensorrvea.metrics import igd, normalised_hypervolume
from tensorrvea.plot import plot_convergence
from tensorrvea.result import Result
from tensorrvea.runs.registry import make_problem

ALGORITHMS = ("TensorRVEA", "RVEA")
INDICATORS = {"IGD": False, "HV": True}
"""Whether larger is better."""
FRONT_POINTS = 5000
SAMPLES = 40
Runs = dict[str, dict[str, list[dict[str, np.ndarray]]]]


def run_numerical(store: Store, plan: Numerical) -> Findings:
    """Every problem, algorithm and seed, once with the time and once with the generations as the budget."""
    findings = Findings(store)
    rows: list[tuple[Any, ...]] = []
    for budget, axis in (("time", "seconds"), ("generations", "generation")):
        runs: Runs = {}
        for problem in plan.problems:
            for algorithm in ALGORITHMS:
                each = {
                    f"{budget}, {problem}, {algorithm}, seed {seed}": partial(
                        one_run, plan, problem, algorithm, seed, budget
                    )
                    for seed in range(plan.repetitions)
                }
                runs.setdefault(problem, {})[algorithm] = store.every(each)
        report(findings, runs, budget, axis)
        rows += [
            (budget, problem, algorithm, seed, *(one[name][-1] for name in ("IGD", "HV", "seconds", "generation")))
            for problem, each in runs.items()
            for algorithm, of in each.items()
            for seed, one in enumerate(of)
        ]
    store.write_csv("runs", ("budget", "problem", "algorithm", "seed", "igd", "hv", "seconds", "generations"), rows)
    return findings


def one_run(plan: Numerical, problem_name: str, algorithm: str, seed: int, budget: str) -> dict[str, np.ndarray]:
    """A run, and its indicators at some of its generations."""
    problem = make_problem(problem_name, {"objectives": 3})
    limit: dict[str, Any] = {"seconds": plan.seconds} if budget == "time" else {"generations": plan.generations}
    made = algorithm_named(algorithm, plan.population)
    warm_up(problem_name, algorithm, plan.population, default_device())
    result = optimize(problem, made, seed=seed, history="fronts", **limit)
    return indicators(result)


@cache
def warm_up(problem_name: str, algorithm: str, population: int, device: jax.Device | None) -> None:
    """Once in a process on each device, so that no run pays for a cold start: also not the first after a break.

    ``device`` is where it happens anyway.
    """
    del device
    problem = make_problem(problem_name, {"objectives": 3})
    optimize(problem, algorithm_named(algorithm, population), generations=2, seed=0, history="fronts")


def indicators(result: Result) -> dict[str, np.ndarray]:
    front = result.problem.front(FRONT_POINTS)
    fronts = result.history.fronts
    assert front is not None  # it is a benchmark
    assert fronts is not None  # it was asked for
    at = chosen(len(fronts), SAMPLES)
    return {
        "generation": result.history.generation[at],
        "seconds": result.history.seconds[at],
        "IGD": np.array([igd(fronts[t], front) for t in at]),
        "HV": np.array([normalised_hypervolume(fronts[t], front) for t in at]),
        "F": result.F,
    }


def report(findings: Findings, runs: Runs, budget: str, axis: str) -> None:
    for name, larger in INDICATORS.items():
        final = {p: {a: [one[name][-1] for one in of] for a, of in each.items()} for p, each in runs.items()}
        title = f"{name} at the end of {'equal time' if budget == 'time' else 'equal generations'}"
        findings.comparison(f"{name.lower()}_{budget}", title, final, "TensorRVEA", larger_is_better=larger)
        panels = {}
        for problem, each in runs.items():
            curves = {algorithm: at_steps(of, axis, name) for algorithm, of in each.items()}
            panels[problem] = plot_convergence(curves, ylabel=name, xlabel=axis, band="confidence", log=name == "IGD")
        caption = f"{name} over {budget}: mean and 95 % confidence band."
        findings.figures(f"{name.lower()}_{budget}", panels, caption)
        if budget == "time":
            findings.claims.append(claim(name, final, larger))
    if budget == "time":
        for problem, each in runs.items():
            reached = {a: np.median([one["generation"][-1] for one in of]) for a, of in each.items()}
            shown = ", ".join(f"{algorithm} {value:.0f}" for algorithm, value in reached.items())
            findings.notes.append(f"Generations in the time given on {problem}, median: {shown}.")
    elif same_fronts(runs):
        findings.notes.append(
            "With equal generations both find the same fronts to the last bit, in every run: they choose the same "
            "from the same draws, and differ in the time that it takes."
        )


def same_fronts(runs: Runs) -> bool:
    pairs = [zip(*(each[algorithm] for algorithm in ALGORITHMS), strict=True) for each in runs.values()]
    return all(np.array_equal(ours["F"], theirs["F"]) for pair in pairs for ours, theirs in pair)


def claim(name: str, final: dict[str, dict[str, list[float]]], larger: bool) -> Claim:
    paper = {
        "IGD": "TensorRVEA has a lower IGD than RVEA in equal time on DTLZ1-4",
        "HV": "TensorRVEA has a higher HV than RVEA in equal time on DTLZ1-4",
    }[name]
    texts, better = [], []
    for problem, each in final.items():
        ours, theirs = (float(np.median(each[algorithm])) for algorithm in ALGORITHMS)
        better.append(ours > theirs if larger else ours < theirs)
        texts.append(f"{problem}: {ours:.4g} against {theirs:.4g}")
    return Claim(paper, f"medians of {name}, TensorRVEA against RVEA: " + "; ".join(texts), holds=all(better))
