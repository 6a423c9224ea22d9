"""Differential evolution: which rows are combined, and how."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from breeding import breed
from scipy import stats

from tensorrvea import DE, PolynomialMutation, Problem
from tensorrvea.operators.de import three_others
from tensorrvea.population import Offspring, evaluated

ROWS = 9
UNMUTATED = PolynomialMutation(rate=0.0)


def tagged():
    """Return rows of which the i-th is the i-th unit vector, so that children show their parents."""
    return evaluated(Offspring(jnp.eye(ROWS)), jnp.zeros((ROWS, 2)), jnp.zeros(ROWS))


def box() -> Problem:
    return Problem(lambda x: x[:2], lower=[-5.0] * ROWS, upper=[5.0] * ROWS, objectives=2)


def test_a_child_is_a_base_plus_a_scaled_difference():
    mates = jnp.tile(jnp.arange(ROWS), 200)
    variation = DE(scale=0.75, mutation=UNMUTATED)
    assert variation.num_parents(7) == 7
    child = np.asarray(
        breed(jax.random.key(0), variation, tagged(), mates, jnp.zeros(ROWS), problem=box(), offspring=len(mates)).x
    )
    for parent, genes in zip(mates.tolist(), child, strict=True):
        assert sorted(genes[genes != 0].tolist()) == [-0.75, 0.75, 1.0]
        assert genes[parent] == 0


def test_at_crossover_rate_zero_all_genes_but_one_are_the_parents():
    survivors = tagged()._replace(x=jnp.arange(ROWS * ROWS, dtype=jnp.float32).reshape(ROWS, ROWS) / 20)
    mates = jnp.tile(jnp.arange(ROWS), 100)
    variation = DE(crossover_rate=0.0, scale=0.35, mutation=UNMUTATED)
    child = np.asarray(
        breed(jax.random.key(1), variation, survivors, mates, jnp.zeros(ROWS), problem=box(), offspring=len(mates)).x
    )
    changed = child != np.asarray(survivors.x)[np.asarray(mates)]
    assert (changed.sum(axis=1) == 1).all()
    assert stats.chisquare(changed.sum(axis=0)).pvalue > 1e-4


def test_a_gene_is_crossed_with_the_given_probability():
    survivors = tagged()._replace(x=jnp.arange(ROWS * ROWS, dtype=jnp.float32).reshape(ROWS, ROWS) / 20)
    mates = jnp.tile(jnp.arange(ROWS), 400)
    variation = DE(crossover_rate=0.4, scale=0.35, mutation=UNMUTATED)
    child = np.asarray(
        breed(jax.random.key(2), variation, survivors, mates, jnp.zeros(ROWS), problem=box(), offspring=len(mates)).x
    )
    changed = child != np.asarray(survivors.x)[np.asarray(mates)]
    # One gene is always crossed, the others with probability 0.4.
    assert abs(changed.mean() - (1 + 0.4 * (ROWS - 1)) / ROWS) < 5 * np.sqrt(0.24 / changed.size)


@pytest.mark.parametrize("living", [4, 6, 9])
def test_difference_rows_are_living_distinct_and_uniform(living):
    alive = jnp.zeros(ROWS, bool).at[jax.random.permutation(jax.random.key(9), ROWS)[:living]].set(True)
    rows = np.flatnonzero(alive)
    parents = np.tile(rows, 3000)
    others = np.stack(jax.jit(three_others)(jax.random.key(living), alive, jnp.asarray(parents)))
    assert np.isin(others, rows).all()
    four = np.vstack([parents, others])
    assert (np.diff(np.sort(four, axis=0), axis=0) > 0).all()
    for i in range(3):
        for j in range(i + 1, 4):
            joint = np.zeros((ROWS, ROWS))
            np.add.at(joint, (four[i], four[j]), 1)
            among = joint[np.ix_(rows, rows)][~np.eye(living, dtype=bool)]
            assert stats.chisquare(among).pvalue > 1e-5


@pytest.mark.parametrize("living", [1, 2, 3])
def test_with_fewer_than_four_survivors_rows_are_drawn_with_replacement(living):
    alive = jnp.arange(ROWS) >= ROWS - living
    rows = np.flatnonzero(alive)
    others = np.stack(three_others(jax.random.key(0), alive, jnp.asarray(np.tile(rows, 600 // living))))
    assert set(others.ravel()) == set(rows)
    for row in others:
        assert living == 1 or stats.chisquare(np.bincount(row)[rows]).pvalue > 1e-5
