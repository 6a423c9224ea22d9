"""The MaF suite.

Cheng, Li, Tian, Zhang, Yang, Jin and Yao, "A benchmark test suite for evolutionary many-objective optimization", 2017.
Variants of DTLZ (1 to 7), distances in the plane (8 and 9, in ``maf_distances``), and variants of WFG (10 to 12), of
Saxena et al. (13) and of LSMOP (14 and 15), whose fronts do not match evenly spread vectors.
"""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from tensorrvea.checks import check_integer
from tensorrvea.problems.benchmark import Benchmark
from tensorrvea.problems.dtlz import DTLZ, DTLZ4, DTLZ7, Multimodal, narrowed_shape
from tensorrvea.problems.fronts import degenerate_curve, linear_front, shape_of_angles, spherical_front, unit_points
from tensorrvea.problems.lsmop import LSMOP3, LSMOP8
from tensorrvea.problems.maf_distances import MaF8, MaF9
from tensorrvea.problems.shapes import linear_shape, spherical_shape
from tensorrvea.problems.sums import masked_sum
from tensorrvea.problems.trigonometry import cosine_of_turns
from tensorrvea.problems.wfg import WFG1, WFG2, WFG9


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


class MaF10(WFG1):
    """Front of WFG1, convex with waves; one position variable per objective but one."""

    distance_variables = 10
    positions_per_objective = 1


class MaF11(WFG2):
    """Front of WFG2, disconnected; one position variable per objective but one."""

    distance_variables = 10
    positions_per_objective = 1


class MaF12(WFG9):
    """Front of WFG9, concave; one position variable per objective but one."""

    distance_variables = 10
    positions_per_objective = 1


class MaF13(Benchmark):
    """Degenerate front: a part of a sphere in the first three objectives; all others are equal.

    Problem P7 of Saxena, Zhang, Duro and Tiwari, "Framework for Many-Objective Test Problems with Both Simple and
    Complicated Pareto-Set Shapes", 2011.

    Args:
      objectives: their number m, 3 or more.
      variables: their number d, 5 by default.
    """

    fewest_objectives = 3

    def __init__(self, *, objectives: int = 3, variables: int = 5):
        check_integer("objectives", objectives, minimum=3, why="the front is a part of a sphere in three dimensions")
        check_integer("variables", variables, minimum=5, why="two for the position, one for each kind of distance")
        bound = np.where(np.arange(variables) < 2, 1.0, 2.0)
        super().__init__(objectives=objectives, variables=variables, lower=np.where(bound == 1, 0.0, -2.0), upper=bound)

    def objective_values(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        number = np.arange(1, self.variables + 1)
        turns = x[:, :1] + (0.5 * number / self.variables).astype(x.dtype)
        square = (x - 2 * x[:, 1:2] * cosine_of_turns(turns - 0.25)) ** 2

        def mean(chosen: Bool[np.ndarray, " d"]) -> Float[Array, " n"]:
            return 2 * (square * (chosen / chosen.sum()).astype(x.dtype)).sum(axis=1)

        sphere = spherical_shape(x[:, :2])
        # Of the first objective, whose distance has the numbers 4, 7, …, to the third, with 3, 6, ….
        first = [sphere[:, 2 - i] + mean((number >= 3) & (number % 3 == (i + 1) % 3)) for i in range(3)]
        last = first[0] ** 2 + first[1] ** 10 + first[2] ** 10 + mean(number >= 4)
        return jnp.stack([*first, *[last] * (self.objectives - 3)], axis=1)

    def front(self, points: int = 1000) -> np.ndarray:
        sphere = spherical_front(points, 3)
        last = sphere[:, :1] ** 2 + (sphere[:, 1:] ** 10).sum(axis=1, keepdims=True)
        return np.hstack([sphere, np.repeat(last, self.objectives - 3, axis=1)])


class MaF14(LSMOP3):
    """Linear front: LSMOP3 with two parts per group and 20 variables per objective."""

    def __init__(self, *, objectives: int = 3, variables: int | None = None, subcomponents: int = 2):
        d = 20 * check_integer("objectives", objectives, minimum=2) if variables is None else variables
        super().__init__(objectives=objectives, variables=d, subcomponents=subcomponents)


class MaF15(LSMOP8):
    """Inverted spherical front: LSMOP8 upside down, with two parts per group and 20 variables per objective."""

    def __init__(self, *, objectives: int = 3, variables: int | None = None, subcomponents: int = 2):
        d = 20 * check_integer("objectives", objectives, minimum=2) if variables is None else variables
        super().__init__(objectives=objectives, variables=d, subcomponents=subcomponents)

    def front_shape(self, position: Float[Array, "n p"]) -> Float[Array, "n m"]:
        return 1 - spherical_shape(position)

    def front(self, points: int = 1000) -> np.ndarray:
        return 1 - spherical_front(points, self.objectives)


ALL = (
    MaF1, MaF2, MaF3, MaF4, MaF5, MaF6, MaF7, MaF8, MaF9, MaF10, MaF11, MaF12, MaF13, MaF14, MaF15,
)  # fmt: skip
