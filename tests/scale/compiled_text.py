"""Compile generations of a large population for one device and for eight, and print their memory and communication.

Prints the bytes per device of both, and the most numbers that one operation sends to all of the eight devices.
"""

import re
from math import prod

import jax
from jax.sharding import NamedSharding

import tensorrvea as tr
from tensorrvea import compiled as compiled_module
from tensorrvea.driver.evaluators import ChunkEvaluator
from tensorrvea.driver.run import Run
from tensorrvea.driver.schedule import Budget

ROWS, COLUMNS, DEVICES = 65_536, 1_000, 8
# Collective operations have one line each, with results and name.
COLLECTIVE = re.compile(r"= (.+?) (?:all-gather|all-reduce)(?:-start)?\(")
SHAPE = re.compile(r"\w+\[([\d,]*)\]")


def compiled(devices: int) -> jax.stages.Compiled:
    """Return a compiled chunk of generations, with the shardings of a real carry."""
    problem, algorithm = tr.problems.DTLZ2(variables=COLUMNS), tr.TensorRVEA(population=ROWS)
    budget = Budget(population=ROWS, generations=10)
    run = Run(problem, algorithm, seeds=[0], is_batched=False, budget=budget, devices=devices)
    program, setting = run.program, run.setting
    carry = compiled_module.begin.shapes(program, setting, run.key, None)
    if setting.mesh is not None:
        carry = jax.tree.map(
            lambda leaf, spec: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=NamedSharding(setting.mesh, spec)),
            carry,
            compiled_module.layout(carry, is_batched=False),
        )
    return compiled_module.chunk.lower(program, setting, *ChunkEvaluator(run).arguments(carry)).compile()


def largest_collective(text: str) -> int:
    """Return the most numbers that one operation sends to all devices."""
    results = [shape for line in COLLECTIVE.findall(text) for shape in SHAPE.findall(line)]
    return max(prod(map(int, filter(None, shape.split(",")))) for shape in results)


def main() -> None:
    one, many = compiled(1), compiled(DEVICES)
    print(compiled_module.memory_of(one), compiled_module.memory_of(many), largest_collective(many.as_text()))


if __name__ == "__main__":
    main()
