"""The single-objective functions that LSMOP is built from, evaluated on several parts of each row.

Minima are zero: at the origin, except for Rosenbrock's, at (1, …, 1). Terms are computed for whole rows and then
sliced; see ``sums`` for the reason.
"""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from tensorrvea.problems.trigonometry import cosine_of_turns, versine_of_turns


@dataclass(frozen=True, kw_only=True)
class Parts:
    """Adjacent parts of a row, of equal size."""

    first: int
    count: int
    size: int

    @property
    def end(self) -> int:
        return self.first + self.count * self.size

    def cut(self, terms: Float[Array, "n d"]) -> Float[Array, "n s v"]:
        return terms[:, self.first : self.end].reshape(len(terms), self.count, self.size)

    def numbers(self, columns: int) -> Float[np.ndarray, " d"]:
        """The position of each column in its part, counted from one; ones outside the parts."""
        numbers = np.ones(columns)
        numbers[self.first : self.end] = np.tile(np.arange(1, self.size + 1), self.count)
        return numbers


def sphere(y: Float[Array, "n d"], parts: Parts) -> Float[Array, "n s"]:
    """Σ y²."""
    return parts.cut(y * y).sum(axis=2)


def schwefel(y: Float[Array, "n d"], parts: Parts) -> Float[Array, "n s"]:
    """Schwefel's problem 2.21: max |y|."""
    return parts.cut(abs(y)).max(axis=2)


def rosenbrock(y: Float[Array, "n d"], parts: Parts) -> Float[Array, "n s"]:
    """Σ 100(yⱼ² − yⱼ₊₁)² + (yⱼ − 1)² over neighbouring variables; zero for a single variable."""
    following = jax.lax.pad(y[:, 1:], jnp.zeros((), y.dtype), ((0, 0, 0), (0, 1, 0)))
    terms = 100 * (y * y - following) ** 2 + (y - 1) ** 2
    # The last variable's neighbour belongs to the next part and does not count.
    return parts.cut(terms)[:, :, :-1].sum(axis=2)


def rastrigin(y: Float[Array, "n d"], parts: Parts) -> Float[Array, "n s"]:
    """Σ y² − 10 cos 2πy + 10."""
    return parts.cut(y * y + 10 * versine_of_turns(y)).sum(axis=2)


def griewank(y: Float[Array, "n d"], parts: Parts) -> Float[Array, "n s"]:
    """Σ y²/4000 − Π cos(yⱼ/√j) + 1."""
    turns_of_one = (1 / (2 * np.pi * np.sqrt(parts.numbers(y.shape[1])))).astype(y.dtype)
    product = parts.cut(cosine_of_turns(y * turns_of_one)).prod(axis=2)
    return sphere(y, parts) / 4000 - product + 1


def ackley(y: Float[Array, "n d"], parts: Parts) -> Float[Array, "n s"]:
    """20 − 20 exp(−0.2 √mean y²) − exp(mean cos 2πy) + e.

    ``expm1`` takes both differences without cancellation near the minimum.
    """
    bowl = -20 * jnp.expm1(-0.2 * jnp.sqrt(sphere(y, parts) / parts.size))
    ripple = -np.e * jnp.expm1(-parts.cut(versine_of_turns(y)).mean(axis=2))
    return bowl + ripple
