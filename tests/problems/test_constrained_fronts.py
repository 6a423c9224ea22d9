"""Fronts of MW, DAS-CMOP and LIR-CMOP: attained by feasible solutions, not dominated, and complete."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tensorrvea import problems
from tensorrvea.problems.feasible_fronts import ConstrainedByDistance, first_feasible, thin_front
from tensorrvea.problems.fronts import nondominated

BY_DISTANCE = [
    *(cls() for cls in (*problems.SUITES["MW"], problems.LIRCMOP13, problems.LIRCMOP14)),
    *(cls(difficulty=(0.5, 0.5, 0.5)) for cls in problems.SUITES["DAS-CMOP"]),
]
IDS = [problem.name for problem in BY_DISTANCE]


def optimum(problem, position: np.ndarray) -> np.ndarray:
    """Solutions at given positions whose distance is the smallest."""
    d, m, name = problem.variables, problem.objectives, problem.name
    x = np.zeros((len(position), d))
    x[:, : m - 1] = position
    number = np.arange(m, d + 1)
    if name.startswith("MW"):
        kind = {
            **dict.fromkeys(("MW1", "MW4", "MW5", "MW9", "MW12"), "biased"),
            **dict.fromkeys(("MW3", "MW7", "MW11", "MW14"), "linked"),
        }.get(name, "multimodal")
        if kind == "biased":
            x[:, m - 1 :] = (0.5 + (number - 1) / (2 * d)) ** (1 / (d - m))
        elif kind == "multimodal":
            x[:, m - 1 :] = (number - 1) / d
        else:
            for i in range(m - 1, d):
                x[:, i] = 1 - (x[:, i - 1] - 0.5) ** 2
    elif name in ("DASCMOP1", "DASCMOP2", "DASCMOP3"):
        x[:, 1:] = np.sin(0.5 * np.pi * position)
    elif name == "DASCMOP9":
        x[:, 2:] = np.cos(0.25 * np.pi * number / d * position.sum(axis=1, keepdims=True))
    else:
        x[:, m - 1 :] = 0.5
    return x


@pytest.mark.parametrize("problem", BY_DISTANCE, ids=IDS)
def test_front_points_are_attained_by_feasible_solutions(problem):
    position, distance = problem.front_parameters(40)
    start = optimum(problem, position)
    far = np.where(start < 0.5 * problem.upper, problem.upper, 0.0)
    moved = np.arange(problem.variables) >= problem.objectives - 1
    with jax.enable_x64(True):
        values = jax.jit(lambda x: (problem.distance(x), *problem.evaluate(jax.random.key(0), x)))

        def at(step: np.ndarray) -> np.ndarray:
            return start + moved * step[:, None] * (far - start)

        # Solutions reach the front's distance somewhere between the optimum and the far end of their bounds.
        reaches = lambda step: np.asarray(values(jnp.asarray(at(step)))[0]) >= distance - 1e-12  # noqa: E731
        x = at(first_feasible(reaches, np.linspace(0, 1, 101), len(position)))
        _, f, g = (np.asarray(value) for value in values(jnp.asarray(x)))
    np.testing.assert_allclose(f, problem.front(40), atol=1e-7)
    assert g.max() < 1e-6


@pytest.mark.parametrize("problem", BY_DISTANCE, ids=IDS)
def test_fronts_agree_with_a_dense_sample_of_positions_and_distances(problem):
    front = problem.front(500)
    rng = np.random.default_rng(2)
    position = problem.front_positions(40_000)
    position = position[rng.integers(0, len(position), 40_000)]
    low, high = problem.distances_tried
    distance = low + (high - low) * rng.uniform(size=len(position)) ** 2
    f = problem.shape(position, distance)
    f = f[np.max(problem.limits(f, position, distance), axis=0) <= 0]
    compare(front, f, coverage=0.02 if problem.objectives == 2 else 0.25)


def compare(front: np.ndarray, f: np.ndarray, coverage: float) -> None:
    """No sample is better than a point of the front by 0.002, and for each sample some point is not much worse."""
    f = f[nondominated(f)]
    assert len(f) > 10
    excess = front[None] - f[:, None]
    assert excess.min(axis=2).max() < 0.002
    assert excess.max(axis=2).min(axis=1).max() < coverage


REGIONS = [f"LIRCMOP{i}" for i in range(5, 13)]


@pytest.mark.parametrize("name", REGIONS)
def test_lir_cmop_fronts_agree_with_a_dense_sample(name):
    problem = problems.named(name)()
    rng = np.random.default_rng(3)
    x, first, second, kind = rng.uniform(size=(4, 60_000))
    first, second = (np.where(kind < 0.4, 0, first**2), np.where(kind > 0.6, 0, second**2))
    f = problem.shape(x, 0.5 * first, 0.5 * second)
    compare(problem.front(500), f[np.max(problem.limits(f), axis=0) <= 0], coverage=0.02)


@pytest.mark.parametrize("name", [f"LIRCMOP{i}" for i in range(1, 13)])
def test_lir_cmop_fronts_are_attained_by_feasible_solutions(name):
    """Move one odd and one even variable from their optimum until both distances are as needed."""
    problem = problems.named(name)()
    front = problem.front(50)
    scaled = isinstance(problem, tuple(problems.NAMED[f"LIRCMOP{i}"] for i in range(9, 13)))
    if name in ("LIRCMOP1", "LIRCMOP2", "LIRCMOP3", "LIRCMOP4"):
        position, base, scale = front[:, 0] - 0.5, 0.0, 1.0
        slope = np.ones(30)
    else:
        base, scale = (0.0, 1.7057) if scaled else (0.7057, 1.0)
        position = ((front[:, 0] - base) / scale).clip(1e-9, 1)
        lowest = (1 - ((front[:, 1] - base) / scale).clip(0, 1)) ** (2 if problem.convex else 0.5)
        if scaled:  # any position between those of either objective will do, except where one of them is zero
            position = 0.5 * (position + lowest)
        slope = np.arange(1, 31) / 30
    curve = 1 - (np.sqrt(position) if problem.convex else position**2)
    if scaled:
        with np.errstate(divide="ignore", invalid="ignore"):
            needed = np.stack([front[:, 0] / (1.7057 * position), front[:, 1] / (1.7057 * curve)], axis=1)
        needed = np.nan_to_num((needed - 1) / 10, posinf=0.0).clip(0)
    else:
        factor = 1 if base == 0 else 10
        needed = ((front - base - np.stack([position, curve], axis=1)) / factor).clip(0)
    angle = 0.5 * np.pi * position[:, None] * slope
    x = np.where(np.arange(1, 31) % 2 == 1, np.sin(angle), np.cos(angle))
    x[:, 0] = position
    for first, total in ((2, needed[:, 0]), (1, needed[:, 1])):
        for i in range(first, 30, 2):  # each variable moves towards the farther bound as far as is left
            far = np.where(x[:, i] < 0.5, 1.0, 0.0)
            step = np.minimum(np.sqrt(total), abs(far - x[:, i]))
            x[:, i] += step * np.sign(far - x[:, i])
            total = (total - step**2).clip(0)
    with jax.enable_x64(True):
        f, g = jax.jit(problem.evaluate)(jax.random.key(0), x)
    np.testing.assert_allclose(f, front, atol=1e-6)
    assert np.asarray(g).max() < 1e-6


def test_first_feasible_finds_the_first_of_several_intervals():
    edges = np.array([0.3, 0.7])
    found = first_feasible(lambda t: (t >= edges) & (t < edges + 0.2) | (t > 0.95), np.linspace(0, 1, 101), 2)
    np.testing.assert_allclose(found, edges, atol=1e-10)


def test_thinning_keeps_nondominated_rows_only():
    f = np.array([[0.0, 1.0], [np.nan, 0.0], [0.5, 2.0], [1.0, 0.0]])
    assert thin_front(f, 10).tolist() == [True, False, False, True]


def test_problems_by_distance_are_what_is_tested():
    known = {cls for suite in problems.SUITES.values() for cls in suite if issubclass(cls, ConstrainedByDistance)}
    assert known == {type(problem) for problem in BY_DISTANCE}


def test_the_difficulty_of_das_cmop_is_a_triplet_or_its_number():
    assert problems.DASCMOP1(difficulty=4) == problems.DASCMOP1(difficulty=[0.25, 0.25, 0.25])
    assert problems.DASCMOP1().settings == (("difficulty", (0.5, 1.0, 0.5)),)
    for wrong in (0, 17, True, "4", (0.5, 0.5)):
        with pytest.raises(ValueError, match="difficulty must be three numbers"):
            problems.DASCMOP1(difficulty=wrong)
    with pytest.raises(ValueError, match=r"difficulty must be a finite number in \[0, 1\]"):
        problems.DASCMOP1(difficulty=(0.5, 0.5, 1.5))
