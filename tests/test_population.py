"""Individuals as rows: evaluation, failure and gathering."""

import jax.numpy as jnp
import numpy as np

from tensorrvea.population import Offspring, empty_population, evaluated
from tensorrvea.rows import choose, take


def offspring(rows: int, start: float = 0.0) -> Offspring:
    tag = start + jnp.arange(rows, dtype=jnp.float32)
    return Offspring(jnp.stack([tag, tag], axis=1), {"velocity": tag[:, None], "age": tag.astype(jnp.int32)})


def test_failed_evaluations_give_dead_rows():
    f = jnp.array([[1.0, 2], [jnp.nan, 2], [1, jnp.inf], [1, -jnp.inf], [1, 2], [1, 2]])
    g = jnp.array([0.0, 0, -1, 0, jnp.nan, 3])
    population = evaluated(offspring(6), f, g)
    assert population.alive.tolist() == [True, False, False, False, False, True]
    assert population.feasible.tolist() == [True, False, False, False, False, False]
    dead = ~np.asarray(population.alive)
    assert np.isposinf(np.asarray(population.f)[dead]).all()
    assert np.isposinf(np.asarray(population.violation)[dead]).all()
    assert population.f[5].tolist() == [1, 2]


def test_an_empty_population_has_the_structure_of_offspring():
    population = empty_population(4, offspring(2), 3)
    assert not population.alive.any()
    assert population.x.shape == (4, 2)
    assert population.f.shape == (4, 3)
    assert population.memory["velocity"].shape == (4, 1)
    assert population.memory["age"].dtype == jnp.int32


def test_take_and_choose_apply_to_all_leaves():
    first, second = (evaluated(offspring(n, s), jnp.ones((n, 2)) * s, jnp.zeros(n)) for n, s in ((3, 0.0), (5, 100.0)))
    index = jnp.array([4, 0, 7, 2, 3])
    chosen = choose(first, second, index)
    joined = np.concatenate([first.x[:, 0], second.x[:, 0]])[np.asarray(index)]
    np.testing.assert_array_equal(chosen.x[:, 1], joined)
    np.testing.assert_array_equal(chosen.memory["velocity"][:, 0], joined)
    np.testing.assert_array_equal(chosen.memory["age"], joined)
    np.testing.assert_array_equal(chosen.f[:, 0], [100, 0, 100, 0, 100])
    np.testing.assert_array_equal(take(second, jnp.array([1, 1])).memory["age"], [101, 101])
