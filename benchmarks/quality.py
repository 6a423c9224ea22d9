"""How close TensorRVEA comes to the true fronts: the figures of docs/quality.md.

    python benchmarks/quality.py dtlz           DTLZ1-4, population 105, 31 seeds, 100 generations (DTLZ2 also 500)
    python benchmarks/quality.py constrained    C1-DTLZ1 and C2-DTLZ2 beside pymoo's NSGA-III at equal evaluations

Medians of IGD to 2,926 points of the front, with the range over seeds.
"""

import sys

import numpy as np

import tensorrvea as tr
from tensorrvea.metrics import igd
from tensorrvea.problems import C1DTLZ1, C2DTLZ2, DTLZ1, DTLZ2, DTLZ3, DTLZ4


def show(values: list[float]) -> str:
    return f"{np.median(values):.4g} ({min(values):.4g} to {max(values):.4g})"


def dtlz() -> None:
    print("| problem | d | generations | all living survivors | non-dominated |\n|---|---|---|---|---|")
    sizes = [(DTLZ1, 7, 100), (DTLZ2, 12, 100), (DTLZ3, 12, 100), (DTLZ4, 12, 100), (DTLZ2, 12, 500)]
    for problem_class, d, generations in sizes:
        problem = problem_class(objectives=3, variables=d)
        front = problem.front(2926)
        runs = tr.replicate(problem, tr.TensorRVEA(population=105), generations=generations, seeds=range(31))
        living = [igd(run.population.F, front) for run in runs]
        best = [igd(run.F, front) for run in runs]
        print(f"| {problem.name} | {d} | {generations} | {show(living)} | {show(best)} |", flush=True)


def constrained() -> None:
    from pymoo.algorithms.moo.nsga3 import NSGA3
    from pymoo.optimize import minimize
    from pymoo.problems import get_problem
    from pymoo.util.ref_dirs import get_reference_directions

    directions = get_reference_directions("das-dennis", 3, n_partitions=13)
    print("| problem | generations | feasible | TensorRVEA | pymoo's NSGA-III |\n|---|---|---|---|---|")
    for problem_class, name, generations in ((C1DTLZ1, "c1dtlz1", 400), (C2DTLZ2, "c2dtlz2", 200)):
        problem = problem_class(objectives=3)
        front = problem.front(2926)
        algorithm = tr.TensorRVEA(population=105)
        runs = tr.replicate(problem, algorithm, generations=generations, seeds=range(11))
        feasible = all((run.population.violation <= 0).all() for run in runs)
        theirs = get_problem(name, n_var=problem.variables, n_obj=3)
        others = [
            igd(minimize(theirs, NSGA3(directions), ("n_gen", generations + 1), seed=seed).F, front)
            for seed in range(5)
        ]
        ours = show([igd(run.F, front) for run in runs])
        print(
            f"| {problem.name} | {generations} | {'all' if feasible else 'not all'} | {ours} | {show(others)} |",
            flush=True,
        )


if __name__ == "__main__":
    {"dtlz": dtlz, "constrained": constrained}[sys.argv[1] if len(sys.argv) > 1 else "dtlz"]()
