"""Values agree with pymoo's wherever it has the problem."""

import jax
import numpy as np
import pytest
from pymoo.problems import get_problem

from tensorrvea import problems

DTLZ = [f"DTLZ{i}" for i in range(1, 8)]
ZDT = ["ZDT1", "ZDT2", "ZDT3", "ZDT4", "ZDT6"]
CONSTRAINED = [cls.__name__ for suite in ("C-DTLZ", "DC-DTLZ") for cls in problems.SUITES[suite]]


def pairs(name: str, objectives: int, variables: int):
    ours = problems.named(name)(objectives=objectives, variables=variables)
    sizes = {"n_var": variables} if name.startswith("ZDT") else {"n_var": variables, "n_obj": objectives}
    return ours, get_problem(name.lower(), **sizes)


def samples(problem, rows: int = 200) -> np.ndarray:
    """Points of the box, exact in single precision: a half of them spread out, a half close to the middle."""
    x = np.random.default_rng(7).uniform(size=(rows, problem.variables))
    x[rows // 2 :] = 0.5 + 0.02 * (x[rows // 2 :] - 0.5)
    x[0], x[1] = 0.0, 1.0
    return (problem.lower + x * (problem.upper - problem.lower)).astype(np.float32)


@pytest.mark.parametrize("name", DTLZ + ZDT + CONSTRAINED)
def test_objectives_agree_in_single_precision(name):
    ours, theirs = pairs(name, 2 if name in ZDT else 4, 500)
    x = samples(ours)
    expected = theirs.evaluate(x.astype(float), return_values_of=["F"])
    actual = np.asarray(jax.jit(ours.objective_values)(x))
    np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=2e-7)


@pytest.mark.parametrize("name", DTLZ + CONSTRAINED + ZDT)
def test_everything_agrees_in_double_precision(name):
    ours, theirs = pairs(name, 2 if name in ZDT else 3, 15)
    x = samples(ours).astype(float)
    expected = theirs.evaluate(x, return_values_of=["F", "G"], return_as_dictionary=True)
    with jax.enable_x64(True):
        f, violation = jax.jit(ours.evaluate)(jax.random.key(0), x)
        np.testing.assert_allclose(np.asarray(f), expected["F"], rtol=1e-9, atol=1e-12)
        if ours.constrained:
            g = np.asarray(jax.jit(ours.constraint_values)(x))
            np.testing.assert_allclose(g, expected["G"].reshape(len(x), -1), rtol=1e-9, atol=1e-9)
            np.testing.assert_allclose(violation, np.maximum(g, 0).sum(axis=1), rtol=1e-12)


@pytest.mark.parametrize("name", [name for name in CONSTRAINED if not name.startswith(("DC2", "DC3"))])
def test_constraints_agree_in_single_precision(name):
    """DC2 and DC3 are left out: they take the cosine of many turns, of which single precision keeps too little."""
    ours, theirs = pairs(name, 3, 12)
    x = samples(ours)
    expected = theirs.evaluate(x.astype(float), return_values_of=["G"]).reshape(len(x), -1)
    actual = np.asarray(jax.jit(ours.constraint_values)(x))
    # A constraint is a difference: it is as exact as what it is the difference of, which grows with the objectives.
    scale = np.abs(expected).max(axis=0).clip(1)
    np.testing.assert_allclose(actual / scale, expected / scale, rtol=1e-5, atol=1e-6)


def test_bounds_are_pymoos():
    for name in DTLZ + ZDT + CONSTRAINED:
        ours, theirs = pairs(name, 2, 8)
        np.testing.assert_array_equal(ours.lower, np.broadcast_to(theirs.xl, 8))
        np.testing.assert_array_equal(ours.upper, np.broadcast_to(theirs.xu, 8))
