"""Print a digest of each of a few short runs, to compare with those in ``golden_digests.txt``.

    XLA_FLAGS=--xla_cpu_max_isa=AVX2 python tests/golden_runs.py [NAME...]

The instruction set is fixed so that processors of different ages round alike.
"""

import hashlib
import sys

import numpy as np

import tensorrvea as tr

POPULATION, GENERATIONS = 30, 20
OPERATORS = {"GA": tr.GA(), "DE": tr.DE(), "PSO": tr.PSO(), "CSO": tr.CSO(), "Random": tr.Random()}
ALGORITHMS = {"TensorRVEA": tr.TensorRVEA, "PaperTensorRVEA": tr.TensorRVEA.paper, "RVEA": tr.RVEA, "NSGA2": tr.NSGA2}
PROBLEMS = {"plain": tr.problems.DTLZ2(variables=12), "constrained": tr.problems.C2DTLZ2(variables=12)}
RUNS = [
    *(f"PaperTensorRVEA-{operator}-plain" for operator in OPERATORS),
    *(f"NSGA2-{operator}-plain" for operator in ("GA", "DE", "PSO", "CSO")),
    *(f"PaperTensorRVEA-{operator}-constrained" for operator in ("GA", "DE")),
    "RVEA-GA-plain",
    "NSGA2-GA-constrained",
    "RandomSearch--plain",
    "PaperTensorRVEA-GA-large",
    "TensorRVEA-GA-plain",
    "TensorRVEA-GA-constrained",
    "TensorRVEA-GA-large",
]


def run(name: str) -> tr.Result:
    algorithm, operator, problem = name.split("-")
    if problem == "large":  # enough reference vectors for an index
        return tr.optimize(PROBLEMS["plain"], ALGORITHMS[algorithm](population=1200), generations=4, seed=3)
    if algorithm == "RandomSearch":
        made = tr.RandomSearch(population=POPULATION)
    else:
        made = ALGORITHMS[algorithm](population=POPULATION, variation=OPERATORS[operator])
    return tr.optimize(PROBLEMS[problem], made, generations=GENERATIONS, seed=3, archive=10)


def digest(result: tr.Result) -> str:
    """Return a digest of the survivors, the archive and the history."""
    history, archive = result.history, result.archive or result.population
    parts = (*vars(result.population).values(), *vars(archive).values(), history.ideal, history.nadir, history.living)
    return hashlib.sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in parts)).hexdigest()[:16]


if __name__ == "__main__":
    for name in sys.argv[1:] or RUNS:
        print(name, digest(run(name)), flush=True)
