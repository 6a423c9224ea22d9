"""Simulated binary crossover (the paper's supplement, "Tensorized Crossover and Mutation")."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from tensorrvea.checks import check_number
from tensorrvea.randomness import uniform, unit, words
from tensorrvea.settings import settings


@settings
class SBX:
    """Two children, symmetric about their parents' mean: [(1 ± B) x₁ + (1 ∓ B) x₂] / 2.

    |B| is (2u)^(1/(η+1)) for u ≤ 1/2 and (2 − 2u)^(−1/(η+1)) beyond; its sign is either with probability 1/2;
    and B = 1 (the gene is not crossed) with probability 1/2, and in a whole pair with probability
    1 − ``probability``.

    One random word serves a gene: a bit for the sign, one for the gate, one for the half of u, 29 for the rest of it.
    """

    eta: float = 30.0
    probability: float = 1.0

    def __post_init__(self) -> None:
        check_number("eta", self.eta, minimum=0.0)
        check_number("probability", self.probability, minimum=0.0, maximum=1.0)

    def __call__(
        self, key: PRNGKeyArray, x1: Float[Array, "pairs d"], x2: Float[Array, "pairs d"]
    ) -> tuple[Float[Array, "pairs d"], Float[Array, "pairs d"]]:
        gene_key, pair_key = jax.random.split(key)
        crossed = uniform(pair_key, (len(x1), 1)) <= self.probability
        b = jnp.where(crossed, self.spread(words(gene_key, x1.shape)), 1)
        middle, half = 0.5 * (x1 + x2), 0.5 * (x1 - x2) * b
        return middle + half, middle - half

    def spread(self, word: Array) -> Float[Array, "..."]:
        """B of the supplement, before the gate of a whole pair."""
        # With v = 2u or 2 − 2u, whichever is ≤ 1, |B| is v to the power of ± 1/(η+1).
        exponent = 1 / (self.eta + 1)
        contracts, negative, uncrossed = word >> 31 == 1, word >> 30 & 1 == 1, word >> 29 & 1 == 1
        log_v = jnp.log2(unit(word, bits=29))
        size = jnp.exp2(log_v * jnp.where(contracts, exponent, -exponent))
        return jnp.where(uncrossed, 1, jnp.where(negative, -size, size))
