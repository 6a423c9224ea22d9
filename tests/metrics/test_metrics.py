"""Metrics in NumPy, compared with moocore, pymoo and hand-computed values."""

from importlib import import_module

import moocore
import numpy as np
import pytest
from pymoo.indicators.gd import GD
from pymoo.indicators.igd import IGD
from pymoo.indicators.igd_plus import IGDPlus
from pymoo.indicators.spacing import SpacingIndicator

import tensorrvea as tr
from tensorrvea import metrics

RNG = np.random.default_rng(0)


def sphere(n: int, m: int, seed: int = 0) -> np.ndarray:
    f = np.abs(np.random.default_rng(seed).normal(size=(n, m)))
    return f / np.linalg.norm(f, axis=1, keepdims=True)


SETS = {
    "random": RNG.random((60, 3)),
    "front": sphere(60, 3),
    "duplicated": np.repeat(sphere(20, 3), 3, axis=0),
    "dominated": np.concatenate([sphere(30, 3), 1.1 * sphere(30, 3)]),
    "degenerate": np.stack([np.linspace(0, 1, 30), np.linspace(1, 0, 30), np.full(30, 0.5)], axis=1),
    "single point": np.array([[0.2, 0.3, 0.4]]),
    "ties": RNG.integers(0, 4, (60, 3)) / 4,
    "partly beyond the reference": 2 * RNG.random((60, 3)),
}


@pytest.mark.parametrize("name", SETS)
def test_hypervolume_agrees_with_moocore(name):
    f, reference = SETS[name], np.full(3, 1.1)
    for columns in ([0, 1], [0, 1, 2]):
        expected = moocore.hypervolume(f[:, columns], ref=reference[columns])
        assert metrics.hypervolume(f[:, columns], reference[columns]) == pytest.approx(expected, rel=1e-12)


def test_hypervolume_by_inclusion_and_exclusion():
    f = np.array([[0.1, 0.5, 0.3], [0.4, 0.2, 0.6], [0.7, 0.6, 0.1]])
    single = (1 - f).prod(axis=1).sum()
    pairs = sum((1 - np.maximum(f[i], f[j])).prod() for i, j in [(0, 1), (0, 2), (1, 2)])
    assert metrics.hypervolume(f, np.ones(3)) == pytest.approx(single - pairs + (1 - f.max(axis=0)).prod())


def test_points_outside_the_reference_add_nothing():
    inside = [[0.2, 0.8], [0.8, 0.2]]
    outside = [[1.0, 0.0], [0.0, 1.0], [-5.0, 1.5], [2.0, 2.0]]
    assert metrics.hypervolume(inside + outside, [1.0, 1.0]) == metrics.hypervolume(inside, [1.0, 1.0])
    assert metrics.hypervolume(outside, [1.0, 1.0]) == 0.0
    assert metrics.hypervolume_estimate(outside, [1.0, 1.0]) == (0.0, 0.0)


@pytest.mark.parametrize("m", [2, 3, 5, 8])
def test_estimate_is_within_its_standard_error(m):
    f, reference = sphere(25, m), np.full(m, 1.2)
    exact = moocore.hypervolume(f, ref=reference)
    estimates = [metrics.hypervolume_estimate(f, reference, samples=4000, seed=seed) for seed in range(20)]
    deviation = np.array([(estimate.value - exact) / estimate.standard_error for estimate in estimates])
    assert np.abs(deviation).max() < 4
    assert 0.5 < deviation.std() < 1.6  # the standard error is neither too small nor too large
    assert metrics.hypervolume_estimate(f, reference, samples=4000, seed=3) == estimates[3]


def test_hypervolume_of_many_objectives_is_the_estimate():
    f, reference = sphere(200, 10), np.full(10, 1.1)
    assert not metrics.is_exact(200, 10)
    estimate = metrics.hypervolume_estimate(f, reference)
    assert metrics.hypervolume(f, reference) == estimate.value
    assert estimate.standard_error < 0.01 * estimate.value


