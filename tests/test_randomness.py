"""The generator against published test vectors, and statistical tests of its words."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from tensorrvea.randomness import below, fold_in, key_words, mix, split, threefry, uniform, unit, words

# Random123's known answers for Threefry-2x32: rounds, key, counter, output.
KNOWN = [
    (13, (0x00000000, 0x00000000), (0x00000000, 0x00000000), (0x9D1C5EC6, 0x8BD50731)),
    (13, (0xFFFFFFFF, 0xFFFFFFFF), (0xFFFFFFFF, 0xFFFFFFFF), (0xFD36D048, 0x2D17272C)),
    (13, (0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3), (0xBA3E4725, 0xF27D669E)),
    (20, (0x00000000, 0x00000000), (0x00000000, 0x00000000), (0x6B200159, 0x99BA4EFE)),
    (20, (0xFFFFFFFF, 0xFFFFFFFF), (0xFFFFFFFF, 0xFFFFFFFF), (0x1CB996FC, 0xBB002BE7)),
    (20, (0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3), (0xC4923A9C, 0x483DF7A0)),
]


@pytest.mark.parametrize(("rounds", "key", "counter", "output"), KNOWN)
def test_threefry_agrees_with_the_published_test_vectors(rounds, key, counter, output):
    made = threefry(tuple(map(jnp.uint32, key)), tuple(map(jnp.uint32, counter)), rounds)
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


# Keys


def bits(keys) -> np.ndarray:
    first, second = jax.vmap(key_words)(keys.reshape(-1))
    return np.asarray(first, np.uint64) << np.uint64(32) | np.asarray(second, np.uint64)


def test_keys_of_generations_and_their_children_are_all_different():
    seeds = jax.vmap(jax.random.key)(jnp.arange(40, dtype=jnp.uint32))
    generations = jax.vmap(lambda key: fold_in(key, jnp.arange(500)))(seeds)
    children = jax.vmap(lambda key: split(key, 3))(generations.reshape(-1))
    made = np.concatenate([bits(keys) for keys in (seeds, generations, children)])
    assert len(np.unique(made)) == len(made) == 40 + 40 * 500 * 4


def test_a_key_is_the_hash_of_its_parent_and_number():
    def hashed(word, key):
        word = ((word ^ word >> 16) * 0x85EBCA6B + key) % 2**32
        word = ((word ^ word >> 13) * 0xC2B2AE35 + (key << 16 | key >> 16)) % 2**32
        return word ^ word >> 16

    first = hashed((0x01234567 + 7 + 0x9E3779B9) % 2**32, 0xDEADBEEF)
    second = hashed(0xDEADBEEF ^ first, first)
    parent = jax.random.wrap_key_data(jnp.array([0x01234567, 0xDEADBEEF], jnp.uint32))
    assert tuple(map(int, key_words(fold_in(parent, 7)))) == (first, second)
    assert tuple(map(int, key_words(split(parent, 9)[7]))) == (first, second)


def test_the_hash_of_keys_is_a_bijection():
    low = jnp.arange(2**16, dtype=jnp.uint32)
    for key in (0, 1, 0xFFFFFFFF):
        assert len(np.unique(mix(low * jnp.uint32(65_537), jnp.uint32(key)))) == len(low)


def test_words_of_keys_with_consecutive_numbers_are_not_correlated():
    keys = fold_in(jax.random.key(5), jnp.arange(400))
    numbers = np.asarray(jax.vmap(lambda key: words(key, (500,)))(keys)) / 2.0**32
    for name, (a, b) in {"keys": (numbers[:-1], numbers[1:]), "places": (numbers[:, :-1], numbers[:, 1:])}.items():
        correlation = np.corrcoef(a.ravel(), b.ravel())[0, 1]
        assert abs(correlation) < 4 / np.sqrt(a.size), name
    assert stats.kstest(numbers[:, 0], "uniform").pvalue > 1e-4
    assert stats.kstest(numbers.mean(axis=1) * np.sqrt(12 * 500) - np.sqrt(3 * 500), "norm").pvalue > 1e-4
