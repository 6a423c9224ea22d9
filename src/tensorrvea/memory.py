"""How much memory a run will take, asked of the compiler before the run."""

from typing import NamedTuple

import jax

from tensorrvea import loop
from tensorrvea.algorithms.base import Algorithm
from tensorrvea.checks import check_integer
from tensorrvea.optimize import Budget, Search, population_of
from tensorrvea.problem import Problem


class Memory(NamedTuple):
    """Bytes on the device."""

    state: int
    """What is kept from one generation to the next."""
    working: int
    """What a generation takes beside that: parents, newborn, and what the problem needs to evaluate them."""

    @property
    def total(self) -> int:
        return self.state + self.working

    def __str__(self) -> str:
        return f"{show(self.total)}: {show(self.state)} of state and {show(self.working)} to work on it"


def estimate_memory(
    problem: Problem, algorithm: Algorithm, *, seeds: int = 1, history: str = "summary", archive: int = 0
) -> Memory:
    """The memory of ``optimize``, or of ``replicate`` over so many seeds, on the device.

    Compiles what the run would compile, for which the run then need not wait, and neither allocates nor computes any of
    it. What Python and JAX themselves take comes on top.

    >>> import tensorrvea as tr
    >>> print(tr.estimate_memory(tr.problems.DTLZ2(variables=1000), tr.TensorRVEA(population=100)).state > 91 * 4000)
    True
    """
    check_integer("seeds", seeds, minimum=1)
    search = Search(
        problem, algorithm, seeds=range(seeds), batch=seeds > 1,
        budget=Budget(population=population_of(algorithm), generations=1), history=history, archive=archive,
    )  # fmt: skip
    search.carry = loop.begin_compiled.shapes(search.program, key=search.key, x=None)
    state = sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves(search.carry))
    compiled, arguments = search.to_compile()
    return Memory(state, compiled.memory(search.program, **arguments) - state)


def show(size: float) -> str:
    units = ["bytes", "kB", "MB", "GB", "TB"]
    while size >= 1000 and len(units) > 1:
        size /= 1000
        units.pop(0)
    return f"{size:.3g} {units[0]}"
