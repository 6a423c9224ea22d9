"""How much memory a run will need, as reported by the compiler before the run."""

from typing import NamedTuple

import jax

from tensorrvea import compiled
from tensorrvea.checks import check_integer
from tensorrvea.driver.evaluators import make_evaluator
from tensorrvea.driver.run import Run
from tensorrvea.driver.schedule import Budget
from tensorrvea.evolution import Evolution, check_algorithm
from tensorrvea.problem import Problem

# The budget whose program is measured; the programs of others need about as much.
GENERATIONS = 1000


# The most runs of a batch.
MOST_SEEDS = 2**20


class Memory(NamedTuple):
    """Bytes on the device."""

    state: int
    """Bytes that are kept from one generation to the next."""
    working: int
    """Bytes that a generation needs besides: parents, offspring, and what the problem needs to evaluate them."""

    @property
    def total(self) -> int:
        """All bytes."""
        return self.state + self.working

    def __str__(self) -> str:
        return f"{show(self.total)}: {show(self.state)} of state and {show(self.working)} of working memory"


def estimate_memory(
    problem: Problem, algorithm: Evolution, *, seeds: int = 1, history: str = "summary", archive: int = 0
) -> Memory:
    """Return the memory that ``optimize``, or ``replicate`` with this many seeds, needs on the device.

    It compiles what the run would compile, which the run can then reuse, and neither allocates nor computes anything.
    The memory of Python and JAX themselves is not included.

    Args:
      problem: what to optimise.
      algorithm: how to search.
      seeds: the number of runs of ``replicate``; 1 for ``optimize``.
      history: what is recorded, as in ``optimize``.
      archive: the size of the archive.

    Returns:
      Bytes of ``state``, ``working`` memory, and their ``total``; printed in MB.

    Raises:
      TypeError: if there is no problem or no algorithm.
      ValueError: if a number is out of range.

    >>> import tensorrvea as tr
    >>> print(tr.estimate_memory(tr.problems.DTLZ2(variables=1000), tr.TensorRVEA(population=100)).state > 91 * 4000)
    True
    """
    check_integer("seeds", seeds, minimum=1, maximum=MOST_SEEDS)
    budget = Budget(population=check_algorithm(algorithm).population, generations=GENERATIONS)
    run = Run(
        problem, algorithm, seeds=range(seeds), is_batched=seeds > 1, budget=budget, history=history, archive=archive
    )
    carry = compiled.begin.shapes(run.program, run.setting, run.key, None)
    state = sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves(carry))
    return Memory(state, make_evaluator(run).memory(carry) - state)


def show(size: float) -> str:
    """Return a number of bytes with a unit."""
    units = ["bytes", "kB", "MB", "GB", "TB"]
    while size >= 1000 and len(units) > 1:
        size /= 1000
        units.pop(0)
    return f"{size:.3g} {units[0]}"
