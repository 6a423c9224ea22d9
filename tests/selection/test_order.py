"""Orders of rows against NumPy's."""

import jax.numpy as jnp
import numpy as np
import pytest

from tensorrvea.selection.order import best_first, first_smallest, last_smallest, smallest, smallest_value

SPECIAL = np.array([0.0, -0.0, np.inf, 1e-45, 1.2e-38, 3.4e38, 1.0], np.float32)


def random_keys(seed):
    rng = np.random.default_rng(seed)
    n = rng.integers(1, 200)
    value = rng.choice([SPECIAL, np.round(rng.random(10), 1), rng.random(1000)][seed % 3], n)
    return rng.integers(0, min(n, 5), n), value.astype(np.float32), rng.integers(1, n + 1)


@pytest.mark.parametrize("seed", range(30))
def test_the_rows_with_the_smallest_keys_are_those_of_a_sort(seed):
    group, value, count = random_keys(seed)
    # XLA takes the smallest numbers, which are not normal, for zero.
    normal = np.where(np.abs(value) < np.finfo(np.float32).tiny, np.float32(0), value)
    ordered = np.lexsort((np.arange(len(group)), normal, group))[:count]
    found = smallest((jnp.array(group), jnp.array(value)), int(count))
    np.testing.assert_array_equal(np.flatnonzero(found), np.sort(ordered))
    np.testing.assert_array_equal(best_first((jnp.array(group), jnp.array(normal)), int(count))[0], ordered)


@pytest.mark.parametrize("seed", range(12))
def test_the_smallest_of_many_values_is_numpys(seed):
    rng = np.random.default_rng(seed)
    choices = [np.concatenate([SPECIAL, -SPECIAL]), np.round(rng.normal(size=10), 1), rng.normal(size=1000)]
    value = rng.choice(choices[seed % 3], rng.integers(1, 400)).astype(np.float32)
    normal = np.where(np.abs(value) < np.finfo(np.float32).tiny, np.float32(0), value)
    assert smallest_value(jnp.array(value)) == normal.min()
    assert first_smallest(jnp.array(value)) == np.argmin(normal)
    assert last_smallest(jnp.array(value)) == len(normal) - 1 - np.argmin(normal[::-1])
