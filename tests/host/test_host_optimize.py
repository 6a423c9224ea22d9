"""Optimisation of host problems."""

import numpy as np
import pytest
import simulators

import tensorrvea as tr
from tensorrvea import compiled

SETTINGS = {"lower": [-3.0], "upper": [3.0], "objectives": 2}


def run(problem, seed=1, generations=5):
    return tr.optimize(problem, tr.TensorRVEA(population=12), generations=generations, seed=seed)


def test_the_front_is_found_and_does_not_depend_on_the_workers():
    here = run(tr.HostProblem(simulators.schaffer, **SETTINGS), generations=20)
    # The true front is 0 ≤ x ≤ 2, where √f1 + √f2 = 2. Of individuals that do not dominate each other, one at each end
    # may be beyond it, which says nothing of the search. That the whole of it is covered, and the ends are near, does.
    assert np.median(np.abs(np.sqrt(here.F).sum(axis=1) - 2)) < 1e-5
    x = np.sort(here.X[:, 0])
    # The best of the first vector by angle-penalised distance is at x ≈ 0.14, of the last at 1.86, and not at the ends.
    assert abs(x[0]) < 0.3
    assert abs(x[-1] - 2) < 0.3
    assert np.diff(x).max() < 0.6
    with tr.HostProblem(simulators.batched_schaffer, batched=True, workers=2, **SETTINGS) as problem:
        elsewhere = run(problem, generations=20)
    np.testing.assert_array_equal(elsewhere.X, here.X)
    np.testing.assert_array_equal(elsewhere.F, here.F)


def test_failed_individuals_are_never_in_the_result():
    problem = tr.HostProblem(simulators.fails_above_two, **SETTINGS)
    result = run(problem)
    assert np.isfinite(result.F).all()
    assert (result.X <= 2).all()
    ((message, count),) = problem.failures
    assert message.startswith("SolverError: no convergence")
    assert count > 0


def test_the_error_of_a_failed_first_population_has_the_message():
    def broken(x):
        raise FileNotFoundError("mesh.dat")

    with pytest.raises(RuntimeError, match=r"first population failed.*FileNotFoundError: mesh\.dat"):
        run(tr.HostProblem(broken, **SETTINGS))


def test_outputs_of_the_wrong_shape_are_rejected_before_compilation(monkeypatch):
    monkeypatch.setattr(compiled.step, "prepare", lambda *_, **__: pytest.fail("it was compiled first"))
    with pytest.raises(ValueError, match=r"function must give shape \(2,\) for x of shape \(1,\), got shape \(3,\)"):
        run(tr.HostProblem(lambda _: np.zeros(3), **SETTINGS))


def test_noise_depends_on_the_seed():
    problem = tr.HostProblem(simulators.noisy, stochastic=True, **SETTINGS)
    first, again, other = (run(problem, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.F, again.F)
    assert first.F.shape != other.F.shape or (first.F != other.F).any()
