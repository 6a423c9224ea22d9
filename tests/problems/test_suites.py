"""Properties of all benchmark problems: names, sizes, equality, errors."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tensorrvea import problems
from tensorrvea.problems.sums import masked_sum, sliced_sum

ALL = list(problems.NAMED.values())
NONNEGATIVE = {
    cls
    for suite in ("DTLZ", "LSMOP", "MaF", "WFG", "C-DTLZ", "DC-DTLZ", "LIR-CMOP", "DAS-CMOP")
    for cls in problems.SUITES[suite]
}


def test_every_problem_is_in_one_suite_and_exported():
    names = [cls.__name__ for suite in problems.SUITES.values() for cls in suite]
    assert len(names) == len(set(names)) == len(problems.NAMED)
    for name in names:
        assert getattr(problems, name) is problems.named(name)
        assert name in problems.__all__


@pytest.mark.parametrize(("spelled", "name"), [("dtlz2", "DTLZ2"), ("C1-DTLZ1", "C1DTLZ1"), ("maf3", "MaF3")])
def test_names_ignore_case_and_hyphens(spelled, name):
    assert problems.named(spelled).__name__ == name


def test_a_misspelt_name_gets_a_suggestion():
    with pytest.raises(ValueError, match="no problem is named 'LSMPO1'; did you mean 'LSMOP1'"):
        problems.named("LSMPO1")
    with pytest.raises(ValueError, match="no problem is named 'maf88'; did you mean 'MaF"):
        problems.named("maf88")
    with pytest.raises(ValueError, match="there are DTLZ1, DTLZ2"):
        problems.named("something")
    with pytest.raises(TypeError, match="name takes the name of a problem"):
        problems.named(2)


@pytest.mark.parametrize("cls", ALL)
def test_equal_sizes_make_equal_problems(cls):
    problem, same = cls(), cls()
    assert problem == same
    assert hash(problem) == hash(same)
    if cls.fixed_variables is None:
        assert problem != cls(variables=problem.variables + 2)
    assert problem.name == cls.__name__
    assert eval(repr(problem), vars(problems).copy()) == problem


@pytest.mark.parametrize("cls", ALL)
def test_wrong_sizes_are_rejected(cls):
    with pytest.raises(ValueError, match=r"variables must be (at least )?\d"):
        cls(variables=1)
    with pytest.raises(TypeError, match="variables takes a whole number"):
        cls(variables=12.5)
    with pytest.raises(ValueError, match="objectives must be"):
        cls(objectives=1)
    with pytest.raises(TypeError, match="objectives takes a whole number"):
        cls(objectives="3")
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        cls(object=3)


def test_zdt_has_two_objectives():
    with pytest.raises(ValueError, match=r"objectives must be 2.*got 3"):
        problems.ZDT1(objectives=3)


@pytest.mark.parametrize("cls", [problems.C1DTLZ3, problems.C2DTLZ2])
def test_a_radius_is_a_setting(cls):
    assert cls(radius=7.0) != cls()
    assert cls(radius=7.0).settings == (("radius", 7.0),)
    with pytest.raises(ValueError, match="radius must be a finite number"):
        cls(radius=-1.0)


@pytest.mark.parametrize("cls", ALL)
def test_values_are_finite_at_the_corners_and_keep_the_precision(cls):
    problem = cls()
    corners = np.stack([problem.lower, problem.upper, 0.5 * (problem.lower + problem.upper)]).astype(np.float32)
    f, g = jax.jit(problem.evaluate)(jax.random.key(0), corners)
    assert f.dtype == g.dtype == jnp.float32
    assert f.shape == (3, problem.objectives)
    assert jnp.isfinite(f).all()
    assert jnp.isfinite(g).all()
    if cls in NONNEGATIVE:
        assert (f >= 0).all()


def test_a_row_does_not_depend_on_other_rows():
    problem = problems.LSMOP2(objectives=3)
    x = problem.sample(jax.random.key(1), 16)
    whole = jax.jit(problem.objective_values)(x)
    np.testing.assert_allclose(whole[3:5], jax.jit(problem.objective_values)(x[3:5]), rtol=1e-6)


@pytest.mark.parametrize("function", [sliced_sum, masked_sum])
@pytest.mark.parametrize("columns", [6, 2**14 + 1])
def test_sums_of_column_ranges(function, columns):
    terms = jnp.zeros((2, columns)).at[:, :6].set(jnp.arange(12.0).reshape(2, 6))
    np.testing.assert_array_equal(function(2, terms), [14.0, 38.0])
    np.testing.assert_array_equal(function(2, terms, 4), [5.0, 17.0])
    np.testing.assert_array_equal(function(4, terms, 4), [0.0, 0.0])
