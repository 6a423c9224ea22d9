"""The peers' half of the comparison with many variables: run EvoMO's algorithms on LSMOP, and keep their final fronts.

    python benchmarks/large_scale_peers.py --variables 1000 5000

Run it with the Python of an environment that has EvoMO; it does not need this library. Every row that an algorithm
evaluates is counted, and the front is that of the last generation within the budget. Each run is one small file; those
that are there are not run again, so that the command can be stopped at any time. ``benchmarks/large_scale.py`` compares
the fronts.
"""

import argparse
import time
from pathlib import Path
from typing import Any

import evomo.problems.numerical
import torch
from evomo.algorithms import LMOCSO, LSMOF, WOF
from evox.core import Problem
from evox.workflows import StdWorkflow
from large_scale_plan import BUDGET, OBJECTIVES, POPULATION, PROBLEMS, SEEDS, VARIABLES, sample_designs, save

# The settings with which an algorithm knows its budget.
ALGORITHMS = {
    "LMOCSO": (LMOCSO, {"max_gen": BUDGET // POPULATION}),
    "LSMOF": (LSMOF, {"max_fe": BUDGET}),
    "WOF": (WOF, {}),
}


class Counted(Problem):
    """A problem that counts the rows it evaluates."""

    def __init__(self, problem: Any) -> None:
        super().__init__()
        self.problem, self.rows = problem, 0

    def evaluate(self, x: torch.Tensor) -> torch.Tensor:
        self.rows += len(x)
        return self.problem.evaluate(x)


def make_problem(name: str, variables: int) -> Any:
    return getattr(evomo.problems.numerical, name)(d=variables, m=OBJECTIVES)


def run(name: str, variables: int, algorithm: str, seed: int) -> dict[str, Any]:
    """Return the objectives of the last generation within the budget, and how many rows were evaluated for it."""
    torch.manual_seed(seed)
    upper = torch.full((variables,), 10.0)
    upper[: OBJECTIVES - 1] = 1.0
    cls, settings = ALGORITHMS[algorithm]
    made = cls(pop_size=POPULATION, n_objs=OBJECTIVES, lb=torch.zeros(variables), ub=upper, **settings)
    problem = Counted(make_problem(name, variables))
    workflow = StdWorkflow(made, problem)
    begin = time.process_time()
    workflow.init_step()
    while problem.rows <= BUDGET:
        f, rows, seconds = made.fit.clone(), problem.rows, time.process_time() - begin
        if rows == BUDGET:
            break
        workflow.step()
    return {"F": f[torch.isfinite(f).all(dim=1)].numpy(), "evaluations": rows, "seconds": seconds}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("out/large_scale"), help="directory of the fronts")
    parser.add_argument("--variables", type=int, nargs="*", default=VARIABLES)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="start no run after this time")
    options = parser.parse_args()
    torch.set_num_threads(1)
    begin = time.perf_counter()
    for variables in options.variables:
        for name in PROBLEMS:
            file = options.out / f"values-{variables}-{name}.npz"
            x = torch.from_numpy(sample_designs(variables))
            save(file, {"F": make_problem(name, variables).evaluate(x).numpy()})
        for seed in range(SEEDS):
            for name in PROBLEMS:
                for algorithm in ALGORITHMS:
                    file = options.out / str(variables) / name / f"EvoMO {algorithm}-{seed}.npz"
                    if file.exists():
                        continue
                    if time.perf_counter() - begin > options.seconds:
                        return
                    found = run(name, variables, algorithm, seed)
                    save(file, found)
                    print(f"{name} {variables} {algorithm} seed {seed}: {found['seconds']:.1f} s", flush=True)


if __name__ == "__main__":
    main()
