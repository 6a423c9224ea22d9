"""The DAS-CMOP suite.

Fan, Li, Cai, Li, Wei, Zhang, Deb and Goodman, "Difficulty Adjustable and Scalable Constrained Multiobjective Test
Problem Toolkit", 2020.

All objectives are a shape of the position plus the distance g. Three kinds of constraints have a difficulty in [0, 1]
each: η for diversity (bands of the position), ζ for feasibility (bounds of g), γ for convergence (ellipses or balls in
the space of the objectives, in front of the unconstrained front and around it).
"""

from collections.abc import Sequence
from math import log
from numbers import Integral
from typing import Any, ClassVar

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from tensorrvea.checks import check_integer, check_number, shown
from tensorrvea.problems.feasible_fronts import ConstrainedByDistance
from tensorrvea.problems.shapes import products, sphere_points
from tensorrvea.problems.sums import sliced_sum
from tensorrvea.problems.trigonometry import cosine_of_turns, versine_of_turns

# The paper's sixteen difficulty triplets (η, ζ, γ).
TRIPLETS = (
    (0.25, 0.0, 0.0), (0.0, 0.25, 0.0), (0.0, 0.0, 0.25), (0.25, 0.25, 0.25),
    (0.5, 0.0, 0.0), (0.0, 0.5, 0.0), (0.0, 0.0, 0.5), (0.5, 0.5, 0.5),
    (0.75, 0.0, 0.0), (0.0, 0.75, 0.0), (0.0, 0.0, 0.75), (0.75, 0.75, 0.75),
    (0.0, 1.0, 0.0), (0.5, 1.0, 0.0), (0.0, 1.0, 0.5), (0.5, 1.0, 0.5),
)  # fmt: skip
BANDS = 20.0  # half turns of a position variable's wave
NEAREST = 0.5  # the smallest feasible distance, where distances are bounded
TOLERANCE = 1e-4  # of the distance where ζ = 1, with which the smallest and largest feasible distance are equal
# Centres of the ellipses of two objectives, and of the balls of three.
ELLIPSES = ((0, 1.5), (1, 0.5), (0, 2.5), (1, 1.5), (2, 0.5), (0, 3.5), (1, 2.5), (2, 1.5), (3, 0.5))
BALLS = ((1, 0, 0), (0, 1, 0), (0, 0, 1), (3**-0.5,) * 3)


class DASCMOP(ConstrainedByDistance):
    """A position, a distance, and three kinds of constraints.

    Args:
      variables: their number d, 30 by default.
      difficulty: the triplet (η, ζ, γ) of numbers in [0, 1], or the number of one of the paper's triplets, from 1 to
        16; 16, which is (0.5, 1, 0.5), by default.
    """

    setting_names = ("difficulty",)
    fixed_objectives: ClassVar[int | None] = 2
    distances_tried = (0.0, 4.0)  # without bounds
    steps = 200  # ellipses and balls are larger than a step

    def __init__(self, *, objectives: int | None = None, variables: int = 30, difficulty: int | Sequence[float] = 16):
        m = self.check_objectives(objectives)
        check_integer("variables", variables, minimum=m, why="m − 1 for the position, the others for the distance")
        self.difficulty = check_difficulty(difficulty)
        zeta = self.difficulty[1]
        if zeta == 1:
            self.distances_tried = (NEAREST - TOLERANCE, NEAREST + TOLERANCE)
        elif zeta > 0:
            self.distances_tried = (NEAREST, NEAREST - log(zeta))
        super().__init__(objectives=m, variables=variables)

    def shape(self, position: Float[Any, "n p"], distance: Float[Any, " n"]) -> Float[Any, "n m"]:
        return self.base(position) + distance[:, None]

    def base(self, position: Float[Any, "n p"]) -> Float[Any, "n m"]:
        """The unconstrained front."""
        raise NotImplementedError

    def limits(
        self, f: Float[Any, "n m"], position: Float[Any, "n p"], distance: Float[Any, " n"]
    ) -> list[Float[Any, " n"]]:
        eta, zeta, gamma = self.difficulty
        xp = f.__array_namespace__()
        bands = [xp.sin(BANDS * np.pi * position[:, 0])]
        if self.objectives == 3:
            bands.append(xp.cos(BANDS * np.pi * position[:, 1]))
        limits = [2 * eta - 1 - wave for wave in bands]
        if zeta == 1:
            limits.append(abs(distance - NEAREST) - TOLERANCE)
        elif zeta > 0:
            limits.append((NEAREST - log(zeta) - distance) * (NEAREST - distance))
        else:
            limits.append(xp.full_like(distance, -1.0))
        return limits + [0.5 * gamma - value for value in self.regions(f)]

    def regions(self, f: Float[Any, "n m"]) -> list[Float[Any, " n"]]:
        """Values that must be at least γ/2: of rotated ellipses around points of the plane."""
        cosine = 0.5**0.5  # of the ellipses' angle, −π/4; its sine is the negative
        values = []
        for first, second in ELLIPSES:
            p, q = f[:, 0] - first, f[:, 1] - second
            values.append(((p + q) * cosine) ** 2 / 0.3 + ((q - p) * cosine) ** 2 / 1.2)
        return values


