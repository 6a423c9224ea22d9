"""Simulated binary crossover (the paper's supplement, "Tensorized Crossover and Mutation")."""

import jax
import jax.numpy as jnp
from jax import lax
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
        """Both children of each pair."""
        b = self.spread(key, x1.shape)
        return cross(x1, x2, b), cross(x2, x1, b)

    def spread(self, key: PRNGKeyArray, shape: tuple[int, ...]) -> Float[Array, "pairs d"]:
        """B of the supplement, for so many pairs and genes."""
        gene_key, pair_key = jax.random.split(key)
        # Kept out of the loop over genes, which would draw it again for each of them.
        crossed = lax.optimization_barrier(uniform(pair_key, (shape[0], 1)) <= self.probability)
        word = words(gene_key, shape)
        contracts, negative, uncrossed = word >> 31 == 1, word >> 30 & 1 == 1, word >> 29 & 1 == 1
        # With v = 2u or 2 − 2u, whichever is ≤ 1, |B| is v to the power of ± 1/(η+1).
        exponent = 1 / (self.eta + 1)
        size = jnp.exp(jnp.log(unit(word, bits=29)) * jnp.where(contracts, exponent, -exponent))
        return jnp.where(uncrossed | ~crossed, 1, jnp.where(negative, -size, size))


def cross(mine: Float[Array, "..."], other: Float[Array, "..."], b: Float[Array, "..."]) -> Float[Array, "..."]:
    """[(1 + B) x₁ + (1 − B) x₂] / 2, in a form that leaves a gene as it is, to the bit, where B = 1."""
    return mine + 0.5 * (b - 1) * (mine - other)
