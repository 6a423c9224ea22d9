"""Run one process of a distributed run on this machine, or a single one, and print a digest of its result.

    python many_processes.py CASE INDEX PROCESSES PORT [DIRECTORY [GENERATIONS]]

With a directory, the run is saved to it, or resumed from it.
"""

import hashlib
import sys
import time

import jax
import numpy as np

import tensorrvea as tr
from tensorrvea.processes import is_primary
from tensorrvea.runs import keep

POPULATION, GENERATIONS = 14, 12


def simulate(x: np.ndarray) -> tuple[float, float]:
    return x[0], 1 - x[0] + x[1:].sum()


CASES = {
    "plain": (tr.problems.DTLZ2(variables=8), tr.TensorRVEA(population=POPULATION)),
    "constrained": (tr.problems.C2DTLZ2(variables=8), tr.NSGA2(population=POPULATION)),
    "host": (tr.HostProblem(simulate, lower=[0.0] * 3, upper=[1.0] * 3, objectives=2), tr.RandomSearch(population=7)),
}


def digest(results: list[tr.Result]) -> str:
    found = hashlib.sha256()
    for result in results:
        history = result.history
        for part in (
            result.population.X,
            result.population.F,
            result.population.violation,
            history.ideal,
            history.living,
        ):
            found.update(np.ascontiguousarray(part).tobytes())
    return found.hexdigest()[:16]


def run(case: str, **options) -> list[tr.Result]:
    if case == "seeds":
        return tr.replicate(*CASES["plain"], seeds=(3, 4, 5), generations=GENERATIONS)
    if case == "slow":  # slow enough to be killed: callbacks wait in every process
        options |= {"callbacks": lambda _: time.sleep(0.2), "every": 1, "checkpoint_seconds": 0.0}
        case = "plain"
    problem, algorithm = CASES[case]
    return [tr.optimize(problem, algorithm, seed=3, history="fronts", **{"generations": GENERATIONS} | options)]


def main(case: str, index: str, processes: str, port: str, directory: str = "", generations: str = "") -> None:
    keep.SHARE = 1e9
    if int(processes) > 1:
        tr.distributed(coordinator=f"127.0.0.1:{port}", processes=int(processes), index=int(index))
    options = {"directory": directory} if directory else {}
    results = run(case, **options, progress=True, **({"generations": int(generations)} if generations else {}))
    print("first" if is_primary() else "other", jax.process_count(), digest(results), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
