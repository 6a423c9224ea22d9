"""What the default algorithm is chosen by: medians on problems and seeds that the arena does not show.

    python benchmarks/default_choice.py constraints
    python benchmarks/default_choice.py variables
    python benchmarks/default_choice.py cone
    python benchmarks/default_choice.py objectives

Finished runs are kept in out/default, and only missing ones are made.
"""

import argparse
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from shifted_problems import shifted_problems

import tensorrvea as tr
from tensorrvea.evolution import Evolution
from tensorrvea.operators import SBX, PolynomialMutation
from tensorrvea.problem import Problem
from tensorrvea.study import Cell, Study, Table

POPULATIONS = {2: 100, 3: 105}
NUMBERS_OF_VARIABLES = (30, 100, 300)
BUDGETS = (10_500, 50_000)
METRICS = ("igd", "igd_plus", "hypervolume")


def constrained_problems() -> dict[str, Problem]:
    """MW, LIR-CMOP and design problems with two objectives."""
    names = [
        *(f"MW{k}" for k in range(1, 15)),
        *(f"LIRCMOP{k}" for k in range(1, 15)),
        "CRE21",
        "CRE23",
        "CRE24",
        "CRE25",
    ]
    made = {name: getattr(tr.problems, name)() for name in names}
    return {name: problem for name, problem in made.items() if problem.objectives == 2}


def scalable_problems(variables: int) -> dict[str, Problem]:
    """Problems with optima at bounds, near the diagonal, and inside; smooth and multimodal."""
    three = {
        name: getattr(tr.problems, name)(objectives=3, variables=variables)
        for name in ("WFG1", "WFG4", "WFG9", "LSMOP1", "LSMOP8", "DTLZ2", "MaF3")
    }
    two = {name: getattr(tr.problems, name)(variables=variables) for name in ("ZDT4", "ZDT6")}
    return three | two | {"interior optimum": interior_optimum(variables)}


def interior_optimum(variables: int) -> Problem:
    """ZDT1 with a random optimum in [0.2, 0.8] for each variable but the first."""
    optimum = jax.random.uniform(jax.random.key(5), (variables,), minval=0.2, maxval=0.8)

    def objectives(x: jax.Array) -> jax.Array:
        g = 1 + 9 * jnp.abs(x - optimum)[1:].mean() / 0.8
        return jnp.stack([x[0], g * (1 - jnp.sqrt(x[0] / g))])

    return tr.Problem(objectives, lower=[0.0] * variables, upper=[1.0] * variables, name="interior optimum")


def three_objectives() -> dict[str, Problem]:
    """Shifted and irregular problems, and engineering designs; none is in the arena, under any name."""
    names = [*(f"IMOP{k}" for k in range(4, 9)), *(f"RE3{k}" for k in range(1, 8)), "MaF8", "MaF13"]
    made = {name: getattr(tr.problems, name)() for name in names}
    return {name: problem for name, problem in (shifted_problems() | made).items() if problem.objectives == 3}


def nearer_children() -> tr.GA:
    """One mutated variable per offspring, and a crossover whose children are near their parents."""
    return tr.GA(crossover=SBX(eta=30.0), mutation=PolynomialMutation(probability=1.0))


def run(
    problems: dict[str, Problem], algorithms: dict[int, dict[str, Evolution]], out: Path, **options: object
) -> Study:
    """Run all algorithms on all problems; those of one number of objectives are a directory."""
    study = Study(METRICS)
    for objectives, made in algorithms.items():
        group = {name: problem for name, problem in problems.items() if problem.objectives == objectives}
        part = tr.compare(group, made, metrics=METRICS, directory=out / str(objectives), **options)
        for name, by_algorithm in part.runs.items():
            for algorithm, runs in by_algorithm.items():
                study.add_runs(part.problems[name], algorithm, runs, name=name)
    return study


def medians(study: Study, metric: str) -> Table:
    """Medians, the best in bold, and average ranks."""
    best_of = max if study.indicators[metric].larger_is_better else min
    rows = []
    for problem, by_algorithm in study.values(metric).items():
        found = [float(np.median(values)) for values in by_algorithm.values()]
        rows.append([Cell(problem), *(Cell(f"{value:.4g}", value == best_of(found)) for value in found)])
    ranks = study.ranks(metric)["ranks"]
    best = min(ranks.values())
    rows.append([Cell("average rank"), *(Cell(f"{rank:.2f}", rank == best) for rank in ranks.values())])
    return Table(metric, ["", *study.algorithms], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("question", choices=("constraints", "variables", "cone", "objectives"))
    parser.add_argument("--out", type=Path, default=Path("out/default"))
    parser.add_argument("--budgets", type=int, nargs="*", default=BUDGETS, help="of the question objectives")
    options = parser.parse_args()
    if options.question == "constraints":
        made = {cls.__name__: cls(population=100) for cls in (tr.SPEA2, tr.CCMO, tr.NSGA2)}
        study = run(
            constrained_problems(), {2: made}, options.out / "constraints", seeds=range(1000, 1007), evaluations=10_000
        )
        print(medians(study, "hypervolume").markdown())
        return
    if options.question == "objectives":
        algorithms = {
            3: {
                "SPEA2, η 15": tr.SPEA2(population=105),
                "SPEA2, η 30": tr.SPEA2(population=105, variation=nearer_children()),
                "TensorRVEA": tr.TensorRVEA(population=105),
                "AGEMOEA2": tr.AGEMOEA2(population=105),
                "SMSEMOA": tr.SMSEMOA(population=105),
            }
        }
        for budget in options.budgets:
            out = options.out / f"objectives-{budget}"
            study = run(three_objectives(), algorithms, out, seeds=range(1000, 1011), evaluations=budget)
            for metric in METRICS:
                print(f"{budget} evaluations, {metric}\n\n{medians(study, metric).markdown()}\n")
        return
    if options.question == "cone":
        algorithms = {
            m: {
                "SPEA2 without": tr.SPEA2(population=n, cone=0.0, prefer_new=False),
                "SPEA2, cone": tr.SPEA2(population=n, cone=0.05, prefer_new=False),
                "SPEA2, new": tr.SPEA2(population=n, cone=0.0),
                "SPEA2, cone and new": tr.SPEA2(population=n, cone=0.05),
                "TensorRVEA without": tr.TensorRVEA(population=n, cone=0.0),
                "TensorRVEA, cone": tr.TensorRVEA(population=n, cone=0.05),
            }
            for m, n in POPULATIONS.items()
        }
        out = options.out / "cone"
        designs = {name: getattr(tr.problems, name)() for name in ("RE31", "RE32", "RE35")}
        study = run(shifted_problems() | designs, algorithms, out, seeds=range(1000, 1021), evaluations=10_500)
        print(medians(study, "igd").markdown())
        return
    for variables in NUMBERS_OF_VARIABLES:
        algorithms = {
            m: {
                "SPEA2": tr.SPEA2(population=n),
                "SPEA2 Lines": tr.SPEA2(population=n, variation=tr.Lines()),
                "TensorRVEA Lines": tr.TensorRVEA(population=n, variation=tr.Lines()),
            }
            for m, n in POPULATIONS.items()
        }
        out = options.out / f"variables-{variables}"
        study = run(scalable_problems(variables), algorithms, out, seeds=range(1000, 1005), evaluations=10_500)
        print(f"{variables} variables\n\n{medians(study, 'igd').markdown()}")


if __name__ == "__main__":
    main()
