"""Simulated binary crossover (the paper's supplement, "Tensorized Crossover and Mutation")."""

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, PRNGKeyArray

from tensorrvea.checks import check_number
from tensorrvea.platforms import on_accelerator
from tensorrvea.powers import power
from tensorrvea.randomness import split, uniform, unit, words
from tensorrvea.settings import settings


@settings
class SBX:
    """Simulated binary crossover: two children, symmetric about their parents' mean, [(1 ± B) x₁ + (1 ∓ B) x₂] / 2.

    The size of B is (2u)^(1/(η+1)) for u ≤ 1/2 and (2 − 2u)^(−1/(η+1)) beyond, and its sign is random. A gene is not
    crossed (B = 1) with probability 1/2, and a whole pair is not crossed with probability 1 − ``probability``.

    Each gene uses one random word: a bit for the sign, one for B = 1, one for the half of u, and 29 for the rest of u.

    Args:
      eta: η, the distribution index: the larger, the nearer children are to their parents.
      probability: of crossing a pair.

    Raises:
      TypeError: if a setting has the wrong type.
      ValueError: if a setting is out of range.

    >>> SBX(eta=15.0).probability
    1.0
    """

    eta: float = 30.0
    probability: float = 1.0

    def __post_init__(self) -> None:
        check_number("eta", self.eta, minimum=0.0)
        check_number("probability", self.probability, minimum=0.0, maximum=1.0)

    def __call__(
        self, key: PRNGKeyArray, x1: Float[Array, "pairs d"], x2: Float[Array, "pairs d"]
    ) -> tuple[Float[Array, "pairs d"], Float[Array, "pairs d"]]:
        """Return both children of each pair."""
        b = self.spread(key, x1.shape)
        return cross(x1, x2, b), cross(x2, x1, b)

    def spread(self, key: PRNGKeyArray, shape: tuple[int, ...]) -> Float[Array, "pairs d"]:
        """Return B of the supplement for an array of pairs and genes."""
        gene_key, pair_key = split(key)
        # A barrier, since XLA would otherwise draw it again for each gene.
        crossed = lax.optimization_barrier(uniform(pair_key, (shape[0], 1)) <= self.probability)
        word = words(gene_key, shape)
        contracts, negative = word >> 31 == 1, word >> 30 & 1 == 1
        uncrossed = (word >> 29 & 1 == 1) | ~crossed
        is_negative = negative & ~uncrossed
        # With v = 2u or 2 − 2u, whichever is ≤ 1, |B| is v^(1/(η+1)) or its inverse.
        v, exponent = unit(word, bits=29), jnp.where(uncrossed, 0, 1 / (self.eta + 1))
        if on_accelerator():
            size = power(v, jnp.where(contracts, exponent, -exponent))
            return jnp.where(is_negative, -size, size)
        size = power(v, exponent)
        numerator = jnp.where(contracts, size, 1)
        # The division comes last: XLA stores its result for both children, and would draw a product again for each.
        # On an accelerator, drawing again takes less time than a kernel that stores.
        return jnp.where(is_negative, -numerator, numerator) / jnp.where(contracts, 1, size)


def cross(mine: Float[Array, "..."], other: Float[Array, "..."], b: Float[Array, "..."]) -> Float[Array, "..."]:
    """Return [(1 + B) x₁ + (1 − B) x₂] / 2, in a form that does not change a bit where B = 1."""
    return mine + 0.5 * (b - 1) * (mine - other)
