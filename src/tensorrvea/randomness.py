"""Random words that fuse into the code that uses them.

``jax.random.bits`` writes its words to memory before anything can read them, which costs more than the operators
themselves. ``words`` is the same generator, Threefry-2x32 (Salmon et al., "Parallel Random Numbers: As Easy as 1, 2,
3", 2011), as plain arithmetic on an element's own coordinates: XLA computes each word inside the loop that needs it.
A word depends only on the key and the position of its element, not on the number of rows, their sharding, or the number
of runs in a batch.
"""

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, Int, Key, PRNGKeyArray, UInt32

from tensorrvea.platforms import on_accelerator

ROTATIONS = (13, 15, 26, 6, 17, 29, 16, 24)
# JAX has 20 rounds. Random123, the library of Salmon et al., is published and tested with 13 as well.
ROUNDS = 13
PARITY = 0x1BD11BDA
GOLDEN = 0x9E3779B9  # 2^32 / φ


def threefry(
    key: tuple[UInt32[Array, ""], UInt32[Array, ""]],
    counter: tuple[UInt32[Array, "..."], UInt32[Array, "..."]],
    rounds: int = ROUNDS,
) -> tuple[UInt32[Array, "..."], UInt32[Array, "..."]]:
    """Return two random words from two words of key and two of counter, by Threefry-2x32."""
    schedule = (*key, key[0] ^ key[1] ^ jnp.uint32(PARITY))
    a, b = counter[0] + schedule[0], counter[1] + schedule[1]
    for number in range(rounds):
        rotation = ROTATIONS[number % 8]
        a = a + b
        b = ((b << rotation) | (b >> (32 - rotation))) ^ a
        # The key is added after every fourth round.
        injection, rest = divmod(number + 1, 4)
        if rest == 0:
            a = a + schedule[injection % 3]
            b = b + schedule[(injection + 1) % 3] + jnp.uint32(injection)
    return a, b


def key_words(key: PRNGKeyArray) -> tuple[UInt32[Array, ""], UInt32[Array, ""]]:
    """Return the two words of a key. Of JAX's other generators, whose keys are longer, the first and the last."""
    data = jax.random.key_data(key).astype(jnp.uint32)
    return data[0], data[-1]


def fold_in(key: PRNGKeyArray, number: Int[Array, "..."] | UInt32[Array, "..."] | int) -> Key[Array, "..."]:
    """Return a new key for each number.

    Threefry needs distinct keys, not random ones (Salmon et al., section 2.2), so a short hash makes them. For one key
    it maps different numbers to different keys, and for one number it is a bijection of the keys. The hash of
    ``jax.random.fold_in`` is a loop of sixteen kernels, which takes long to compile.
    """
    first, second = key_words(key)
    # Without a constant, the child of zeros would be zeros.
    first = mix(first + jnp.uint32(number) + jnp.uint32(GOLDEN), second)
    second = mix(second ^ first, first)
    data = jnp.stack([first, second], axis=-1)
    if not on_accelerator():
        # A barrier, since XLA would otherwise compute the hash again for each word that is drawn with the key. On an
        # accelerator that takes less time than a kernel for each key.
        data = lax.optimization_barrier(data)
    return jax.random.wrap_key_data(data, impl="threefry2x32")


def split(key: PRNGKeyArray, count: int = 2) -> Key[Array, " count"]:
    """Return ``count`` new keys."""
    return fold_in(key, lax.iota(jnp.uint32, count))


def mix(word: UInt32[Array, "..."], key: UInt32[Array, "..."]) -> UInt32[Array, "..."]:
    """Return a word each bit of which depends on all bits of ``word`` and ``key``: MurmurHash3's finaliser, keyed."""
    word = (word ^ word >> 16) * jnp.uint32(0x85EBCA6B) + key
    word = (word ^ word >> 13) * jnp.uint32(0xC2B2AE35) + (key << 16 | key >> 16)
    return word ^ word >> 16


def words(key: PRNGKeyArray, shape: tuple[int, ...]) -> UInt32[Array, "..."]:
    """Return a random word for each element of an array of one or two axes."""
    row = lax.broadcasted_iota(jnp.uint32, shape, 0)
    column = lax.broadcasted_iota(jnp.uint32, shape, 1) if len(shape) == 2 else jnp.zeros(shape, jnp.uint32)
    return threefry(key_words(key), (row, column))[0]


def unit(word: UInt32[Array, "..."], bits: int = 32) -> Float[Array, "..."]:
    """Map the lower ``bits`` of a word to a number in (0, 1], the middle of its cell of width 2^-bits."""
    dtype = jnp.result_type(float)
    return (word & jnp.uint32((1 << bits) - 1)).astype(dtype) * 2.0**-bits + 2.0 ** -(bits + 1)


def uniform(key: PRNGKeyArray, shape: tuple[int, ...]) -> Float[Array, "..."]:
    """Return random numbers in (0, 1], fused like ``words``."""
    return unit(words(key, shape))


def below(word: UInt32[Array, "..."], bound: Array | int) -> Array:
    """Return a random index in [0, bound), for bounds far below 2^32: word · bound / 2^32, rounded down.

    The product is computed from 16-bit halves, since 64-bit integers are not available in single precision.
    """
    bound = jnp.asarray(bound).astype(jnp.uint32)
    high, low = word >> 16, word & jnp.uint32(0xFFFF)
    bound_high, bound_low = bound >> 16, bound & jnp.uint32(0xFFFF)
    carry = (low * bound_low >> 16) + (low * bound_high & jnp.uint32(0xFFFF)) + (high * bound_low & jnp.uint32(0xFFFF))
    scaled = high * bound_high + (low * bound_high >> 16) + (high * bound_low >> 16) + (carry >> 16)
    return scaled.astype(jnp.int32)
