"""Numerical benchmarks: IGD and HV of RVEA and TensorRVEA on DTLZ, over time and over generations."""

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from tensorrvea.driver.schedule import Budget
from tensorrvea.experiments.findings import Claim, Findings
from tensorrvea.experiments.plans import Numerical, make_algorithm
from tensorrvea.experiments.store import Store
from tensorrvea.problem_registry import make_problem
from tensorrvea.study import INDICATORS, Study
from tensorrvea.study.figures import draw_curves
from tensorrvea.study.series import Series

ALGORITHMS = ("TensorRVEA", "RVEA")
METRICS = (replace(INDICATORS["igd"], name="IGD"), replace(INDICATORS["hypervolume"], name="HV"))
FRONT_POINTS = 5000


def run_numerical(store: Store, plan: Numerical) -> Findings:
    """Run every problem, algorithm and seed, with a budget of time and with one of generations."""
    findings = Findings(store)
    rows: list[tuple[Any, ...]] = []
    for budget, axis in (("time", "seconds"), ("generations", "generation")):
        study = Study(METRICS, front_points=FRONT_POINTS)
        executor = store.executor()
        for problem, algorithm in product(plan.problems, ALGORITHMS):
            series = make_series(plan, problem, algorithm, budget)
            study.add_runs(series.problem, algorithm, executor.run(series, range(plan.repetitions)), name=problem)
        report(findings, study, budget, axis)
        rows += [(budget, *(row[name] for name in COLUMNS)) for row in study.records()]
    store.write_csv("runs", ("budget", "problem", "algorithm", "seed", "igd", "hv", "seconds", "generations"), rows)
    return findings


COLUMNS = ("problem", "algorithm", "seed", "IGD", "HV", "seconds", "generations")


def make_series(plan: Numerical, problem: str, algorithm: str, budget: str) -> Series:
    """Return the runs of an algorithm on a problem. They run one by one, since their times are reported."""
    limit: dict[str, Any] = {"seconds": plan.seconds} if budget == "time" else {"generations": plan.generations}
    return Series(
        label=f"{budget}, {problem}, {algorithm}",
        problem=make_problem(problem, {"objectives": 3}),
        algorithm=make_algorithm(algorithm, plan.population),
        budget=Budget(population=plan.population, **limit),
        effort="full",
        is_timed=True,
    )


def report(findings: Findings, study: Study, budget: str, axis: str) -> None:
    """Add the tables, figures, claims and notes of one kind of budget."""
    for name, indicator in study.indicators.items():
        final, larger = study.values(name), indicator.larger_is_better
        title = f"{name} at the end of {'equal time' if budget == 'time' else 'equal generations'}"
        findings.add_comparison(f"{name.lower()}_{budget}", title, final, "TensorRVEA", larger_is_better=larger)
        caption = f"{name} over {budget}: mean and 95 % confidence band."
        figures = draw_curves({p: study.curves(p, name) for p in study.runs}, name, axis, log=name == "IGD")
        findings.add_figures(f"{name.lower()}_{budget}", figures, caption)
        if budget == "time":
            findings.claims.append(compare_with_paper(name, final, larger))
    if budget == "time":
        for problem, by_algorithm in study.runs.items():
            medians = {a: np.median([run["generation"][-1] for run in r.values()]) for a, r in by_algorithm.items()}
            shown = ", ".join(f"{algorithm} {value:.0f}" for algorithm, value in medians.items())
            findings.notes.append(f"Generations within the time budget on {problem}, median: {shown}.")
    elif have_equal_fronts(study):
        findings.notes.append(
            "With equal generations both algorithms find bitwise identical fronts in every run: they select the same "
            "individuals and differ only in time."
        )


def have_equal_fronts(study: Study) -> bool:
    pairs = [zip(*(study.fronts(problem, a) for a in ALGORITHMS), strict=True) for problem in study.runs]
    return all(np.array_equal(ours, theirs) for pair in pairs for ours, theirs in pair)


def compare_with_paper(name: str, final: dict[str, dict[str, np.ndarray]], larger: bool) -> Claim:
    paper = f"TensorRVEA has a {'higher' if larger else 'lower'} {name} than RVEA in equal time on DTLZ1-4"
    texts, better = [], []
    for problem, values in final.items():
        ours, theirs = (float(np.median(values[algorithm])) for algorithm in ALGORITHMS)
        better.append(ours > theirs if larger else ours < theirs)
        texts.append(f"{problem}: {ours:.4g} against {theirs:.4g}")
    return Claim(paper, f"medians of {name}, TensorRVEA against RVEA: " + "; ".join(texts), holds=all(better))
