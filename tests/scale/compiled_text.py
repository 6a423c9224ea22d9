"""What is compiled for a large population on one device and on eight: its memory, and what the devices send each other.

Prints the bytes on a device for each, and the largest result, in numbers, of what all devices are told on eight.
"""

import re
from math import prod

import jax
from jax.sharding import NamedSharding

import tensorrvea as tr
from tensorrvea import compiled as compiled_module
from tensorrvea.driver.evaluators import DeviceEvaluator
from tensorrvea.driver.run import Run
from tensorrvea.driver.schedule import Budget

ROWS, COLUMNS, DEVICES = 65_536, 1_000, 8
# One line a collective operation: its results, and its name.
COLLECTIVE = re.compile(r"= (.+?) (?:all-gather|all-reduce)(?:-start)?\(")
SHAPE = re.compile(r"\w+\[([\d,]*)\]")


def compiled(devices: int) -> jax.stages.Compiled:
    """A chunk of generations, for a carry that is where it will be."""
    problem, algorithm = tr.problems.DTLZ2(variables=COLUMNS), tr.TensorRVEA(population=ROWS)
    budget = Budget(population=ROWS, generations=10)
    run = Run(problem, algorithm, seeds=[0], is_batched=False, budget=budget, devices=devices)
    program, setting = run.program, run.setting
    carry = compiled_module.begin.shapes(program, setting, key=run.key, x=None)
    if setting.mesh is not None:
        carry = jax.tree.map(
            lambda leaf, spec: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=NamedSharding(setting.mesh, spec)),
            carry,
            compiled_module.layout(carry, is_batched=False),
        )
    return compiled_module.chunk.lower(program, setting, **DeviceEvaluator(run).arguments(carry)).compile()


def told(text: str) -> int:
    """The most numbers that one operation makes known to all devices."""
    results = [shape for line in COLLECTIVE.findall(text) for shape in SHAPE.findall(line)]
    return max(prod(map(int, filter(None, shape.split(",")))) for shape in results)


def main() -> None:
    one, many = compiled(1), compiled(DEVICES)
    print(compiled_module.memory_of(one), compiled_module.memory_of(many), told(many.as_text()))


if __name__ == "__main__":
    main()
