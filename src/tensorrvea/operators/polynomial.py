"""Polynomial mutation (the paper's supplement, "Tensorized Crossover and Mutation")."""

from math import ceil, sqrt

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, PRNGKeyArray

from tensorrvea.checks import check_number
from tensorrvea.problem import Problem
from tensorrvea.randomness import unit, words
from tensorrvea.rounding import rounded
from tensorrvea.settings import settings

# From here on the numbers of genes, with those of rows that fill the devices, may not be 32-bit integers any more.
MANY_GENES = 2**30

# One for all variables, or one each.
Bound = Array | np.ndarray | np.floating


@settings
class PolynomialMutation:
    """Each gene mutates with probability ``probability`` / d (p_m / d in the paper), or ``rate`` if that is given.

    A mutation is small with a high probability, the more so the larger ``eta`` (ξ in the paper), and never
    leaves the bounds.
    """

    eta: float = 20.0
    probability: float = 0.5
    rate: float | None = None

    def __post_init__(self) -> None:
        check_number("eta", self.eta, minimum=0.0)
        check_number("probability", self.probability, minimum=0.0, maximum=1.0)
        if self.rate is not None:
            check_number("rate", self.rate, minimum=0.0, maximum=1.0)

    def __call__(
        self, key: PRNGKeyArray, x: Float[Array, "n d"], problem: Problem, rows: int | None = None
    ) -> Float[Array, "n d"]:
        """``rows`` are how many of x there are without those that fill the devices, if there are such."""
        n, d = x.shape
        # Not of n, which another number of devices would change: all of them have to draw alike.
        if self.rate is None and (n if rows is None else rows) * d < MANY_GENES:
            return self._mutate_some(key, x, *problem.box)
        return self._mutate_any(key, x, *problem.box)

    def _mutate_any(self, key: PRNGKeyArray, x: Array, lower: Bound, upper: Bound) -> Array:
        """Asks every gene. One word is both the gate and, given that it opens, the size of the mutation."""
        rate = jnp.asarray(self.probability / x.shape[1] if self.rate is None else self.rate, x.dtype)
        u = unit(words(key, x.shape))
        # A division that is compiled as a product may give a little more than 1.
        size = jnp.minimum(u / jnp.maximum(rate, 1e-9), 1)
        mutated = mutate(x, size, lower, upper, self.eta)
        return jnp.where(u <= rate, mutated, x)

    def _mutate_some(self, key: PRNGKeyArray, x: Array, lower: Bound, upper: Bound) -> Array:
        """Draws only the genes that mutate, in the flat order of all genes."""
        n, d = x.shape
        gene = mutated_genes(key, n * d, self.probability / d, most=n)
        row, column = gene // d, gene % d
        size = unit(words(key, (2, len(gene)))[1])
        low, high = (bound if np.ndim(bound) == 0 else jnp.asarray(bound)[column] for bound in (lower, upper))
        value = mutate(x.at[row, column].get(mode="clip"), size, low, high, self.eta)
        return x.at[row, column].set(value, mode="drop", indices_are_sorted=True, unique_indices=True)


def mutated_genes(key: PRNGKeyArray, genes: int, rate: Float[Array, ""] | float, *, most: int) -> Int[Array, " k"]:
    """Which of ``genes`` genes mutate, if each does with probability ``rate``: in ascending order, then ≥ ``genes``.

    The gaps between mutations are geometric, so that all of them are had by one draw a mutation. The number of
    draws is fixed, nine standard deviations above ``most``, the most that the mean can be: too few once in 10^18 calls.
    """
    draws = ceil(most + 9 * sqrt(most) + 9)
    u = jnp.minimum(unit(words(key, (2, draws))[0]), 1 - 2.0**-24)
    gaps = 1 + jnp.floor(log_of_rest(u) / log_of_rest(jnp.maximum(rate, 1e-12)))
    gaps = jnp.minimum(gaps, genes + 1)
    # Sums of whole numbers are exact until they overflow; sums of floats tell before that that the end is passed.
    position, past = jnp.cumsum(gaps.astype(jnp.int32)) - 1, jnp.cumsum(gaps) > 1.01 * genes + 1
    return jnp.where(past | (position >= genes), genes + jnp.arange(draws), position)


def log_of_rest(u: Float[Array, "..."]) -> Float[Array, "..."]:
    """log(1 − u), exact also for a small u: what rounding 1 − u lost is put right (Kahan), in code that vectorises."""
    rest = 1 - u
    return jnp.where(rest == 1, -u, jnp.log(rest) * u / jnp.where(rest == 1, 1, 1 - rest))


def mutate(
    x: Float[Array, "..."],
    u: Float[Array, "..."],
    lower: Bound,
    upper: Bound,
    eta: Array | float,
) -> Float[Array, "..."]:
    """x + Δ of the supplement, where u in (0, 1] is its M_mut."""
    span = upper - lower
    down = u <= 0.5
    # Both halves are one formula of v ≤ 1/2 and of the room on the side that the mutation goes to.
    v = jnp.where(down, u, 1 - u)
    room = jnp.where(down, x - lower, upper - x) / span
    rest = rounded((1 - 2 * v) * power(jnp.maximum(1 - room, 0), eta + 1))
    step = 1 - power(2 * v + rest, 1 / (eta + 1))
    return jnp.clip(jnp.where(down, x - step * span, x + step * span), lower, upper)


def power(base: Float[Array, "..."], exponent: Float[Array, ""] | float) -> Float[Array, "..."]:
    """A base ≥ 0 to a positive power. Unlike a general power, it vectorises."""
    return jnp.exp(jnp.log(base) * exponent)
