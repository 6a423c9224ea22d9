"""Numerical benchmarks: IGD and HV of RVEA and TensorRVEA on DTLZ, over time and over generations."""

from functools import cache, partial
from itertools import product
from typing import Any

import jax
import numpy as np

from tensorrvea.api import optimize
from tensorrvea.devices import default_device
from tensorrvea.experiments.curves import Arrays, Runs, draw_curves, final_rows, final_values, sample_fronts
from tensorrvea.experiments.findings import Claim, Findings
from tensorrvea.experiments.plans import Numerical, make_algorithm
from tensorrvea.experiments.store import Store
from tensorrvea.metrics import igd, normalised_hypervolume
from tensorrvea.problem_registry import make_problem
from tensorrvea.result import Result

ALGORITHMS = ("TensorRVEA", "RVEA")
LARGER_IS_BETTER = {"IGD": False, "HV": True}
FRONT_POINTS = 5000
SAMPLES = 40


def run_numerical(store: Store, plan: Numerical) -> Findings:
    """Run every problem, algorithm and seed, with a budget of time and with one of generations."""
    findings = Findings(store)
    rows: list[tuple[Any, ...]] = []
    for budget, axis in (("time", "seconds"), ("generations", "generation")):
        runs: dict[str, dict[str, list[Arrays]]] = {problem: {} for problem in plan.problems}
        for problem, algorithm in product(plan.problems, ALGORITHMS):
            run = partial(run_seed, plan, problem, algorithm, budget=budget)
            name = f"{budget}, {problem}, {algorithm}"
            runs[problem][algorithm] = store.load_or_run_seeds(name, run, plan.repetitions)
        report(findings, runs, budget, axis)
        rows += [(budget, *row) for row in final_rows(runs, "IGD", "HV", "seconds", "generation")]
    store.write_csv("runs", ("budget", "problem", "algorithm", "seed", "igd", "hv", "seconds", "generations"), rows)
    return findings


def run_seed(plan: Numerical, problem_name: str, algorithm_name: str, seed: int, budget: str) -> Arrays:
    """Run one seed and compute its indicators."""
    problem = make_problem(problem_name, {"objectives": 3})
    limit: dict[str, Any] = {"seconds": plan.seconds} if budget == "time" else {"generations": plan.generations}
    algorithm = make_algorithm(algorithm_name, plan.population)
    warm_up(problem_name, algorithm_name, plan.population, default_device())
    return indicators(optimize(problem, algorithm, seed=seed, history="fronts", effort="full", **limit))


@cache
def warm_up(problem_name: str, algorithm_name: str, population: int, device: jax.Device | None) -> None:
    """Compile and warm up once per process and device, so that no timed run includes a cold start.

    ``device`` is the current default device; it is part of the cache key only.
    """
    del device
    problem = make_problem(problem_name, {"objectives": 3})
    algorithm = make_algorithm(algorithm_name, population)
    optimize(problem, algorithm, generations=2, seed=0, history="fronts", effort="full")


def indicators(result: Result) -> Arrays:
    """IGD and HV at some of the generations."""
    truth = result.problem.front(FRONT_POINTS)
    assert truth is not None  # known for benchmarks
    times, fronts = sample_fronts(result, SAMPLES)
    values = {"IGD": [igd(f, truth) for f in fronts], "HV": [normalised_hypervolume(f, truth) for f in fronts]}
    return {**times, **{name: np.array(each) for name, each in values.items()}, "F": result.F}


def report(findings: Findings, runs: Runs, budget: str, axis: str) -> None:
    """Add the tables, figures, claims and notes of one kind of budget."""
    for name, larger in LARGER_IS_BETTER.items():
        final = final_values(runs, name)
        title = f"{name} at the end of {'equal time' if budget == 'time' else 'equal generations'}"
        findings.add_comparison(f"{name.lower()}_{budget}", title, final, "TensorRVEA", larger_is_better=larger)
        caption = f"{name} over {budget}: mean and 95 % confidence band."
        findings.add_figures(f"{name.lower()}_{budget}", draw_curves(runs, name, axis, log=name == "IGD"), caption)
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
