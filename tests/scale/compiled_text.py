"""What is compiled for a large population on one device and on eight: its memory, and what the devices send each other.

Prints the bytes on a device for each, and the largest result, in numbers, of what all devices are told on eight.
"""

import re
from math import prod

import jax
from jax.sharding import NamedSharding

import tensorrvea as tr
from tensorrvea import loop
from tensorrvea.optimize import Budget, Search

ROWS, COLUMNS, DEVICES = 65_536, 1_000, 8
# One line a collective operation: its results, and its name.
COLLECTIVE = re.compile(r"= (.+?) (?:all-gather|all-reduce)(?:-start)?\(")
SHAPE = re.compile(r"\w+\[([\d,]*)\]")


def compiled(devices: int) -> jax.stages.Compiled:
    """A chunk of generations, for a carry that is where it will be."""
    problem, algorithm = tr.problems.DTLZ2(variables=COLUMNS), tr.TensorRVEA(population=ROWS)
    budget = Budget(population=ROWS, generations=10)
    search = Search(problem, algorithm, seeds=[0], batch=False, budget=budget, devices=devices)
    mesh = search.program.mesh
    search.carry = loop.begin_compiled.shapes(search.program, key=search.key, x=None)
    if mesh is not None:
        search.carry = jax.tree.map(
            lambda leaf, spec: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=NamedSharding(mesh, spec)),
            search.carry,
            loop.layout(search.carry),
        )
    with loop.use_mesh(mesh):
        arguments = loop.parts(search.program) | search.chunk_arguments(0, [])
        return loop.chunk_compiled.run.lower(**arguments).compile()


def memory(program: jax.stages.Compiled) -> int:
    used = program.memory_analysis()
    return used.argument_size_in_bytes + used.output_size_in_bytes + used.temp_size_in_bytes - used.alias_size_in_bytes


def told(text: str) -> int:
    """The most numbers that one operation makes known to all devices."""
    results = [shape for line in COLLECTIVE.findall(text) for shape in SHAPE.findall(line)]
    return max(prod(map(int, filter(None, shape.split(",")))) for shape in results)


def main() -> None:
    one, many = compiled(1), compiled(DEVICES)
    print(memory(one), memory(many), told(many.as_text()))


if __name__ == "__main__":
    main()