class Unimodal(DASCMOP):
    """g of DAS-CMOP1 to 3: Σ (x − sin πx₁/2)²."""

    def distance(self, x: Float[Array, "n d"]) -> Float[Array, " n"]:
        return sliced_sum(self.objectives - 1, (x - jnp.sin(0.5 * jnp.pi * x[:, :1])) ** 2)


class MultimodalDASCMOP(DASCMOP):
    """g of DAS-CMOP4 to 8: Σ 1 + (x − 1/2)² − cos 20π(x − 1/2)."""

    def distance(self, x: Float[Array, "n d"]) -> Float[Array, " n"]:
        y = x - 0.5
        return sliced_sum(self.objectives - 1, y * y + versine_of_turns(10 * y))


class Concave(DASCMOP):
    """f₂ = 1 − f₁² at g = 0."""

    def base(self, position: Float[Any, "n p"]) -> Float[Any, "n m"]:
        first = position[:, 0]
        return first.__array_namespace__().stack([first, 1 - first**2], axis=1)


class Convex(DASCMOP):
    """f₂ = 1 − √f₁ at g = 0."""

    def base(self, position: Float[Any, "n p"]) -> Float[Any, "n m"]:
        first = position[:, 0]
        return first.__array_namespace__().stack([first, 1 - first**0.5], axis=1)


class Wavy(DASCMOP):
    """f₂ = 1 − √f₁ + |sin 5πf₁|/2 at g = 0, of which some parts are dominated."""

    def base(self, position: Float[Any, "n p"]) -> Float[Any, "n m"]:
        first = position[:, 0]
        xp = first.__array_namespace__()
        return xp.stack([first, 1 - first**0.5 + 0.5 * abs(xp.sin(5 * np.pi * first))], axis=1)


class ThreeObjectives(DASCMOP):
    """Bands of two position variables, and balls."""

    fixed_objectives = 3
    distances_tried = (0.0, 1.5)

    def regions(self, f: Float[Any, "n m"]) -> list[Float[Any, " n"]]:
        # The paper compares the squared distance with the squared radius.
        gamma = self.difficulty[2]
        return [
            ((f - np.array(center).astype(f.dtype)) ** 2).sum(axis=1) - (0.5 * gamma) ** 2 + 0.5 * gamma
            for center in BALLS
        ]


class DASCMOP1(Concave, Unimodal):
    """Concave shape f₂ = 1 − f₁²; pieces of it and of ellipses."""


class DASCMOP2(Convex, Unimodal):
    """Convex shape f₂ = 1 − √f₁; pieces of it and of ellipses."""


class DASCMOP3(Wavy, Unimodal):
    """Disconnected shape; pieces of it and of ellipses."""


class DASCMOP4(Concave, MultimodalDASCMOP):
    """Front of DAS-CMOP1, with local fronts."""


class DASCMOP5(Convex, MultimodalDASCMOP):
    """Front of DAS-CMOP2, with local fronts."""


class DASCMOP6(Wavy, MultimodalDASCMOP):
    """Front of DAS-CMOP3, with local fronts."""


class DASCMOP7(ThreeObjectives, MultimodalDASCMOP):
    """Patches of a plane, with local fronts."""

    def base(self, position: Float[Any, "n p"]) -> Float[Any, "n m"]:
        return products(position[:, ::-1], 1 - position[:, ::-1])


class Spherical(ThreeObjectives):
    """A sphere at g = 0."""

    def base(self, position: Float[Any, "n p"]) -> Float[Any, "n m"]:
        return sphere_points(position)


class DASCMOP8(Spherical, MultimodalDASCMOP):
    """Patches of a sphere, with local fronts."""


class DASCMOP9(Spherical):
    """Patches of a sphere; each distance variable is linked to the position."""

    def distance(self, x: Float[Array, "n d"]) -> Float[Array, " n"]:
        eighths = jnp.asarray(np.arange(1, self.variables + 1) / (8 * self.variables), x.dtype)
        return sliced_sum(2, (x - cosine_of_turns(eighths * (x[:, :1] + x[:, 1:2]))) ** 2)


ALL = (DASCMOP1, DASCMOP2, DASCMOP3, DASCMOP4, DASCMOP5, DASCMOP6, DASCMOP7, DASCMOP8, DASCMOP9)


def check_difficulty(difficulty: Any) -> tuple[float, ...]:
    """Return a triplet, given itself or its number in the paper."""
    takes = "difficulty must be three numbers in [0, 1], or the number of a triplet from 1 to 16"
    if isinstance(difficulty, Sequence) and not isinstance(difficulty, str):
        if len(difficulty) != 3:
            raise ValueError(f"{takes}, got {shown(difficulty)}")
        for value in difficulty:
            check_number("difficulty", value, minimum=0.0, maximum=1.0, scalar=True)
        return tuple(float(value) for value in difficulty)
    if (
        isinstance(difficulty, bool)
        or not isinstance(difficulty, Integral)
        or int(difficulty) not in range(1, len(TRIPLETS) + 1)
    ):
        raise ValueError(f"{takes}, got {shown(difficulty)}")
    return TRIPLETS[int(difficulty) - 1]
