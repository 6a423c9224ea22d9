"""Polynomial mutation (the paper's supplement, "Tensorized Crossover and Mutation")."""

from math import ceil, sqrt

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float, Int, PRNGKeyArray

from tensorrvea.checks import check_number
from tensorrvea.domain import Domain
from tensorrvea.randomness import unit, words
from tensorrvea.rounding import rounded
from tensorrvea.settings import settings

# From this many genes on, their flat numbers overflow 32-bit integers.
MANY_GENES = 2**31

# A scalar for all variables, or one entry per variable.
Bound = Array | np.ndarray | np.floating


@settings
class PolynomialMutation:
    """Mutate each gene with probability ``probability`` / d (p_m / d in the paper), or ``rate`` if that is given.

    The larger ``eta`` (ξ in the paper), the smaller most mutations are; none leaves the bounds.

    Args:
      eta: the distribution index.
      probability: the expected number of mutated genes per individual.
      rate: the probability of mutating a gene, instead of ``probability`` / d.

    Raises:
      TypeError: if a setting has the wrong type.
      ValueError: if a setting is out of range.

    >>> PolynomialMutation(probability=1.0).eta
    20.0
    """

    eta: float = 20.0
    probability: float = 0.5
    rate: float | None = None

    def __post_init__(self) -> None:
        check_number("eta", self.eta, minimum=0.0)
        check_number("probability", self.probability, minimum=0.0, maximum=1.0)
        if self.rate is not None:
            check_number("rate", self.rate, minimum=0.0, maximum=1.0)

    def __call__(self, key: PRNGKeyArray, x: Float[Array, "n d"], problem: Domain) -> Float[Array, "n d"]:
        mutate_rows = self._mutate_some if self.rate is None else self._mutate_any
        return mutate_rows(key, x, *problem.box)

    def _mutate_any(self, key: PRNGKeyArray, x: Array, lower: Bound, upper: Bound) -> Array:
        """Draw a word for every gene: it decides whether the gene mutates and, if so, by how much."""
        rate = jnp.asarray(self.rate, x.dtype)
        u = unit(words(key, x.shape))
        # A division that is compiled as a product may exceed 1 slightly.
        size = jnp.minimum(u / jnp.maximum(rate, 1e-9), 1)
        mutated = mutate(x, size, lower, upper, self.eta)
        return jnp.where(u <= rate, mutated, x)

    def _mutate_some(self, key: PRNGKeyArray, x: Array, lower: Bound, upper: Bound) -> Array:
        """Draw only the genes that mutate, in the order of the flattened array."""
        n, d = x.shape
        row, column = mutated_genes(key, n, d, self.probability / d)
        size = unit(words(key, (2, len(row)))[1])
        low, high = (bound if np.ndim(bound) == 0 else jnp.asarray(bound)[column] for bound in (lower, upper))
        value = mutate(x.at[row, column].get(mode="clip"), size, low, high, self.eta)
        return x.at[row, column].set(value, mode="drop", indices_are_sorted=True, unique_indices=True)


def mutated_genes(
    key: PRNGKeyArray, n: int, d: int, rate: Float[Array, ""] | float
) -> tuple[Int[Array, " k"], Int[Array, " k"]]:
    """Return rows and columns, in order, of the genes that mutate if each does with probability ``rate`` ≤ 1/d.

    The gaps between mutations are geometric, so that one draw per mutation suffices. The number of draws is fixed at
    nine standard deviations above the largest mean: too few once in 10^18 calls. Unused draws have a row ≥ n.
    """
    draws = ceil(n + 9 * sqrt(n) + 9)
    u = jnp.minimum(unit(words(key, (2, draws))[0]), 1 - 2.0**-24)
    gaps = 1 + jnp.floor(log_complement(u) / log_complement(jnp.maximum(rate, 1e-12)))
    gaps = jnp.minimum(gaps, n * d + 1)
    return positions_of(gaps, n, d) if n * d < MANY_GENES else positions_of_many(gaps, n, d)


def positions_of(gaps: Float[Array, " k"], n: int, d: int) -> tuple[Int[Array, " k"], Int[Array, " k"]]:
    """Return the rows and columns of genes that are ``gaps`` apart in the flattened array."""
    # Sums of integers are exact until they overflow; sums of floats show before that that the end is passed.
    position, is_past = jnp.cumsum(gaps.astype(jnp.int32)) - 1, jnp.cumsum(gaps) > 1.01 * n * d + 1
    gene = jnp.where(is_past | (position >= n * d), n * d + jnp.arange(len(gaps)), position)
    return gene // d, gene % d


def positions_of_many(gaps: Float[Array, " k"], n: int, d: int) -> tuple[Int[Array, " k"], Int[Array, " k"]]:
    """Return the same where flat numbers would overflow, by adding rows and columns separately."""
    gaps = gaps.at[0].add(-1)  # positions count from 0
    rows = jnp.floor(gaps / d)
    columns = jnp.clip(gaps - rows * d, 0, d - 1)

    def add(a: tuple[Array, Array], b: tuple[Array, Array]) -> tuple[Array, Array]:
        row, column = a[0] + b[0], a[1] + b[1]
        return jnp.minimum(row + column // d, n), column % d

    row, column = lax.associative_scan(add, (rows.astype(jnp.int32), columns.astype(jnp.int32)))
    return jnp.where(row < n, row, n + jnp.arange(len(gaps))), column


def log_complement(u: Float[Array, "..."]) -> Float[Array, "..."]:
    """Return log(1 − u), accurate for small u as well: Kahan's log1p, which vectorises."""
    rest = 1 - u
    return jnp.where(rest == 1, -u, jnp.log(rest) * u / jnp.where(rest == 1, 1, 1 - rest))


def mutate(
    x: Float[Array, "..."],
    u: Float[Array, "..."],
    lower: Bound,
    upper: Bound,
    eta: Array | float,
) -> Float[Array, "..."]:
    """Return x + Δ of the supplement, where u in (0, 1] is its M_mut."""
    span = upper - lower
    down = u <= 0.5
    # One formula serves both halves, of v ≤ 1/2 and the room on the side to which the gene moves.
    v = jnp.where(down, u, 1 - u)
    room = jnp.where(down, x - lower, upper - x) / span
    rest = rounded((1 - 2 * v) * power(jnp.maximum(1 - room, 0), eta + 1))
    step = 1 - power(2 * v + rest, 1 / (eta + 1))
    return jnp.clip(jnp.where(down, x - step * span, x + step * span), lower, upper)


def power(base: Float[Array, "..."], exponent: Float[Array, "..."] | float) -> Float[Array, "..."]:
    """Raise a base ≥ 0 to a positive power. Unlike a general power, this vectorises."""
    return jnp.exp(jnp.log(base) * exponent)
