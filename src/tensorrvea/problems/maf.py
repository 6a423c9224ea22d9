"""MaF1 to MaF7: Cheng, Li, Tian, Zhang, Yang, Jin and Yao, "A benchmark test suite for evolutionary many-objective
optimization", 2017. Variants of DTLZ whose fronts do not match evenly spread reference vectors.
"""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from tensorrvea.problems.dtlz import DTLZ, DTLZ4, DTLZ7, Multimodal, narrowed_shape
from tensorrvea.problems.fronts import degenerate_curve, linear_front, shape_of_angles, spherical_front, unit_points
from tensorrvea.problems.shapes import linear_shape, spherical_shape
from tensorrvea.problems.sums import masked_sum


class MaF1(DTLZ):
    """Inverted linear front Σ (1 − fᵢ) = 1, which reference vectors of a simplex mostly miss."""

    def objective_values(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        return (1 + self.distance(x))[:, None] * (1 - linear_shape(self.position(x)))

    def front(self, points: int = 1000) -> np.ndarray:
        return 1 - linear_front(points, self.objectives)


class MaF2(DTLZ):
    """Middle of the sphere, angles from π/8 to 3π/8; each objective has its own distance."""

    def objective_values(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        # (x/2 + 1/4 − 1/2)² is a quarter of (x − 1/2)².
        terms = 0.25 * (x - 0.5) ** 2
        distances = [masked_sum(start, terms, end) for start, end in self.distance_ranges()]
        return (1 + jnp.stack(distances, axis=1)) * spherical_shape(0.5 * self.position(x) + 0.25)

    def distance_ranges(self) -> list[tuple[int, int]]:
        """Each objective's distance variables: ⌊k/m⌋ consecutive ones, the last objective all remaining ones."""
        size = self.distances // self.objectives
        starts = [self.positions + i * size for i in range(self.objectives)]
        return list(zip(starts, [*starts[1:], self.variables], strict=True))

    def front(self, points: int = 1000) -> np.ndarray:
        return shape_of_angles(0.5 * unit_points(points, self.objectives - 1) + 0.25)


class MaF3(Multimodal):
    """Convex front √f₁ + … + √fₘ₋₁ + fₘ = 1; local fronts as in DTLZ3."""

    def objective_values(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        f = (1 + self.distance(x))[:, None] * spherical_shape(self.position(x))
        return jnp.concatenate([f[:, :-1] ** 4, f[:, -1:] ** 2], axis=1)

    def front(self, points: int = 1000) -> np.ndarray:
        lattice = linear_front(points, self.objectives)
        return np.hstack([lattice[:, :-1] ** 2, lattice[:, -1:]])


class MaF4(Multimodal):
    """Inverted spherical front scaled by 2, 4, …, 2^m; local fronts as in DTLZ3."""

    def objective_values(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        scale = self.scale().astype(x.dtype)
        return (1 + self.distance(x))[:, None] * (1 - spherical_shape(self.position(x))) * scale

    def scale(self) -> np.ndarray:
        return 2.0 ** np.arange(1, self.objectives + 1)

    def front(self, points: int = 1000) -> np.ndarray:
        return self.scale() * (1 - spherical_front(points, self.objectives))


class MaF5(DTLZ4):
    """Convex front scaled by 2^m, …, 4, 2; most solutions lie near its edge.

    Args:
      exponent: of the objectives: 4 as in the paper, or 1 as in PlatEMO and jMetal, which makes the front concave.
    """

    setting_names = ("exponent",)

    def __init__(self, *, objectives: int = 3, variables: int | None = None, exponent: int = 4):
        if exponent not in (1, 4):
            raise ValueError(f"exponent must be 4, as in the paper, or 1, as in PlatEMO, got {exponent!r}")
        self.exponent = int(exponent)
        super().__init__(objectives=objectives, variables=variables)

    def objective_values(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        f = (1 + self.distance(x))[:, None] * spherical_shape(self.position(x))
        return f**self.exponent * self.scale().astype(x.dtype)

    def scale(self) -> np.ndarray:
        return 2.0 ** np.arange(self.objectives, 0, -1)

    def front(self, points: int = 1000) -> np.ndarray:
        if self.exponent == 1:
            return self.scale() * spherical_front(points, self.objectives)
        # The squares of the sphere's coordinates are coordinates of the simplex.
        return self.scale() * linear_front(points, self.objectives) ** 2


class MaF6(DTLZ):
    """Degenerate front: a curve for any number of objectives."""

    def objective_values(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        g = self.distance(x)[:, None]
        return (1 + 100 * g) * narrowed_shape(self.position(x), g)

    def front(self, points: int = 1000) -> np.ndarray:
        return degenerate_curve(points, self.objectives)


class MaF7(DTLZ7):
    """Disconnected front: that of DTLZ7."""


ALL = (MaF1, MaF2, MaF3, MaF4, MaF5, MaF6, MaF7)
