"""Distance of the paper's TensorRVEA to the true fronts: the tables of docs/quality.md.

    python benchmarks/quality.py dtlz           DTLZ1-4, population 105, 31 seeds, 100 generations (DTLZ2 also 500)
    python benchmarks/quality.py constrained    C1-DTLZ1 and C2-DTLZ2, with pymoo's NSGA-III at equal evaluations
    python benchmarks/quality.py mutation       mutation and crossover of the GA, on problems of all suites
    python benchmarks/quality.py zdt1           ZDT1, with pymoo's RVEA: the effect of the penalty and the mutation

Medians of IGD to 2,926 points of the front, with the range over seeds.
"""

import sys

import numpy as np

import tensorrvea as tr
from tensorrvea.metrics import igd
from tensorrvea.operators import SBX, PolynomialMutation
from tensorrvea.problems import (
    C1DTLZ1,
    C2DTLZ2,
    DTLZ1,
    DTLZ2,
    DTLZ3,
    DTLZ4,
    DTLZ7,
    LSMOP1,
    ZDT1,
    ZDT2,
    ZDT3,
    ZDT4,
    ZDT6,
    MaF1,
)


def show(values: list[float]) -> str:
    return f"{np.median(values):.4g} ({min(values):.4g} to {max(values):.4g})"


def dtlz() -> None:
    print("| problem | d | generations | all survivors | non-dominated |\n|---|---|---|---|---|")
    sizes = [(DTLZ1, 7, 100), (DTLZ2, 12, 100), (DTLZ3, 12, 100), (DTLZ4, 12, 100), (DTLZ2, 12, 500)]
    for problem_class, d, generations in sizes:
        problem = problem_class(objectives=3, variables=d)
        front = problem.front(2926)
        runs = tr.replicate(problem, tr.TensorRVEA.paper(population=105), generations=generations, seeds=range(31))
        survivors = [igd(run.population.F, front) for run in runs]
        best = [igd(run.F, front) for run in runs]
        print(f"| {problem.name} | {d} | {generations} | {show(survivors)} | {show(best)} |", flush=True)


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
        algorithm = tr.TensorRVEA.paper(population=105)
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


def mutation() -> None:
    """Compare settings on seeds that were not used to choose the defaults."""
    three = [(DTLZ1, 7), (DTLZ2, 12), (DTLZ3, 12), (DTLZ4, 12), (DTLZ7, 22), (MaF1, 12), (LSMOP1, 300)]
    two = [(ZDT1, 30), (ZDT2, 30), (ZDT3, 30), (ZDT4, 10), (ZDT6, 10)]
    sizes = [(problem_class(objectives=3, variables=d), 100) for problem_class, d in three]
    sizes += [(problem_class(variables=d), 100) for problem_class, d in two]
    sizes += [(C1DTLZ1(objectives=3), 400), (C2DTLZ2(objectives=3), 200)]
    settings = [(p, eta) for eta in (30, 20) for p in (0.5, 0.7, 1.0)]
    print("| problem | d | generations |" + "".join(f" p_m {p}, η {eta} |" for p, eta in settings))
    print("|---" * (3 + len(settings)) + "|")
    for problem, generations in sizes:
        front = problem.front(2926)
        medians = []
        for p, eta in settings:
            variation = tr.GA(crossover=SBX(eta=eta), mutation=PolynomialMutation(probability=p))
            algorithm = tr.TensorRVEA.paper(population=105 if problem.objectives == 3 else 100, variation=variation)
            runs = tr.replicate(problem, algorithm, generations=generations, seeds=range(100, 131))
            medians.append(np.median([igd(run.F, front) for run in runs]))
        cells = " | ".join(f"{value:.4g}" for value in medians)
        print(f"| {problem.name} | {problem.variables} | {generations} | {cells} |", flush=True)


def zdt1() -> None:
    from pymoo.algorithms.moo.rvea import RVEA, APDSurvival
    from pymoo.operators.mutation.pm import PM
    from pymoo.optimize import minimize
    from pymoo.problems import get_problem
    from pymoo.util.ref_dirs import get_reference_directions

    class PaperSurvival(APDSurvival):
        """Survival with the paper's penalty factor m; pymoo uses 1 for two objectives."""

        def _do(self, *args, algorithm, **kwargs):
            scaled = (algorithm.n_gen - 1) * 2 ** (1 / self.alpha)
            return super()._do(*args, algorithm=algorithm, n_gen=scaled, **kwargs)

    problem, theirs = ZDT1(variables=30), get_problem("zdt1", n_var=30)
    front = problem.front(2926)
    vectors = get_reference_directions("das-dennis", 2, n_partitions=99)
    print("| | penalty factor | p_m | IGD |\n|---|---|---|---|")
    for survival, factor in ((PaperSurvival, 2), (APDSurvival, 1)):
        for p in (0.5, 1.0):
            algorithm = {"survival": survival(vectors), "mutation": PM(eta=20, prob=1.0, prob_var=p / 30)}
            others = [
                igd(minimize(theirs, RVEA(vectors, **algorithm), ("n_gen", 101), seed=seed).F, front)
                for seed in range(15)
            ]
            print(f"| pymoo's RVEA | {factor} | {p} | {show(others)} |", flush=True)
    for p in (0.5, 1.0):
        algorithm = tr.TensorRVEA.paper(population=100, variation=tr.GA(mutation=PolynomialMutation(probability=p)))
        runs = tr.replicate(problem, algorithm, generations=100, seeds=range(31))
        print(f"| TensorRVEA | 2 | {p} | {show([igd(run.F, front) for run in runs])} |", flush=True)


if __name__ == "__main__":
    tables = {"dtlz": dtlz, "constrained": constrained, "mutation": mutation, "zdt1": zdt1}
    tables[sys.argv[1] if len(sys.argv) > 1 else "dtlz"]()
