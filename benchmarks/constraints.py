"""Constrained suites MW and LIR-CMOP, ours beside pymoo: the tables of docs/constraints.md.

    python benchmarks/constraints.py pymoo --seeds 11     pymoo's NSGA-II and C-TAEA
    python benchmarks/constraints.py ours --seeds 11      the algorithms in OURS
    python benchmarks/constraints.py table                the table, from what has been run

Each run has 100 individuals and 30,100 evaluations (300 generations after the first population). Results are appended
to ``constraints.jsonl`` (``--file``), and runs that are in it are skipped: an interrupted command goes on where it was.
pymoo is given the values of our problems in double precision.
"""

import argparse
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import jax
import numpy as np
from scipy.stats import mannwhitneyu

import tensorrvea as tr
from tensorrvea.metrics import normalised_hypervolume

POPULATION, GENERATIONS = 100, 300
EVALUATIONS = POPULATION * (GENERATIONS + 1)
PROBLEMS = (*tr.problems.SUITES["MW"], *tr.problems.SUITES["LIR-CMOP"])
THEIRS = ("pymoo NSGA-II", "pymoo C-TAEA")
OURS = {
    "CCMO": tr.CCMO(population=POPULATION),
    "NSGA2": tr.NSGA2(population=POPULATION),
    "NSGA2, epsilon 0.2": tr.NSGA2(population=POPULATION, constraint_rule=tr.ConstraintRule(epsilon=0.2)),
}


class Run(NamedTuple):
    """What is recorded of a run."""

    hv: float
    """Hypervolume, as a share of that of the true front; 0 without a feasible solution near enough to count."""
    feasible: bool
    """Whether a feasible solution was found."""


@cache
def true_front(problem: tr.Problem) -> tuple[np.ndarray, float]:
    front = problem.front(10_000)
    return front, float(normalised_hypervolume(front, front))


def judge(problem: tr.Problem, f: np.ndarray | None) -> Run:
    """What was found by a run whose feasible front is ``f``."""
    if f is None or len(f) == 0:
        return Run(0.0, feasible=False)
    front, whole = true_front(problem)
    return Run(float(normalised_hypervolume(f, front)) / whole, feasible=True)


@cache
def compiled_values(problem: tr.Problem) -> Callable:
    return jax.jit(lambda x: (problem.objective_values(x), problem.constraint_values(x)))


def run_pymoo(problem: tr.Problem, name: str, seed: int) -> np.ndarray | None:
    from pymoo.algorithms.moo.ctaea import CTAEA
    from pymoo.algorithms.moo.nsga2 import NSGA2
    from pymoo.core.problem import Problem
    from pymoo.optimize import minimize
    from pymoo.util.ref_dirs import get_reference_directions

    evaluate = compiled_values(problem)

    class Wrapped(Problem):
        def __init__(self) -> None:
            count = jax.eval_shape(problem.constraint_values, jax.ShapeDtypeStruct((1, problem.variables), float))
            super().__init__(
                n_var=problem.variables, n_obj=problem.objectives, n_ieq_constr=count.shape[1],
                xl=problem.lower, xu=problem.upper,
            )  # fmt: skip

        def _evaluate(self, x, out, *_, **__):
            out["F"], out["G"] = (np.asarray(values) for values in evaluate(x))

    if name == THEIRS[0]:
        algorithm = NSGA2(pop_size=POPULATION)
    else:
        partitions = {2: POPULATION - 1, 3: 12}[problem.objectives]
        algorithm = CTAEA(ref_dirs=get_reference_directions("das-dennis", problem.objectives, n_partitions=partitions))
    return minimize(Wrapped(), algorithm, ("n_eval", EVALUATIONS), seed=seed).F


def known_runs(path: Path) -> dict[tuple[str, str, int], Run]:
    lines = map(json.loads, path.read_text().splitlines() if path.exists() else [])
    return {(line["algorithm"], line["problem"], line["seed"]): Run(line["hv"], line["feasible"]) for line in lines}


def add(path: Path, algorithm: str, problem: tr.Problem, seed: int, run: Run) -> None:
    with path.open("a") as stream:
        line = {"algorithm": algorithm, "problem": problem.name, "seed": seed, **run._asdict()}
        stream.write(json.dumps(line) + "\n")


