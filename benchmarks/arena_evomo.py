"""EvoMO's part of the arena: run its algorithms on this library's problems, and keep their final fronts.

    python benchmarks/arena_evomo.py --out out/arena

Run it with the Python of an environment that has EvoMO, pymoo and this library, after or beside ``arena_peers.py``.
EvoMO's algorithms know no constraints, so only problems without them are run.
"""

import argparse
import time
from pathlib import Path
from typing import Any

import evomo.algorithms
import jax
import numpy as np
import torch
from arena_peers import budgets_of_runs, save
from arena_problems import PEER_SEEDS, PROBLEMS, sizes
from evox.core import Problem
from evox.workflows import StdWorkflow
from pymoo.util.nds.non_dominated_sorting import find_non_dominated

from tensorrvea.problems import named

ALGORITHMS = ("NSGA2", "NSGA3", "AGEMOEA", "IBEA", "TensorMOEAD", "RVEA")


class FromLibrary(Problem):
    """A problem of this library."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.ours = named(name)(**sizes(name, PROBLEMS[name]))
        self.objectives = jax.jit(self.ours.objective_values)
        self.rows = 0

    def evaluate(self, pop: torch.Tensor) -> torch.Tensor:
        self.rows += len(pop)
        return torch.from_numpy(np.array(self.objectives(pop.numpy())))


def run(name: str, algorithm: str, budgets: tuple[int, ...], seed: int) -> dict[int, dict[str, Any]]:
    """Run an algorithm to the largest of the budgets, and return what it had at each of them."""
    entry, problem, begin = PROBLEMS[name], FromLibrary(name), time.perf_counter()
    torch.manual_seed(seed)
    lower, upper = (
        torch.from_numpy(np.broadcast_to(bound, entry.variables).astype(np.float32).copy())
        for bound in (problem.ours.lower, problem.ours.upper)
    )
    schedule = {"max_gen": max(budgets) // entry.population} if algorithm == "RVEA" else {}
    made = getattr(evomo.algorithms, algorithm)(
        pop_size=entry.population, n_objs=entry.objectives, lb=lower, ub=upper, **schedule
    )
    workflow = StdWorkflow(made, problem)
    workflow.init_step()
    found: dict[int, dict[str, Any]] = {}
    for budget in sorted(budgets):
        while problem.rows + entry.population <= budget:
            workflow.step()
        f = made.fit.numpy().astype(float)
        f = f[np.isfinite(f).all(axis=1)]
        f = f[find_non_dominated(f)] if len(f) else f
        found[budget] = {"F": f, "evaluations": problem.rows, "seconds": time.perf_counter() - begin}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("out/arena"), help="directory of the fronts")
    parser.add_argument(
        "--problems", nargs="*", default=[name for name in PROBLEMS if not PROBLEMS[name].is_constrained]
    )
    parser.add_argument("--algorithms", nargs="*", default=ALGORITHMS)
    options = parser.parse_args()
    for seed in range(PEER_SEEDS):
        for name in options.problems:
            for algorithm in options.algorithms:
                for budgets in budgets_of_runs(algorithm, PROBLEMS[name]):
                    files = {
                        budget: options.out / "EvoMO" / str(budget) / name / f"{algorithm}-{seed}.npz"
                        for budget in budgets
                    }
                    if not all(file.exists() for file in files.values()):
                        for budget, found in run(name, algorithm, budgets, seed).items():
                            save(files[budget], found)


if __name__ == "__main__":
    main()
