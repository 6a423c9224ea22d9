"""Numerical benchmarks: IGD and HV of RVEA and TensorRVEA on DTLZ, over time and over generations."""

from functools import cache, partial
from typing import Any

import jax
import numpy as np

from tensorrvea.api import optimize
from tensorrvea.devices import default_device
from tensorrvea.experiments.curves import resample, sample_indices
from tensorrvea.experiments.findings import Claim, Findings
from tensorrvea.experiments.plans import Numerical, make_algorithm
from tensorrvea.experiments.store import Store
from tensorrvea.metrics import igd, normalised_hypervolume
from tensorrvea.plot import plot_convergence
from tensorrvea.problem_registry import make_problem
from tensorrvea.result import Result

ALGORITHMS = ("TensorRVEA", "RVEA")
LARGER_IS_BETTER = {"IGD": False, "HV": True}
FRONT_POINTS = 5000
SAMPLES = 40
# Problem → algorithm → one dictionary of arrays per seed.
Runs = dict[str, dict[str, list[dict[str, np.ndarray]]]]


def run_numerical(store: Store, plan: Numerical) -> Findings:
    """Run every problem, algorithm and seed, with a budget of time and with one of generations."""
    findings = Findings(store)
    rows: list[tuple[Any, ...]] = []
    for budget, axis in (("time", "seconds"), ("generations", "generation")):
        runs: Runs = {}
        for problem in plan.problems:
            for algorithm in ALGORITHMS:
                jobs = {
                    f"{budget}, {problem}, {algorithm}, seed {seed}": partial(
                        run_seed, plan, problem, algorithm, seed, budget
                    )
                    for seed in range(plan.repetitions)
                }
                runs.setdefault(problem, {})[algorithm] = store.load_or_run_all(jobs)
        report(findings, runs, budget, axis)
        rows += [
            (budget, problem, algorithm, seed, *(run[name][-1] for name in ("IGD", "HV", "seconds", "generation")))
            for problem, by_algorithm in runs.items()
            for algorithm, seeds in by_algorithm.items()
            for seed, run in enumerate(seeds)
        ]
    store.write_csv("runs", ("budget", "problem", "algorithm", "seed", "igd", "hv", "seconds", "generations"), rows)
    return findings


def run_seed(plan: Numerical, problem_name: str, algorithm_name: str, seed: int, budget: str) -> dict[str, np.ndarray]:
    """Run one seed and compute its indicators."""
    problem = make_problem(problem_name, {"objectives": 3})
    limit: dict[str, Any] = {"seconds": plan.seconds} if budget == "time" else {"generations": plan.generations}
    algorithm = make_algorithm(algorithm_name, plan.population)
    warm_up(problem_name, algorithm_name, plan.population, default_device())
    return indicators(optimize(problem, algorithm, seed=seed, history="fronts", **limit))


@cache
def warm_up(problem_name: str, algorithm_name: str, population: int, device: jax.Device | None) -> None:
    """Compile and warm up once per process and device, so that no timed run includes a cold start.

    ``device`` is the current default device; it is part of the cache key only.
    """
    del device
    problem = make_problem(problem_name, {"objectives": 3})
    optimize(problem, make_algorithm(algorithm_name, population), generations=2, seed=0, history="fronts")


def indicators(result: Result) -> dict[str, np.ndarray]:
    """IGD and HV at some of the generations."""
    front = result.problem.front(FRONT_POINTS)
    fronts = result.history.fronts
    assert front is not None  # known for benchmarks
    assert fronts is not None  # recorded by history="fronts"
    sampled = sample_indices(len(fronts), SAMPLES)
    return {
        "generation": result.history.generation[sampled],
        "seconds": result.history.seconds[sampled],
        "IGD": np.array([igd(fronts[t], front) for t in sampled]),
        "HV": np.array([normalised_hypervolume(fronts[t], front) for t in sampled]),
        "F": result.F,
    }


def report(findings: Findings, runs: Runs, budget: str, axis: str) -> None:
    """Add the tables, figures, claims and notes of one kind of budget."""
    for name, larger in LARGER_IS_BETTER.items():
        final = {p: {a: [run[name][-1] for run in seeds] for a, seeds in each.items()} for p, each in runs.items()}
        title = f"{name} at the end of {'equal time' if budget == 'time' else 'equal generations'}"
        findings.add_comparison(f"{name.lower()}_{budget}", title, final, "TensorRVEA", larger_is_better=larger)
        panels = {}
        for problem, by_algorithm in runs.items():
            curves = {algorithm: resample(seeds, axis, name) for algorithm, seeds in by_algorithm.items()}
            panels[problem] = plot_convergence(curves, ylabel=name, xlabel=axis, band="confidence", log=name == "IGD")
        caption = f"{name} over {budget}: mean and 95 % confidence band."
        findings.add_figures(f"{name.lower()}_{budget}", panels, caption)
        if budget == "time":
            findings.claims.append(compare_with_paper(name, final, larger))
    if budget == "time":
        for problem, by_algorithm in runs.items():
            medians = {a: np.median([run["generation"][-1] for run in seeds]) for a, seeds in by_algorithm.items()}
            shown = ", ".join(f"{algorithm} {value:.0f}" for algorithm, value in medians.items())
            findings.notes.append(f"Generations within the time budget on {problem}, median: {shown}.")
    elif have_equal_fronts(runs):
        findings.notes.append(
            "With equal generations both algorithms find bitwise identical fronts in every run: they select the same "
            "individuals and differ only in time."
        )


def have_equal_fronts(runs: Runs) -> bool:
    pairs = [zip(*(each[algorithm] for algorithm in ALGORITHMS), strict=True) for each in runs.values()]
    return all(np.array_equal(ours["F"], theirs["F"]) for pair in pairs for ours, theirs in pair)


def compare_with_paper(name: str, final: dict[str, dict[str, list[float]]], larger: bool) -> Claim:
    paper = f"TensorRVEA has a {'higher' if larger else 'lower'} {name} than RVEA in equal time on DTLZ1-4"
    texts, better = [], []
    for problem, values in final.items():
        ours, theirs = (float(np.median(values[algorithm])) for algorithm in ALGORITHMS)
        better.append(ours > theirs if larger else ours < theirs)
        texts.append(f"{problem}: {ours:.4g} against {theirs:.4g}")
    return Claim(paper, f"medians of {name}, TensorRVEA against RVEA: " + "; ".join(texts), holds=all(better))
