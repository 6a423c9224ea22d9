"""IMOP against a slow transcription of the paper, and its fronts."""

import math

import jax
import numpy as np
import pytest

from tensorrvea import problems
from tensorrvea.problems.fronts import nondominated

SUITE = list(problems.SUITES["IMOP"])


def slow(number: int, x: list[float], k: int = 5) -> list[float]:
    g = sum((t - 0.5) ** 2 for t in x[k:])
    y1 = (sum(x[:k]) / k) ** 0.05
    odd, even = x[:k:2], x[1:k:2]
    y2, y3 = (sum(odd) / len(odd)) ** 0.05, (sum(even) / len(even)) ** 10
    pi, sin, cos = math.pi, math.sin, math.cos
    if number in (1, 2):
        power = 8 if number == 1 else 0.5
        return [g + cos(y1 * pi / 2) ** power, g + sin(y1 * pi / 2) ** power]
    if number == 3:
        return [g + 1 + cos(y1 * pi * 10) / 5 - y1, g + y1]
    if number == 4:
        return [(1 + g) * y1, (1 + g) * (y1 + sin(10 * pi * y1) / 10), (1 + g) * (1 - y1)]
    if number == 5:
        h1 = 0.4 * cos(pi * math.ceil(y2 * 8) / 4) + 0.1 * y3 * cos(16 * pi * y2)
        h2 = 0.4 * sin(pi * math.ceil(y2 * 8) / 4) + 0.1 * y3 * sin(16 * pi * y2)
        return [g + h1, g + h2, g + 0.5 - h1 - h2]
    if number == 6:
        r = math.ceil(max(0, min(sin(3 * pi * y2) ** 2, sin(3 * pi * y3) ** 2) - 0.5))
        return [(1 + g) * y2 + r, (1 + g) * y3 + r, (0.5 + g) * (2 - y2 - y3) + r]
    if number == 7:
        h = [cos(y2 * pi / 2) * cos(y3 * pi / 2), cos(y2 * pi / 2) * sin(y3 * pi / 2), sin(y2 * pi / 2)]
        h = [(1 + g) * value for value in h]
        r = min(abs(h[0] - h[1]), abs(h[1] - h[2]), abs(h[2] - h[0]))
        return [value + 10 * max(0, r - 0.1) for value in h]
    return [y2, y3, (1 + g) * (3 - sum(y / (1 + g) * (1 + sin(19 * pi * y)) for y in (y2, y3)))]


def solutions(y: np.ndarray) -> np.ndarray:
    """Optimal solutions of given positions."""
    x = np.full((len(y), 10), 0.5)
    if y.shape[1] == 1:
        x[:, :5] = y**20
    else:
        x[:, :5:2], x[:, 1:5:2] = y[:, :1] ** 20, y[:, 1:] ** 0.1
    return x


def values(problem, x: np.ndarray) -> np.ndarray:
    with jax.enable_x64(True):
        return np.asarray(jax.jit(problem.objective_values)(x))


@pytest.mark.parametrize("cls", SUITE)
def test_values_agree_with_the_papers_formulas(cls):
    problem, number = cls(), SUITE.index(cls) + 1
    y = np.random.default_rng(4).uniform(size=(40, 1 if number < 5 else 2))
    x = solutions(y)
    x[:, 5:] = np.random.default_rng(5).uniform(size=(40, 5))
    x[:, :5] *= np.random.default_rng(6).uniform(0.9, 1, (40, 5))
    np.testing.assert_allclose(values(problem, x), [slow(number, row) for row in x.tolist()], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("cls", SUITE)
def test_fronts_are_attained_and_not_dominated_by_other_optimal_positions(cls):
    problem = cls()
    y = problem.front_positions(300)
    attained = values(problem, solutions(y))
    front = problem.front(300)
    gaps = np.abs(front[:, None] - attained[None]).max(axis=2).min(axis=1)
    assert gaps.max() < 1e-6
    others = np.random.default_rng(7).uniform(size=(20_000, y.shape[1]))
    f = problem.shape(others, np.zeros(len(others)))
    f = f[nondominated(f)]
    assert (front[None] - f[:, None]).min(axis=2).max() < 1e-3
    assert (front[None] - f[:, None]).max(axis=2).min(axis=1).max() < 0.15


def test_wrong_sizes_of_imop_are_rejected():
    with pytest.raises(ValueError, match="variables must be at least 6"):
        problems.IMOP1(variables=5)
    with pytest.raises(ValueError, match="positions must be at least 2"):
        problems.IMOP5(positions=1)
    with pytest.raises(ValueError, match="objectives must be 3, as IMOP4 is defined, got 2"):
        problems.IMOP4(objectives=2)
