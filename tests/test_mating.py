"""Permutations of the living rows are complete and uniform."""

from itertools import permutations
from math import comb

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from tensorrvea.mating import living_rows, neighbouring_pairs, permute_living, shuffled, tournaments

COUNT = 24
KEYS = 12_000


@jax.jit
def shuffles(keys, living):
    return jax.vmap(lambda key: shuffled(key, living, COUNT))(keys)


@pytest.fixture(scope="module")
def keys():
    return jax.random.split(jax.random.key(11), KEYS)


@pytest.mark.parametrize("living", [1, 2, 3, 5, 8])
def test_successive_permutations_are_complete_and_uniform(living, keys):
    drawn = np.asarray(shuffles(keys, jnp.int32(living)))
    whole = COUNT // living
    blocks = drawn[:, : whole * living].reshape(KEYS, whole, living)
    assert (np.sort(blocks, axis=2) == np.arange(living)).all()
    if living == 1:
        return
    # The first two blocks of each key: every place is uniform, and so is every pair of neighbours.
    for block in blocks[:, :2].transpose(1, 0, 2):
        for place in range(living):
            assert stats.chisquare(np.bincount(block[:, place], minlength=living)).pvalue > 1e-5
        pairs = np.bincount(block[:, 0] * living + block[:, 1], minlength=living**2)
        between = pairs.reshape(living, living)[~np.eye(living, dtype=bool)]
        assert stats.chisquare(between).pvalue > 1e-5
    # Successive blocks are independent.
    joint = np.bincount(blocks[:, 0, 0] * living + blocks[:, 1, 0], minlength=living**2)
    assert stats.chisquare(joint).pvalue > 1e-5
    if living <= 5:
        number = {order: i for i, order in enumerate(permutations(range(living)))}
        seen = np.bincount([number[tuple(row)] for row in blocks[:, 0].tolist()], minlength=len(number))
        assert stats.chisquare(seen).pvalue > 1e-5


@pytest.mark.parametrize("living", [511, 1000, 1024])
def test_large_permutations_are_complete_and_random(living):
    count = 4 * 1024
    shuffle = jax.jit(lambda key: shuffled(key, jnp.int32(living), count))
    pvalues = []
    for seed in range(3):
        drawn = np.asarray(shuffle(jax.random.key(seed)))
        block = drawn[:living]
        assert (np.sort(block) == np.arange(living)).all()
        # As many rows stay in the first half as in a random permutation.
        stay = int((block[: living // 2] < living // 2).sum())
        pvalues.append(2 * min(stats.hypergeom.cdf(stay, living, living // 2, living // 2),
                               stats.hypergeom.sf(stay - 1, living, living // 2, living // 2)))  # fmt: skip
        assert abs(stats.spearmanr(np.arange(living), block).statistic) < 4.5 / np.sqrt(living)
        assert abs(stats.spearmanr(block[:-1], block[1:]).statistic) < 4.5 / np.sqrt(living)
        # No more rows stay where they are than chance allows (Poisson with mean 1).
        assert (block == np.arange(living)).sum() <= 9
    assert min(pvalues) > 1e-4


def test_living_rows_are_in_order():
    rows, living = living_rows(jnp.array([False, True, False, True, True]))
    assert rows[:3].tolist() == [1, 3, 4]
    assert int(living) == 3
    rows, living = living_rows(jnp.zeros(3, bool))
    assert (int(living), rows.tolist()) == (1, [0, 0, 0])


@pytest.mark.parametrize("count", [30, 600])
def test_living_rows_are_drawn_equally_often_and_dead_rows_never(count):
    alive = jnp.arange(20) % 3 != 1
    mates = jax.jit(lambda key: permute_living(key, alive, count))
    bred = np.bincount(mates(jax.random.key(5)), minlength=20)
    living = np.asarray(alive)
    assert (bred[~living] == 0).all()
    assert set(bred[living]) <= {count // living.sum(), -(-count // living.sum())}


def test_zero_parents_can_be_drawn():
    assert permute_living(jax.random.key(0), jnp.ones(4, bool), 0).shape == (0,)


def test_neighbouring_pairs_are_two_different_neighbours_or_any_living_rows():
    alive = jnp.array([True] * 8 + [False] * 2)
    neighbours = jnp.array([[0, 1, 2], [3, 4, 5], [7, 8, 9]])
    is_local = jnp.array([True, False, True])
    family = jnp.repeat(jnp.arange(3), 400)
    rows = np.asarray(neighbouring_pairs(jax.random.key(0), alive, neighbours, is_local, family)).reshape(3, 200, 2)
    assert set(rows[0].ravel()) == {0, 1, 2}
    assert (rows[0, :, 0] != rows[0, :, 1]).all()
    assert len({tuple(pair) for pair in rows[0]}) == 6
    # Not local, or not alive: any living row.
    assert set(rows[1].ravel()) == set(range(8))
    assert set(rows[2].ravel()) == set(range(8))


def test_the_best_of_four_wins_a_tournament_of_four():
    living, count = 12, 9000
    alive = jnp.arange(living + 1) != 4
    score = jnp.where(alive, living - jnp.arange(living + 1), jnp.inf)
    winners = np.asarray(tournaments(jax.random.key(0), alive, score, count, size=4))
    # Each permutation of twelve rows makes three tournaments; a row wins if the other three are below it.
    expected = [comb(below, 3) / comb(living, 4) for below in range(living)]
    np.testing.assert_allclose(np.delete(np.bincount(winners, minlength=13), 4) / count, expected, atol=0.012)


def test_everyone_wins_a_tournament_of_one_equally_often():
    winners = tournaments(jax.random.key(0), jnp.ones(5, bool), jnp.arange(5.0), 5000, size=1)
    assert np.bincount(winners).tolist() == [1000] * 5
