"""The IMOP suite.

Tian, Cheng, Zhang, Li and Jin, "Diversity Assessment of Multi-Objective Evolutionary Algorithms: Performance Metric and
Benchmark Problems", 2019. Irregular fronts of two (IMOP1 to 3) or three objectives.

The first K variables are the position: their mean, or the means of those with odd and of those with even numbers,
raised to powers that crowd solutions at one end. The others determine the distance g = Σ (x − 1/2)².
"""

from typing import Any, ClassVar

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from tensorrvea.checks import check_integer
from tensorrvea.problems.benchmark import Benchmark
from tensorrvea.problems.fronts import record_intervals, spread, unit_points
from tensorrvea.problems.shapes import sphere_points
from tensorrvea.problems.sums import masked_sum

# Exponents of the means: of all position variables (a₁ of the paper), the odd (a₂) and the even ones (a₃).
ALL_EXPONENT, ODD_EXPONENT, EVEN_EXPONENT = 0.05, 0.05, 10.0


class IMOP(Benchmark):
    """Position and distance variables.

    Args:
      variables: their number d, 10 by default.
      positions: the number K of position variables, 5 by default.
    """

    setting_names = ("positions",)
    fixed_objectives: ClassVar[int | None] = 2

    def __init__(self, *, objectives: int | None = None, variables: int = 10, positions: int = 5):
        m = self.check_objectives(objectives)
        self.positions = check_integer("positions", positions, minimum=m - 1)
        check_integer("variables", variables, minimum=positions + 1, why="one more than positions")
        super().__init__(objectives=m, variables=variables)

    def objective_values(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        return self.shape(self.position(x), masked_sum(self.positions, (x - 0.5) ** 2))

    def position(self, x: Float[Array, "n d"]) -> Float[Array, "n p"]:
        return x[:, : self.positions].mean(axis=1, keepdims=True) ** ALL_EXPONENT

    def shape(self, y: Float[Any, "n p"], g: Float[Any, " n"]) -> Float[Any, "n m"]:
        """Objectives of a position and a distance, in NumPy or JAX."""
        raise NotImplementedError

    def front_positions(self, points: int) -> Float[np.ndarray, "k p"]:
        """Positions of the front, about ``points`` of them."""
        return unit_points(points, self.objectives - 1)

    def front(self, points: int = 1000) -> np.ndarray:
        y = self.front_positions(points)
        return np.unique(self.shape(y, np.zeros(len(y))), axis=0)


class Surface(IMOP):
    """Three objectives of two positions."""

    fixed_objectives = 3

    def position(self, x: Float[Array, "n d"]) -> Float[Array, "n p"]:
        odd, even = x[:, : self.positions : 2].mean(axis=1), x[:, 1 : self.positions : 2].mean(axis=1)
        return jnp.stack([odd**ODD_EXPONENT, even**EVEN_EXPONENT], axis=1)


class Holes(Surface):
    """A surface of which only a part is optimal."""

    def is_optimal(self, y: Float[np.ndarray, "k p"]) -> Bool[np.ndarray, " k"]:
        raise NotImplementedError

    def front_positions(self, points: int) -> Float[np.ndarray, "k p"]:
        tried = unit_points(points, 2)
        share = self.is_optimal(tried).mean()
        y = unit_points(int(points / max(share, 0.1)), 2)
        return y[self.is_optimal(y)]


class IMOP1(IMOP):
    """Strongly convex front f₁^(1/4) + f₂^(1/4) = 1."""

    exponent: ClassVar[float] = 8.0

    def shape(self, y: Float[Any, "n p"], g: Float[Any, " n"]) -> Float[Any, "n m"]:
        xp, angle = y.__array_namespace__(), 0.5 * np.pi * y
        # The cosine of an angle as the sine of its complement is zero at a right angle.
        waves = xp.concatenate([xp.sin(0.5 * np.pi - angle), xp.sin(angle)], axis=1)
        return waves.clip(0.0) ** self.exponent + g[:, None]


class IMOP2(IMOP1):
    """Strongly concave front f₁⁴ + f₂⁴ = 1."""

    exponent = 0.5


class IMOP3(IMOP):
    """Disconnected front: five pieces of a falling wave."""

    def shape(self, y: Float[Any, "n p"], g: Float[Any, " n"]) -> Float[Any, "n m"]:
        xp = y.__array_namespace__()
        f = xp.concatenate([1 + 0.2 * xp.cos(10 * np.pi * y) - y, y], axis=1)
        return f + g[:, None]

    def front_positions(self, points: int) -> Float[np.ndarray, "k p"]:
        return spread(unit_points(points, 1), record_intervals(lambda y: y - 0.2 * np.cos(10 * np.pi * y)))


class IMOP4(IMOP):
    """A wavy curve in three dimensions."""

    fixed_objectives = 3

    def shape(self, y: Float[Any, "n p"], g: Float[Any, " n"]) -> Float[Any, "n m"]:
        xp = y.__array_namespace__()
        return xp.concatenate([y, y + 0.1 * xp.sin(10 * np.pi * y), 1 - y], axis=1) * (1 + g)[:, None]

    def front_positions(self, points: int) -> Float[np.ndarray, "k p"]:
        return unit_points(points, 1)


class IMOP5(Surface):
    """Eight discs of the plane f₁ + f₂ + f₃ = 1/2."""

    def shape(self, y: Float[Any, "n p"], g: Float[Any, " n"]) -> Float[Any, "n m"]:
        xp = y.__array_namespace__()
        center, around = 0.25 * np.pi * xp.ceil(8 * y[:, 0]), 16 * np.pi * y[:, 0]
        radius = 0.1 * y[:, 1]
        h1 = 0.4 * xp.cos(center) + radius * xp.cos(around)
        h2 = 0.4 * xp.sin(center) + radius * xp.sin(around)
        return xp.stack([h1, h2, 0.5 - h1 - h2], axis=1) + g[:, None]

    def front_positions(self, points: int) -> Float[np.ndarray, "k p"]:
        # A spiral with golden-ratio steps is even over the discs' areas, where a grid would make rays.
        number = np.arange(check_integer("points", points, minimum=1)) + 0.5
        return np.stack([number * 0.5 * (5**0.5 - 1) % 1, np.sqrt(number / points)], axis=1)


class IMOP6(Holes):
    """A lattice on a plane, around nine holes."""

    def shape(self, y: Float[Any, "n p"], g: Float[Any, " n"]) -> Float[Any, "n m"]:
        xp = y.__array_namespace__()
        f = [(1 + g) * y[:, 0], (1 + g) * y[:, 1], (0.5 + g) * (2 - y[:, 0] - y[:, 1])]
        # ⌈r⌉ of the paper, where 0 ≤ r ≤ 1/2.
        return xp.stack(f, axis=1) + xp.where(self.depth(y) > 0, 1.0, 0.0)[:, None].astype(y.dtype)

    def depth(self, y: Float[Any, "n p"]) -> Float[Any, " n"]:
        """Positive in a hole."""
        return (y.__array_namespace__().sin(3 * np.pi * y) ** 2).min(axis=1) - 0.5

    def is_optimal(self, y: Float[np.ndarray, "k p"]) -> Bool[np.ndarray, " k"]:
        return self.depth(y) <= 0


class IMOP7(Holes):
    """Three bands of a sphere that cross in its middle."""

    def shape(self, y: Float[Any, "n p"], g: Float[Any, " n"]) -> Float[Any, "n m"]:
        h = sphere_points(y) * (1 + g)[:, None]
        return h + 10 * (self.smallest_difference(h) - 0.1).clip(0.0)[:, None]

    def smallest_difference(self, h: Float[Any, "n m"]) -> Float[Any, " n"]:
        return abs(h - h[:, [1, 2, 0]]).min(axis=1)

    def is_optimal(self, y: Float[np.ndarray, "k p"]) -> Bool[np.ndarray, " k"]:
        return self.smallest_difference(sphere_points(y)) <= 0.1


class IMOP8(Surface):
    """Disconnected front: 100 pieces."""

    def shape(self, y: Float[Any, "n p"], g: Float[Any, " n"]) -> Float[Any, "n m"]:
        xp = y.__array_namespace__()
        last = 3 * (1 + g) - (y * (1 + xp.sin(19 * np.pi * y))).sum(axis=1)
        return xp.concatenate([y, last[:, None]], axis=1)

    def front_positions(self, points: int) -> Float[np.ndarray, "k p"]:
        return spread(unit_points(points, 2), record_intervals(lambda y: y * (1 + np.sin(19 * np.pi * y))))


ALL = (IMOP1, IMOP2, IMOP3, IMOP4, IMOP5, IMOP6, IMOP7, IMOP8)
