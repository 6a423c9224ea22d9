"""The C-DTLZ suite.

Jain and Deb, "An Evolutionary Many-Objective Optimization Algorithm Using Reference-Point Based Nondominated Sorting
Approach, Part II", 2014.

Constants that the paper leaves open are pymoo's, so that results are comparable.
"""

from typing import Any

import numpy as np
from jaxtyping import Array, Float

from tensorrvea.checks import check_integer, check_number
from tensorrvea.problems.dtlz import DTLZ1, DTLZ2, DTLZ3, DTLZ4
from tensorrvea.problems.fronts import spherical_front


class C1DTLZ1(DTLZ1):
    """Whole front of DTLZ1; only a thin layer above it is feasible."""

    def constraint_values(self, x: Float[Array, "n d"]) -> Float[Array, "n c"]:
        f = self.objective_values(x)
        return f[:, -1:] / 0.6 + f[:, :-1].sum(axis=1, keepdims=True) / 0.5 - 1


class C1DTLZ3(DTLZ3):
    """Whole front of DTLZ3, behind an infeasible band.

    Args:
      radius: of the outer edge of the band, which begins at 4; by default 9 below five objectives, 12.5 up to twelve
        and 15 beyond. (Jain and Deb use 15 for ten.)
    """

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
    """Parts of DTLZ2's front near its corners and its middle.

    Args:
      radius: of each part; by default 0.2 for two objectives, 0.4 for three and 0.5 beyond.
    """

    setting_names = ("radius",)

    def __init__(self, *, objectives: int = 3, variables: int | None = None, radius: float | None = None):
        if radius is None:
            radius = {2: 0.2, 3: 0.4}.get(check_integer("objectives", objectives, minimum=2), 0.5)
        check_number("radius", radius, minimum=0.0, open_minimum=True)
        self.radius = float(radius)
        super().__init__(objectives=objectives, variables=variables)

    def constraint_values(self, x: Float[Array, "n d"]) -> Float[Array, "n c"]:
        return self._outside(self.objective_values(x))

    def _outside(self, f: Any) -> Any:
        """Excess over the nearest ball, around a corner or the middle; maps (n, m) to (n, 1)."""
        m = self.objectives
        centers = np.vstack([np.eye(m), np.full((1, m), m**-0.5)]).astype(f.dtype)
        return ((f[:, None, :] - centers) ** 2).sum(axis=2).min(axis=1, keepdims=True) - self.radius**2

    def front(self, points: int = 1000) -> np.ndarray:
        """The part of the sphere inside the balls, which dominates the rest of each ball."""
        check_integer("points", points, minimum=1)
        m, requested, kept = self.objectives, points, np.empty((0, self.objectives))
        while len(kept) < points and requested <= 100 * points:
            lattice = spherical_front(requested, m)
            if m > 3:  # in many dimensions a lattice has few points around its middle
                inner = 0.75 / m + 0.25 * spherical_front(points, m) ** 2
                lattice = np.vstack([lattice, inner / np.linalg.norm(inner, axis=1, keepdims=True)])
            kept = lattice[self._outside(lattice)[:, 0] <= 1e-12]
            requested *= 2
        return kept


class C3DTLZ4(DTLZ4):
    """DTLZ4's front cut off by one ellipsoid per objective; the outermost is the front."""

    distance_variables = 5

    def constraint_values(self, x: Float[Array, "n d"]) -> Float[Array, "n c"]:
        square = self.objective_values(x) ** 2
        return 1 + 0.75 * square - square.sum(axis=1, keepdims=True)

    def front(self, points: int = 1000) -> np.ndarray:
        sphere = spherical_front(points, self.objectives)
        distance = 1 / np.sqrt(1 - 0.75 * (sphere**2).max(axis=1, keepdims=True))
        # It is 2 at the corners, which fewer than four distance variables cannot reach.
        reachable = distance[:, 0] <= 1 + 0.25 * self.distances
        return (sphere * distance)[reachable]


ALL = (C1DTLZ1, C1DTLZ3, C2DTLZ2, C3DTLZ4)
