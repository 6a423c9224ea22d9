"""Constrained DTLZ: Jain and Deb, "An Evolutionary Many-Objective Optimization Algorithm Using Reference-Point
Based Nondominated Sorting Approach, Part II", 2014 (C1 to C3), and Li, Chen, Fu and Yao, "Two-Archive Evolutionary
Algorithm for Constrained Multiobjective Optimization", 2019 (DC1 to DC3).

Where the papers leave a constant open, it is pymoo's, so that figures can be compared.
"""

from math import acos, pi
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from tensorrvea.checks import check_integer, check_number
from tensorrvea.problems.dtlz import DTLZ, DTLZ1, DTLZ2, DTLZ3, DTLZ4, multimodal_distance
from tensorrvea.problems.fronts import (
    Interval,
    shape_of_angles,
    shape_of_factors,
    spherical_front,
    spread,
    unit_points,
)
from tensorrvea.problems.trigonometry import cosine_of_turns


class C1DTLZ1(DTLZ1):
    """DTLZ1 where only a thin layer above the front is feasible; all of the front is."""

    constrained = True

    def constraint_values(self, x: Float[Array, "n d"]) -> Float[Array, "n c"]:
        f = self.objective_values(x)
        return f[:, -1:] / 0.6 + f[:, :-1].sum(axis=1, keepdims=True) / 0.5 - 1


class C1DTLZ3(DTLZ3):
    """DTLZ3 with a band that cannot be crossed, between 4 and ``radius`` from the origin; all of the front is feasible.

    Args:
      radius: where the band ends; 9 below five objectives, 12.5 up to twelve and 15 beyond, if not given. (Jain
        and Deb take 15 for ten.)
    """

    constrained = True
    setting_names = ("radius",)

    def __init__(self, *, objectives: int = 3, variables: int | None = None, radius: float | None = None):
        if radius is None:
            check_integer("objectives", objectives, minimum=2)
            radius = 9.0 if objectives < 5 else 12.5 if objectives <= 12 else 15.0
        check_number("radius", radius, minimum=4.0, open_minimum=True)
        self.radius = float(radius)
        super().__init__(objectives=objectives, variables=variables)

    def constraint_values(self, x: Float[Array, "n d"]) -> Float[Array, "n c"]:
        square = (self.objective_values(x) ** 2).sum(axis=1, keepdims=True)
        return -(square - 16) * (square - self.radius**2)


class C2DTLZ2(DTLZ2):
    """DTLZ2 of whose front only the parts near the corners and the middle are feasible.

    Args:
      radius: how near; 0.2 for two objectives, 0.4 for three and 0.5 beyond, if not given.
    """

    constrained = True
    setting_names = ("radius",)

    def __init__(self, *, objectives: int = 3, variables: int | None = None, radius: float | None = None):
        if radius is None:
            radius = {2: 0.2, 3: 0.4}.get(objectives, 0.5)
        check_number("radius", radius, minimum=0.0, open_minimum=True)
        self.radius = float(radius)
        super().__init__(objectives=objectives, variables=variables)

    def constraint_values(self, x: Float[Array, "n d"]) -> Float[Array, "n c"]:
        return self._outside(self.objective_values(x))

    def _outside(self, f: Any) -> Any:
        """How far outside the nearest ball: one around each corner, one around the middle. (n, m) to (n, 1)."""
        m = self.objectives
        centers = np.vstack([np.eye(m), np.full((1, m), m**-0.5)]).astype(f.dtype)
        return ((f[:, None, :] - centers) ** 2).sum(axis=2).min(axis=1, keepdims=True) - self.radius**2

    def front(self, points: int = 1000) -> np.ndarray:
        """The sphere inside the balls: a point behind it in a ball has one of the sphere in the ball before it."""
        check_integer("points", points, minimum=1)
        m, wanted, kept = self.objectives, points, np.empty((0, self.objectives))
        while len(kept) < points and wanted <= 100 * points:
            lattice = spherical_front(wanted, m)
            if m > 3:  # in many dimensions a lattice has next to nothing around its middle
                inner = 0.75 / m + 0.25 * spherical_front(points, m) ** 2
                lattice = np.vstack([lattice, inner / np.linalg.norm(inner, axis=1, keepdims=True)])
            kept = lattice[self._outside(lattice)[:, 0] <= 1e-12]
            wanted *= 2
        return kept