def pymoo(path: Path, seeds: int) -> None:
    """Seed by seed, so that what is there compares all problems."""
    jax.config.update("jax_enable_x64", True)
    problems = [make() for make in PROBLEMS]
    for seed in range(seeds):
        for problem in problems:
            done = known_runs(path)
            for name in THEIRS:
                if (name, problem.name, seed) not in done:
                    add(path, name, problem, seed, judge(problem, run_pymoo(problem, name, seed)))


def ours(path: Path, seeds: int, names: list[str]) -> None:
    for make in PROBLEMS:
        problem, done = make(), known_runs(path)
        for name in names:
            missing = [seed for seed in range(seeds) if (name, problem.name, seed) not in done]
            if missing:
                runs = tr.replicate(problem, OURS[name], generations=GENERATIONS, seeds=missing)
                for run in runs:
                    add(path, name, problem, run.seed, judge(problem, run.F))


def table(path: Path) -> None:
    """Print medians of the hypervolume, how often a feasible solution was found, and where ours are ahead."""
    runs = known_runs(path)
    names = [name for name in (*OURS, *THEIRS) if any(key[0] == name for key in runs)]
    problems = [make.__name__ for make in PROBLEMS]
    found = {
        (name, problem): [run for key, run in sorted(runs.items()) if key[:2] == (name, problem)]
        for name in names
        for problem in problems
    }
    hv = {key: np.array([run.hv for run in each]) for key, each in found.items()}
    print("| problem | " + " | ".join(names) + " |\n|---" + "|---" * len(names) + "|")
    for problem in problems:
        print(f"| {problem} | " + " | ".join(cell(found[name, problem]) for name in names) + " |")
    for name in names:
        tried = [found[name, problem] for problem in problems if found[name, problem]]
        shares = [np.mean([run.feasible for run in each]) for each in tried]
        mean = 100 * np.mean(shares)
        print(
            f"\n{name}: {min(map(len, tried))} to {max(map(len, tried))} seeds; feasible solutions on "
            f"{sum(share > 0 for share in shares)} of {len(tried)} problems, in all runs on "
            f"{sum(share == 1 for share in shares)}; share of runs, averaged over problems: {mean:.1f} %"
        )
    for name in (name for name in names if name in OURS):
        for other in (name for name in names if name in THEIRS):
            tried = [p for p in problems if len(hv[name, p]) and len(hv[other, p])]
            behind = [p for p in tried if not is_no_worse(hv[name, p], hv[other, p])]
            ahead = sum(np.median(hv[name, p]) >= np.median(hv[other, p]) for p in tried)
            print(
                f"\n{name} beside {other}: median at least as large on {ahead} of {len(tried)}; "
                f"that or not significantly worse on {len(tried) - len(behind)}; worse on {', '.join(behind) or 'none'}"
            )


def cell(runs: list[Run]) -> str:
    """The median, the number of runs, and in how many of them there was no feasible solution, or none that counts."""
    if not runs:
        return "–"
    infeasible = sum(not run.feasible for run in runs)
    far = sum(run.feasible and run.hv == 0 for run in runs)
    notes = [f"{count} {what}" for count, what in ((infeasible, "infeasible"), (far, "far")) if count]
    median = f"{np.median([run.hv for run in runs]):.3f}"
    return median + (f" ({', '.join(notes)} of {len(runs)})" if notes else "")


def is_no_worse(own: np.ndarray, other: np.ndarray) -> bool:
    """Whether the median is larger, or the difference is one that a rank-sum test at 5 % cannot tell from chance."""
    if np.median(own) >= np.median(other):
        return True
    return bool(mannwhitneyu(own, other, alternative="less").pvalue > 0.05)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("pymoo", "ours", "table"))
    parser.add_argument("--seeds", type=int, default=11)
    parser.add_argument("--file", type=Path, default=Path("constraints.jsonl"))
    parser.add_argument("--algorithms", nargs="*", choices=tuple(OURS), default=tuple(OURS))
    arguments = parser.parse_args()
    if arguments.part == "pymoo":
        pymoo(arguments.file, arguments.seeds)
    elif arguments.part == "ours":
        ours(arguments.file, arguments.seeds, list(arguments.algorithms))
    else:
        table(arguments.file)


if __name__ == "__main__":
    main()
