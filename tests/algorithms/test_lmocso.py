"""LMOCSO: the two-stage move, the survivors of RVEA's loop, and the competition by shift-based density."""

import jax
import jax.numpy as jnp
import numpy as np
import oracle
import pools
import pytest
from breeding import breed
from scipy import stats
from sizes import QUICKLY

import tensorrvea as tr
from tensorrvea.algorithms.paper_tensorrvea import indexed
from tensorrvea.evolution import Clock
from tensorrvea.operators.cso import Competitor
from tensorrvea.population import Offspring, evaluated

GENES, PAIRS = 6, 2000


def test_the_loser_moves_in_two_stages():
    """The paper's equations, with r₀ and r₁ read from genes in which one of the two terms is zero."""
    problem = tr.Problem(lambda x: x[:2], lower=[-50.0] * GENES, upper=[50.0] * GENES, objectives=2)
    winner = np.array([4.0, 4.0, 1.0, 1.0, 4.0, 4.0])
    loser = np.ones(GENES)
    velocity = np.array([0.0, 0.0, 8.0, 8.0, 8.0, 8.0])
    memory = Competitor(jnp.asarray(np.stack([np.full(GENES, 99.0), velocity]), jnp.float32))
    survivors = evaluated(Offspring(jnp.asarray(np.stack([winner, loser]), jnp.float32), memory), jnp.ones((2, 2)))
    variation = tr.TwoStageCSO(mutation=tr.PolynomialMutation(rate=0.0))
    assert variation.num_parents(PAIRS) == 2 * PAIRS
    parents = jnp.tile(jnp.array([0, 1, 1, 0]), PAIRS // 2)
    bred = breed(
        jax.random.key(0), variation, survivors, parents, jnp.array([0.0, 1.0]), problem=problem, offspring=PAIRS
    )  # fmt: skip
    x, new = np.asarray(bred.x, float), np.asarray(bred.memory.velocity, float)
    # The two random numbers of each pair, from the velocities v′ = r₀ v + r₁ (winner − x).
    r0, r1 = new[:, 2] / 8, new[:, 0] / 3
    assert stats.kstest(r0, "uniform").pvalue > 1e-3
    assert stats.kstest(r1, "uniform").pvalue > 1e-3
    assert abs(stats.pearsonr(r0, r1).statistic) < 0.1
    expected = r0[:, None] * velocity + r1[:, None] * (winner - loser)
    np.testing.assert_allclose(new, expected, atol=1e-4)
    np.testing.assert_allclose(x, loser + expected + r0[:, None] * (expected - velocity), atol=1e-4)


def pool_of(algorithm, problem, f, g=None):
    state, offspring = algorithm.init(jax.random.key(0), problem)
    g = np.zeros((len(f), 0), np.float32) if g is None else g
    tell = jax.jit(algorithm.tell)
    state = tell(jax.random.key(1), state, offspring, f[:, 0], g, Clock(0.0, 0.0))
    return tell(jax.random.key(2), state, offspring, f[:, 1], g, Clock(0.5, 0.25))


def shifted_density(f):
    """Li et al.: for each row, the distance to the nearest other after the shift; infinite if there is no other."""
    apart = np.linalg.norm(np.maximum(f[None] - f[:, None], 0), axis=2)
    np.fill_diagonal(apart, np.inf)
    return apart.min(axis=1, initial=np.inf)


@pytest.mark.parametrize("objectives", [2, 3, 5, 10])
def test_survivors_are_those_of_rveas_loop_and_scores_the_negative_density_or_the_violation(objectives):
    """Vectors are random, so that rows on a grid are not in the middle between two."""
    problem = tr.problems.DTLZ2(objectives=objectives, variables=objectives + 4)
    algorithm = tr.LMOCSO(population=20, vectors=np.random.default_rng(1).random((12, objectives)))
    state, _ = algorithm.init(jax.random.key(0), problem)
    state = state._replace(extra=indexed(state.extra.initial, state.extra.adapted))
    vectors = np.asarray(state.extra.adapted)
    select = jax.jit(tr.LMOCSO.select, compiler_options=QUICKLY)
    compared = 0
    for kind in pools.KINDS:
        for seed in range(10):
            rows = pools.random_rows(seed, kind, objectives, 20)
            progress = np.float32(seed / 10)
            chosen = select(algorithm, jax.random.key(0), state, rows.pool(), Clock(progress, progress))
            filled = np.asarray(chosen.filled)
            survivors, score = np.asarray(chosen.row)[filled], np.asarray(chosen.score)[filled]
            expected = oracle.rvea_loop(rows.f, rows.violation, rows.alive, vectors, float(progress))
            if expected.decided:
                compared += 1
                np.testing.assert_array_equal(filled, [winner is not None for winner in expected.winners])
                assert survivors.tolist() == [winner for winner in expected.winners if winner is not None]
            feasible = rows.feasible[survivors]
            density = shifted_density(rows.f[survivors[feasible]])
            # That of a single survivor is the largest number.
            finite = np.minimum(density, np.finfo(np.float32).max)
            np.testing.assert_allclose(-score[feasible], finite, rtol=1e-5, atol=1e-6)
            np.testing.assert_array_equal(score[~feasible], rows.violation[survivors[~feasible]])
    assert compared >= 75


def test_the_feasible_win_and_then_the_less_violating():
    problem = tr.problems.C2DTLZ2(objectives=3, variables=12)
    f = np.random.default_rng(2).uniform(0.1, 1, (28, 2, 3)).astype(np.float32)
    g = np.linspace(-1, 1, 28, dtype=np.float32)[:, None]
    state = pool_of(tr.LMOCSO(population=28), problem, f, g)
    alive, violation = np.asarray(state.population.alive), np.asarray(state.population.violation)
    score = np.asarray(state.score)
    assert (score[alive & (violation <= 0)] <= 0).all()
    bad = alive & (violation > 0)
    assert bad.any()
    np.testing.assert_allclose(score[bad], violation[bad])


@pytest.mark.slow
def test_it_converges_on_a_known_front():
    problem = tr.problems.DTLZ2(objectives=3)
    result = tr.optimize(problem, tr.LMOCSO(population=105), generations=200, seed=1)
    assert tr.metrics.igd(result.F, problem.front(1000)) < 0.06
