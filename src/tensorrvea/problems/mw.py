"""The MW suite.

Ma and Wang, "Evolutionary Constrained Multiobjective Optimization: Test Suite Construction and Performance
Comparisons", 2019.

The first m − 1 variables are the position, the others determine the distance g ≥ 1 by one of three functions. The
constraints are functions of the objectives.
"""

from typing import Any

import numpy as np
from jaxtyping import Float

from tensorrvea.problems.fronts import linear_front, spherical_front
from tensorrvea.problems.mw_parts import Biased, Circle, Line, Linked, MultimodalMW, across, stack, waves
from tensorrvea.problems.shapes import positions_of_simplex, products, sphere_points

Limits = list[Float[Any, " n"]]


class MW1(Line, Biased):
    """Pieces of the line f₂ = 1 − 0.85 f₁, at the tips of feasible stripes."""

    slope = 0.85

    def objective_limits(self, f: Any) -> Limits:
        return [f[:, 0] + f[:, 1] - 1 - waves(0.5, 2 * np.pi, 8, across(f))]


class MW2(Line, MultimodalMW):
    """The whole line f₁ + f₂ = 1, in narrow feasible stripes."""

    def objective_limits(self, f: Any) -> Limits:
        return [f[:, 0] + f[:, 1] - 1 - waves(0.5, 3 * np.pi, 8, across(f))]


class MW3(Line, Linked):
    """A line, part of which is cut off by a wave-shaped infeasible region."""

    def objective_limits(self, f: Any) -> Limits:
        total, wave = f[:, 0] + f[:, 1], across(f)
        return [total - 1.05 - waves(0.45, 0.75 * np.pi, 6, wave), 0.85 - total + waves(0.3, 0.75 * np.pi, 2, wave)]


class MW4(Biased):
    """The whole simplex Σ fᵢ = 1, in a comb of feasible regions."""

    fixed_objectives = None

    def shape(self, position: Float[Any, "n p"], distance: Float[Any, " n"]) -> Float[Any, "n m"]:
        return distance[:, None] * products(1 - position, position)

    def objective_limits(self, f: Any) -> Limits:
        total = f.sum(axis=1)
        return [total - 1 - waves(0.4, 2.5 * np.pi, 8, 2 * f[:, -1] - total)]

    def front_positions(self, points: int) -> Float[np.ndarray, "k p"]:
        return positions_of_simplex(linear_front(points, self.objectives))


class MW5(Circle, Biased):
    """Single points of a circle, and short pieces at its ends."""

    def objective_limits(self, f: Any) -> Limits:
        xp = f.__array_namespace__()
        square, angle = self.polar(f)
        wave = xp.sin(6 * (0.5 * np.pi - 2 * abs(angle - 0.25 * np.pi)) ** 3)
        outer = 1.7 - 0.2 * xp.sin(2 * angle)
        return [square - outer**2, (1 + 0.5 * wave) ** 2 - square, (1 - 0.45 * wave) ** 2 - square]

    def front_positions(self, points: int) -> Float[np.ndarray, "k p"]:
        # Where the wave is zero, a single angle of the circle is feasible.
        half = 0.25 * np.pi - 0.5 * np.cbrt(np.pi / 6 * np.arange(8))
        angles = 0.25 * np.pi + np.concatenate([half, -half])
        return np.sort(np.concatenate([np.cos(angles)[:, None], super().front_positions(points)]), axis=0).clip(0, 1)


class MW6(Circle, MultimodalMW):
    """Pieces of an arc."""

    largest = 1.1
    squared_radius = 1.1**2

    def objective_limits(self, f: Any) -> Limits:
        _, angle = self.polar(f)
        wave = f.__array_namespace__().cos(6 * angle**4) ** 10
        return [(f[:, 0] / (1 + 0.15 * wave)) ** 2 + (f[:, 1] / (1 + 0.75 * wave)) ** 2 - 1]


class MW7(Circle, Linked):
    """An arc and wave-shaped boundaries between two constraints."""

    def objective_limits(self, f: Any) -> Limits:
        square, angle = self.polar(f)
        outer, inner = 1.2 + abs(waves(0.4, 4.0, 16, angle)), 1.15 - waves(0.2, 4.0, 8, angle)
        return [square - outer**2, inner**2 - square]


class MW8(MultimodalMW):
    """Bands of the sphere Σ fᵢ² = 1."""

    fixed_objectives = None

    def shape(self, position: Float[Any, "n p"], distance: Float[Any, " n"]) -> Float[Any, "n m"]:
        return distance[:, None] * sphere_points(position)

    def objective_limits(self, f: Any) -> Limits:
        xp = f.__array_namespace__()
        square = (f**2).sum(axis=1)
        # The angle between f and the plane of the other objectives.
        angle = xp.atan2(f[:, -1], (f[:, :-1] ** 2).sum(axis=1) ** 0.5)
        return [square - (1.25 - 0.5 * xp.sin(6 * angle) ** 2) ** 2]

    def front_positions(self, points: int) -> Float[np.ndarray, "k p"]:
        squares = positions_of_simplex(spherical_front(points, self.objectives) ** 2)
        return np.arcsin(np.sqrt(squares)) * 2 / np.pi


