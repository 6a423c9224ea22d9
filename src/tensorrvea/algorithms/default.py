"""The algorithm that is used when none is given."""

from typing import Any

from tensorrvea.algorithms.ccmo import CCMO
from tensorrvea.algorithms.spea2 import SPEA2
from tensorrvea.algorithms.tensorrvea import TensorRVEA
from tensorrvea.checks import shown
from tensorrvea.evolution import Evolution
from tensorrvea.operators import Lines
from tensorrvea.problem import Problem

# From this many objectives on, reference vectors divide a front as well as distances between individuals do.
OBJECTIVES_FOR_VECTORS = 3
# From this many objectives on, almost all individuals are non-dominated, and distances between them say little.
MANY_OBJECTIVES = 4
# From this many variables on, operators that draw a step for each of them make little progress.
MANY_VARIABLES = 300
# From this many objectives on, a lattice of a few hundred vectors has none inside the simplex.
LAYERS = 6
# Populations by the number of objectives: the sizes of simplex lattices, and from six objectives on of two layers.
POPULATIONS = {2: 100, 3: 105, 4: 120, 5: 126, 6: 182, 7: 112, 8: 156, 9: 210, 10: 275}


def default_algorithm(problem: Problem, population: int | None = None) -> Evolution:
    """Return the algorithm that ``optimize`` uses for a problem when none is given.

    It is the one that is best on most problems of the kind: ``SPEA2`` for two objectives, ``TensorRVEA`` for three
    objectives and more, or for 300 variables and more, and ``CCMO`` for two and three objectives with constraints. From
    300 variables on, offspring are bred by ``Lines``. "Which algorithm?" in the documentation has the reasons.

    Args:
      problem: what to optimise.
      population: the number of offspring per generation; by default, one that suits the number of objectives.

    Returns:
      The algorithm.

    >>> import tensorrvea as tr
    >>> type(default_algorithm(tr.problems.ZDT1())).__name__
    'SPEA2'
    >>> type(default_algorithm(tr.problems.DTLZ2(objectives=3))).__name__
    'TensorRVEA'
    >>> type(default_algorithm(tr.problems.CRE22())).__name__
    'CCMO'
    >>> default_algorithm(tr.problems.DTLZ2(objectives=5)).population
    126
    """
    if not isinstance(problem, Problem):
        raise TypeError(f"problem takes a Problem, got {shown(problem)}")
    m = problem.objectives
    # Of more than ten objectives, layers of two and one divisions: m (m + 1) / 2 and m.
    size = POPULATIONS.get(m, m * (m + 3) // 2) if population is None else population
    has_many_variables = problem.variables >= MANY_VARIABLES
    breeding: dict[str, Any] = {"variation": Lines()} if has_many_variables else {}
    if problem.num_constraints and m < MANY_OBJECTIVES:
        return CCMO(population=size, **breeding)
    if has_many_variables or m >= OBJECTIVES_FOR_VECTORS:
        return TensorRVEA(population=size, vectors="lattice" if m < LAYERS else "layers", **breeding)
    return SPEA2(population=size)
