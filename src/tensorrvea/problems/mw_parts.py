"""What the MW problems share: three distance functions, two shapes, and parts of constraints (see ``mw``)."""

from typing import Any, ClassVar

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from tensorrvea.checks import check_integer
from tensorrvea.problems.feasible_fronts import ConstrainedByDistance
from tensorrvea.problems.sums import sliced_sum
from tensorrvea.problems.trigonometry import versine_of_turns


class MW(ConstrainedByDistance):
    """m − 1 position variables, and the others for the distance.

    Args:
      objectives: their number m: 2, or in MW4, MW8 and MW14 any, 3 by default.
      variables: their number d, 15 by default.
    """

    fixed_objectives: ClassVar[int | None] = 2
    largest: ClassVar[float] = 1.0  # upper bound of all variables

    def __init__(self, *, objectives: int | None = None, variables: int = 15):
        m = self.check_objectives(3 if objectives is None and self.fixed_objectives is None else objectives)
        check_integer("variables", variables, minimum=m, why="m − 1 for the position, the others for the distance")
        super().__init__(objectives=m, variables=variables, upper=self.largest)

    def front_positions(self, points: int) -> Float[np.ndarray, "k p"]:
        return self.largest * super().front_positions(points)

    def numbers_of_variables(self) -> Float[np.ndarray, " d"]:
        """(i − 1)/d of variable i."""
        return np.arange(self.variables) / self.variables


class Biased(MW):
    """g₁ of the paper: Σ 1 − exp(−10 (x^(d−m) − 1/2 − (i−1)/2d)²)."""

    def distance(self, x: Float[Array, "n d"]) -> Float[Array, " n"]:
        powers = x ** (self.variables - self.objectives)
        deviation = powers - (0.5 + 0.5 * self.numbers_of_variables()).astype(x.dtype)
        return 1 + sliced_sum(self.objectives - 1, -jnp.expm1(-10 * deviation**2))


class MultimodalMW(MW):
    """g₂ of the paper: Σ 1.5 + 0.1 z²/d − 1.5 cos 2πz, where z = 1 − exp(−10 (x − (i−1)/d)²)."""

    def distance(self, x: Float[Array, "n d"]) -> Float[Array, " n"]:
        z = -jnp.expm1(-10 * (x - self.numbers_of_variables().astype(x.dtype)) ** 2)
        return 1 + sliced_sum(self.objectives - 1, (0.1 / self.variables) * z**2 + 1.5 * versine_of_turns(z))


class Linked(MW):
    """g₃ of the paper: Σ 2 (x + (the variable before − 1/2)² − 1)²."""

    def distance(self, x: Float[Array, "n d"]) -> Float[Array, " n"]:
        terms = 2 * (x[:, 1:] + (x[:, :-1] - 0.5) ** 2 - 1) ** 2
        return 1 + sliced_sum(self.objectives - 2, terms)


class Line(MW):
    """f₁ = x₁ and f₂ = g − slope · x₁, with constraints on f₁ + f₂."""

    slope: ClassVar[float] = 1.0

    def shape(self, position: Float[Any, "n p"], distance: Float[Any, " n"]) -> Float[Any, "n m"]:
        first = position[:, 0]
        return stack(first, distance - self.slope * first)


class Circle(MW):
    """f₁ = g x₁ and f₂ = g √(r² − x₁²), with constraints on radius and angle."""

    squared_radius: ClassVar[float] = 1.0

    def shape(self, position: Float[Any, "n p"], distance: Float[Any, " n"]) -> Float[Any, "n m"]:
        first = position[:, 0]
        second = (self.squared_radius - first**2).clip(0.0) ** 0.5
        return stack(distance * first, distance * second)

    def polar(self, f: Float[Any, "n m"]) -> tuple[Float[Any, " n"], Float[Any, " n"]]:
        """The squared radius and the angle of the objectives."""
        return (f**2).sum(axis=1), f.__array_namespace__().atan2(f[:, 1], f[:, 0])


def stack(*columns: Float[Any, " n"]) -> Float[Any, "n m"]:
    """Columns of one array, in NumPy or JAX."""
    return columns[0].__array_namespace__().stack(columns, axis=1)


def across(f: Float[Any, "n m"]) -> Float[Any, " n"]:
    """√2 (f₂ − f₁)."""
    return 2**0.5 * (f[:, 1] - f[:, 0])


def waves(height: float, frequency: float, exponent: int, value: Float[Any, " n"]) -> Float[Any, " n"]:
    """The paper's local adjustment: height · sin(frequency · value)^exponent."""
    return height * value.__array_namespace__().sin(frequency * value) ** exponent