class MW9(Biased):
    """Boundaries of two curved strips; the unconstrained front is infeasible."""

    def shape(self, position: Float[Any, "n p"], distance: Float[Any, " n"]) -> Float[Any, "n m"]:
        first = position[:, 0]
        return stack(distance * first, distance * (1 - first**0.6))

    def objective_limits(self, f: Any) -> Limits:
        first, second = f[:, 0], f[:, 1]
        strip = (1 - 0.64 * first**2 - second) * (1 - 0.36 * first**2 - second)
        arc = (1.35**2 - (first + 0.35) ** 2 - second) * (1.15**2 - (first + 0.15) ** 2 - second)
        return [f.__array_namespace__().minimum(strip, arc)]


class MW10(MultimodalMW):
    """Pieces of a concave front, cut by parabolas; most solutions have a small f₁."""

    def shape(self, position: Float[Any, "n p"], distance: Float[Any, " n"]) -> Float[Any, "n m"]:
        first = position[:, 0] ** self.variables
        return stack(distance * first, distance * (1 - first**2))

    def objective_limits(self, f: Any) -> Limits:
        square, second = f[:, 0] ** 2, f[:, 1]
        return [
            -(2 - 4 * square - second) * (2 - 8 * square - second),
            (2 - 2 * square - second) * (2 - 16 * square - second),
            (1 - square - second) * (1.2 - 1.2 * square - second),
        ]

    def front_positions(self, points: int) -> Float[np.ndarray, "k p"]:
        return super().front_positions(points) ** (1 / self.variables)


class MW11(Circle, Linked):
    """Pieces of boundaries and of an arc, cut by parabolas."""

    largest = 2**0.5
    squared_radius = 2.0

    def objective_limits(self, f: Any) -> Limits:
        square, second = f[:, 0] ** 2, f[:, 1]
        return [
            -(3 - square - second) * (3 - 2 * square - second),
            (3 - 0.625 * square - second) * (3 - 7 * square - second),
            -(1.62 - 0.18 * square - second) * (1.125 - 0.125 * square - second),
            (2.07 - 0.23 * square - second) * (0.63 - 0.07 * square - second),
        ]


class MW12(Biased):
    """Pieces of the boundary of wave-shaped strips; the unconstrained front is infeasible."""

    def shape(self, position: Float[Any, "n p"], distance: Float[Any, " n"]) -> Float[Any, "n m"]:
        first = position[:, 0]
        wave = abs(first.__array_namespace__().sin(3.2 * np.pi * first))
        return stack(distance * first, distance * (0.85 - 0.8 * first - 0.08 * wave))

    def objective_limits(self, f: Any) -> Limits:
        first, second = f[:, 0], f[:, 1]
        sin = f.__array_namespace__().sin

        def line(height: float, slope: float, turns: Any) -> Any:
            return height - slope * first - second + 0.08 * sin(2 * np.pi * turns)

        return [
            -line(1.0, 0.625, second - first / 1.6) * line(1.4, 0.875, second / 1.4 - first / 1.6),
            line(1.0, 0.8, second - first / 1.5) * line(1.8, 1.125, second / 1.8 - first / 1.6),
        ]


class MW13(MultimodalMW):
    """Pieces of a falling wave, between pairs of curves."""

    largest = 1.5

    def shape(self, position: Float[Any, "n p"], distance: Float[Any, " n"]) -> Float[Any, "n m"]:
        first = position[:, 0]
        xp = first.__array_namespace__()
        return stack(distance * first, distance * (5 - xp.exp(first) - 0.5 * abs(xp.sin(3 * np.pi * first))))

    def objective_limits(self, f: Any) -> Limits:
        first, xp = f[:, 0], f.__array_namespace__()
        below = 5 - 0.5 * xp.sin(3 * np.pi * first) - f[:, 1]
        return [
            -(below - 1 - first - 0.5 * first**2) * (below - 1 - 0.7 * first),
            (below - xp.exp(first)) * (below - 1 - 0.4 * first),
        ]


class MW14(Linked):
    """Pieces of a wavy surface fₘ(f₁, …, fₘ₋₁), all of them feasible."""

    fixed_objectives = None
    largest = 1.5

    def shape(self, position: Float[Any, "n p"], distance: Float[Any, " n"]) -> Float[Any, "n m"]:
        xp = position.__array_namespace__()
        terms = 6 - xp.exp(position) - 1.5 * xp.sin(1.1 * np.pi * position**2)
        return xp.concatenate([position, (distance * terms.mean(axis=1))[:, None]], axis=1)

    def objective_limits(self, f: Any) -> Limits:
        others = f[:, :-1]
        wave = 1.5 * f.__array_namespace__().sin(1.1 * np.pi * others**2)
        return [f[:, -1] - (6.1 - (1 + others + 0.5 * others**2 + wave)).mean(axis=1)]


ALL = (MW1, MW2, MW3, MW4, MW5, MW6, MW7, MW8, MW9, MW10, MW11, MW12, MW13, MW14)
