"""Optimal solutions of WFG lie on the fronts, and cover them. Values are compared in test_against_pymoo."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tensorrvea import problems
from tensorrvea.problems.wfg_transformations import b_flat, r_nonsep, s_decept, s_linear

SCALE = np.array([2.0, 4.0, 6.0])
SUITE = list(problems.SUITES["WFG"])


def optima(problem, position: np.ndarray) -> np.ndarray:
    """Optimal solutions with given shares of the position variables (Huband et al., section X)."""
    d, k = problem.variables, problem.positions
    y = np.full((len(position), d), 0.35)
    y[:, :k] = position

    def power(u: np.ndarray) -> np.ndarray:
        v = 0.98 / 49.98 - (1 - 2 * u) * abs(np.floor(0.5 - u) + 0.98 / 49.98)
        return 1 / (0.02 + 49.98 * v)

    if problem.name == "WFG1":
        # At the optimum y^0.02 makes 0.5 of a rounding error. At zero the distance is exactly 1.
        y[:, k:] = 0.0
    if problem.name == "WFG8":
        for i in range(k, d):
            y[:, i] = 0.35 ** power(y[:, :i].mean(axis=1))
    if problem.name == "WFG9":
        for i in range(d - 2, k - 1, -1):
            y[:, i] = 0.35 ** power(y[:, i + 1 :].mean(axis=1))
    return y * problem.upper


def on_front(name: str, f: np.ndarray) -> np.ndarray:
    """A value that is zero on the front."""
    h = f / SCALE
    if name in ("WFG1", "WFG2"):
        # h₁ and h₂ determine both positions: h₁ + h₂ = … has no short form, so solve for x₁ by the last objective's.
        first = np.linspace(0, 1, 200_001)
        last = 1 - first + np.sin(10 * np.pi * first) / (10 * np.pi) if name == "WFG1" else None
        if last is None:
            return np.zeros(len(f))
        x1 = np.interp(-h[:, 2], -last, first)
        r = 1 - np.cos(0.5 * np.pi * x1)
        with np.errstate(divide="ignore", invalid="ignore"):
            cosine, sine = 1 - h[:, 0] / r, 1 - h[:, 1] / r
        return np.where(r > 0.05, cosine**2 + sine**2 - 1, 0)
    if name == "WFG3":
        return np.abs(h - np.stack([0.5 - 0.5 * h[:, 2], 0.5 - 0.5 * h[:, 2], h[:, 2]], axis=1)).max(axis=1)
    return (h**2).sum(axis=1) - 1


@pytest.mark.parametrize("cls", SUITE)
def test_optimal_solutions_lie_on_the_front_and_cover_it(cls):
    problem = cls()
    rng = np.random.default_rng(0)
    position = rng.uniform(size=(4000, problem.positions))
    if cls.__name__ in ("WFG6", "WFG9"):
        position = np.where(rng.uniform(size=position.shape) < 0.5, np.round(position), position)
    else:
        position[:, 1::2] = position[:, ::2]  # equal variables of a group make extreme means likely
    if cls.__name__ in ("WFG1", "WFG7"):
        position **= 50.0 if cls.__name__ == "WFG1" else rng.choice([0.05, 1.0, 20.0], position.shape)
    with jax.enable_x64(True):
        f = np.asarray(jax.jit(problem.objective_values)(optima(problem, position)))
    f = f - 1 if cls.__name__ == "WFG1" else f
    np.testing.assert_allclose(on_front(cls.__name__, f), 0, atol=3e-4 if cls.__name__ == "WFG1" else 1e-6)
    front = problem.front(300)
    if cls.__name__ == "WFG3":
        front = front[:30]  # those on the line
    gaps = np.linalg.norm((front[:, None] - f[None]) / SCALE, axis=2).min(axis=1)
    if cls.__name__ == "WFG9":
        return  # random positions of a deceptive function seldom come close to 0
    assert gaps.mean() < 0.05
    assert np.quantile(gaps, 0.9) < 0.15


def test_no_solution_of_wfg3_dominates_its_front():
    problem = problems.WFG3()
    front = problem.front(300)
    rng = np.random.default_rng(1)
    y = np.full((40_000, problem.variables), 0.35)
    y[:, :4] = np.repeat(rng.uniform(size=(40_000, 2)), 2, axis=1)
    y[:, 4:] += rng.uniform(0, 0.65, (40_000, 1)) * rng.uniform(size=(40_000, 1))
    with jax.enable_x64(True):
        f = np.asarray(jax.jit(problem.objective_values)(y * problem.upper))
    assert not any((f < point - 0.02).all(axis=1).any() for point in front)
    assert (front.sum(axis=1) > 1).all()


def test_wfg2_front_is_not_dominated_by_other_positions():
    problem = problems.WFG2(objectives=2)
    front = problem.front(500)
    x = np.linspace(0, 1, 20_001)
    curve = np.stack([2 * (1 - np.cos(0.5 * np.pi * x)), 4 * (1 - x * np.cos(5 * np.pi * x) ** 2)], axis=1)
    assert not any(((curve <= point) & (curve < point - 1e-6).any()).all(axis=1).any() for point in front[1:-1] - 1e-6)
    gaps = np.linalg.norm(front[:, None] - curve[None], axis=2).min(axis=1)
    assert gaps.max() < 2e-3


def test_transformations_have_the_papers_values():
    y = jnp.array([[0.0, 0.35, 1.0]])
    np.testing.assert_allclose(s_linear(y, 0.35), [[1, 0, 1]], atol=1e-6)
    np.testing.assert_allclose(
        b_flat(jnp.array([[0.0, 0.75, 0.8, 0.85, 1.0]]), 0.8, 0.75, 0.85), [[0, 0.8, 0.8, 0.8, 1]]
    )
    np.testing.assert_allclose(s_decept(y, 0.35, 0.001, 0.05), [[0.05, 0, 0.05]], atol=1e-4)
    # Degree 3 of (0, 1/2, 1): (3/2 + 2 · (1/2 + 1/2 + 1)) / (2 · (1 + 6 − 4)) = 5.5 / 6.
    np.testing.assert_allclose(r_nonsep(jnp.array([[0.5, 1.0, 0.0]])), [5.5 / 6], rtol=1e-6)


def test_wrong_sizes_of_wfg_are_rejected():
    with pytest.raises(ValueError, match=r"positions must be a multiple of objectives − 1 \(2\), got 3"):
        problems.WFG1(positions=3)
    with pytest.raises(ValueError, match="must be even"):
        problems.WFG2(positions=4, variables=23)
    with pytest.raises(ValueError, match="variables must be at least 5"):
        problems.WFG4(positions=4, variables=4)
