"""The LIR-CMOP suite.

Fan, Li, Cai, Huang, Fang, You, Mo, Wei and Goodman, "An Improved Epsilon Constraint-Handling Method in MOEA/D for CMOPs
with Large Infeasible Regions", 2019.

The first variable is the position. Of the others, those with odd numbers determine the distance g₁ that enters the
first objective, those with even numbers g₂ of the second one.
"""

from math import cos, pi, sin
from typing import Any, ClassVar

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from tensorrvea.checks import check_integer
from tensorrvea.problems.benchmark import Benchmark
from tensorrvea.problems.feasible_fronts import ConstrainedByDistance, first_feasible, thin_front
from tensorrvea.problems.fronts import spherical_front, spread, unit_points
from tensorrvea.problems.shapes import positions_of_simplex, sphere_points
from tensorrvea.problems.sums import masked_sum, sliced_sum

Ellipse = tuple[float, float, float, float]  # centre f₁ and f₂, and half axes relative to √0.1
NEAREST, FARTHEST = 0.5, 0.51  # feasible distances of LIR-CMOP1 to 4
SHIFT = 0.7057
SCALE = 1.7057


class LIRCMOP(Benchmark):
    """Two objectives with a distance each.

    Args:
      variables: their number d, 30 by default.
    """

    fixed_objectives: ClassVar[int | None] = 2
    convex: ClassVar[bool] = False  # whether the unconstrained front is 1 − √x₁, else 1 − x₁²

    def __init__(self, *, objectives: int | None = None, variables: int = 30):
        self.check_objectives(objectives)
        check_integer("variables", variables, minimum=3, why="one for the position and one for each distance")
        super().__init__(objectives=2, variables=variables)

    def distances(self, x: Float[Array, "n d"]) -> tuple[Float[Array, " n"], Float[Array, " n"]]:
        """g₁ = Σ (x − sin(π s x₁/2))² over the odd, g₂ = Σ (x − cos(π s x₁/2))² over the even variables."""
        numbers = np.arange(1, self.variables + 1)
        odd = numbers % 2 == 1
        angle = 0.5 * pi * x[:, :1] * self.slopes().astype(x.dtype)
        terms = (x - jnp.where(odd, jnp.sin(angle), jnp.cos(angle))) ** 2
        return sliced_sum(1, terms * odd.astype(x.dtype)), sliced_sum(1, terms * (~odd).astype(x.dtype))

    def slopes(self) -> Float[np.ndarray, " d"]:
        """s of each variable: how fast its optimum changes with the position."""
        return np.arange(1, self.variables + 1) / self.variables

    def second(self, position: Float[Any, " n"]) -> Float[Any, " n"]:
        """The second objective of the unconstrained front."""
        return 1 - (position**0.5 if self.convex else position**2)

    def objective_values(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        return self.shape(x[:, 0], *self.distances(x))

    def shape(self, position: Float[Any, " n"], first: Float[Any, " n"], second: Float[Any, " n"]) -> Float[Any, "n m"]:
        """Objectives of a position and two distances, in NumPy or JAX."""
        raise NotImplementedError


class Bounded(LIRCMOP):
    """LIR-CMOP1 to 4: only distances between 0.5 and 0.51 are feasible, and in two problems bands of x₁."""

    banded: ClassVar[bool] = False

    def slopes(self) -> Float[np.ndarray, " d"]:
        return np.ones(self.variables)

    def shape(self, position: Any, first: Any, second: Any) -> Any:
        return position.__array_namespace__().stack([position + first, self.second(position) + second], axis=1)

    def constraint_values(self, x: Float[Array, "n d"]) -> Float[Array, "n c"]:
        limits = [(g - FARTHEST) * (g - NEAREST) for g in self.distances(x)]
        if self.banded:
            limits.append(0.5 - jnp.sin(20 * pi * x[:, 0]))
        return jnp.stack(limits, axis=1)

    def front(self, points: int = 1000) -> np.ndarray:
        position = unit_points(points, 1)[:, 0]
        if self.banded:
            starts = (np.arange(0, 20, 2) + 1 / 6) / 20
            position = spread(position, [(start, start + 1 / 30) for start in starts.tolist()])
        return self.shape(position, np.full(len(position), NEAREST), np.full(len(position), NEAREST))


class LIRCMOP1(Bounded):
    """Concave front; only a thin layer of distances is feasible."""


class LIRCMOP2(Bounded):
    """Convex front; only a thin layer of distances is feasible."""

    convex = True


class LIRCMOP3(LIRCMOP1):
    """Ten pieces of the front of LIR-CMOP1."""

    banded = True


class LIRCMOP4(LIRCMOP2):
    """Ten pieces of the front of LIR-CMOP2."""

    banded = True


class Regions(LIRCMOP):
    """LIR-CMOP5 to 12: infeasible ellipses in the space of the objectives."""

    ellipses: ClassVar[tuple[Ellipse, ...]] = ()
    lowest: ClassVar[float] = SHIFT  # the smallest value of each objective

    def shape(self, position: Any, first: Any, second: Any) -> Any:
        f = [position + 10 * first + SHIFT, self.second(position) + 10 * second + SHIFT]
        return position.__array_namespace__().stack(f, axis=1)

    def constraint_values(self, x: Float[Array, "n d"]) -> Float[Array, "n c"]:
        return jnp.stack(self.limits(self.objective_values(x)), axis=1)

    def limits(self, f: Float[Any, "n m"]) -> list[Float[Any, " n"]]:
        """Constraints of the objectives, in NumPy or JAX."""
        cosine, sine, values = cos(-0.25 * pi), sin(-0.25 * pi), []
        for center_1, center_2, a, b in self.ellipses:
            p, q = f[:, 0] - center_1, f[:, 1] - center_2
            values.append(0.1 - ((p * cosine - q * sine) / a) ** 2 - ((p * sine + q * cosine) / b) ** 2)
        return values

    def unconstrained(self, first: Float[np.ndarray, " k"]) -> Float[np.ndarray, " k"]:
        """The smallest second objective at a first one, without constraints."""
        return SHIFT + self.second((first - SHIFT).clip(0, 1))

    def unconstrained_first(self, second: Float[np.ndarray, " k"]) -> Float[np.ndarray, " k"]:
        """The inverse of ``unconstrained``."""
        rest = 1 - (second - SHIFT).clip(0, 1)
        return SHIFT + (rest**2 if self.convex else rest**0.5)

    def front(self, points: int = 1000) -> np.ndarray:
        """The first feasible points above and to the right of the unconstrained front.

        Both distances are free, so that everything above the unconstrained front can be attained.
        """
        check_integer("points", points, minimum=1)
        start = np.linspace(self.lowest, self.lowest + 3, 2 * points + 1000)
        sides = []
        for swapped, other in ((False, self.unconstrained(start)), (True, self.unconstrained_first(start))):

            def at(rise: np.ndarray, other: np.ndarray = other, swapped: bool = swapped) -> np.ndarray:
                f = np.stack([start, other + rise], axis=1)
                return f[:, ::-1] if swapped else f

            def is_feasible(rise: np.ndarray, at: Any = at) -> np.ndarray:
                return np.max(self.limits(at(rise)), axis=0) <= 0

            sides.append(at(first_feasible(is_feasible, np.linspace(0, 4, 1000), len(start))))
        candidates = np.vstack(sides)
        order = np.argsort(candidates[:, 0], kind="stable")
        return candidates[order][thin_front(candidates[order], points)]


class LIRCMOP5(Regions):
    """Convex front, the unconstrained one; infeasible ellipses lie before it."""

    convex = True
    ellipses = ((1.6, 1.6, 2.0, 4.0), (2.5, 2.5, 2.0, 8.0))


class LIRCMOP6(Regions):
    """Concave front, the unconstrained one; infeasible ellipses lie before it."""

    ellipses = ((1.8, 1.8, 2.0, 8.0), (2.8, 2.8, 2.0, 8.0))


class LIRCMOP7(Regions):
    """Boundary of an infeasible ellipse that contains the unconstrained convex front."""

    convex = True
    ellipses = ((1.2, 1.2, 2.0, 6.0), (2.25, 2.25, 2.5, 12.0), (3.5, 3.5, 2.5, 10.0))


class LIRCMOP8(Regions):
    """Boundary of an infeasible ellipse that contains the unconstrained concave front."""

    ellipses = LIRCMOP7.ellipses


class Waves(Regions):
    """LIR-CMOP9 to 12: an ellipse, and a wavy line that the objectives must exceed."""

    height: ClassVar[float] = 0.0  # of the wavy line
    lowest = 0.0

    def shape(self, position: Any, first: Any, second: Any) -> Any:
        f = [SCALE * position * (10 * first + 1), SCALE * self.second(position) * (10 * second + 1)]
        return position.__array_namespace__().stack(f, axis=1)

    def limits(self, f: Float[Any, "n m"]) -> list[Float[Any, " n"]]:
        along, across = (f[:, 0] + f[:, 1]) * 0.5**0.5, (f[:, 0] - f[:, 1]) * 0.5**0.5
        wave = f.__array_namespace__().sin(4 * pi * across)
        return [*super().limits(f), self.height + wave - along]

    def unconstrained(self, first: Float[np.ndarray, " k"]) -> Float[np.ndarray, " k"]:
        return SCALE * self.second((first / SCALE).clip(0, 1))

    def unconstrained_first(self, second: Float[np.ndarray, " k"]) -> Float[np.ndarray, " k"]:
        rest = 1 - (second / SCALE).clip(0, 1)
        return SCALE * (rest**2 if self.convex else rest**0.5)


class LIRCMOP9(Waves):
    """Pieces of a concave front, between the tips of a wavy line."""

    ellipses = ((1.4, 1.4, 1.5, 6.0),)
    height = 2.0


class LIRCMOP10(Waves):
    """Pieces of a convex front, between the tips of a wavy line."""

    convex = True
    ellipses = ((1.1, 1.2, 2.0, 4.0),)
    height = 1.0


class LIRCMOP11(Waves):
    """Tips of a wavy line beyond a convex front."""

    convex = True
    ellipses = ((1.2, 1.2, 1.5, 5.0),)
    height = 2.1


class LIRCMOP12(Waves):
    """Tips of a wavy line beyond a concave front."""

    ellipses = ((1.6, 1.6, 1.5, 6.0),)
    height = 2.5


class LIRCMOP13(ConstrainedByDistance):
    """The sphere of radius 1.7057; shells around it are infeasible.

    Args:
      variables: their number d, 30 by default.
    """

    fixed_objectives = 3
    shells: ClassVar[tuple[tuple[float, float], ...]] = ((3.0, 2.0), (1.9, 1.8))
    distances_tried = (0.0, 2.0)
    steps = 200

    def __init__(self, *, objectives: int | None = None, variables: int = 30):
        self.check_objectives(objectives)
        check_integer("variables", variables, minimum=3, why="two for the position, the others for the distance")
        super().__init__(objectives=3, variables=variables)

    def distance(self, x: Float[Array, "n d"]) -> Float[Array, " n"]:
        return 10 * masked_sum(2, (x - 0.5) ** 2)

    def shape(self, position: Float[Any, "n p"], distance: Float[Any, " n"]) -> Float[Any, "n m"]:
        return (SCALE + distance)[:, None] * sphere_points(position)

    def objective_limits(self, f: Float[Any, "n m"]) -> list[Float[Any, " n"]]:
        square = (f**2).sum(axis=1)
        return [(square - outer**2) * (inner**2 - square) for outer, inner in self.shells]

    def front_positions(self, points: int) -> Float[np.ndarray, "k p"]:
        return np.arcsin(np.sqrt(positions_of_simplex(spherical_front(points, 3) ** 2))) * 2 / pi


class LIRCMOP14(LIRCMOP13):
    """The sphere of radius 1.75, the edge of an infeasible shell."""

    shells = ((3.0, 2.0), (1.9, 1.8), (1.75, 1.6))


ALL = (
    LIRCMOP1, LIRCMOP2, LIRCMOP3, LIRCMOP4, LIRCMOP5, LIRCMOP6, LIRCMOP7,
    LIRCMOP8, LIRCMOP9, LIRCMOP10, LIRCMOP11, LIRCMOP12, LIRCMOP13, LIRCMOP14,
)  # fmt: skip
