"""Runs cases on 1, 2, 3 and 8 devices in a process of its own, and says whether their bits agree.

    python many_devices.py ALGORITHM-VARIATION...

Each is run on a plain and on a constrained problem, which share what is compiled to tell and to ask: they have the same
variables and as many objectives. Those are always evaluated on one device, since XLA may add up a row in another order
for another number of rows.
"""

import sys
from functools import partial
from typing import Any

import jax
import numpy as np

import tensorrvea as tr
from tensorrvea import loop
from tensorrvea.devices import make_mesh

POPULATION, LAST = 203, 6
VARIATIONS = {"GA": tr.GA(), "DE": tr.DE(), "PSO": tr.PSO(), "CSO": tr.CSO(), "Random": tr.Random()}
BREEDING = {"TensorRVEA": tr.TensorRVEA, "RVEA": tr.RVEA, "NSGA2": tr.NSGA2}
# An archive is the same for all; with it, much more has to be compiled.
ARCHIVED = ("TensorRVEA-GA", "RandomSearch-")
PROBLEMS = {
    "plain": tr.problems.DTLZ2(variables=70),
    "constrained": tr.problems.C2DTLZ2(variables=70),
}


def make(case: str) -> Any:
    algorithm, variation = case.split("-")
    if algorithm == "RandomSearch":
        return tr.RandomSearch(population=POPULATION)
    return BREEDING[algorithm](population=POPULATION, variation=VARIATIONS[variation])


@partial(jax.jit, static_argnames="problem")
def evaluate(problem: str, x: Any) -> Any:
    return PROBLEMS[problem].evaluate(jax.random.key(0), x)


def objectives(problem: str, x: np.ndarray) -> list[np.ndarray]:
    """Of all individuals, by one device: equal objectives for equal rows; rows that fill the devices have zeros."""
    told = [np.asarray(leaf) for leaf in evaluate(problem, x[:POPULATION])]
    return [np.pad(leaf, ((0, len(x) - POPULATION), *[(0, 0)] * (leaf.ndim - 1))) for leaf in told]


def divided(told: tuple[loop.Carry, loop.Record]) -> tuple[loop.Carry, loop.Record]:
    return loop.divided_carry(told[0]), told[1]


class Case:
    """An algorithm on some devices."""

    def __init__(self, name: str, devices: int):
        problem = PROBLEMS["plain"]
        algorithm = make(name)
        sized = getattr(algorithm, "sized", lambda _: algorithm)(problem)
        archive = 7 if name in ARCHIVED else 0
        program = loop.Program(problem, sized, {}, "summary", archive, make_mesh(devices))
        self.program = program
        self.begin = jax.jit(lambda key: loop.begin(program, key, None))
        # Apart, since ways to breed are told alike, and algorithms ask alike: one case compiles for others.
        self.tell = jax.jit(lambda carry, t, f, violation: divided(loop.tell(program, carry, f, violation, t / LAST)))
        self.ask = jax.jit(lambda key, carry, t: loop.divided_carry(loop.ask(program, key, carry, t)))

    def run(self, problem: str) -> list[np.ndarray]:
        """All that is alive after some generations, and what was recorded of each."""
        mesh, key, records = self.program.mesh, jax.random.key(5), []
        with loop.use_mesh(mesh):
            carry = self.begin(key)
        for t in map(np.int32, range(LAST + 1)):
            told = objectives(problem, np.asarray(carry.offspring.x))
            with loop.use_mesh(mesh):
                carry, record = self.tell(carry, t, *told)
                carry = self.ask(key, carry, t + 1)
            records.append(record)
        kept = []
        for population in filter(None, (carry.state.population, carry.archive)):
            alive = np.asarray(population.alive)
            kept += [np.asarray(leaf)[alive] for leaf in jax.tree.leaves(population)]
        return kept + [np.asarray(leaf) for leaf in jax.tree.leaves((records, carry.offspring.x[:POPULATION]))]


def main() -> None:
    for name in sys.argv[1:]:
        alone = Case(name, 1)
        one = {problem: alone.run(problem) for problem in PROBLEMS}
        for devices in (2, 3, 8):
            together = Case(name, devices)
            for problem, kept in one.items():
                many = together.run(problem)
                same = len(kept) == len(many) and all(
                    a.tobytes() == b.tobytes() for a, b in zip(kept, many, strict=True)
                )
                print(name, problem, devices, "same" if same else "different", flush=True)


if __name__ == "__main__":
    main()
