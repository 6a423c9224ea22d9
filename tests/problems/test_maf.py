"""MaF against slow transcriptions of the paper's definitions, objective by objective."""

import math

import jax
import numpy as np
import pytest

from tensorrvea import problems
from tensorrvea.problems.fronts import nondominated

NUMBERS = range(1, 8)  # the others are below
SIZES = [(3, 12), (4, 5)]


def slow(number: int, x: list[float], m: int, exponent: int = 4) -> list[float]:
    d = len(x)
    tail = x[m - 1 :]
    near = sum((t - 0.5) ** 2 for t in tail)
    rough = 100 * (len(tail) + sum((t - 0.5) ** 2 - math.cos(20 * math.pi * (t - 0.5)) for t in tail))

    def ball(angle: list[float], i: int) -> float:
        value = math.prod(math.cos(a) for a in angle[: m - i])
        return value * math.sin(angle[m - i]) if i > 1 else value

    quarter = [0.5 * math.pi * t for t in x[: m - 1]]
    f = []
    for i in range(1, m + 1):
        if number == 1:
            plane = math.prod(x[: m - i]) * (1 - x[m - i] if i > 1 else 1)
            f.append((1 - plane) * (1 + near))
        elif number == 2:
            size = (d - m + 1) // m
            first = m + (i - 1) * size  # the paper counts from one
            last = m + i * size - 1 if i < m else d
            g = sum((x[j - 1] / 2 + 1 / 4 - 1 / 2) ** 2 for j in range(first, last + 1))
            f.append(ball([0.5 * math.pi * (t / 2 + 1 / 4) for t in x[: m - 1]], i) * (1 + g))
        elif number == 3:
            f.append((ball(quarter, i) * (1 + rough)) ** (4 if i < m else 2))
        elif number == 4:
            f.append(2**i * (1 - ball(quarter, i)) * (1 + rough))
        elif number == 5:
            biased = [0.5 * math.pi * t**100 for t in x[: m - 1]]
            f.append(2 ** (m - i + 1) * (ball(biased, i) * (1 + near)) ** exponent)
        elif number == 6:
            narrow = [math.pi / (4 * (1 + near)) * (1 + 2 * near * t) for t in x[: m - 1]]
            f.append(ball([quarter[0], *narrow[1:]], i) * (1 + 100 * near))
    if number == 7:
        g = 1 + 9 * sum(tail) / len(tail)
        f = list(x[: m - 1])
        f.append((1 + g) * (m - sum(t / (1 + g) * (1 + math.sin(3 * math.pi * t)) for t in f)))
    return f