class C3DTLZ4(DTLZ4):
    """DTLZ4 whose front is cut off by one ellipsoid an objective: the feasible front is where the outermost lies."""

    constrained = True
    distance_variables = 5

    def constraint_values(self, x: Float[Array, "n d"]) -> Float[Array, "n c"]:
        square = self.objective_values(x) ** 2
        return 1 + 0.75 * square - square.sum(axis=1, keepdims=True)

    def front(self, points: int = 1000) -> np.ndarray:
        sphere = spherical_front(points, self.objectives)
        distance = 1 / np.sqrt(1 - 0.75 * (sphere**2).max(axis=1, keepdims=True))
        # The last, at the corners, is 2: with fewer than four distance variables it is out of reach.
        reached = distance[:, 0] <= 1 + 0.25 * self.distances
        return (sphere * distance)[reached]


class Bands(DTLZ):
    """Constraints cos(aπv) ≥ b of some values v: only bands of them are feasible, the first of which starts at 0."""

    constrained = True
    a: float
    b: float

    def outside(self, value: Float[Array, "n c"]) -> Float[Array, "n c"]:
        return self.b - cosine_of_turns(0.5 * self.a * value)

    def bands(self) -> list[Interval]:
        """What is feasible of [0, 1]."""
        half = acos(self.b) / (self.a * pi)
        middles = np.arange(0, 1 + half, 2 / self.a)
        return [(max(0.0, middle - half), min(1.0, middle + half)) for middle in middles.tolist()]

    def banded_positions(self, points: int, banded: int) -> Float[np.ndarray, "k p"]:
        """Position variables, the first ``banded`` of them inside the bands."""
        unit = unit_points(points, self.objectives - 1)
        return np.hstack([spread(unit[:, :banded], self.bands()), unit[:, banded:]])


class DC1(Bands):
    """Bands of the first variable: the front is in slices."""

    a, b = 5.0, 0.95

    def constraint_values(self, x: Float[Array, "n d"]) -> Float[Array, "n c"]:
        return self.outside(x[:, :1])


class DC2(Bands):
    """Bands of the distance, none of them feasible far out: the way to the front is interrupted, the front whole."""

    a, b = 3.0, 0.9

    def constraint_values(self, x: Float[Array, "n d"]) -> Float[Array, "n c"]:
        g = 0.01 * multimodal_distance(x, self.positions)[:, None]
        return jnp.concatenate([self.outside(g), self.b - jnp.exp(-g)], axis=1)


class DC3(Bands):
    """Bands of every position variable and of the distance: the front is in patches."""

    a, b = 5.0, 0.5

    def constraint_values(self, x: Float[Array, "n d"]) -> Float[Array, "n c"]:
        g = multimodal_distance(x, self.positions)[:, None]
        return self.outside(jnp.concatenate([g, self.position(x)], axis=1))


class DC1DTLZ1(DC1, DTLZ1):
    """DTLZ1 with bands of the first variable: three slices of the front."""

    def front(self, points: int = 1000) -> np.ndarray:
        return linear_front_at(self.banded_positions(points, banded=1))


class DC1DTLZ3(DC1, DTLZ3):
    """DTLZ3 with bands of the first variable: three slices of the front."""

    def front(self, points: int = 1000) -> np.ndarray:
        return spherical_front_at(self.banded_positions(points, banded=1))


class DC2DTLZ1(DC2, DTLZ1):
    """DTLZ1 with bands of the distance; all of the front is feasible."""


class DC2DTLZ3(DC2, DTLZ3):
    """DTLZ3 with bands of the distance; all of the front is feasible."""


class DC3DTLZ1(DC3, DTLZ1):
    """DTLZ1 with bands of every position variable and of the distance: 3^(m−1) patches of the front."""

    def front(self, points: int = 1000) -> np.ndarray:
        return linear_front_at(self.banded_positions(points, banded=self.objectives - 1))


class DC3DTLZ3(DC3, DTLZ3):
    """DTLZ3 with bands of every position variable and of the distance: 3^(m−1) patches of the front."""

    def front(self, points: int = 1000) -> np.ndarray:
        return spherical_front_at(self.banded_positions(points, banded=self.objectives - 1))


def linear_front_at(position: Float[np.ndarray, "k p"]) -> Float[np.ndarray, "k m"]:
    """DTLZ1's front at given position variables, each point once."""
    return np.unique(0.5 * shape_of_factors(position, 1 - position), axis=0)


def spherical_front_at(position: Float[np.ndarray, "k p"]) -> Float[np.ndarray, "k m"]:
    """DTLZ3's front at given position variables, each point once."""
    return np.unique(shape_of_angles(position), axis=0)
