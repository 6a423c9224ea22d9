"""RVEA beside pymoo's."""

import numpy as np
from pymoo.algorithms.moo.rvea import RVEA
from pymoo.optimize import minimize
from pymoo.problems import get_problem
from pymoo.util.ref_dirs import get_reference_directions

import tensorrvea as tr


def test_the_front_of_dtlz2_is_as_good_as_pymoos_at_equal_evaluations():
    problem, theirs = tr.problems.DTLZ2(variables=12), get_problem("dtlz2", n_var=12, n_obj=3)
    front = problem.front(1000)
    runs = tr.replicate(problem, tr.RVEA(population=105), generations=99, seeds=range(5))
    ours = [tr.metrics.igd(run.F, front) for run in runs]
    vectors = get_reference_directions("das-dennis", 3, n_partitions=13)
    reached = [minimize(theirs, RVEA(vectors), ("n_gen", 100), seed=seed).F for seed in range(3)]
    assert np.median(ours) < 1.05 * np.median([tr.metrics.igd(f, front) for f in reached])
