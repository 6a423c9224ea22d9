"""Time per generation of each algorithm, beside pymoo's and EvoMO's of the same name: DTLZ2, d = 100.

    python benchmarks/algorithm_speed.py --population 1000 --peers PEERS/bin/python

PEERS is an environment with pymoo, numba and EvoMO. Every measurement is a process of its own, and those of one
algorithm follow each other in each round. The table has medians over the rounds of the seconds per generation after
compilation, the ratios with their range over the rounds, and our peak memory. It needs a machine that does nothing
else. A measurement that takes longer than --timeout is shown by the least that it can be.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median

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
    "RVEAStar": (None, "RVEAa"),
}


def time_ours(name: str, population: int, objectives: int, generations: int) -> float:
    import tensorrvea as tr

    problem = tr.problems.DTLZ2(objectives=objectives, variables=VARIABLES)
    algorithm = getattr(tr, name)(population=population)
    tr.optimize(problem, algorithm, generations=generations, seed=0, effort="full")
    return tr.optimize(problem, algorithm, generations=generations, seed=1, effort="full").seconds / generations


def time_pymoo(name: str, population: int, objectives: int, generations: int) -> float:
    import importlib

    from arena_peers import QuickMOEAD
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
    if name == "MOEAD":
        # It would look for the non-dominated after each evaluation.
        algorithm.__class__ = QuickMOEAD
    times: list[float] = []
    # The first population, and then as many generations; MOEA/D calls back after each evaluation.
    ends = ("n_eval", population * (1 + generations)) if name == "MOEAD" else ("n_gen", 1 + generations)
    minimize(
        get_problem("dtlz2", n_var=VARIABLES, n_obj=objectives), algorithm, ends, seed=1,
        callback=lambda _: times.append(time.perf_counter()),
    )  # fmt: skip
    return (times[-1] - times[0]) / generations


def lattice_partitions(population: int, objectives: int) -> int:
    """Return the largest number of partitions with at most ``population`` directions."""
    from math import comb

    partitions = 1
    while comb(partitions + objectives, objectives - 1) <= population:
        partitions += 1
    return partitions


def time_evomo(name: str, population: int, objectives: int, generations: int) -> float:
    import evomo.algorithms
    import torch
    from evox.problems.numerical import DTLZ2
    from evox.workflows import StdWorkflow

    bounds = {"lb": torch.zeros(VARIABLES), "ub": torch.ones(VARIABLES)}
    algorithm = getattr(evomo.algorithms, name)(pop_size=population, n_objs=objectives, **bounds)
    workflow = StdWorkflow(algorithm, DTLZ2(d=VARIABLES, m=objectives))
    workflow.init_step()
    workflow.step()
    begin = time.perf_counter()
    for _ in range(generations):
        workflow.step()
    return (time.perf_counter() - begin) / generations


WORKERS: dict[str, Callable[[str, int, int, int], float]] = {
    "ours": time_ours,
    "pymoo": time_pymoo,
    "evomo": time_evomo,
}


def measure(python: str, worker: str, name: str, options: argparse.Namespace, generations: int) -> dict | None:
    """Run a worker in its own process; None if it fails, and a lower bound if it takes too long."""
    sizes = [str(options.population), str(options.objectives), str(generations)]
    try:
        done = subprocess.run(
            [python, __file__, "--worker", worker, name, *sizes],
            capture_output=True, text=True, timeout=options.timeout, check=True,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        # EvoMO's workers also make a first step that is not timed.
        return {"seconds": options.timeout / (generations + 2), "is_bound": True}
    except subprocess.CalledProcessError as error:
        print(f"{worker} {name}: {error.stderr[-300:]}", file=sys.stderr)
        return None
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--population", type=int, default=1000)
    parser.add_argument("--objectives", type=int, default=3)
    parser.add_argument("--generations", type=int, default=20)
    parser.add_argument("--peer-generations", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--timeout", type=float, default=600, help="seconds for each measurement")
    parser.add_argument("--peers", help="the Python of the peers' environment")
    parser.add_argument("--only", nargs="*", default=tuple(NAMES))
    parser.add_argument("--worker", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        kind, name, *sizes = options.worker
        seconds = WORKERS[kind](name, *map(int, sizes))
        megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(json.dumps({"seconds": seconds, "megabytes": megabytes}))
        return
    print("| | ms | pymoo, ms | ratio | EvoMO, ms | ratio | peak memory |")
    print("|---" * 7 + "|")
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
    ours = [run for run in found["ours"] if "is_bound" not in run]
    if not ours:
        return f"| {name} | – | | | | | |"
    cells = [f"{1000 * median(run['seconds'] for run in ours):.3g}"]
    for kind in ("pymoo", "evomo"):
        theirs = found[kind]
        if not theirs:
            cells += ["", ""]
            continue
        least = "≥ " if any("is_bound" in run for run in theirs) else ""
        ratios = [other["seconds"] / own["seconds"] for other, own in zip(theirs, ours, strict=False)]
        spread = f" ({min(ratios):.3g} to {max(ratios):.3g})" if len(ratios) > 1 else ""
        cells.append(f"{least}{1000 * median(run['seconds'] for run in theirs):.3g}")
        cells.append(f"{least}{median(ratios):.3g}{spread}")
    return f"| {name} | {' | '.join(cells)} | {max(run['megabytes'] for run in ours)} MB |"


if __name__ == "__main__":
    main()
