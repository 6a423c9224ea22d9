"""Simulated binary crossover, in distribution, against the formulas of the paper's supplement."""

import jax
import jax.numpy as jnp
import numpy as np
import oracle
import pytest
from scipy import stats

from tensorrvea.operators import SBX

PAIRS, GENES = 4000, 50


def spread(crossover: SBX, seed: int = 0) -> np.ndarray:
    """Return B, which is the first child of parents at 1 and -1."""
    ones = jnp.ones((PAIRS, GENES))
    first, second = jax.jit(lambda key: crossover(key, ones, -ones))(jax.random.key(seed))
    np.testing.assert_allclose(first, -second, rtol=1e-6, atol=1e-6)
    return np.asarray(first, np.float64)


@pytest.mark.parametrize("eta", [0.0, 2.0, 30.0])
def test_the_spread_has_the_papers_distribution(eta):
    b = spread(SBX(eta=eta))
    crossed = b != 1
    assert stats.binomtest(int(crossed.sum()), b.size).pvalue > 1e-4
    assert stats.binomtest(int((b[crossed] < 0).sum()), int(crossed.sum())).pvalue > 1e-4
    assert stats.kstest(np.abs(b[crossed]), lambda v: oracle.sbx_spread_cdf(v, eta)).pvalue > 1e-3
    # Sign and size are independent.
    assert stats.ks_2samp(-b[crossed & (b < 0)], b[crossed & (b > 0)]).pvalue > 1e-3


def test_genes_and_pairs_are_crossed_independently():
    crossed = (spread(SBX(eta=30.0), seed=1) != 1).astype(float)
    counts = np.bincount(crossed.sum(axis=1).astype(int), minlength=GENES + 1)
    expected = stats.binom.pmf(np.arange(GENES + 1), GENES, 0.5) * PAIRS
    likely = expected > 8
    observed = np.append(counts[likely], counts[~likely].sum())
    assert stats.chisquare(observed, np.append(expected[likely], expected[~likely].sum())).pvalue > 1e-4


@pytest.mark.parametrize("probability", [0.0, 0.7, 1.0])
def test_whole_pairs_are_crossed_with_the_given_probability(probability):
    pairs = (spread(SBX(probability=probability), seed=2) != 1).any(axis=1)
    # In a crossed pair, all 50 genes are unchanged with probability 2^-50.
    if probability in (0, 1):
        assert (pairs == bool(probability)).all()
    else:
        assert stats.binomtest(int(pairs.sum()), PAIRS, probability).pvalue > 1e-4


def test_children_are_symmetric_about_their_parents_mean():
    x1, x2 = jax.random.uniform(jax.random.key(1), (2, 200, 8), minval=-5, maxval=5)
    cross = jax.jit(SBX(eta=3.0))
    first, second = cross(jax.random.key(2), x1, x2)
    np.testing.assert_allclose(first + second, x1 + x2, rtol=1e-5, atol=1e-5)
    # The first child is [(1 + B) x₁ + (1 − B) x₂] / 2 with the B of that key.
    ones = jnp.ones_like(x1)
    b = cross(jax.random.key(2), ones, -ones)[0]
    np.testing.assert_allclose(first, ((1 + b) * x1 + (1 - b) * x2) / 2, rtol=1e-4, atol=1e-4)


def test_equal_parents_have_equal_children():
    x = jax.random.uniform(jax.random.key(3), (50, 6))
    for child in jax.jit(SBX(eta=0.0))(jax.random.key(4), x, x):
        np.testing.assert_array_equal(child, x)


def test_settings_can_be_vmapped():
    ones = jnp.ones((2000, 4))

    def width(eta):
        return jnp.abs(jnp.abs(SBX(eta=eta)(jax.random.key(0), ones, -ones)[0]) - 1).mean()

    widths = jax.vmap(width)(jnp.array([1.0, 5.0, 50.0]))
    assert widths[0] > widths[1] > widths[2]
    sweep = jax.vmap(lambda crossover: crossover.eta + 1)(SBX(eta=jnp.arange(3.0), probability=jnp.ones(3)))
    assert sweep.tolist() == [1, 2, 3]