def test_metrics_respect_scales_and_directions():
    f = SETS["front"]
    reference, scale = np.full(3, 1.1), np.array([1e3, 1e-3, 7.0])
    volume = metrics.hypervolume(f, reference)
    assert metrics.hypervolume(f * scale, reference * scale) == pytest.approx(volume * 7.0)
    estimate = metrics.hypervolume_estimate(f * scale, reference * scale)
    assert estimate.value == pytest.approx(volume * 7.0, abs=4 * estimate.standard_error)
    signs = np.array([-1, 1, -1])
    directions = ("max", "min", "max")
    assert metrics.hypervolume(f * signs, reference * signs, directions) == pytest.approx(volume)
    front = sphere(50, 3, seed=1)
    expected = metrics.igd_plus(f, front)
    assert metrics.igd_plus(f * signs, front * signs, directions) == pytest.approx(expected)


@pytest.mark.parametrize("name", SETS)
def test_distances_agree_with_pymoo_and_moocore(name):
    f, front = SETS[name], sphere(300, 3, seed=1)
    assert metrics.igd(f, front) == pytest.approx(IGD(front)(f), rel=1e-12)
    assert metrics.igd(f, front) == pytest.approx(moocore.igd(f, ref=front), rel=1e-12)
    assert metrics.gd(f, front) == pytest.approx(GD(front)(f), rel=1e-12)
    assert metrics.igd_plus(f, front) == pytest.approx(IGDPlus(front)(f), rel=1e-12)
    assert metrics.igd_plus(f, front) == pytest.approx(moocore.igd_plus(f, ref=front), rel=1e-12)
    if len(f) > 1:
        # pymoo divides by n where Schott divides by n - 1.
        expected = SpacingIndicator()(f) * np.sqrt(len(f) / (len(f) - 1))
        assert metrics.spacing(f) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_igd_plus_is_independent_of_the_block_size(monkeypatch):
    f, front = SETS["random"], sphere(300, 3)
    whole = metrics.igd_plus(f, front)
    monkeypatch.setattr(import_module("tensorrvea.metrics.distances"), "BLOCK", 7 * f.size)
    assert metrics.igd_plus(f, front) == pytest.approx(whole, rel=1e-14)


def test_expected_utility_matches_the_formula_of_the_paper():
    rewards = RNG.random((40, 2)) * [10, 3]
    weights = metrics.utility_weights(2)
    np.testing.assert_allclose(weights[:, 0], np.linspace(0, 1, 100))
    expected = np.mean([max(f @ w for f in rewards) for w in weights])
    assert metrics.expected_utility(rewards, "max") == pytest.approx(expected)
    assert metrics.expected_utility(-rewards, "min") == pytest.approx(expected)
    assert metrics.expected_utility(rewards * [1, -1], ("max", "min")) == pytest.approx(expected)


def test_normalised_hypervolume_of_a_dense_spherical_front():
    # DTLZ2's front in other units: an octant of the ball leaves 1 - π/6 of the unit cube.
    front = sphere(20_000, 3) * [2, 5, 0.1] + 3
    assert metrics.normalised_hypervolume(front, front) == pytest.approx(1 - np.pi / 6, abs=0.01)
    assert metrics.normalised_hypervolume(front + 100, front) == 0
    flat = np.array([[0.0, 1.0, 5.0], [1.0, 0.0, 5.0]])
    np.testing.assert_array_equal(metrics.normalise_by_front([[0.5, 0.5, 6.0]], flat), [[0.5, 0.5, 1.0]])


