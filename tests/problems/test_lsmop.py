"""LSMOP against a slow transcription of the paper's definitions, one variable and one part at a time."""

import math

import jax
import numpy as np
import pytest

from tensorrvea import problems
from tensorrvea.problems.lsmop import part_sizes

NUMBERS = range(1, len(problems.SUITES["LSMOP"]) + 1)
KINDS = {  # basic functions of groups 1, 3, … and of groups 2, 4, …
    1: ("sphere", "sphere"),
    2: ("griewank", "schwefel"),
    3: ("rastrigin", "rosenbrock"),
    4: ("ackley", "griewank"),
    5: ("sphere", "sphere"),
    6: ("rosenbrock", "schwefel"),
    7: ("ackley", "rosenbrock"),
    8: ("griewank", "sphere"),
    9: ("sphere", "ackley"),
}


def basic(kind: str, y: list[float]) -> float:
    v = len(y)
    if kind == "sphere":
        return sum(t**2 for t in y)
    if kind == "schwefel":
        return max(abs(t) for t in y)
    if kind == "rosenbrock":
        return sum(100 * (y[j] ** 2 - y[j + 1]) ** 2 + (y[j] - 1) ** 2 for j in range(v - 1))
    if kind == "rastrigin":
        return sum(t**2 - 10 * math.cos(2 * math.pi * t) + 10 for t in y)
    if kind == "griewank":
        product = math.prod(math.cos(t / math.sqrt(j)) for j, t in enumerate(y, start=1))
        return sum(t**2 for t in y) / 4000 - product + 1
    bowl = -20 * math.exp(-0.2 * math.sqrt(sum(t**2 for t in y) / v))
    return bowl - math.exp(sum(math.cos(2 * math.pi * t) for t in y) / v) + 20 + math.e


def chaos(m: int) -> list[float]:
    c = [3.8 * 0.1 * (1 - 0.1)]
    while len(c) < m:
        c.append(3.8 * c[-1] * (1 - c[-1]))
    return [value / sum(c) for value in c]


def linked(number: int, x: np.ndarray) -> list[float]:
    """The variables after linkage; variable i counts from one."""
    d = len(x)
    if number <= 4:
        return [(1 + i / d) * (x[i - 1] - 0) - 10 * x[0] for i in range(1, d + 1)]
    return [(1 + math.cos(0.5 * math.pi * i / d)) * (x[i - 1] - 0) - 10 * x[0] for i in range(1, d + 1)]


def slow(number: int, x: np.ndarray, m: int, parts: int = 5) -> list[float]:
    d, z = len(x), linked(number, x)
    distances, at = [], m - 1
    for i, share in enumerate(chaos(m)):
        size = math.floor(share * (d - m + 1) / parts)
        total = 0.0
        for _ in range(parts):
            total += basic(KINDS[number][i % 2], z[at : at + size]) / size
            at += size
        distances.append(total / parts)
    f = []
    for i in range(1, m + 1):
        if number <= 4:
            shape = math.prod(x[: m - i]) * (1 - x[m - i] if i > 1 else 1)
            f.append((1 + distances[i - 1]) * shape)
        elif number <= 8:
            shape = math.prod(math.cos(0.5 * math.pi * t) for t in x[: m - i])
            shape *= math.sin(0.5 * math.pi * x[m - i]) if i > 1 else 1
            f.append((1 + sum(distances[i - 1 : i + 1])) * shape)
    if number == 9:
        f = list(x[: m - 1])
        g = 1 + sum(distances)
        f.append((1 + g) * (m - sum(t / (1 + g) * (1 + math.sin(3 * math.pi * t)) for t in f)))
    return f


def samples(problem, rows: int = 20) -> np.ndarray:
    x = np.random.default_rng(5).uniform(problem.lower, problem.upper, (rows, problem.variables))
    return x.astype(np.float32)


@pytest.mark.parametrize(("objectives", "variables"), [(3, 143)])
@pytest.mark.parametrize("number", NUMBERS)
def test_values_agree_with_the_definitions(number, objectives, variables):
    problem = problems.named(f"LSMOP{number}")(objectives=objectives, variables=variables)
    x = samples(problem)
    expected = np.array([slow(number, row.astype(float), objectives) for row in x])
    actual = np.asarray(jax.jit(problem.objective_values)(x))
    np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-5)
    with jax.enable_x64(True):
        actual = np.asarray(jax.jit(problem.objective_values)(x.astype(float)))
        np.testing.assert_allclose(actual, expected, rtol=1e-10, atol=1e-12)


