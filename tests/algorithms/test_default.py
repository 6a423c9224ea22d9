"""The algorithm that is used when none is given."""

import numpy as np
import pytest
import sizes

import tensorrvea as tr
from tensorrvea.algorithms.default import MANY_VARIABLES


@pytest.mark.parametrize("objectives", [2, 3, 4, 5, 6, 7, 8, 10, 11, 15])
def test_the_default_has_a_place_for_each_of_its_population(objectives):
    made = tr.default_algorithm(tr.problems.DTLZ2(objectives=objectives, variables=objectives + 3))
    assert isinstance(made, tr.SPEA2 if objectives < 3 else tr.TensorRVEA)
    assert made.places(objectives) == made.population


@pytest.mark.parametrize("problem", [tr.problems.CRE22(), tr.problems.C2DTLZ2(objectives=3)])
def test_the_default_for_constraints_has_a_population_that_ignores_them(problem):
    made = tr.default_algorithm(problem)
    assert isinstance(made, tr.CCMO)
    assert made.population == {2: 100, 3: 105}[problem.objectives]


@pytest.mark.parametrize("objectives", [2, 3, 5])
def test_the_default_for_many_variables_breeds_on_lines(objectives):
    for variables in (MANY_VARIABLES - 1, MANY_VARIABLES):
        made = tr.default_algorithm(tr.problems.LSMOP1(objectives=objectives, variables=variables))
        assert isinstance(made.variation, tr.Lines) == (variables == MANY_VARIABLES)


def test_optimize_without_an_algorithm_takes_the_default_and_says_which():
    problem = sizes.problem()
    result = tr.optimize(problem, generations=2, seed=1)
    assert result.algorithm == tr.default_algorithm(problem)
    assert "TensorRVEA" in repr(result)
    same = tr.optimize(problem, tr.default_algorithm(problem), generations=2, seed=1)
    np.testing.assert_array_equal(result.F, same.F)
    assert tr.replicate(problem, generations=2, seeds=[1])[0].algorithm == result.algorithm
