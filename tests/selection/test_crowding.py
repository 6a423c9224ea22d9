"""Crowding distances, against pymoo and by hand; pruning by them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from pymoo.operators.survival.rank_and_crowding.metrics import calc_crowding_distance

from tensorrvea.selection.crowding import crowding_distance, prune, repeated
from tensorrvea.selection.dominance import rank_rows

compiled = jax.jit(crowding_distance)
compiled_prune = jax.jit(prune, static_argnums=2)


@pytest.mark.parametrize("m", [2, 3])
@pytest.mark.parametrize("kind", ["random", "ties"])
def test_distances_of_all_fronts_agree_with_pymoo(m, kind):
    rng = np.random.default_rng(m)
    n = 300
    f = (rng.random((n, m)) if kind == "random" else rng.integers(0, 6, (n, m))).astype(np.float32)
    alive = rng.random(n) < 0.9
    rank = np.asarray(jax.jit(rank_rows)(f, alive))
    distance = np.asarray(compiled(f, rank, alive))
    assert (distance[~alive] == 0).all()
    for number in range(rank[alive].max() + 1):
        rows = np.flatnonzero(rank == number)
        # pymoo's function does not handle duplicates; here all but the first of equal rows have distance 0.
        first = np.sort(np.unique(f[rows], axis=0, return_index=True)[1])
        assert (np.delete(distance[rows], first) == 0).all()
        if len(first) == 1:
            assert distance[rows[first]] == np.inf
        else:
            expected = calc_crowding_distance(f[rows[first]].astype(float)) * m
            np.testing.assert_allclose(distance[rows[first]], expected, rtol=1e-5)


def test_a_constant_objective_adds_no_distance():
    f = jnp.array([[0.0, 3.0, 7.0], [1.0, 2.0, 7.0], [2.0, 1.0, 7.0], [3.0, 0.0, 7.0]])
    distance = crowding_distance(f, jnp.zeros(4, int), jnp.ones(4, bool))
    np.testing.assert_allclose(distance, [np.inf, 4 / 3, 4 / 3, np.inf], rtol=1e-6)


def test_huge_objectives_have_finite_distances():
    f = jnp.array([[-3e38, 3e38], [0.0, 0.0], [3e38, -3e38]])
    assert crowding_distance(f, jnp.zeros(3, int), jnp.ones(3, bool)).tolist() == [np.inf, 2.0, np.inf]


def test_a_dead_row_does_not_crowd_its_equal():
    f = jnp.array([[1.0, 1.0], [0.0, 2.0], [1.0, 1.0], [2.0, 0.0]])
    distance = crowding_distance(f, jnp.zeros(4, int), jnp.array([False, True, True, True]))
    assert distance.tolist() == [0.0, np.inf, 2.0, np.inf]


def test_repeated_rows_are_found_per_front():
    f = jnp.array([[1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [2.0, 1.0]])
    assert repeated(f, jnp.array([0, 1, 0, 0])).tolist() == [False, False, True, False]


def test_pruning_a_line_leaves_it_evenly_spaced():
    x = np.sort(np.random.default_rng(0).random(400)).astype(np.float32)
    f = np.stack([x, 1 - x], axis=1)
    kept = np.asarray(compiled_prune(f, np.ones(400, bool), 40))
    assert kept.sum() == 40
    assert kept[[0, -1]].all()
    gaps = np.diff(f[kept, 0])
    assert gaps.max() < 2.5 / 39  # 1/39 if evenly spaced


def test_pruning_keeps_the_given_number_of_rows_of_the_front():
    f = np.random.default_rng(0).random((50, 3)).astype(np.float32)
    front = np.arange(50) % 2 == 0
    kept = np.asarray(compiled_prune(f, front, 10))
    assert kept.sum() == 10
    assert not (kept & ~front).any()
    few = front & (np.arange(50) < 20)
    np.testing.assert_array_equal(compiled_prune(f, few, 10), few)
    equal = np.ones((50, 3), np.float32)
    np.testing.assert_array_equal(compiled_prune(equal, front, 10), few)