def optimum(number: int, problem, position: np.ndarray) -> np.ndarray:
    """Solutions whose linked variables are all at their group's minimum: 1 in Rosenbrock's groups, else 0."""
    m, d = problem.objectives, problem.variables
    i = np.arange(m, d + 1)
    scale = 1 + i / d if number <= 4 else 1 + np.cos(0.5 * np.pi * i / d)
    target = np.zeros(d - m + 1)
    at = 0
    for group, size in enumerate(problem.part_sizes):
        if KINDS[number][group % 2] == "rosenbrock":
            target[at : at + 5 * size] = 1.0
        at += 5 * size
    return np.hstack([position, (target + 10 * position[:, :1]) / scale])


@pytest.mark.parametrize(("number", "objectives"), [(number, 2 + number % 3) for number in NUMBERS])
def test_optimal_solutions_are_on_the_front(number, objectives):
    problem = problems.named(f"LSMOP{number}")(objectives=objectives)
    position = np.random.default_rng(1).uniform(size=(200, objectives - 1))
    if "rosenbrock" in KINDS[number]:
        position[:, 0] *= 0.9  # beyond, the minimum is out of bounds
    x = optimum(number, problem, position)
    assert (x >= problem.lower).all()
    assert (x <= problem.upper).all()
    with jax.enable_x64(True):
        f = np.asarray(jax.jit(problem.objective_values)(x))
    if number <= 4:
        np.testing.assert_allclose(f.sum(axis=1), 1, rtol=1e-10)
    elif number <= 8:
        np.testing.assert_allclose((f**2).sum(axis=1), 1, rtol=1e-10)
    else:
        term = f[:, :-1] * (1 + np.sin(3 * np.pi * f[:, :-1]))
        np.testing.assert_allclose(f[:, -1], 2 * objectives - term.sum(axis=1), rtol=1e-10)


def test_single_precision_reaches_the_front():
    for number in (2, 3, 6, 7, 8):
        problem = problems.named(f"LSMOP{number}")(objectives=3)
        x = optimum(number, problem, np.full((1, 2), 0.5)).astype(np.float32)
        f = np.asarray(jax.jit(problem.objective_values)(x), float)
        assert (f.sum() if number <= 4 else np.linalg.norm(f)) == pytest.approx(1, abs=2e-6)


def test_the_optimum_of_lsmop6_is_out_of_bounds_when_the_first_variable_is_one():
    problem = problems.LSMOP6(objectives=3)
    assert (optimum(6, problem, np.array([[1.0, 0.5]])) > problem.upper).any()


@pytest.mark.parametrize(("objectives", "variables", "sizes"), [(2, 200, [11, 28]), (3, 300, [12, 30, 16])])
def test_group_sizes_agree_with_hand_computed_ones(objectives, variables, sizes):
    """Shares 0.342 : 0.855 (: 0.471) of 199 (298) linked variables in five parts: 11.4, 28.4 (12.2, 30.5, 16.8)."""
    assert part_sizes(objectives, variables, 5) == sizes


def test_groups_never_exceed_the_variables():
    for m in range(2, 16):
        for d in (100 * m, 1000, 1001, 262_144):
            assert m - 1 + 5 * sum(part_sizes(m, d, 5)) <= d


def test_remaining_variables_have_no_effect():
    problem = problems.LSMOP1(objectives=3, variables=300)
    used = 2 + 5 * sum(problem.part_sizes)
    x = samples(problem)
    other = x.copy()
    other[:, used:] = 10.0
    values = jax.jit(problem.objective_values)
    np.testing.assert_array_equal(values(x), values(other))
    assert used == 292


def test_too_few_variables_are_rejected_with_the_minimum():
    with pytest.raises(ValueError, match=r"variables must be at least 19 .*got 18"):
        problems.LSMOP1(objectives=2, variables=18)
    assert problems.LSMOP1(objectives=2, variables=19).part_sizes == [1, 2]


def test_bounds_are_those_of_the_paper():
    problem = problems.LSMOP4(objectives=3)
    assert problem.variables == 300
    assert problem.lower.tolist() == [0.0] * 300
    assert problem.upper.tolist() == [1.0] * 2 + [10.0] * 298


def test_other_numbers_of_subcomponents():
    problem = problems.LSMOP7(objectives=2, variables=50, subcomponents=3)
    x = samples(problem)
    expected = [slow(7, row.astype(float), 2, parts=3) for row in x]
    np.testing.assert_allclose(jax.jit(problem.objective_values)(x), expected, rtol=1e-5)
    assert problem != problems.LSMOP7(objectives=2, variables=50)
