"""How long until the first front: from the start of a process to its result, beside pymoo in the same round.

    python benchmarks/first_front.py --rounds 5
    python benchmarks/first_front.py --rounds 1 --study

Every measurement is a process of its own. Cold means that nothing was compiled before (an empty store of compiled
programs), warm that another process has run the same, edited that only the objective function differs from what another
process has run.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

GENERATIONS = 100
SIZES = [(105, 12), (1_024, 100), (4_096, 100), (16_384, 100)]
ALGORITHMS = ("TensorRVEA", "TensorRVEA.paper")
PYMOO_UP_TO = 1_024

OURS = """
import tensorrvea as tr
problem = tr.problems.DTLZ2(objectives=3, variables={variables})
result = tr.optimize(problem, tr.{algorithm}(population={population}), generations={generations}, seed=1)
assert len(result.F) > 50
"""
PYMOO = """
from pymoo.algorithms.moo.rvea import RVEA
from pymoo.optimize import minimize
from pymoo.problems import get_problem
from pymoo.util.ref_dirs import get_reference_directions
divisions = {{105: 13, 1_024: 43}}[{population}]
directions = get_reference_directions("das-dennis", 3, n_partitions=divisions)
problem = get_problem("dtlz2", n_var={variables}, n_obj=3)
result = minimize(problem, RVEA(directions, pop_size={population}), ("n_gen", {generations}), seed=1)
assert len(result.F) > 50
"""
OWN = """
import jax.numpy as jnp
import tensorrvea as tr

def drag_and_mass(x):
    shift = {shift}
    return jnp.stack([jnp.sum(x**2) + shift, jnp.sum((x - 0.5) ** 2), jnp.sum(jnp.cos(x))])

problem = tr.Problem(drag_and_mass, lower=[-1.0] * 12, upper=[1.0] * 12, objectives=3)
result = tr.optimize(problem, tr.TensorRVEA(population=105), generations={generations}, seed=1)
assert len(result.F) > 10
"""
STUDY = """
import tensorrvea as tr
names = ["ZDT1", "ZDT2", "ZDT3", "ZDT4", "ZDT6", *(f"DTLZ{{k}}" for k in range(1, 8))]
algorithms = [tr.PaperTensorRVEA, tr.RVEA, tr.NSGA2, tr.NSGA3, tr.RandomSearch]
for name in names:
    for algorithm in algorithms:
        problem = getattr(tr.problems, name)()
        tr.replicate(problem, algorithm(population=105), generations={generations}, seeds=range(15))
"""


def seconds(script: str, store: str, **settings: object) -> float:
    """Return how long a new process takes to run a script."""
    environment = {name: text for name, text in os.environ.items() if not name.startswith("JAX_")}
    text = script.format(**{"generations": GENERATIONS} | settings)
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", text], env=environment | {"TENSORRVEA_CACHE": store}, check=True)
    return time.perf_counter() - start


def one_round() -> dict[str, float]:
    """Measure everything once."""
    taken = {f"import {name}": seconds(f"import {name}", "off") for name in ("jax", "tensorrvea", "pymoo.optimize")}
    for population, variables in SIZES:
        sizes = {"population": population, "variables": variables}
        for algorithm in ALGORITHMS:
            case = f"n = {population:,}, d = {variables}: {algorithm}"
            with tempfile.TemporaryDirectory() as store:
                taken[f"{case}, cold"] = seconds(OURS, store, algorithm=algorithm, **sizes)
                taken[f"{case}, warm"] = seconds(OURS, store, algorithm=algorithm, **sizes)
        if population <= PYMOO_UP_TO:
            taken[f"n = {population:,}, d = {variables}: pymoo's RVEA"] = seconds(PYMOO, "off", **sizes)
    with tempfile.TemporaryDirectory() as store:
        taken["own problem, n = 105, d = 12: cold"] = seconds(OWN, store, shift=0.0)
        taken["own problem, n = 105, d = 12: edited"] = seconds(OWN, store, shift=1.0)
    return taken


def study_round() -> dict[str, float]:
    """Measure twelve problems, five algorithms and fifteen seeds."""
    with tempfile.TemporaryDirectory() as store:
        return {f"study, {state}": seconds(STUDY, store) for state in ("cold", "warm")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="how often everything is measured")
    parser.add_argument("--study", action="store_true", help="measure only the study of 12 problems x 5 algorithms")
    options = parser.parse_args()
    rounds = []
    for number in range(options.rounds):
        rounds.append(study_round() if options.study else one_round())
        print(f"round {number + 1} of {options.rounds} done", file=sys.stderr)
    print("| from the start of the process | median, s | range, s |\n|---|---|---|")
    for name in rounds[0]:
        values = [taken[name] for taken in rounds]
        print(f"| {name} | {statistics.median(values):.2f} | {min(values):.2f} to {max(values):.2f} |")


if __name__ == "__main__":
    main()
