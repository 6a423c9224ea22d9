"""Fronts of problems whose constraints depend on a position and a distance, in NumPy and double precision.

At a given position all objectives grow with the distance, so a front consists of the first feasible points along the
distance, one per position, that no other of them dominates. Bisection finds them to about 1e-12.
"""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from tensorrvea.checks import check_integer
from tensorrvea.problems.benchmark import Benchmark
from tensorrvea.problems.fronts import nondominated, unit_points

BISECTIONS = 40


def first_feasible(
    is_feasible: Callable[[np.ndarray], Bool[np.ndarray, " k"]], distances: Float[np.ndarray, " steps"], rows: int
) -> Float[np.ndarray, " k"]:
    """The smallest feasible distance of each row.

    Args:
      is_feasible: which rows are feasible, given their distances (k,).
      distances: increasing values to try; feasible intervals shorter than their steps may be missed.
      rows: their number k.

    Returns:
      feasible distances, (k,); NaN for rows that are nowhere feasible.

    >>> first_feasible(lambda t: t**2 >= np.array([0.0, 2.0, 99.0]), np.linspace(0, 4, 9), 3).round(6).tolist()
    [0.0, 1.414214, nan]
    """
    low, high = np.full(rows, distances[0]), np.full(rows, np.nan)
    for distance in distances:
        missing = np.isnan(high)
        if not missing.any():
            break
        found = is_feasible(np.full(rows, distance)) & missing
        high[found] = distance
        low[missing & ~found] = distance
    low = np.where(high == distances[0], high, low)
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        feasible = is_feasible(np.where(np.isnan(middle), low, middle))
        high = np.where(feasible & ~np.isnan(high), middle, high)
        low = np.where(feasible, low, middle)
    return high


def thin_front(f: Float[np.ndarray, "k m"], points: int) -> Bool[np.ndarray, " k"]:
    """Mask of about ``points`` nondominated rows, evenly many of all rows in their order; NaN rows are left out."""
    kept = ~np.isnan(f).any(axis=1)
    kept[kept] = nondominated(f[kept])
    chosen = np.flatnonzero(kept)
    if len(chosen) > 2 * points:
        chosen = chosen[np.linspace(0, len(chosen) - 1, max(points, 2)).round().astype(int)]
    mask = np.zeros(len(f), bool)
    mask[chosen] = True
    return mask


class ConstrainedByDistance(Benchmark):
    """A problem whose objectives and constraints are functions of a position and one distance.

    A subclass defines ``distance`` and, if it is not the first variables, ``position``; ``shape`` and ``limits`` (or
    ``objective_limits``) of these, in NumPy or JAX; and ``front_positions``, if not all of the unit cube.
    """

    distances_tried: tuple[float, float] = (1.0, 3.0)  # the smallest one, and the largest that the front needs
    steps = 1000

    def position(self, x: Float[Array, "n d"]) -> Float[Array, "n p"]:
        return x[:, : self.objectives - 1]

    def distance(self, x: Float[Array, "n d"]) -> Float[Array, " n"]:
        raise NotImplementedError

    def shape(self, position: Float[Any, "n p"], distance: Float[Any, " n"]) -> Float[Any, "n m"]:
        """The objectives."""
        raise NotImplementedError

    def limits(
        self, f: Float[Any, "n m"], position: Float[Any, "n p"], distance: Float[Any, " n"]
    ) -> list[Float[Any, " n"]]:
        """The constraints, each feasible where ≤ 0."""
        del position, distance
        return self.objective_limits(f)

    def objective_limits(self, f: Float[Any, "n m"]) -> list[Float[Any, " n"]]:
        """The constraints, where they are functions of the objectives alone."""
        raise NotImplementedError

    def objective_values(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        return self.shape(self.position(x), self.distance(x))

    def constraint_values(self, x: Float[Array, "n d"]) -> Float[Array, "n c"]:
        position, distance = self.position(x), self.distance(x)
        return jnp.stack(self.limits(self.shape(position, distance), position, distance), axis=1)

    def front_positions(self, points: int) -> Float[np.ndarray, "k p"]:
        """Positions to try, about ``points`` or more."""
        return unit_points(points, self.objectives - 1)

    def front_parameters(self, points: int = 1000) -> tuple[Float[np.ndarray, "k p"], Float[np.ndarray, " k"]]:
        """Positions and distances of the points that ``front`` returns."""
        check_integer("points", points, minimum=1)
        # A constrained front may be a small part of the unconstrained one. A surface is not thinned if possible, since
        # rows that are evenly many in order are not even in space.
        for density in (4, 16) if self.objectives == 2 else (1, 2, 4, 16):
            position = self.front_positions(density * points + (1000 if self.objectives == 2 else 0))

            def is_feasible(distance: np.ndarray, position: np.ndarray = position) -> np.ndarray:
                f = self.shape(position, distance)
                return np.max(self.limits(f, position, distance), axis=0) <= 0

            distance = first_feasible(is_feasible, np.linspace(*self.distances_tried, self.steps), len(position))
            chosen = thin_front(self.shape(position, distance), points)
            if chosen.sum() >= 0.75 * points:
                break
        return position[chosen], distance[chosen]

    def front(self, points: int = 1000) -> np.ndarray:
        return self.shape(*self.front_parameters(points))
