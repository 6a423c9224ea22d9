"""The generator against published test vectors, and statistical tests of its words."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from tensorrvea.randomness import below, threefry, uniform, unit, words

# Random123's known answers for Threefry-2x32 with 20 rounds: key, counter, output.
KNOWN = [
    ((0x00000000, 0x00000000), (0x00000000, 0x00000000), (0x6B200159, 0x99BA4EFE)),
    ((0xFFFFFFFF, 0xFFFFFFFF), (0xFFFFFFFF, 0xFFFFFFFF), (0x1CB996FC, 0xBB002BE7)),
    ((0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3), (0xC4923A9C, 0x483DF7A0)),
]


@pytest.mark.parametrize(("key", "counter", "output"), KNOWN)
def test_threefry_agrees_with_the_published_test_vectors(key, counter, output):
    made = threefry(tuple(map(jnp.uint32, key)), tuple(map(jnp.uint32, counter)))
    assert tuple(map(int, made)) == output


def test_a_word_depends_only_on_key_and_position():
    key = jax.random.key(7)
    wide = np.asarray(words(key, (40, 30)))
    np.testing.assert_array_equal(words(key, (17, 9)), wide[:17, :9])
    np.testing.assert_array_equal(words(key, (40,)), wide[:, 0])
    keys = jax.random.split(key, 3)
    batch = jax.vmap(lambda k: words(k, (40, 30)))(keys)
    np.testing.assert_array_equal(batch[2], words(keys[2], (40, 30)))


@pytest.fixture(scope="module")
def many_words():
    return np.asarray(jax.jit(lambda k: words(k, (1000, 300)))(jax.random.key(1)))


def test_every_bit_is_balanced_and_bytes_are_uniform(many_words):
    flat = many_words.ravel()
    for bit in range(32):
        ones = int((flat >> bit & 1).sum())
        assert stats.binomtest(ones, flat.size).pvalue > 1e-4, bit
    for shift in (0, 8, 16, 24):
        assert stats.chisquare(np.bincount(flat >> shift & 0xFF, minlength=256)).pvalue > 1e-4, shift


def test_neighbouring_rows_columns_and_keys_are_not_correlated(many_words):
    numbers = many_words / 2.0**32
    other_key = np.asarray(words(jax.random.key(2), many_words.shape)) / 2.0**32
    neighbours = {
        "rows": (numbers[:-1], numbers[1:]),
        "columns": (numbers[:, :-1], numbers[:, 1:]),
        "keys": (numbers, other_key),
        "transposed": (numbers[:300], numbers[:300].T),
    }
    for name, (a, b) in neighbours.items():
        apart = ~np.eye(300, dtype=bool) if name == "transposed" else np.ones(a.shape, bool)
        correlation = np.corrcoef(a[apart], b[apart])[0, 1]
        assert abs(correlation) < 4.5 / np.sqrt(apart.sum() / (2 if name == "transposed" else 1)), name
    # Jointly as well: pairs of neighbours are uniform over 16 × 16 cells.
    pairs = many_words[:, :-1:2] >> 28 << 4 | many_words[:, 1::2] >> 28
    assert stats.chisquare(np.bincount(pairs.ravel(), minlength=256)).pvalue > 1e-4


def test_uniform_numbers_are_positive_and_uniform():
    numbers = np.asarray(uniform(jax.random.key(3), (200_000,)))
    assert numbers.min() > 0
    assert numbers.max() <= 1
    assert stats.kstest(numbers, "uniform").pvalue > 1e-3
    assert float(unit(jnp.uint32(0))) == 2.0**-33
    assert float(unit(jnp.uint32(0xFFFFFFFF))) == 1
    assert float(unit(jnp.uint32(0xFFFFFFFF), bits=29)) == 1
    assert float(unit(jnp.uint32(0xE0000000), bits=29)) == 2.0**-30


@pytest.mark.parametrize("bound", [1, 2, 3, 7, 105, 65_535, 65_536, 65_537, 1_000_003, 2**31 - 1])
def test_below_scales_the_word_to_the_bound(bound):
    word = np.concatenate([[0, 1, 2**16 - 1, 2**16, 2**32 - 1], np.random.default_rng(0).integers(0, 2**32, 2000)])
    index = below(jnp.asarray(word, jnp.uint32), bound)
    np.testing.assert_array_equal(index, word.astype(object) * bound >> 32)


def test_below_is_uniform():
    index = np.asarray(below(words(jax.random.key(4), (60_000,)), 7))
    assert stats.chisquare(np.bincount(index, minlength=7)).pvalue > 1e-4
