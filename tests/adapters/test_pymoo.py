"""The adapter for pymoo."""

import jax
import numpy as np
import pytest

from tensorrvea.adapters import from_pymoo

pymoo_problems = pytest.importorskip("pymoo.problems")
core = pytest.importorskip("pymoo.core.problem")
KEY = jax.random.key(0)


def draw(problem, n=40):
    return np.random.default_rng(0).uniform(problem.lower, problem.upper, (n, problem.variables))


@pytest.mark.parametrize(("name", "arguments"), [("zdt1", {"n_var": 30}), ("dtlz2", {"n_var": 12, "n_obj": 3})])
def test_values_and_bounds_are_those_of_pymoo(name, arguments):
    theirs = pymoo_problems.get_problem(name, **arguments)
    problem = from_pymoo(theirs)
    x = draw(problem)
    f, g = problem.evaluate_host(KEY, x)
    np.testing.assert_array_equal(f, theirs.evaluate(x))
    assert g.shape == (len(x), 0)
    np.testing.assert_array_equal([problem.lower, problem.upper], [theirs.xl, theirs.xu])
    assert problem.objectives == theirs.n_obj


def test_zdt1_agrees_with_hand_computed_values():
    f, _ = from_pymoo(pymoo_problems.get_problem("zdt1", n_var=3)).evaluate_host(KEY, np.array([[0.25, 0.0, 1.0]]))
    # g = 1 + 9 · mean(0, 1) = 5.5, f2 = g (1 − √(0.25 / g))
    np.testing.assert_allclose(f, [[0.25, 5.5 * (1 - np.sqrt(0.25 / 5.5))]], rtol=1e-15)


def test_inequalities_are_kept():
    theirs = pymoo_problems.get_problem("bnh")
    problem = from_pymoo(theirs)
    x = draw(problem, 300)
    f, g = problem.evaluate_host(KEY, x)
    values = theirs.evaluate(x, return_as_dictionary=True)
    np.testing.assert_array_equal(f, values["F"])
    np.testing.assert_array_equal(g, values["G"])
    assert 0 < (g > 0).any(axis=1).sum() < 300


class WithEquality(core.ElementwiseProblem):
    def __init__(self, **arguments):
        super().__init__(n_var=2, n_obj=2, n_ieq_constr=1, n_eq_constr=1, xl=0.0, xu=4.0, **arguments)

    def _evaluate(self, x, out):
        out["F"] = [x[0], 1 - x[0]]
        out["G"] = [x[0] - 1]
        out["H"] = [x[0] - x[1]]


def test_equalities_have_a_tolerance():
    problem = from_pymoo(WithEquality(), equality_tolerance=0.5)
    _, g = problem.evaluate_host(KEY, np.array([[0.5, 0.75], [0.5, 2.0], [3.0, 1.0]]))
    np.testing.assert_allclose(g, [[-0.5, -0.25], [-0.5, 1.0], [2.0, 1.5]], rtol=1e-15)


def test_integer_variables_are_passed_as_integers():
    class Integers(core.Problem):
        def __init__(self):
            super().__init__(n_var=2, n_obj=2, xl=0, xu=7, vtype=int)

        def _evaluate(self, x, out):
            assert x.dtype == int
            out["F"] = np.stack([x[:, 0], 7 - x[:, 0] + x[:, 1] % 2], axis=1)

    problem = from_pymoo(Integers())
    f, _ = problem.evaluate(KEY, problem.sample(KEY, 50))
    np.testing.assert_array_equal(f, np.round(f))
    assert problem.failures == []


def test_it_can_be_evaluated_by_workers():
    theirs = pymoo_problems.get_problem("bnh")
    with from_pymoo(theirs, workers=1) as problem:
        x = draw(problem)
        np.testing.assert_array_equal(problem.evaluate_host(KEY, x)[0], theirs.evaluate(x)[0])


@pytest.mark.parametrize(
    ("problem", "error", "message"),
    [
        ("zdt1", TypeError, r"problem takes a pymoo.core.problem.Problem, got 'zdt1'"),
        (core.Problem(n_var=2, n_obj=2), ValueError, "problem must have bounds xl and xu, got None"),
        (core.Problem(vars={"a": None}, n_obj=2), ValueError, "got one of mixed variables"),
        (pymoo_problems.get_problem("rastrigin"), ValueError, "objectives must be at least 2"),
    ],
)
def test_invalid_arguments_are_rejected(problem, error, message):
    with pytest.raises(error, match=message):
        from_pymoo(problem)
