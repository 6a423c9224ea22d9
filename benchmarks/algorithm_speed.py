"""Time per generation of each algorithm, beside pymoo's and EvoMO's of the same name: DTLZ2, d = 100.

    python benchmarks/algorithm_speed.py --population 1000 --peers PEERS/bin/python

PEERS is an environment with pymoo, numba and EvoMO. Every measurement is a process of its own, and those of one
algorithm follow each other in each round, so that a busy machine slows all of them. The table has medians over the
rounds of seconds and of CPU seconds (of all threads) per generation after compilation, the ratios of the CPU
seconds with their range, and our peak memory. On a busy machine only CPU seconds are comparable.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable

VARIABLES = 100
# Ours, pymoo's and EvoMO's name.
NAMES = {
    "NSGA2": ("NSGA2", "NSGA2"),
    "NSGA3": ("NSGA3", "NSGA3"),
    "AGEMOEA2": ("AGEMOEA2", "AGEMOEA"),
    "SMSEMOA": ("SMSEMOA", None),
    "MOEAD": ("MOEAD", "TensorMOEAD"),
    "IBEA": (None, "IBEA"),
    "HypE": (None, "HypE"),
    "SPEA2": ("SPEA2", None),
    "TensorRVEA": ("RVEA", "RVEA"),
}


def time_ours(name: str, population: int, objectives: int, generations: int) -> tuple[float, float]:
    import tensorrvea as tr

    problem = tr.problems.DTLZ2(objectives=objectives, variables=VARIABLES)
    algorithm = getattr(tr, name)(population=population)
    tr.optimize(problem, algorithm, generations=generations, seed=0, effort="full")
    begin = time.process_time()
    result = tr.optimize(problem, algorithm, generations=generations, seed=1, effort="full")
    return result.seconds / generations, (time.process_time() - begin) / generations


def time_pymoo(name: str, population: int, objectives: int, generations: int) -> tuple[float, float]:
    import importlib

    from pymoo.optimize import minimize
    from pymoo.problems import get_problem
    from pymoo.util.ref_dirs import get_reference_directions

    module = {"AGEMOEA2": "age2", "SMSEMOA": "sms"}.get(name, name.lower())
    algorithm_class = getattr(importlib.import_module(f"pymoo.algorithms.moo.{module}"), name)
    if name in ("NSGA3", "MOEAD", "RVEA"):
        partitions = lattice_partitions(population, objectives)
        algorithm = algorithm_class(get_reference_directions("das-dennis", objectives, n_partitions=partitions))
    else:
        algorithm = algorithm_class(pop_size=population)
    # pymoo's MOEA/D evaluates one offspring per step.
    steps = population if name == "MOEAD" else 1
    times: list[tuple[float, float]] = []
    minimize(
        get_problem("dtlz2", n_var=VARIABLES, n_obj=objectives), algorithm, ("n_gen", 1 + steps * generations), seed=1,
        callback=lambda _: times.append((time.perf_counter(), time.process_time())),
    )  # fmt: skip
    first, last = times[0], times[-1]
    return (last[0] - first[0]) / generations, (last[1] - first[1]) / generations


def lattice_partitions(population: int, objectives: int) -> int:
    """Return the largest number of partitions with at most ``population`` directions."""
    from math import comb

    partitions = 1
    while comb(partitions + objectives, objectives - 1) <= population:
        partitions += 1
    return partitions


def time_evomo(name: str, population: int, objectives: int, generations: int) -> tuple[float, float]:
    import evomo.algorithms
    import torch
    from evox.problems.numerical import DTLZ2
    from evox.workflows import StdWorkflow

    bounds = {"lb": torch.zeros(VARIABLES), "ub": torch.ones(VARIABLES)}
    algorithm = getattr(evomo.algorithms, name)(pop_size=population, n_objs=objectives, **bounds)
    workflow = StdWorkflow(algorithm, DTLZ2(d=VARIABLES, m=objectives))
    workflow.init_step()
    workflow.step()
    begin = time.perf_counter(), time.process_time()
    for _ in range(generations):
        workflow.step()
    return (time.perf_counter() - begin[0]) / generations, (time.process_time() - begin[1]) / generations


WORKERS: dict[str, Callable[[str, int, int, int], tuple[float, float]]] = {
    "ours": time_ours,
    "pymoo": time_pymoo,
    "evomo": time_evomo,
}


def measure(python: str, worker: str, name: str, options: argparse.Namespace, generations: int) -> dict | None:
    """Run a worker in its own process; None if it fails or takes too long."""
    sizes = [str(options.population), str(options.objectives), str(generations)]
    try:
        done = subprocess.run(
            [python, __file__, "--worker", worker, name, *sizes],
            capture_output=True, text=True, timeout=options.timeout, check=True,
        )  # fmt: skip
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
        print(f"{worker} {name}: {str(error)[-200:]}", file=sys.stderr)
        return None
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--population", type=int, default=1000)
    parser.add_argument("--objectives", type=int, default=3)
    parser.add_argument("--generations", type=int, default=20)
    parser.add_argument("--peer-generations", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--timeout", type=float, default=600, help="seconds for each measurement")
    parser.add_argument("--peers", help="the Python of the peers' environment")
    parser.add_argument("--only", nargs="*", default=tuple(NAMES))
    parser.add_argument("--worker", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        kind, name, *sizes = options.worker
        wall, cpu = WORKERS[kind](name, *map(int, sizes))
        megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(json.dumps({"wall": wall, "cpu": cpu, "megabytes": megabytes}))
        return
    print("| | ms | CPU ms | pymoo, CPU ms | ratio | EvoMO, CPU ms | ratio | peak memory |")
    print("|---" * 8 + "|")
    for name in options.only:
        found: dict[str, list[dict]] = {"ours": [], "pymoo": [], "evomo": []}
        for _ in range(options.rounds):
            jobs = [("ours", sys.executable, name, options.generations)]
            if options.peers:
                jobs += [(kind, options.peers, other, options.peer_generations)
                         for kind, other in zip(("pymoo", "evomo"), NAMES[name], strict=True) if other]  # fmt: skip
            for kind, python, each, generations in jobs:
                timed = measure(python, kind, each, options, generations)
                if timed:
                    found[kind].append(timed)
        print(table_row(name, found), flush=True)


def table_row(name: str, found: dict[str, list[dict]]) -> str:
    from statistics import median

    if not found["ours"]:
        return f"| {name} | – | – | | | | | |"
    cells = [f"{1000 * median(run[key] for run in found['ours']):.3g}" for key in ("wall", "cpu")]
    for kind in ("pymoo", "evomo"):
        ratios = [theirs["cpu"] / own["cpu"] for theirs, own in zip(found[kind], found["ours"], strict=False)]
        if ratios:
            cells.append(f"{1000 * median(run['cpu'] for run in found[kind]):.3g}")
            cells.append(f"{median(ratios):.3g} × ({min(ratios):.3g} to {max(ratios):.3g})")
        else:
            cells += ["", ""]
    return f"| {name} | {' | '.join(cells)} | {max(run['megabytes'] for run in found['ours'])} MB |"


if __name__ == "__main__":
    main()
