"""IBEA: survivors against a transcription of the paper's Algorithm 2, and its settings."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from pools import KINDS, random_rows
from sizes import QUICKLY

from tensorrvea.algorithms import IBEA
from tensorrvea.evolution import Clock, State
from tensorrvea.population import Population

N = 20

compiled_select = jax.jit(IBEA.select, compiler_options=QUICKLY)


def select(rows, **settings):
    """Return the rows that survive, and their scores."""
    m = rows.f.shape[1]
    nothing = Population(jnp.zeros((N, 1)), jnp.zeros((N, m)), jnp.zeros(N), jnp.zeros(N, bool))
    state = State(nothing, jnp.zeros(N))
    algorithm = IBEA(population=N, **settings)
    chosen = compiled_select(algorithm, jax.random.key(0), state, rows.pool(), Clock(jnp.array(0.5), jnp.array(0.4)))
    filled = np.asarray(chosen.filled)
    return np.asarray(chosen.row)[filled], np.asarray(chosen.score)[filled]


def epsilon_indicator(a, b):
    """The smallest ε by which a, translated, weakly dominates b."""
    return max(x - y for x, y in zip(a, b, strict=True))


def by_paper(f, wanted, kappa):
    """Algorithm 2, steps 2 and 3: return the kept rows, their fitness, and whether no choice was one of rounding."""
    low, high = f.min(axis=0), f.max(axis=0)
    scaled = (f - low) / np.where(high > low, high - low, 1)
    rows = list(range(len(f)))
    indicator = np.array([[epsilon_indicator(scaled[a], scaled[b]) for b in rows] for a in rows])
    c = np.abs(indicator).max() or 1.0
    fitness = {x: -sum(np.exp(-indicator[y, x] / (c * kappa)) for y in rows if y != x) for x in rows}
    decided = True
    while len(rows) > wanted:
        worst = min(rows, key=lambda x: fitness[x])
        near = [x for x in rows if fitness[x] - fitness[worst] < 2e-5 * abs(fitness[worst]) + 1e-6]
        decided &= all((f[x] == f[worst]).all() for x in near)
        rows.remove(worst)
        for x in rows:
            fitness[x] += np.exp(-indicator[worst, x] / (c * kappa))
    return rows, np.array([fitness[x] for x in rows]), decided


@pytest.mark.parametrize("objectives", [2, 3, 6, 10])
def test_survivors_are_those_of_the_papers_algorithm(objectives):
    decided_pools = 0
    for kind in KINDS:
        for seed in range(10):
            pool = random_rows(seed, kind, objectives, N)
            survivors, score = select(pool)
            feasible = np.flatnonzero(pool.feasible)
            if len(feasible) > N:
                kept, fitness, decided = by_paper(pool.f[feasible], N, 0.05)
                decided_pools += decided
                if not decided:
                    continue
                # Which of several equal rows survives is arbitrary.
                assert sorted(map(tuple, pool.f[survivors])) == sorted(map(tuple, pool.f[feasible[kept]]))
                ours = [fitness[[(pool.f[feasible[x]] == pool.f[row]).all() for x in kept]].max() for row in survivors]
                better = -np.diff(ours)[np.diff(score) > 0]
                assert (better > -1e-6).all()
            else:
                alive = np.flatnonzero(pool.alive)
                expected = sorted(alive, key=lambda row: (max(pool.violation[row], 0), row))[:N]
                assert sorted(pool.violation[survivors]) == sorted(pool.violation[expected])
                assert set(feasible) <= set(survivors)
                assert len(set(survivors)) == len(expected)
    # Of 80 pools per number of objectives, 10 have no feasible row, and some others few.
    assert decided_pools > 40


def test_the_fitness_of_three_rows_is_the_hand_computed_one():
    from tensorrvea.selection.indicator import fitness_after_removals

    f = jnp.array([[0.0, 2.0], [4.0, 0.0], [2.0, 1.0], [9.0, 9.0]])
    competes = jnp.array([True, True, True, False])
    # Scaled: (0, 1), (1, 0), (0.5, 0.5), and each term is exp(−I/κ).
    expected = [-np.exp(-10.0) - np.exp(-5.0), -np.exp(-10.0) - np.exp(-5.0), -2 * np.exp(-5.0)]
    fitness = fitness_after_removals(f, competes, 3, 0.1)
    np.testing.assert_allclose(fitness[:3], expected, rtol=1e-6)
    assert bool(jnp.isinf(fitness[3]))


def test_feasible_rows_have_better_scores_than_infeasible_ones():
    pool = random_rows(3, "many fronts", 3, N)
    violation = np.where(np.arange(2 * N) < 10, 0.0, np.arange(2 * N))
    survivors, score = select(pool._replace(violation=violation))
    assert sorted(survivors) == list(range(N))
    assert score[survivors < 10].max() < score[survivors >= 10].min()


def test_small_kappa_is_rejected():
    with pytest.raises(ValueError, match=r"kappa must be a finite number in \[0.02, inf\), got 0.001"):
        IBEA(population=10, kappa=0.001)
