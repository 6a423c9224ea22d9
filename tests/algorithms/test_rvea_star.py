"""RVEA*: survivors and regenerated vectors against a transcription in loops."""

import jax
import jax.numpy as jnp
import numpy as np
import oracle
import pools
import pytest
from sizes import QUICKLY

import tensorrvea as tr
from tensorrvea.algorithms.paper_tensorrvea import indexed
from tensorrvea.evolution import Clock
from tensorrvea.population import Pool
from tensorrvea.randomness import uniform

VECTORS = {2: 10, 3: 12, 5: 15, 10: 20}


def ranges_of(rows: pools.Rows, survivors: list[int]) -> np.ndarray:
    """Return z_max − z_min of the feasible survivors; of feasible offspring as well if there are too few; or of all."""
    new = [i for i in range(len(rows.f)) if i >= len(rows.f) // 2]
    feasible = [i for i in survivors if rows.feasible[i]]
    known = [i for i in {*survivors, *new} if rows.feasible[i]]
    counted = feasible if len(feasible) > 1 else known if len(known) > 1 else survivors
    return np.ptp(rows.f[counted], axis=0)


def regenerated(second, u, f, ranges):
    """Algorithm 6, one vector after the other; also whether all was decided by more than rounding."""
    theta = oracle.angles(f - f.min(axis=0), second)
    nearest, between = theta.argmin(axis=1), np.sort(theta, axis=1)
    decided = ((between[:, 1] - between[:, 0] > 1e-4) | (f == f.min(axis=0)).all(axis=1)).all()
    result = second.copy()
    for i in range(len(second)):
        if i not in nearest:
            drawn = u[i] * ranges
            result[i] = drawn / np.linalg.norm(drawn)
    return result, bool(decided)


@pytest.mark.parametrize("kind", pools.KINDS)
@pytest.mark.parametrize("objectives", VECTORS)
def test_survivors_and_new_vectors_agree_with_a_transcription(objectives, kind):
    problem = tr.problems.DTLZ2(objectives=objectives, variables=objectives + 4)
    count = VECTORS[objectives]
    algorithm = tr.RVEAStar(population=2 * count, vectors=tr.reference_vectors.exact_count(count, objectives))
    begin = jax.jit(lambda key: algorithm.init(key, problem)[0], compiler_options=QUICKLY)
    index = jax.jit(indexed, compiler_options=QUICKLY)
    select = jax.jit(tr.RVEAStar.select, compiler_options=QUICKLY)
    compared = 0
    for seed in range(10):
        state = begin(jax.random.key(seed))
        vectors = np.asarray(state.extra.adapted, float)
        state = state._replace(extra=index(state.extra.initial, state.extra.adapted))
        rows = pools.random_rows(seed, kind, objectives, 2 * count)
        key = jax.random.key(100 + seed)
        progress = np.float32(seed / 20)
        chosen = select(algorithm, key, state, rows.pool(), Clock(progress, progress))
        expected = oracle.rvea_loop(rows.f, rows.violation, rows.alive, vectors, float(progress))
        if not expected.decided:
            continue
        found = [int(i) if ok else None for i, ok in zip(chosen.row, chosen.filled, strict=True)]
        assert found == expected.winners
        survivors = [i for i in found if i is not None]
        ranges = ranges_of(rows, survivors)
        if (ranges <= 0).any():
            continue
        u = np.asarray(uniform(key, (count, objectives)), float)
        second, decided = regenerated(vectors[count:], u, rows.f[survivors], ranges)
        np.testing.assert_allclose(chosen.extra.adapted[:count], vectors[:count])
        if decided:
            compared += 1
            np.testing.assert_allclose(chosen.extra.adapted[count:], second, atol=1e-5)
            both = np.asarray(chosen.extra.adapted, float)
            np.testing.assert_allclose(chosen.extra.gamma, oracle.smallest_angles(both), rtol=1e-2, atol=1e-4)
    assert compared >= 7


def test_the_first_set_adapts_when_due_and_the_first_population_changes_no_vector():
    problem, algorithm = tr.problems.DTLZ2(objectives=3, variables=7), tr.RVEAStar(population=15)
    state, offspring = algorithm.init(jax.random.key(0), problem)
    f = jnp.asarray(np.random.default_rng(0).random((15, 3)) * [1, 10, 100], jnp.float32)
    zeros = jnp.zeros((15, 0))
    first = algorithm.tell(jax.random.key(1), state, offspring, f, zeros, Clock(0.0, 0.0))
    assert first.population.alive.sum() == 15
    assert len(first.population.alive) == 30
    np.testing.assert_array_equal(first.extra.adapted, state.extra.adapted)
    later = algorithm.tell(jax.random.key(2), first, offspring, f + 0.5, zeros, Clock(0.1, 0.05))
    alive = np.asarray(later.population.alive)
    expected = oracle.adapted_vectors(np.asarray(state.extra.initial), np.asarray(later.population.f, float)[alive])
    np.testing.assert_allclose(later.extra.adapted[:15], expected, atol=1e-5)


def test_a_vector_with_the_only_survivor_is_kept():
    vectors = jnp.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])
    pool = Pool(jnp.array([[0.0, 2.0], [2.0, 0.0]]), jnp.zeros(2), jnp.ones(2, bool), jnp.zeros(2, bool))
    u = jnp.full((3, 2), 0.5)
    made = tr.algorithms.rvea_star.regenerate(u, vectors, pool, jnp.array([0, 1, 0]), jnp.array([True, True, False]))
    np.testing.assert_allclose(made, [[1, 0], [0.5**0.5, 0.5**0.5], [0, 1]], rtol=1e-6)


@pytest.mark.slow
def test_the_second_set_finds_more_of_a_degenerate_front():
    problem = tr.problems.DTLZ5(objectives=3, variables=12)
    front = problem.front(1000)
    star, plain = (
        tr.optimize(problem, each, generations=200, seed=1000).F
        for each in (tr.RVEAStar(population=105), tr.TensorRVEA.paper(population=105))
    )
    assert len(star) > 2 * len(plain)
    assert tr.metrics.igd(star, front) < 0.9 * tr.metrics.igd(plain, front)
