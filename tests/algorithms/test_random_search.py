"""Random search keeps the non-dominated of all its samples."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tensorrvea as tr
from tensorrvea.evolution import Clock
from tensorrvea.population import Offspring
from tensorrvea.randomness import split

PROBLEM = tr.problems.C2DTLZ2(objectives=2, variables=4)  # one constraint


def run(algorithm, fs, violations):
    state, offspring = algorithm.init(jax.random.key(0), PROBLEM)
    tell = jax.jit(algorithm.tell)
    for f, violation in zip(fs, violations, strict=True):
        clock = Clock(0.5, 0.4)
        state = tell(jax.random.key(1), state, Offspring(offspring.x), jnp.asarray(f), jnp.asarray(violation), clock)
    return state


def test_the_nondominated_rows_of_all_generations_are_kept():
    rng = np.random.default_rng(0)
    fs = rng.random((6, 20, 2)).astype(np.float32)
    state = run(tr.RandomSearch(population=20), fs, np.zeros((6, 20), np.float32))
    everything = fs.reshape(-1, 2)
    expected = everything[tr.nondominated(everything)]
    kept = np.asarray(state.population.f)[np.asarray(state.population.alive)]
    assert sorted(map(tuple, kept)) == sorted(map(tuple, expected))
    assert np.isinf(np.asarray(state.score)[~np.asarray(state.population.alive)]).all()


def test_a_full_population_keeps_the_least_crowded():
    x = np.sort(np.random.default_rng(0).random(40)).astype(np.float32)
    fs = np.stack([x, 1 - x], axis=1)[np.random.default_rng(1).permutation(40)].reshape(4, 10, 2)
    state = run(tr.RandomSearch(population=10), fs, np.zeros((4, 10), np.float32))
    assert bool(state.population.alive.all())
    kept = np.sort(np.asarray(state.population.f)[:, 0])
    assert (kept[0], kept[-1]) == (x[0], x[-1])
    assert np.diff(kept).max() < 0.3


def test_feasible_rows_are_kept_before_infeasible_ones():
    rng = np.random.default_rng(0)
    f = rng.random((2, 8, 2)).astype(np.float32)
    worse, better = np.full(8, 2, np.float32), np.array([1, 3, 3, 3, 3, 3, 3, 3], np.float32)
    state = run(tr.RandomSearch(population=8), f, [worse, better])
    assert state.population.g[state.population.alive].tolist() == [[1.0]]
    state = run(tr.RandomSearch(population=8), f, [worse, np.where(np.arange(8) < 3, 0, 1).astype(np.float32)])
    kept = np.asarray(state.population.f)[np.asarray(state.population.alive)]
    expected = f[1, :3][tr.nondominated(f[1, :3])]
    assert sorted(map(tuple, kept)) == sorted(map(tuple, expected))


def test_offspring_are_sampled_like_the_first_population():
    algorithm = tr.RandomSearch(population=5)
    state, offspring = algorithm.init(jax.random.key(3), PROBLEM)
    np.testing.assert_array_equal(offspring.x, PROBLEM.sample(jax.random.key(3), 5))
    _, vary_key = split(jax.random.key(4))
    np.testing.assert_array_equal(algorithm.ask(jax.random.key(4), state, PROBLEM).x, PROBLEM.sample(vary_key, 5))


def test_a_population_below_one_is_rejected():
    with pytest.raises(ValueError, match="population must be at least 1, got 0"):
        tr.RandomSearch(population=0)
