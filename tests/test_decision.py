"""Choice from a front, compared with hand-computed values and a plain Python oracle."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tensorrvea.decision import best_by_weights, knee, normalise, spread


def oracle_scores(F, weights, directions, method):
    """The formulas of the docstrings, in scalar Python."""
    m = len(F[0])
    minimised = [[-row[j] if directions[j] == "max" else row[j] for j in range(m)] for row in F]
    low = [min(row[j] for row in minimised) for j in range(m)]
    high = [max(row[j] for row in minimised) for j in range(m)]
    scores = []
    for row in minimised:
        a = [(row[j] - low[j]) / (high[j] - low[j]) if high[j] > low[j] else 0.0 for j in range(m)]
        terms = [weights[j] / sum(weights) * a[j] for j in range(m)]
        scores.append(sum(terms) if method == "sum" else max(terms))
    return scores


@given(
    values=st.lists(st.tuples(*[st.integers(-50, 50)] * 3), min_size=1, max_size=20),
    weights=st.tuples(*[st.integers(0, 9)] * 3).filter(any),
    directions=st.tuples(*[st.sampled_from(["min", "max"])] * 3),
    method=st.sampled_from(["sum", "tchebycheff"]),
)
@settings(deadline=None, max_examples=200)
def test_best_by_weights_has_the_smallest_score(values, weights, directions, method):
    scores = oracle_scores(values, weights, directions, method)
    best = best_by_weights(values, weights, directions, method)
    assert scores[best] == pytest.approx(min(scores), abs=1e-12)


def test_tchebycheff_finds_concave_solutions_that_the_weighted_sum_misses():
    t = np.linspace(0, np.pi / 2, 11)
    F = np.stack([np.cos(t), np.sin(t)], axis=1)
    found = {best_by_weights(F, [w, 1 - w]) for w in np.linspace(0.05, 0.95, 19)}
    assert found == {0, 10}
    assert best_by_weights(F, [1, 1], method="tchebycheff") == 5


def test_tchebycheff_breaks_ties_by_the_weighted_sum():
    # Both have max w_j a_j = 1/2 in the first objective; the second is better in the other one.
    F = [[1.0, 0.5], [1.0, 0.0], [0.0, 1.0]]
    assert best_by_weights(F, [1, 1], method="tchebycheff") == 1


def test_ties_go_to_the_lowest_index():
    F = [[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
    assert best_by_weights(F, [1, 1]) == 0
    assert best_by_weights(F, [1, 1], method="tchebycheff") == 0
    assert knee(F) == 0


def test_directions_reverse_the_choice():
    F = [[1.0, 5.0], [2.0, 4.0], [3.0, 1.0]]
    assert best_by_weights(F, [1, 0], ("min", "min")) == 0
    assert best_by_weights(F, [1, 0], ("max", "min")) == 2
    assert best_by_weights(F, [0, 1], "max") == 0


def test_choice_is_independent_of_units():
    rng = np.random.default_rng(0)
    F = rng.random((50, 4))
    for method in ("sum", "tchebycheff"):
        chosen = best_by_weights(F, [3, 1, 2, 1], method=method)
        assert best_by_weights(F * [1e6, 1e-3, 1, 7] + [5, -2, 0, 1], [3, 1, 2, 1], method=method) == chosen


def test_knee_of_a_convex_front_is_its_bulge():
    x = np.linspace(0, 1, 101)
    F = np.stack([x, (1 - np.sqrt(x)) ** 2], axis=1)
    # With s = √x the box (1 - s²)(2s - s²) is largest at s = 1/2, where the front is also furthest from its chord.
    assert x[knee(F)] == pytest.approx(0.25)
    assert knee(-F, "max") == knee(F)
    corner = np.array([[0.0, 1.0], [0.05, 0.6], [0.1, 0.1], [0.6, 0.05], [1.0, 0.0]])
    assert knee(corner * [1000, 0.01]) == 2


def test_knee_of_a_concave_front_is_not_an_extreme():
    t = np.linspace(0, np.pi / 2, 11)
    assert knee(np.stack([np.cos(t), np.sin(t)], axis=1)) == 5


def test_knee_breaks_ties_by_the_smallest_sum():
    # Each has the worst value in some objective, so every box has volume 0.
    assert knee([[1.0, 0.5, 0.0], [0.0, 1.0, 0.2], [0.1, 0.0, 1.0]]) == 2


def test_constant_objective_is_ignored():
    F = [[1.0, 7.0], [0.0, 7.0]]
    assert normalise(F).tolist() == [[1.0, 0.0], [0.0, 0.0]]
    assert best_by_weights(F, [1, 100]) == 1


def test_spread_includes_the_extremes_and_leaves_no_large_gap():
    t = np.linspace(0, np.pi / 2, 91)
    F = np.stack([np.cos(t), np.sin(t)], axis=1)
    chosen = spread(F, 5)
    assert {0, 90} <= set(chosen)
    assert len(chosen) == 5
    assert np.diff(chosen).max() < 35
    assert spread(-F, 5, "max") == chosen


def test_spread_skips_equal_solutions():
    assert spread([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]], 12) == [0, 2]
    assert spread([[3.0, 4.0]], 12) == [0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], [1, 1]), "F must have shape"),
        ((np.zeros((0, 2)), [1, 1]), "at least one point"),
        (([[1, np.nan]], [1, 1]), "F must be finite"),
        (([[1, 2]], [1]), "weights must have one entry for each of 2"),
        (([[1, 2]], [0, 0]), "not all 0"),
        (([[1, 2]], [-1, 2]), "at least 0"),
        (([[1, 2]], [1, 1], "up"), "directions must be one of"),
        (([[1, 2]], [1, 1], ("min",)), "directions must have one entry"),
        (([[1, 2]], [1, 1], "min", "tchebyshev"), "did you mean 'tchebycheff'"),
    ],
)
def test_errors_name_the_argument(arguments, message):
    with pytest.raises(ValueError, match=message):
        best_by_weights(*arguments)
