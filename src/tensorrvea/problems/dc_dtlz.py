"""The DC-DTLZ suite.

Li, Chen, Fu and Yao, "Two-Archive Evolutionary Algorithm for Constrained Multiobjective Optimization", 2019, with
pymoo's constants.
"""

from math import acos, pi

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from tensorrvea.problems.dtlz import DTLZ1, DTLZ3, Multimodal
from tensorrvea.problems.fronts import Interval, shape_of_angles, spread, unit_points
from tensorrvea.problems.shapes import products
from tensorrvea.problems.trigonometry import cosine_of_turns


class Bands(Multimodal):
    """Constraints cos(aπv) ≥ b on values v: only bands of v are feasible, the first of which starts at 0."""

    a: float
    b: float

    def band_constraint(self, value: Float[Array, "n c"]) -> Float[Array, "n c"]:
        return self.b - cosine_of_turns(0.5 * self.a * value)

    def bands(self) -> list[Interval]:
        """The feasible parts of [0, 1]."""
        half = acos(self.b) / (self.a * pi)
        middles = np.arange(0, 1 + half, 2 / self.a)
        return [(max(0.0, middle - half), min(1.0, middle + half)) for middle in middles.tolist()]

    def banded_front(self, points: int, banded: int) -> Float[np.ndarray, "k m"]:
        """Distinct points of the front whose first ``banded`` position variables lie inside the bands."""
        unit = unit_points(points, self.objectives - 1)
        position = np.hstack([spread(unit[:, :banded], self.bands()), unit[:, banded:]])
        linear = isinstance(self, DTLZ1)
        f = 0.5 * products(position, 1 - position) if linear else shape_of_angles(position)
        return np.unique(f, axis=0)


class DC1(Bands):
    """Bands of the first variable, which cut the front into slices."""

    a, b = 5.0, 0.95

    def constraint_values(self, x: Float[Array, "n d"]) -> Float[Array, "n c"]:
        return self.band_constraint(x[:, :1])

    def front(self, points: int = 1000) -> np.ndarray:
        return self.banded_front(points, banded=1)


class DC2(Bands):
    """Bands of the distance: the front is whole, and infeasible regions lie between it and far solutions."""

    a, b = 3.0, 0.9

    def constraint_values(self, x: Float[Array, "n d"]) -> Float[Array, "n c"]:
        g = 0.01 * self.distance(x)[:, None]
        return jnp.concatenate([self.band_constraint(g), self.b - jnp.exp(-g)], axis=1)


class DC3(Bands):
    """Bands of every position variable and of the distance, which cut the front into patches."""

    a, b = 5.0, 0.5

    def constraint_values(self, x: Float[Array, "n d"]) -> Float[Array, "n c"]:
        g = self.distance(x)[:, None]
        return self.band_constraint(jnp.concatenate([g, self.position(x)], axis=1))

    def front(self, points: int = 1000) -> np.ndarray:
        return self.banded_front(points, banded=self.objectives - 1)


class DC1DTLZ1(DC1, DTLZ1):
    """Three slices of DTLZ1's front."""


class DC1DTLZ3(DC1, DTLZ3):
    """Three slices of DTLZ3's front."""


class DC2DTLZ1(DC2, DTLZ1):
    """Whole front of DTLZ1; infeasible bands interrupt the way to it."""


class DC2DTLZ3(DC2, DTLZ3):
    """Whole front of DTLZ3; infeasible bands interrupt the way to it."""


class DC3DTLZ1(DC3, DTLZ1):
    """3^(m−1) patches of DTLZ1's front."""


class DC3DTLZ3(DC3, DTLZ3):
    """3^(m−1) patches of DTLZ3's front."""


ALL = (DC1DTLZ1, DC1DTLZ3, DC2DTLZ1, DC2DTLZ3, DC3DTLZ1, DC3DTLZ3)
