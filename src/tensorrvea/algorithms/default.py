"""The algorithm that is used when none is given."""

from tensorrvea.algorithms.spea2 import SPEA2
from tensorrvea.algorithms.tensorrvea import TensorRVEA
from tensorrvea.evolution import Evolution
from tensorrvea.problem import Problem

# From this many objectives on, almost all individuals are non-dominated, and distances between them say little.
MANY_OBJECTIVES = 4
# Survivors by the number of objectives: sizes of simplex lattices, and for more objectives than these the last one.
POPULATIONS = {2: 100, 3: 105, 4: 120, 5: 126, 6: 132, 7: 168, 8: 156, 9: 210, 10: 275}


def default_algorithm(problem: Problem) -> Evolution:
    """Return the algorithm that ``optimize`` uses for a problem when none is given.

    It is the one that is best on most problems of the kind: ``SPEA2`` for two and three objectives, also with
    constraints, and ``TensorRVEA`` for four and more. "Which algorithm?" in the documentation has the reasons.

    Args:
      problem: what to optimise.

    Returns:
      The algorithm, with a population that suits the number of objectives.

    >>> import tensorrvea as tr
    >>> type(default_algorithm(tr.problems.ZDT1())).__name__
    'SPEA2'
    >>> default_algorithm(tr.problems.DTLZ2(objectives=5)).population
    126
    """
    if not isinstance(problem, Problem):
        raise TypeError(f"problem takes a Problem, got {problem!r:.80}")
    m = problem.objectives
    population = POPULATIONS[max(2, min(m, max(POPULATIONS)))]
    if m < MANY_OBJECTIVES:
        return SPEA2(population=population)
    return TensorRVEA(population=population, vectors="layers")
