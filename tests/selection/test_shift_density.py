"""Shift-based density estimation against the definition, pair by pair."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tensorrvea.selection.shift_density import shifted_distance


def by_definition(f, competes):
    """Transcribe the paper: shift every other row to at least the row's own objectives, then measure."""
    distances = []
    for i, own in enumerate(f):
        others = [np.maximum(other, own) for j, other in enumerate(f) if j != i and competes[j]]
        distances.append(min((np.linalg.norm(other - own) for other in others), default=np.inf))
    return np.array(distances)


@pytest.mark.parametrize("objectives", [2, 3, 5])
def test_it_agrees_with_the_definition(objectives):
    generator = np.random.default_rng(objectives)
    f = generator.normal(size=(60, objectives)).astype(np.float32)
    f[7] = f[3]
    competes = generator.random(60) < 0.8
    found = np.asarray(jax.jit(shifted_distance)(np.where(competes[:, None], f, np.inf), competes))
    np.testing.assert_allclose(
        found[competes], by_definition(f.astype(float), competes)[competes], rtol=1e-5, atol=1e-6
    )


def test_a_dominated_row_and_an_equal_row_have_zero():
    f = jnp.array([[0.0, 0.0], [1.0, 1.0], [5.0, -1.0], [5.0, -1.0]])
    assert shifted_distance(f, jnp.ones(4, bool)).tolist()[1:] == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("size", [1e30, 1e-30])
def test_very_large_and_very_small_objectives_keep_their_distances(size):
    f = jnp.array([[0.0, 4.0], [3.0, 0.0]]) * size
    np.testing.assert_allclose(shifted_distance(f, jnp.ones(2, bool)), np.array([3.0, 4.0]) * size, rtol=1e-6)


def test_a_row_without_others_is_infinitely_far():
    assert shifted_distance(jnp.array([[1.0, 1.0], [jnp.inf, jnp.inf]]), jnp.array([True, False]))[0] == jnp.inf
