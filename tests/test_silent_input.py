"""Input that cannot be meant is refused, and extreme input is not silently wrong."""

import datetime
import sys

import jax.numpy as jnp
import numpy as np
import pytest

import tensorrvea as tr
from tensorrvea import decision, metrics
from tensorrvea.constraints import total_violation
from tensorrvea.host import HostProblem
from tensorrvea.metrics.hypervolume import hypervolume, hypervolume_estimate
from tensorrvea.neuroevolution.policy import MLP
from tensorrvea.processes import distributed
from tensorrvea.selection.dominance import nondominated

MASKED = np.ma.masked_array([[1.0, 2.0], [2.0, 1.0]], [[True, False], [False, False]])


@pytest.mark.parametrize("part", ["function", "constraints"])
def test_complex_outputs_are_refused(part):
    parts = {"function": lambda x: jnp.stack([x[0], 1 - x[0]]), part: lambda x: jnp.stack([x[0] * 1j, x[0] + 0j])}
    with pytest.raises(TypeError, match=f"{part} must give real numbers, got complex64"):
        tr.Problem(parts.pop("function"), lower=[0.0], upper=[1.0], objectives=2, **parts)


@pytest.mark.parametrize(
    "use",
    [
        lambda: nondominated(MASKED),
        lambda: nondominated(list(MASKED)),
        lambda: metrics.igd(MASKED, [[0.0, 0.0]]),
        lambda: metrics.hypervolume(MASKED, [3.0, 3.0]),
        lambda: decision.knee(MASKED),
        lambda: tr.Problem(lambda x: x, lower=MASKED[0], upper=[3.0, 3.0], objectives=2),
    ],
)
def test_masked_values_are_refused(use):
    with pytest.raises(TypeError, match="takes numbers"):
        use()


def test_an_array_without_masked_values_is_an_array():
    assert nondominated(np.ma.masked_array([[1.0, 2.0]], [[False, False]])).tolist() == [True]


@pytest.mark.parametrize("hidden", [{16: 1}, {16, 8}, b"ab", "ab", 3])
def test_hidden_layers_are_an_ordered_sequence(hidden):
    with pytest.raises(TypeError, match="hidden takes the sizes of the hidden layers"):
        MLP(inputs=1, outputs=1, hidden=hidden)


@pytest.mark.parametrize("seeds", [b"a", "12", {1: 2}, 3])
def test_seeds_are_a_sequence_of_numbers(seeds):
    with pytest.raises(TypeError, match="seeds takes whole numbers"):
        tr.replicate(tr.problems.ZDT1(variables=5), tr.TensorRVEA(population=4), seeds=seeds, generations=2)


@pytest.mark.parametrize("coordinator", ["8476", ":8476", "host", "host:", 8476, b"host:1", datetime.date(2024, 1, 1)])
def test_a_coordinator_is_a_host_and_a_port(coordinator):
    with pytest.raises(ValueError, match="coordinator must be host:port"):
        distributed(coordinator=coordinator, processes=1, index=0)


def test_the_smallest_violations_are_feasible_on_the_host_as_on_the_device():
    g = np.array([[1e-42], [1e-30], [-1.0]])
    expected = [0.0, 1e-30, 0.0]
    np.testing.assert_array_equal(total_violation(g), expected)
    np.testing.assert_allclose(total_violation(jnp.asarray(g, jnp.float32)), expected, rtol=1e-6)
    problem = HostProblem(lambda x: (x[0], 1.0, 1e-42), lower=[0.0], upper=[1.0], objectives=2, constraints=1)
    assert total_violation(problem.evaluate_host(None, np.zeros((1, 1)))[1]).tolist() == [0.0]


@pytest.mark.parametrize("method", decision.METHODS)
def test_huge_weights_and_objectives_choose_as_their_ratios_do(method):
    F = np.array([[0.0, 1.0], [0.4, 0.4], [1.0, 0.0]])
    for huge_weights, weights in (([1e308, 1e308], [1, 1]), ([1e308, 1e307], [10, 1])):
        expected = decision.best_by_weights(F, weights, method=method)
        assert decision.best_by_weights(F, huge_weights, method=method) == expected
    huge = (2 * F - 1) * 1.5e308
    assert decision.best_by_weights(huge, [1, 1], method=method) == 1
    assert decision.knee(huge) == 1


def test_one_objective_has_one_weight():
    assert metrics.utility_weights(1).tolist() == [[1.0]]
    assert metrics.expected_utility([[1.0], [2.0]]) == -1.0
    with pytest.raises(ValueError, match="objectives must be at least 1"):
        metrics.utility_weights(0)


@pytest.mark.parametrize(("thin", "objectives"), [(1e-3, 2), (1e-6, 2), (1e-4, 3), (1e-2, 4)])
def test_the_standard_error_of_thin_sets_holds(thin, objectives):
    """Each point extends along one axis only, so that directions between the axes meet almost nothing."""
    F = np.where(np.eye(objectives, dtype=bool), 0.0, 1.0 - thin)
    exact = hypervolume(F, np.ones(objectives))
    for seed in range(5):
        estimate = hypervolume_estimate(F, np.ones(objectives), samples=4000, seed=seed)
        assert abs(estimate.value - exact) < 5 * estimate.standard_error + 1e-12 * exact
        assert estimate.standard_error < 0.1 * exact


@pytest.mark.parametrize("algorithm", [tr.RandomSearch, tr.NSGA2])
def test_a_rule_for_constraints_is_a_rule(algorithm):
    with pytest.raises(TypeError, match="constraint_rule takes a ConstraintRule, got 3"):
        algorithm(population=8, constraint_rule=3)


def test_bytes_are_not_names_of_metrics():
    with pytest.raises(TypeError, match="metrics takes names such as"):
        tr.optimize(tr.problems.ZDT1(variables=5), tr.NSGA2(population=8), generations=1, metrics=b"igd")


@pytest.mark.parametrize("wrong", [{"fronts": 3}, {"fronts": {"a": {"b": 3}}}, {"fronts": {}, "problems": [1]}])
def test_fronts_found_elsewhere_are_by_problem_and_algorithm(wrong):
    with pytest.raises(TypeError, match=r"(fronts|problems).* takes .* got"):
        tr.study_from_fronts(**wrong)


def test_a_comparison_refuses_a_wrong_reference_point_before_it_runs(monkeypatch):
    monkeypatch.setattr(sys.modules["tensorrvea.study.compare"], "run_all", lambda *_: pytest.fail("it ran"))
    for wrong, message in (([1.0], "reference must have 2 entries"), ("far", "reference takes numbers")):
        with pytest.raises((ValueError, TypeError), match=message):
            tr.compare(tr.problems.ZDT1(variables=5), tr.NSGA2(population=8), generations=1, reference=wrong)
    with pytest.raises(TypeError, match="progress takes True or False"):
        tr.compare(tr.problems.ZDT1(variables=5), tr.NSGA2(population=8), generations=1, progress="yes")
