"""The peers' half of the arena: run pymoo's algorithms, and keep their final fronts.

    python benchmarks/arena_peers.py --out out/arena

Run it with the Python of an environment that has pymoo and numba. It does not need this library, except for problems
that pymoo does not have (--ours), which are evaluated by it. Each run is one small file; those that are there are not
run again, so that the command can be stopped at any time. ``benchmarks/arena.py`` compares the fronts.
"""

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from arena_problems import PARTIAL, PEER_SEEDS, PROBLEMS, Entry, sizes
from pymoo.algorithms.moo.age2 import AGEMOEA2
from pymoo.algorithms.moo.ctaea import CTAEA
from pymoo.algorithms.moo.moead import MOEAD
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.moo.nsga3 import NSGA3
from pymoo.algorithms.moo.rvea import RVEA
from pymoo.algorithms.moo.sms import SMSEMOA
from pymoo.core.problem import Problem
from pymoo.optimize import minimize
from pymoo.problems import get_problem
from pymoo.util.nds.non_dominated_sorting import find_non_dominated
from pymoo.util.ref_dirs import get_reference_directions

PARTITIONS = {2: 99, 3: 13}
ALGORITHMS = ("NSGA2", "RVEA", "NSGA3", "AGEMOEA2", "MOEAD", "SMSEMOA", "CTAEA")


def make_algorithm(name: str, entry: Entry) -> Any:
    """Return pymoo's algorithm with its own default settings."""
    directions = get_reference_directions("das-dennis", entry.objectives, n_partitions=PARTITIONS[entry.objectives])
    by_name = {
        "RVEA": lambda: RVEA(directions),
        "NSGA2": lambda: NSGA2(pop_size=entry.population),
        "NSGA3": lambda: NSGA3(directions),
        "AGEMOEA2": lambda: AGEMOEA2(pop_size=entry.population),
        "SMSEMOA": lambda: SMSEMOA(pop_size=entry.population),
        "MOEAD": lambda: QuickMOEAD(directions),
        "CTAEA": lambda: CTAEA(directions),
    }
    return by_name[name]()


class QuickMOEAD(MOEAD):
    """pymoo's MOEA/D, without sorting out the non-dominated after every single offspring: once at the end suffices."""

    def _set_optimum(self) -> None:
        self.opt = self.pop


class FromLibrary(Problem):
    """A problem of this library, evaluated by it in double precision."""

    def __init__(self, name: str, entry: Entry) -> None:
        import jax

        jax.config.update("jax_enable_x64", True)
        from tensorrvea.problems import named

        ours = named(name)(**sizes(name, entry))
        self.objectives = jax.jit(ours.objective_values)
        self.limits = jax.jit(ours.constraint_values) if entry.is_constrained else None
        lower, upper = np.broadcast_to(ours.lower, entry.variables), np.broadcast_to(ours.upper, entry.variables)
        limits = 0 if self.limits is None else self.limits(lower[None]).shape[1]
        super().__init__(n_var=entry.variables, n_obj=entry.objectives, n_ieq_constr=limits, xl=lower, xu=upper)

    def _evaluate(self, x: np.ndarray, out: dict, *_: Any, **__: Any) -> None:
        out["F"] = np.asarray(self.objectives(x))
        if self.limits is not None:
            out["G"] = np.asarray(self.limits(x))


def make_problem(name: str, entry: Entry) -> Problem:
    if entry.pymoo is None:
        return FromLibrary(name, entry)
    if entry.pymoo == "carside":
        return get_problem(entry.pymoo)
    given = {"n_var": entry.variables} | ({} if name.startswith("ZDT") else {"n_obj": entry.objectives})
    return get_problem(entry.pymoo, **given)


def run(name: str, algorithm: str, budgets: tuple[int, ...], seed: int) -> dict[int, dict[str, Any]]:
    """Run an algorithm to the largest of the budgets, and return what it had at each of them."""
    entry, begin = PROBLEMS[name], time.perf_counter()
    found: dict[int, dict[str, Any]] = {}

    def take(state: Any) -> None:
        # pymoo calls this after every evaluation of MOEA/D.
        for budget in budgets:
            if budget not in found and state.evaluator.n_eval >= population * (budget // population):
                found[budget] = {
                    "F": best_rows(state.opt, entry.objectives),
                    "evaluations": state.evaluator.n_eval,
                    "seconds": time.perf_counter() - begin,
                }

    population = entry.population
    # pymoo's RVEA adapts by generations.
    longest = max(budgets)
    ends = ("n_gen", longest // population) if algorithm == "RVEA" else ("n_eval", longest)
    try:
        minimize(make_problem(name, entry), make_algorithm(algorithm, entry), ends, seed=seed, callback=take)
    except (ArithmeticError, ValueError, IndexError) as error:  # pymoo's AGE-MOEA-II divides by zero in some runs
        failed = {"F": np.zeros((0, entry.objectives)), "evaluations": 0, "seconds": 0.0, "error": repr(error)}
        return {budget: found.get(budget, failed) for budget in budgets}
    return found


def best_rows(optimum: Any, objectives: int) -> np.ndarray:
    """Return the objectives of the feasible and non-dominated, as pymoo's ``res.F``."""
    f = optimum.get("F")[optimum.get("FEAS").reshape(-1)]
    return f[find_non_dominated(f)] if len(f) else np.zeros((0, objectives))


def plan(ours: bool) -> list[tuple[str, str, tuple[int, ...], int]]:
    """Return all runs: the best known problems first, and each seed of all algorithms before the next seed."""
    names = [name for name, entry in PROBLEMS.items() if entry.pymoo is not None or ours]
    classic = [name for name in names if name.startswith(("ZDT", "DTLZ"))]
    constrained = [name for name in names if PROBLEMS[name].is_constrained]
    others = [name for name in names if name not in classic + constrained]
    return [
        (name, algorithm, budgets, seed)
        for group in (classic, constrained, others)
        for seed in range(PEER_SEEDS)
        for algorithm in ALGORITHMS
        for name in group
        if algorithm != ("MOEAD" if PROBLEMS[name].is_constrained else "CTAEA")
        for budgets in budgets_of_runs(algorithm, PROBLEMS[name])
    ]


def budgets_of_runs(algorithm: str, entry: Entry) -> list[tuple[int, ...]]:
    """Return the budgets that each run serves: the largest passes the others, but RVEA's schedule depends on it."""
    return [(budget,) for budget in entry.budgets] if algorithm == "RVEA" else [entry.budgets]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("out/arena"), help="directory of the fronts")
    parser.add_argument("--ours", action="store_true", help="also problems that only this library has")
    parser.add_argument("--problems", nargs="*", help="only these")
    parser.add_argument("--algorithms", nargs="*", help="only these")
    options = parser.parse_args()
    for name, algorithm, budgets, seed in plan(options.ours):
        if options.problems and name not in options.problems:
            continue
        if options.algorithms and algorithm not in options.algorithms:
            continue
        files = {budget: options.out / "pymoo" / str(budget) / name / f"{algorithm}-{seed}.npz" for budget in budgets}
        if all(file.exists() for file in files.values()):
            continue
        for budget, found in run(name, algorithm, budgets, seed).items():
            save(files[budget], found)


def save(file: Path, found: dict[str, Any]) -> None:
    """Write a run to a file that is whole or not there, and say so."""
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_suffix(PARTIAL)
    np.savez_compressed(partial, **found)
    partial.rename(file)
    print(f"{file.parent.name} {file.stem}: {len(found['F'])} rows, {found['seconds']:.1f} s", flush=True)


if __name__ == "__main__":
    main()
