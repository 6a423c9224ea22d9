"""The algorithm that is used when none is given."""

import numpy as np
import pytest
import sizes

import tensorrvea as tr


@pytest.mark.parametrize("objectives", [2, 3, 4, 5, 6, 7, 8, 10, 11, 15])
def test_the_default_has_a_place_for_each_of_its_population(objectives):
    made = tr.default_algorithm(tr.problems.DTLZ2(objectives=objectives, variables=objectives + 3))
    assert isinstance(made, tr.SPEA2 if objectives < 4 else tr.TensorRVEA)
    assert made.places(objectives) == made.population


def test_optimize_without_an_algorithm_takes_the_default_and_says_which():
    problem = sizes.problem()
    result = tr.optimize(problem, generations=2, seed=1)
    assert result.algorithm == tr.default_algorithm(problem)
    assert "SPEA2" in repr(result)
    same = tr.optimize(problem, tr.default_algorithm(problem), generations=2, seed=1)
    np.testing.assert_array_equal(result.F, same.F)
    assert tr.replicate(problem, generations=2, seeds=[1])[0].algorithm == result.algorithm
