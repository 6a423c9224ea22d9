"""True fronts: nondominated, feasible, and attained by optimal solutions."""

import jax
import numpy as np
import pytest

from tensorrvea import problems
from tensorrvea.constraints import total_violation
from tensorrvea.problems.fronts import nondominated, record_intervals, spread, unit_points

ALL = list(problems.NAMED)
CONSTRAINED_DTLZ = [cls.__name__ for suite in ("C-DTLZ", "DC-DTLZ") for cls in problems.SUITES[suite]]


def make(name: str, objectives: int = 3):
    cls = problems.NAMED[name]
    return cls(objectives=cls.fixed_objectives or max(objectives, cls.fewest_objectives))


# Fronts of few isolated points, and stored reference sets, do not have as many points as requested.
FEW = {"MW5", "LIRCMOP11", "LIRCMOP12", "DASCMOP3", "DASCMOP6"}
STORED = {cls.__name__ for suite in ("RE", "CRE") for cls in problems.SUITES[suite]}
SIZES = [
    (name, m)
    for name, cls in problems.NAMED.items()
    for m in ((cls.fixed_objectives,) if cls.fixed_objectives else (2, 3, 7))
]


def values(problem, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Objectives and violation, in double precision."""
    with jax.enable_x64(True):
        f, g = jax.jit(problem.evaluate)(jax.random.key(0), np.asarray(x, float))
        return np.asarray(f), total_violation(np.asarray(g))


@pytest.mark.parametrize(("name", "objectives"), SIZES)
def test_front_points_are_finite_and_nondominated(name, objectives):
    problem = make(name, objectives)
    front = problem.front(300)
    assert front.shape[1] == problem.objectives
    assert len(front) >= (8 if name in FEW | STORED else 50)
    assert np.isfinite(front).all()
    assert nondominated(front).all()


@pytest.mark.parametrize("points", [1, 2000])
@pytest.mark.parametrize("name", [name for name in ALL if name not in FEW | STORED])
def test_a_front_has_about_the_requested_number_of_points(name, points):
    size = len(make(name).front(points))
    assert size >= 0.5 * points
    assert size <= 2 * points + 100


@pytest.mark.parametrize("name", ALL)
def test_an_invalid_number_of_points_is_rejected(name):
    with pytest.raises(ValueError, match="points must be at least 1"):
        make(name).front(0)
    with pytest.raises(TypeError, match="points takes a whole number"):
        make(name).front(10.5)


def linear_position(f: np.ndarray) -> np.ndarray:
    """Position variables of a point of the simplex: f_m = 1 − p₁, f_{m−1} = p₁(1 − p₂), …"""
    left = np.cumsum(f, axis=1)[:, ::-1]  # sums of the first objectives, from all to one
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.nan_to_num(left[:, 1:] / left[:, :-1], nan=0.5)


def spherical_position(f: np.ndarray) -> np.ndarray:
    """Position variables of a point of the sphere: f_m = sin, f_{m−1} = cos · sin, … of quarter turns."""
    left = np.sqrt(np.cumsum(f**2, axis=1))[:, ::-1]
    return np.arctan2(left[:, 1:], f[:, :0:-1])[:, :] * -2 / np.pi + 1


@pytest.mark.parametrize("objectives", [2, 5])
@pytest.mark.parametrize("name", ["DTLZ1", "C1DTLZ1", "DC1DTLZ1", "DC2DTLZ1", "DC3DTLZ1"])
def test_every_point_of_a_linear_front_has_a_feasible_solution(name, objectives):
    problem = make(name, objectives)
    front = problem.front(300)
    x = np.full((len(front), problem.variables), 0.5)
    x[:, : objectives - 1] = linear_position(2 * front)
    f, violation = values(problem, x)
    np.testing.assert_allclose(f, front, atol=1e-10)
    # At the edge of a constraint, rounding may be on either side of it.
    assert violation.max() < 1e-10 if name[1] != "C" else violation[unique_solution(front)].max(initial=0) < 1e-10


def unique_solution(front: np.ndarray) -> np.ndarray:
    """Points with a unique solution. A corner has many, of which the position above may be infeasible."""
    return (front[:, :-1] > 1e-9).all(axis=1)


@pytest.mark.parametrize("objectives", [2, 5])
@pytest.mark.parametrize("name", ["DTLZ2", "DTLZ3", "C1DTLZ3", "C2DTLZ2", "DC1DTLZ3", "DC2DTLZ3", "DC3DTLZ3"])
def test_every_point_of_a_spherical_front_has_a_feasible_solution(name, objectives):
    problem = make(name, objectives)
    front = problem.front(300)
    x = np.full((len(front), problem.variables), 0.5)
    x[:, : objectives - 1] = spherical_position(front)
    f, violation = values(problem, x)
    np.testing.assert_allclose(f, front, atol=1e-10)
    assert violation[unique_solution(front)].max(initial=0) < 1e-10


@pytest.mark.parametrize("objectives", [2, 5])
@pytest.mark.parametrize("name", ["DTLZ4", "C3DTLZ4"])
def test_every_point_of_dtlz4_has_a_feasible_solution(name, objectives):
    problem = make(name, objectives)
    front = problem.front(300)
    radius = np.linalg.norm(front, axis=1, keepdims=True)
    x = np.empty((len(front), problem.variables))
    x[:, : objectives - 1] = np.clip(spherical_position(front / radius), 0, 1) ** 0.01
    x[:, objectives - 1 :] = 0.5 + np.sqrt(np.maximum(radius - 1, 0) / (problem.variables - objectives + 1))
    assert (x <= 1).all()
    f, violation = values(problem, x)
    np.testing.assert_allclose(f, front, atol=1e-8)
    assert violation.max() < 1e-8


def test_c3dtlz4_omits_what_few_distance_variables_cannot_reach():
    problem = problems.C3DTLZ4(objectives=2, variables=3)
    assert np.linalg.norm(problem.front(500), axis=1).max() <= 1.5
    assert np.linalg.norm(problems.C3DTLZ4(objectives=2).front(500), axis=1).max() == pytest.approx(2)


@pytest.mark.parametrize("name", ["DTLZ5", "DTLZ6"])
@pytest.mark.parametrize("objectives", [3, 5])
def test_every_point_of_a_degenerate_front_has_a_solution(name, objectives):
    problem = make(name, objectives)
    front = problem.front(300)
    radius = np.linalg.norm(front, axis=1)
    g = np.maximum(radius - 1, 0)[:, None]
    k = problem.variables - objectives + 1
    angle = spherical_position(front / radius[:, None])
    x = np.empty((len(front), problem.variables))
    x[:, :1] = angle[:, :1]
    with np.errstate(invalid="ignore", divide="ignore"):
        x[:, 1 : objectives - 1] = np.where(g > 1e-9, (2 * (1 + g) * angle[:, 1:] - 1) / (2 * g), 0.5)
    x[:, objectives - 1 :] = 0.5 + np.sqrt(g / k) if name == "DTLZ5" else (g / k) ** 10
    free = front[:, -1] < 1 - 1e-9  # at the end of the curve the other angles do not matter
    assert x[free].min() >= -1e-6
    assert x[free].max() <= 1 + 1e-6
    f, _ = values(problem, np.clip(x, 0, 1))
    np.testing.assert_allclose(f[free], front[free], atol=1e-6)


@pytest.mark.parametrize("objectives", [4, 5])
def test_no_solution_dominates_the_degenerate_front_by_much(objectives):
    problem = problems.DTLZ5(objectives=objectives)
    front = problem.front(500)
    rng = np.random.default_rng(4)
    x = rng.uniform(size=(40_000, problem.variables))
    # Position variables at the ends of their range are best, and so are distance variables near the middle.
    ends = rng.uniform(size=(40_000, objectives - 2)) < 0.6
    x[:, 1 : objectives - 1][ends] = np.round(x[:, 1 : objectives - 1][ends])
    x[:, objectives - 1 :] = 0.5 + rng.uniform(-0.5, 0.5, (40_000, 1)) * rng.uniform(size=(40_000, 1))
    f, _ = values(problem, x)
    better = np.stack([(f < point - 0.01).all(axis=1).any() for point in front])
    assert not better.any()


@pytest.mark.parametrize("name", ["DTLZ7", "MaF7", "LSMOP9"])
@pytest.mark.parametrize("objectives", [2, 5])
def test_no_smaller_position_is_as_good_on_the_disconnected_front(name, objectives):
    front = make(name, objectives).front(300)

    def term(f: np.ndarray) -> np.ndarray:
        return f * (1 + np.sin(3 * np.pi * f))

    np.testing.assert_allclose(front[:, -1], 2 * objectives - term(front[:, :-1]).sum(axis=1))
    for value in np.unique(front[:, :-1]):
        below = np.linspace(0, value, 2001)[:-1]
        assert value == 0 or (term(below) < term(value)).all()


def test_dtlz7_front_has_solutions():
    problem = problems.DTLZ7(objectives=3)
    front = problem.front(300)
    f, _ = values(problem, np.hstack([front[:, :2], np.zeros((len(front), 20))]))
    np.testing.assert_allclose(f, front, rtol=1e-12)


@pytest.mark.parametrize("name", ["ZDT1", "ZDT2", "ZDT3", "ZDT4"])
def test_zdt_fronts_have_solutions(name):
    problem = make(name)
    front = problem.front(300)
    f, _ = values(problem, np.hstack([front[:, :1], np.zeros((len(front), problem.variables - 1))]))
    np.testing.assert_allclose(f, front, atol=1e-12)


def test_zdt6_front_covers_the_range_of_the_first_objective():
    problem = problems.ZDT6()
    x = np.zeros((200_001, 10))
    x[:, 0] = np.linspace(0, 1, len(x))
    f, _ = values(problem, x)
    front = problem.front(500)
    np.testing.assert_allclose(f[:, 1], 1 - f[:, 0] ** 2, atol=1e-12)
    assert front[:, 0].min() == pytest.approx(f[:, 0].min(), abs=1e-8)
    assert front[0, 0] == pytest.approx(0.2807753191, abs=1e-9)  # pymoo's value
    assert front[-1].tolist() == [1.0, 0.0]


def test_zdt3_pieces_agree_with_pymoo():
    f = np.sort(problems.ZDT3().front(2000)[:, 0])
    jumps = np.flatnonzero(np.diff(f) > 0.05)
    ends = np.sort(np.concatenate([f[[0]], f[jumps], f[jumps + 1], f[[-1]]])).reshape(-1, 2)
    expected = [
        [0, 0.0830015349],
        [0.1822287280, 0.2577623634],
        [0.4093136748, 0.4538821041],
        [0.6183967944, 0.6525117038],
        [0.8233317983, 0.8518328654],
    ]
    np.testing.assert_allclose(ends, expected, atol=2e-4)


@pytest.mark.parametrize("name", CONSTRAINED_DTLZ)
def test_no_feasible_solution_dominates_the_constrained_front(name):
    """Compare with solutions near the optimum, at all positions and at distances up to the constraints."""
    problem = make(name)
    rng = np.random.default_rng(9)
    x = np.empty((40_000, problem.variables))
    x[:, :2] = rng.uniform(size=(40_000, 2)) ** (0.02 if name == "C3DTLZ4" else 1)
    x[:, 2:] = 0.5 + rng.uniform(-1, 1, (40_000, 1)) * rng.choice([0.0, 1e-3, 0.02, 0.5], (40_000, 1))
    f, violation = values(problem, x)
    f = f[violation == 0]
    assert len(f) > 300
    front = problem.front(200)
    dominated = ((f[:, None] <= front[None]).all(axis=2) & (f[:, None] < front[None] - 1e-9).any(axis=2)).any(axis=0)
    assert not dominated.any()


@pytest.mark.parametrize("name", ["C2DTLZ2", "DC1DTLZ1", "DC1DTLZ3", "DC3DTLZ1", "DC3DTLZ3"])
def test_the_constrained_front_covers_all_feasible_parts(name):
    """Every feasible optimum is close to a point of the front."""
    problem = make(name)
    x = np.full((5000, problem.variables), 0.5)
    x[:, :2] = np.random.default_rng(6).uniform(size=(5000, 2))
    f, violation = values(problem, x)
    f = f[violation == 0]
    gaps = np.sqrt(((f[:, None] - problem.front(2000)[None]) ** 2).sum(axis=2)).min(axis=1)
    assert gaps.max() < 0.05


def test_record_intervals_of_a_wave():
    intervals = record_intervals(lambda x: x + 0.5 * np.sin(4 * np.pi * x))
    first, second = intervals
    peak = np.arccos(-1 / (2 * np.pi)) / (4 * np.pi)
    np.testing.assert_allclose([first[0], first[1], second[1]], [0, peak, peak + 0.5], atol=1e-7)
    assert second[0] + 0.5 * np.sin(4 * np.pi * second[0]) == pytest.approx(peak + 0.5 * np.sin(4 * np.pi * peak))


@pytest.mark.parametrize("dimensions", [1, 2, 3, 4, 9])
def test_unit_points_fill_the_cube_and_include_its_ends(dimensions):
    points = unit_points(500, dimensions)
    assert 500 <= len(points) <= 600
    assert points.min() == 0
    assert points.max() == 1
    rows = {tuple(row) for row in points.tolist()}
    assert len(rows) == len(points)
    assert {(0.0,) * dimensions, (1.0,) * dimensions} <= rows
    np.testing.assert_allclose(points.mean(axis=0), 0.5, atol=0.02)


def test_spread_maps_into_the_intervals():
    intervals = [(0.1, 0.2), (0.5, 0.9)]
    values = spread(np.linspace(0, 1, 1001), intervals)
    assert (np.diff(values) > 0).all()
    assert (((values >= 0.1) & (values <= 0.2 + 1e-12)) | ((values >= 0.5) & (values <= 0.9))).all()
