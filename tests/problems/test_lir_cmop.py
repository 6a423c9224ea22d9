"""Values of LIR-CMOP against a slow transcription of the paper, one variable at a time."""

import math

import jax
import numpy as np
import pytest

from tensorrvea import problems

ELLIPSES = {  # p, q, a, b
    5: [(1.6, 1.6, 2, 4), (2.5, 2.5, 2, 8)],
    6: [(1.8, 1.8, 2, 8), (2.8, 2.8, 2, 8)],
    7: [(1.2, 1.2, 2, 6), (2.25, 2.25, 2.5, 12), (3.5, 3.5, 2.5, 10)],
    8: [(1.2, 1.2, 2, 6), (2.25, 2.25, 2.5, 12), (3.5, 3.5, 2.5, 10)],
    9: [(1.4, 1.4, 1.5, 6)],
    10: [(1.1, 1.2, 2, 4)],
    11: [(1.2, 1.2, 1.5, 5)],
    12: [(1.6, 1.6, 1.5, 6)],
}
HEIGHTS = {9: 2, 10: 1, 11: 2.1, 12: 2.5}


def slow(number: int, x: list[float]) -> tuple[list[float], list[float]]:
    """Objectives, and constraint values that are feasible where ≥ 0, as in the paper."""
    n, pi, sin, cos = len(x), math.pi, math.sin, math.cos
    if number >= 13:
        r = 1.7057 + sum(10 * (t - 0.5) ** 2 for t in x[2:])
        a, b = x[0] * pi / 2, x[1] * pi / 2
        f = [r * cos(a) * cos(b), r * cos(a) * sin(b), r * sin(a)]
        s = sum(value**2 for value in f)
        c = [(s - 9) * (s - 4), (s - 1.9**2) * (s - 1.8**2)]
        return f, c if number == 13 else [*c, (s - 1.75**2) * (s - 1.6**2)]
    g1 = g2 = 0.0
    for i in range(2, n + 1):
        angle = 0.5 * pi * x[0] * (1 if number <= 4 else i / n)
        if i % 2:
            g1 += (x[i - 1] - sin(angle)) ** 2
        else:
            g2 += (x[i - 1] - cos(angle)) ** 2
    second = 1 - (math.sqrt(x[0]) if number in (2, 4, 5, 7, 10, 11) else x[0] ** 2)
    if number <= 4:
        c = [(0.51 - g1) * (g1 - 0.5), (0.51 - g2) * (g2 - 0.5)]
        return [x[0] + g1, second + g2], c if number <= 2 else [*c, sin(20 * pi * x[0]) - 0.5]
    if number <= 8:
        f = [x[0] + 10 * g1 + 0.7057, second + 10 * g2 + 0.7057]
    else:
        f = [1.7057 * x[0] * (10 * g1 + 1), 1.7057 * second * (10 * g2 + 1)]
    c, t = [], -0.25 * pi
    for p, q, a, b in ELLIPSES[number]:
        along = (f[0] - p) * cos(t) - (f[1] - q) * sin(t)
        across = (f[0] - p) * sin(t) + (f[1] - q) * cos(t)
        c.append(along**2 / a**2 + across**2 / b**2 - 0.1)
    if number >= 9:
        w = 0.25 * pi
        wave = sin(4 * pi * (f[0] * cos(w) - f[1] * sin(w)))
        c.append(f[0] * sin(w) + f[1] * cos(w) - wave - HEIGHTS[number])
    return f, c


@pytest.mark.parametrize("number", range(1, 15))
def test_values_agree_with_the_papers_formulas(number):
    problem = problems.named(f"LIRCMOP{number}")()
    x = np.random.default_rng(number).uniform(size=(20, 30))
    angle = 0.5 * np.pi * x[:10, :1] * (1 if number <= 4 else np.arange(1, 31) / 30)
    near = np.where(np.arange(1, 31) % 2, np.sin(angle), np.cos(angle))
    x[:10, 1:] = 0.9 * near[:, 1:] + 0.1 * x[:10, 1:]
    expected_f, expected_c = (
        np.array(values) for values in zip(*[slow(number, row) for row in x.tolist()], strict=True)
    )
    with jax.enable_x64(True):
        f, g = jax.jit(lambda x: (problem.objective_values(x), problem.constraint_values(x)))(x)
    np.testing.assert_allclose(f, expected_f, rtol=1e-9)
    np.testing.assert_allclose(g, -expected_c, rtol=1e-8, atol=1e-9)
