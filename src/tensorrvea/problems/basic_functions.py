"""Single-objective functions of many variables, which LSMOP is made of. Each is over the last axis.

Minima are zero: at the origin, except for Rosenbrock's, which is at (1, …, 1).
"""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from tensorrvea.problems.trigonometry import cosine_of_turns, versine_of_turns


def sphere(y: Float[Array, "*n v"]) -> Float[Array, "*n"]:
    """Σ y²."""
    return (y * y).sum(axis=-1)


def schwefel(y: Float[Array, "*n v"]) -> Float[Array, "*n"]:
    """Schwefel's problem 2.21: max |y|."""
    return abs(y).max(axis=-1)


def rosenbrock(y: Float[Array, "*n v"]) -> Float[Array, "*n"]:
    """Σ 100(yⱼ² − yⱼ₊₁)² + (yⱼ − 1)², over neighbours; zero for one variable, which has none."""
    here, after = y[..., :-1], y[..., 1:]
    return (100 * (here * here - after) ** 2 + (here - 1) ** 2).sum(axis=-1)


def rastrigin(y: Float[Array, "*n v"]) -> Float[Array, "*n"]:
    """Σ y² − 10 cos 2πy + 10."""
    return (y * y + 10 * versine_of_turns(y)).sum(axis=-1)


def griewank(y: Float[Array, "*n v"]) -> Float[Array, "*n"]:
    """Σ y²/4000 − Π cos(yⱼ/√j) + 1."""
    turns_of_one = (1 / (2 * np.pi * np.sqrt(np.arange(1, y.shape[-1] + 1)))).astype(y.dtype)
    return (y * y).sum(axis=-1) / 4000 - cosine_of_turns(y * turns_of_one).prod(axis=-1) + 1


def ackley(y: Float[Array, "*n v"]) -> Float[Array, "*n"]:
    """20 − 20 exp(−0.2 √mean y²) − exp(mean cos 2πy) + e.

    Both differences are taken before the exponential is: near the minimum nothing cancels.
    """
    bowl = -20 * jnp.expm1(-0.2 * jnp.sqrt((y * y).mean(axis=-1)))
    ripple = -np.e * jnp.expm1(-versine_of_turns(y).mean(axis=-1))
    return bowl + ripple