def samples(problem, rows: int = 30) -> np.ndarray:
    x = np.random.default_rng(11).uniform(size=(rows, problem.variables))
    x[:, : problem.objectives - 1] **= 0.02  # so that the powers of 100 in MaF5 do not vanish
    x[rows // 2 :] = 0.5 + 0.1 * (x[rows // 2 :] - 0.5)
    return x.astype(np.float32)


@pytest.mark.parametrize(("objectives", "variables"), SIZES)
@pytest.mark.parametrize("number", NUMBERS)
def test_values_agree_with_the_definitions(number, objectives, variables):
    problem = problems.named(f"MaF{number}")(objectives=objectives, variables=variables)
    x = samples(problem)
    expected = np.array([slow(number, row.astype(float).tolist(), objectives) for row in x])
    with jax.enable_x64(True):
        actual = np.asarray(jax.jit(problem.objective_values)(x.astype(float)))
        np.testing.assert_allclose(actual, expected, rtol=1e-10, atol=1e-12)
    actual = np.asarray(jax.jit(problem.objective_values)(x))
    np.testing.assert_allclose(actual, expected, rtol=2e-5, atol=2e-6 * np.abs(expected).max(initial=1))


def test_maf5_with_exponent_1_agrees_with_platemo():
    problem = problems.MaF5(objectives=3, exponent=1)
    x = samples(problem)
    expected = np.array([slow(5, row.astype(float).tolist(), 3, exponent=1) for row in x])
    np.testing.assert_allclose(jax.jit(problem.objective_values)(x), expected, rtol=2e-5, atol=1e-6)
    with pytest.raises(ValueError, match=r"exponent must be 4.*got 2"):
        problems.MaF5(exponent=2)


def front_residual(number: int, f: np.ndarray) -> np.ndarray:
    """The paper's equation of the front: zero for its points."""
    m = f.shape[1]
    if number == 1:
        return (1 - f).sum(axis=1) - 1
    if number == 2:
        return (f**2).sum(axis=1) - 1
    if number == 3:
        return np.sqrt(f[:, :-1]).sum(axis=1) + f[:, -1] - 1
    if number == 4:
        return ((1 - f / 2.0 ** np.arange(1, m + 1)) ** 2).sum(axis=1) - 1
    if number == 5:
        return np.sqrt(f / 2.0 ** np.arange(m, 0, -1)).sum(axis=1) - 1
    if number == 6:
        return (f**2).sum(axis=1) - 1
    return f[:, -1] - 2 * m + (f[:, :-1] * (1 + np.sin(3 * np.pi * f[:, :-1]))).sum(axis=1)


@pytest.mark.parametrize("objectives", [2, 5])
@pytest.mark.parametrize("number", NUMBERS)
def test_optimal_solutions_and_the_front_satisfy_the_papers_equation(number, objectives):
    problem = problems.named(f"MaF{number}")(objectives=objectives)
    x = np.full((200, problem.variables), 0.0 if number == 7 else 0.5)
    x[:, : objectives - 1] = np.random.default_rng(2).uniform(size=(200, objectives - 1))
    with jax.enable_x64(True):
        f = np.asarray(jax.jit(problem.objective_values)(x))
    np.testing.assert_allclose(front_residual(number, f), 0, atol=1e-9)
    front = problem.front(500)
    np.testing.assert_allclose(front_residual(number, front), 0, atol=1e-9)
    assert nondominated(front).all()


@pytest.mark.parametrize("objectives", [3, 5, 10, 15])
def test_the_curve_of_maf6_is_the_whole_front(objectives):
    """The curve dominates any angles at the smallest distance that allows them."""
    unit = np.random.default_rng(0).uniform(size=(20_000, objectives - 1))
    unit[:10_000, 1:] = 0.5 + 0.02 * (unit[:10_000, 1:] - 0.5)
    deviation = np.abs(2 * unit[:, 1:] - 1).max(axis=1, keepdims=True)
    g = deviation / (1 - deviation)
    angle = 0.5 * np.pi * unit
    ones = np.ones((len(unit), 1))
    sphere = np.hstack([ones, np.cumprod(np.cos(angle), axis=1)])[:, ::-1] * np.hstack([ones, np.sin(angle)[:, ::-1]])
    f = (1 + 100 * g) * sphere
    # The point of the curve with the same last objective, or its end; the others are in fixed proportion.
    last = np.minimum(f[:, -1], 1)
    direction = problems.MaF6(objectives=objectives).front(2)[0]
    rest = np.sqrt(1 - last**2)[:, None] * direction[:-1]
    assert (rest <= f[:, :-1] + 1e-12).all()


@pytest.mark.parametrize("objectives", [3, 5, 8])
def test_maf8_and_maf9_are_distances_to_a_regular_polygon(objectives):
    x = np.random.default_rng(3).uniform(-2, 2, (50, 2))
    corners = [
        (math.sin(2 * math.pi * i / objectives), math.cos(2 * math.pi * i / objectives)) for i in range(objectives)
    ]
    to_corners = [[math.hypot(a - p, b - q) for p, q in corners] for a, b in x]
    to_lines = []
    for a, b in x:
        row = []
        for i in range(objectives):
            (p, q), (r, s) = corners[i], corners[(i + 1) % objectives]
            row.append(abs((r - p) * (q - b) - (p - a) * (s - q)) / math.hypot(r - p, s - q))
        to_lines.append(row)
    for cls, expected in ((problems.MaF8, to_corners), (problems.MaF9, to_lines)):
        with jax.enable_x64(True):
            f = jax.jit(cls(objectives=objectives).objective_values)(x)
        np.testing.assert_allclose(f, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("objectives", [3, 4, 5, 8])
@pytest.mark.parametrize("cls", [problems.MaF8, problems.MaF9])
def test_the_polygon_is_optimal_in_maf8_and_maf9(cls, objectives):
    problem = cls(objectives=objectives)
    rng = np.random.default_rng(5)
    x = rng.uniform(-1, 1, (10_000, 2)) * rng.choice([1.0, 2.0, 5.0], (10_000, 1))
    polygon = problem.front_solutions(5000)
    if cls is problems.MaF9:
        assert problem.excess(polygon).max() <= 0
        assert (problem.excess(x) > 0).any() == (objectives > 4)
        x = x[problem.excess(x)[:, 0] <= 0]
    f, front = problem.distances(x), problem.distances(polygon)
    np.testing.assert_array_equal(problem.front(5000), front)
    f = f[nondominated(f)]
    assert (front[None] - f[:400, None]).max(axis=2).min(axis=1).max() < 0.05  # no feasible point is missed
    assert (front[None, ::50] - f[:, None]).min(axis=2).max() < 1e-9  # and none is better


def test_points_that_maf9_excludes_would_be_optimal():
    problem = problems.MaF9(objectives=5)
    x = np.random.default_rng(6).uniform(-3, 3, (500, 2))
    excluded = problem.distances(x[problem.excess(x)[:, 0] > 0])
    polygon = problem.distances(problem.front_solutions(20_000))
    assert len(excluded) > 50
    assert all(not (polygon <= f).all(axis=1).any() for f in excluded)


@pytest.mark.parametrize(("name", "same"), [("MaF10", "WFG1"), ("MaF11", "WFG2"), ("MaF12", "WFG9")])
def test_maf10_to_12_are_wfg_problems(name, same):
    problem = problems.named(name)(objectives=3)
    wfg = problems.named(same)(objectives=3, variables=12, positions=2)
    assert (problem.variables, problem.positions) == (12, 2)
    x = problem.sample(jax.random.key(0), 20)
    np.testing.assert_array_equal(problem.objective_values(x), wfg.objective_values(x))
    np.testing.assert_array_equal(problem.front(100), wfg.front(100))


@pytest.mark.parametrize("objectives", [3, 5])
def test_maf13_agrees_with_its_definition(objectives):
    problem = problems.MaF13(objectives=objectives, variables=9)
    x = problem.lower + np.random.default_rng(1).uniform(size=(20, 9)) * (problem.upper - problem.lower)
    expected = []
    for row in x.tolist():
        y = {j: row[j - 1] - 2 * row[1] * math.sin(2 * math.pi * row[0] + j * math.pi / 9) for j in range(3, 10)}
        groups = [[j for j in y if j % 3 == rest] for rest in (1, 2, 0)] + [list(range(4, 10))]
        g = [2 / len(group) * sum(y[j] ** 2 for j in group) for group in groups]
        a, b = 0.5 * math.pi * row[0], 0.5 * math.pi * row[1]
        f = [math.sin(a) + g[0], math.cos(a) * math.sin(b) + g[1], math.cos(a) * math.cos(b) + g[2]]
        expected.append([*f, *[f[0] ** 2 + f[1] ** 10 + f[2] ** 10 + g[3]] * (objectives - 3)])
    best = np.random.default_rng(2).uniform(size=(50, 9))
    best[:, 2:] = 2 * best[:, 1:2] * np.sin(2 * np.pi * best[:, :1] + np.arange(3, 10) * np.pi / 9)
    with jax.enable_x64(True):
        np.testing.assert_allclose(jax.jit(problem.objective_values)(x), expected, rtol=1e-9)
        f = np.asarray(jax.jit(problem.objective_values)(best))
    # Both lie on the sphere, with all further objectives in the same relation.
    for points in (f, problem.front(200)):
        np.testing.assert_allclose((points[:, :3] ** 2).sum(axis=1), 1, atol=1e-9)
        last = points[:, 0] ** 2 + points[:, 1] ** 10 + points[:, 2] ** 10
        np.testing.assert_allclose(points[:, 3:], np.repeat(last[:, None], objectives - 3, axis=1), atol=1e-9)


def test_maf14_and_maf15_are_lsmop_problems_with_two_parts_per_group():
    x = problems.MaF14().sample(jax.random.key(1), 20)
    same = problems.LSMOP3(variables=60, subcomponents=2)
    np.testing.assert_array_equal(problems.MaF14().objective_values(x), same.objective_values(x))
    np.testing.assert_array_equal(problems.MaF14().front(50), same.front(50))
    # The sum of the two shapes is one, at the same distance.
    inverted, upright = problems.MaF15(), problems.LSMOP8(variables=60, subcomponents=2)
    with jax.enable_x64(True):
        x = x.astype(float)
        total = np.asarray(inverted.objective_values(x) + upright.objective_values(x))
        distances = [np.asarray(g) for g in upright.group_distances(x)]
    expected = 1 + np.stack([distances[0] + distances[1], distances[1] + distances[2], distances[2]], axis=1)
    np.testing.assert_allclose(total, expected, rtol=1e-9)
    np.testing.assert_allclose(((1 - inverted.front(50)) ** 2).sum(axis=1), 1)