def test_derived_reference_point_is_the_worst_of_each_front():
    # As in the paper's tables: forward reward not below 0, and the largest control cost of any front.
    first = np.array([[30.0, -200.0], [10.0, -50.0], [5.0, -300.0]])  # the last is dominated
    later = np.array([[90.0, -599.0], [20.0, -100.0]])
    np.testing.assert_array_equal(metrics.derived_reference_point([first, later], "max"), [10, -599])
    sets = (points for points in (first, np.empty((0, 2)), [[-7.0, 0.0]]))
    np.testing.assert_array_equal(metrics.derived_reference_point(sets, "max", (0.0, None)), [0, -200])
    minimised = metrics.derived_reference_point([-first, -later], "min", limits=(-15.0, None))
    np.testing.assert_array_equal(minimised, [-15, 599])


FRONT = [[0.0, 1.0], [1.0, 0.0]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: metrics.igd([[np.nan, 1.0]], FRONT), r"F must be finite, got nan at \(0, 0\)"),
        (lambda: metrics.igd(np.empty((0, 2)), FRONT), "F must hold at least one point, got 0"),
        (lambda: metrics.gd([[0.0, 1.0]], np.empty((0, 2))), "front must hold at least one point"),
        (lambda: metrics.igd_plus([[0.0, 1.0, 2.0]], FRONT), "equally many objectives, got 3 and 2"),
        (lambda: metrics.igd([0.0, 1.0], FRONT), r"F must have shape \(points, objectives\)"),
        (lambda: metrics.hypervolume(FRONT, [1.0]), "one value for each of 2 objectives, got 1"),
        (lambda: metrics.hypervolume(FRONT, 1.0), r"reference must have shape \(objectives,\)"),
        (lambda: metrics.hypervolume(FRONT, [np.inf, 1.0]), "reference must be finite"),
        (lambda: metrics.hypervolume(FRONT, [1.0, 1.0], "mim"), "did you mean 'min'"),
        (lambda: metrics.hypervolume_estimate(FRONT, [1.0, 1.0], samples=1), "samples must be at least 2"),
        (lambda: metrics.spacing([[0.0, 1.0]]), "F must hold at least 2 points, got 1"),
        (lambda: metrics.expected_utility(FRONT, weights=[[1.0, 1.0]]), "sum to 1 in each row"),
        (lambda: metrics.expected_utility(FRONT, weights=[[1.0]]), "one column for each of 2 objectives"),
        (lambda: metrics.derived_reference_point([]), "sets must hold at least one point"),
        (lambda: metrics.derived_reference_point([FRONT, [[1.0]]]), r"got 2, then 1 in sets\[1\]"),
        (lambda: metrics.derived_reference_point([FRONT], limits=(0.0,)), "limits must have one entry"),
    ],
)
def test_errors_name_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_metrics_are_named_in_python_as_on_the_command_line():
    problem = tr.problems.ZDT1(variables=4)
    algorithm = tr.NSGA2(population=8)
    named = tr.optimize(problem, algorithm, generations=2, metrics=["igd", "hypervolume"], reference=[2.0, 9.0])
    assert named.history.metrics["igd"][-1] == pytest.approx(tr.metrics.igd(named.F, problem.front()), rel=1e-5)
    volume = tr.metrics.hypervolume(named.F, [2.0, 9.0])
    assert named.history.metrics["hypervolume"][-1] == pytest.approx(volume, rel=1e-5)
    gains = tr.Problem(lambda x: -x[:2], lower=[0.0] * 4, upper=[1.0] * 4, objectives=2, directions="max")
    several = tr.replicate(gains, algorithm, seeds=[0], generations=2, metrics="hypervolume", reference=[-2.0, -9.0])
    assert several[0].history.metrics["hypervolume"][-1] == pytest.approx(
        tr.metrics.hypervolume(several[0].F, [-2.0, -9.0], "max"), rel=1e-5
    )
    for wrong, message in (
        ({"metrics": "idg"}, "did you mean 'igd'"),
        ({"metrics": [3]}, "metrics takes names such as"),
        ({"reference": [1.0, 1.0]}, "reference needs the metric hypervolume by name"),
        ({"metrics": ["igd"], "reference": [1.0, 1.0]}, "reference needs the metric hypervolume"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            tr.optimize(problem, algorithm, generations=2, **wrong)
