"""Values agree with pymoo's for the suites that it has."""

import jax
import numpy as np
import pytest
from pymoo.problems import get_problem

from tensorrvea import problems

IN_PYMOO = [cls for suite in ("DTLZ", "ZDT", "C-DTLZ", "DC-DTLZ") for cls in problems.SUITES[suite]]
# Compared in double precision only: single precision is too coarse for their biases and for variables up to 2d.
IN_DOUBLE = [*IN_PYMOO, *problems.SUITES["WFG"], *problems.SUITES["MW"]]
CONSTRAINED = [cls for cls in IN_PYMOO if cls.constrained]


def make_both(cls: type[problems.Benchmark], objectives: int, variables: int):
    ours = cls(objectives=cls.fixed_objectives or objectives, variables=variables)
    sizes = {"n_var": variables} if cls.fixed_objectives else {"n_var": variables, "n_obj": objectives}
    if cls in problems.SUITES["WFG"]:
        sizes["k"] = ours.positions
    if cls in problems.SUITES["MW"] and not cls.fixed_objectives and objectives != 3:
        pytest.skip("pymoo has three objectives only")
    return ours, get_problem(cls.__name__.lower(), **sizes)


def samples(problem, rows: int = 200) -> np.ndarray:
    """Points that are exact in single precision: half of them spread out, half close to the middle."""
    x = np.random.default_rng(7).uniform(size=(rows, problem.variables))
    x[rows // 2 :] = 0.5 + 0.02 * (x[rows // 2 :] - 0.5)
    x[0], x[1] = 0.0, 1.0
    return (problem.lower + x * (problem.upper - problem.lower)).astype(np.float32)


@pytest.mark.parametrize("cls", IN_PYMOO)
def test_objectives_agree_in_single_precision(cls):
    ours, theirs = make_both(cls, 4, 500)
    x = samples(ours)
    expected = theirs.evaluate(x.astype(float), return_values_of=["F"])
    actual = np.asarray(jax.jit(ours.objective_values)(x))
    np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=2e-7)


@pytest.mark.parametrize("cls", IN_DOUBLE)
def test_objectives_and_constraints_agree_in_double_precision(cls):
    ours, theirs = make_both(cls, 3, 16 if cls in problems.SUITES["WFG"] else 15)
    x = samples(ours).astype(float).clip(ours.lower, ours.upper)
    if cls is problems.MW11:
        x = x[2:]  # pymoo's root of a number below zero, by rounding, is NaN at the upper bound
    expected = theirs.evaluate(x, return_values_of=["F", "G"], return_as_dictionary=True)
    with jax.enable_x64(True):
        f, g = jax.jit(ours.evaluate)(jax.random.key(0), x)
        np.testing.assert_allclose(np.asarray(f), expected["F"], rtol=1e-9, atol=1e-12)
        if ours.constrained:
            np.testing.assert_allclose(g, expected["G"].reshape(len(x), -1), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("cls", [cls for cls in CONSTRAINED if not cls.__name__.startswith(("DC2", "DC3"))])
def test_constraints_agree_in_single_precision(cls):
    """DC2 and DC3 are excluded: single precision is too coarse for their cosines of many turns."""
    ours, theirs = make_both(cls, 3, 12)
    x = samples(ours)
    expected = theirs.evaluate(x.astype(float), return_values_of=["G"]).reshape(len(x), -1)
    actual = np.asarray(jax.jit(ours.constraint_values)(x))
    # A constraint is a difference, whose error grows with the objectives.
    scale = np.abs(expected).max(axis=0).clip(1)
    np.testing.assert_allclose(actual / scale, expected / scale, rtol=1e-5, atol=1e-6)


def test_bounds_agree():
    for cls in IN_DOUBLE:
        ours, theirs = make_both(cls, 3, 8)
        np.testing.assert_array_equal(ours.lower, np.broadcast_to(theirs.xl, 8))
        np.testing.assert_array_equal(ours.upper, np.broadcast_to(theirs.xu, 8))


COMPILED_DAS = jax.jit(lambda ours, x: (ours.objective_values(x), ours.constraint_values(x)), static_argnums=0)


@pytest.mark.parametrize("difficulty", [1, 4, 13, 16, (0.3, 0.6, 0.9)])
@pytest.mark.parametrize("cls", problems.SUITES["DAS-CMOP"])
def test_das_cmop_agrees_in_double_precision(cls, difficulty):
    ours = cls(difficulty=difficulty)
    argument = "difficulty_factors" if cls.fixed_objectives == 3 else "difficulty"
    theirs = get_problem(cls.__name__.lower(), **{argument: difficulty})
    x = samples(ours, rows=40).astype(float)
    expected = theirs.evaluate(x, return_values_of=["F", "G"], return_as_dictionary=True)
    with jax.enable_x64(True):
        f, g = (np.asarray(value) for value in COMPILED_DAS(ours, x))
    np.testing.assert_allclose(f, expected["F"], rtol=1e-9, atol=1e-12)
    compared = np.ones(g.shape[1], bool)
    # Without a bound on the distance, pymoo's constraint is −1e30 times it; ours is −1.
    compared[ours.objectives - 1] = ours.difficulty[1] > 0
    np.testing.assert_allclose(g[:, compared], expected["G"][:, compared], rtol=1e-8, atol=1e-8)
