"""Rules that end a run: the same seed ends at the same generation."""

import numpy as np
import pytest
import sizes

import tensorrvea as tr
from tensorrvea.history import History, Individuals
from tensorrvea.stop import MetricReached, Stagnation, Target


def result_of(ideal, nadir, metrics=None, F=((0.5, 0.5, 0.5),)) -> tr.Result:
    g = len(ideal)
    history = History(
        generation=np.arange(g), evaluations=np.arange(1, g + 1), seconds=np.arange(g, dtype=float),
        progress=np.linspace(0, 1, g), ideal=np.array(ideal, float), nadir=np.array(nadir, float),
        living=np.ones(g, int), feasible=np.ones(g, int), failed=np.zeros(g, int), metrics=metrics or {},
    )  # fmt: skip
    population = Individuals(np.zeros((len(F), 7)), np.array(F), np.zeros(len(F)))
    return tr.Result(
        problem=sizes.problem(), algorithm=sizes.algorithm(), seed=0, population=population, history=history,
        archive=None, capacity=28, stopped="",
    )  # fmt: skip


def test_stagnation_is_neither_point_moving_by_more_than_the_tolerance():
    rule = Stagnation(generations=3, tolerance=0.01)
    still = [[0, 0, 0]] * 4
    far = [[1, 1, 2]] * 4
    assert rule(result_of(still, far))
    assert not rule(result_of(still[:3], far[:3]))  # not for long enough
    assert not rule(result_of([[0, 0, 0], [0, 0, 0], [0, 0.02, 0], [0, 0, 0]], far))
    assert not rule(result_of(still, [[1, 1, 2], [1, 1, 2.1], [1, 1, 2], [1, 1, 2]]))
    assert rule(result_of(still, [[1, 1, 2], [1, 1, 2.015], [1, 1, 2], [1, 1, 2]]))
    assert rule(result_of([[9, 9, 9], *still], [[0, 0, 0], *far]))  # what was before does not count


def test_a_target_is_met_by_one_solution_in_all_objectives():
    result = result_of([[0, 0, 0]], [[1, 1, 1]], F=[(0.2, 0.9, 0.5), (0.9, 0.2, 0.5)])
    assert Target([0.2, 0.9, 0.5])(result)
    assert not Target([0.3, 0.3, 0.9])(result)
    with pytest.raises(ValueError, match="objectives must have 3 entries"):
        tr.optimize(sizes.problem(), sizes.algorithm(), generations=2, stop=Target([0.1, 0.2]))


def test_a_metric_is_reached_from_either_side():
    result = result_of([[0, 0, 0]], [[1, 1, 1]], metrics={"hv": np.array([0.7])})
    assert MetricReached(metric="hv", at_least=0.7)(result)
    assert not MetricReached(metric="hv", at_most=0.6)(result)
    with pytest.raises(ValueError, match=r"recorded \('hv'\), got 'igd'"):
        MetricReached(metric="igd", at_most=1).check(sizes.problem(), ["hv"])
    with pytest.raises(ValueError, match=r"recorded \(none\), got 'igd'"):
        tr.optimize(sizes.problem(), sizes.algorithm(), generations=2, stop=MetricReached(metric="igd", at_most=1))
    with pytest.raises(ValueError, match="one of at_least and at_most"):
        MetricReached(metric="hv")


def test_a_run_ends_where_the_rule_says_each_time():
    def run(stop):
        return tr.optimize(sizes.problem(), sizes.algorithm(), generations=200, stop=stop, every=5, seed=2)

    first, again = (run(Stagnation(generations=10, tolerance=0.3)) for _ in range(2))
    assert first.stopped == "stopped by Stagnation"
    assert 10 <= first.generations < 200
    assert first.generations % 5 == 0
    assert again.generations == first.generations
    np.testing.assert_array_equal(first.population.F, again.population.F)
    assert run([Target([5.0, 5.0, 5.0])]).generations == 5
