"""Runs cases on 1, 2, 3 and 8 devices in a process of its own, and says whether their bits agree.

    python many_devices.py CASE...

A case is ALGORITHM-VARIATION-PROBLEM. Its generations are compiled one by one, for each number of devices.
"""

import sys

import jax
import numpy as np

import tensorrvea as tr
from tensorrvea import loop
from tensorrvea.devices import make_mesh

POPULATION, GENERATIONS = 31, 6
VARIATIONS = {"GA": tr.GA(), "DE": tr.DE(), "PSO": tr.PSO(), "CSO": tr.CSO(), "Random": tr.Random()}
BREEDING = {"TensorRVEA": tr.TensorRVEA, "RVEA": tr.RVEA, "NSGA2": tr.NSGA2}
PROBLEMS = {"plain": tr.problems.DTLZ2(variables=70), "constrained": tr.problems.C2DTLZ2(variables=70)}


def make(case: str) -> tuple:
    algorithm, variation, problem = case.split("-")
    if algorithm == "RandomSearch":
        return tr.RandomSearch(population=POPULATION), PROBLEMS[problem]
    return BREEDING[algorithm](population=POPULATION, variation=VARIATIONS[variation]), PROBLEMS[problem]


def run(case: str, devices: int) -> list[np.ndarray]:
    """All that is alive after some generations, and what was recorded of each."""
    algorithm, problem = make(case)
    sized = getattr(algorithm, "sized", lambda _: algorithm)(problem)
    program = loop.Program(problem, sized, {}, "summary", 7, make_mesh(devices))
    key = jax.random.key(5)

    @jax.jit
    def first(key):
        carry, offspring = loop.begin(program, key, None)
        return loop.tell(program, carry, offspring, *loop.evaluate(program, key, offspring, 0), 0.0)

    generation = jax.jit(lambda key, carry, t: loop.generation(program, key, carry, t, t / GENERATIONS))
    with loop.on(program.mesh):
        carry, record = first(key)
        records = [record]
        for t in range(1, GENERATIONS + 1):
            carry, record = generation(key, carry, np.int32(t))
            records.append(record)
    kept = []
    for population in (carry.state.population, carry.archive):
        alive = np.asarray(population.alive)
        kept += [np.asarray(leaf)[alive] for leaf in jax.tree.leaves(population)]
    return kept + [np.asarray(leaf) for leaf in jax.tree.leaves(records)]


def main() -> None:
    for case in sys.argv[1:]:
        one = run(case, 1)
        for devices in (2, 3, 8):
            many = run(case, devices)
            same = len(one) == len(many) and all(a.tobytes() == b.tobytes() for a, b in zip(one, many, strict=True))
            print(case, devices, "same" if same else "different", flush=True)


if __name__ == "__main__":
    main()
