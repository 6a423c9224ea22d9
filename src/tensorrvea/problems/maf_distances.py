"""MaF8 and MaF9 of the MaF suite: distances in the plane to the vertices and to the edges of a regular polygon.

Cheng et al., 2017. MaF9 is the multi-line distance minimisation problem of Li, Grosan, Yang, Liu and Yao, "Multiline
Distance Minimization: A Visualized Many-Objective Test Problem Suite", 2018.
"""

from math import pi
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Array, Float

from tensorrvea.checks import check_integer
from tensorrvea.problems.benchmark import Benchmark

FARTHEST = 10_000.0  # bound of both coordinates
EDGE = 1e-6  # how far outside a point still counts as one of the polygon, since edges are rounded


class PolygonDistances(Benchmark):
    """Two variables, the coordinates of a point; optimal are the points of a regular polygon of radius 1.

    Args:
      objectives: the number m of vertices, 3 or more.
    """

    fewest_objectives: ClassVar[int] = 3
    fixed_variables: ClassVar[int | None] = 2

    def __init__(self, *, objectives: int = 3, variables: int = 2):
        check_integer("objectives", objectives, minimum=3, why="a polygon has three or more vertices")
        self.check_variables(variables)
        super().__init__(objectives=objectives, variables=2, lower=-FARTHEST, upper=FARTHEST)

    def vertices(self) -> Float[np.ndarray, "m 2"]:
        """Vertices of the polygon, clockwise from (0, 1)."""
        angle = 2 * pi * np.arange(self.objectives) / self.objectives
        return np.stack([np.sin(angle), np.cos(angle)], axis=1)

    def distances(self, x: Float[Any, "n 2"]) -> Float[Any, "n m"]:
        """The objectives, in NumPy or JAX."""
        raise NotImplementedError

    def objective_values(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        return self.distances(x)

    def front_solutions(self, points: int = 1000) -> Float[np.ndarray, "k 2"]:
        """Points of the polygon: its vertices, and evenly spread ones in the triangles between them and the centre."""
        check_integer("points", points, minimum=1)
        side = np.tril(np.ones((steps := max(2, int(np.sqrt(2 * points / self.objectives))), steps)))
        first, second = np.nonzero(side)
        outward, along = (first + 1) / steps, second / (first + 1)
        start = self.vertices()
        following = np.roll(start, -1, axis=0)
        edge = start[:, None] + along[None, :, None] * (following - start)[:, None]
        inside = (outward[None, :, None] * edge).reshape(-1, 2)
        return np.vstack([np.zeros((1, 2)), inside])

    def front(self, points: int = 1000) -> np.ndarray:
        return self.distances(self.front_solutions(points))


class MaF8(PolygonDistances):
    """Distances to the vertices of a regular polygon, whose points are optimal; two variables."""

    def distances(self, x: Float[Any, "n 2"]) -> Float[Any, "n m"]:
        vertices = self.vertices().astype(x.dtype)
        columns = [((x - vertex) ** 2).sum(axis=1) ** 0.5 for vertex in vertices]
        return x.__array_namespace__().stack(columns, axis=1)


class MaF9(PolygonDistances):
    """Distances to the lines through the edges of a regular polygon, whose points are optimal; two variables.

    With five or more edges, points around the crossing of two lines outside of the polygon would be optimal as well:
    both distances are smaller than anywhere in the polygon. The paper excludes such points (other implementations
    replace them by random ones). Here they are infeasible, by one constraint.
    """

    def edges(self) -> tuple[Float[np.ndarray, "m 2"], float]:
        """Outward normals of the edges, and their common distance to the centre."""
        angle = 2 * pi * (np.arange(self.objectives) + 0.5) / self.objectives
        return np.stack([np.sin(angle), np.cos(angle)], axis=1), np.cos(pi / self.objectives)

    def outside(self, x: Float[Any, "n 2"]) -> Float[Any, "n m"]:
        """Signed distances to the edges, positive outside of the polygon."""
        normals, radius = self.edges()
        normals = normals.astype(x.dtype)
        return x[:, :1] * normals[:, 0] + x[:, 1:] * normals[:, 1] - radius

    def distances(self, x: Float[Any, "n 2"]) -> Float[Any, "n m"]:
        return abs(self.outside(x))

    def constraint_values(self, x: Float[Array, "n d"]) -> Float[Array, "n c"]:
        return self.excess(x)

    def excess(self, x: Float[Any, "n 2"]) -> Float[Any, "n 1"]:
        """The constraint, in NumPy or JAX.

        The lines of two edges with c others between them cross outside. The sum of the distances to both is at least
        s in the polygon, where s is that sum at the two inner ends of the edges. A point outside with a smaller sum is
        infeasible.
        """
        m, xp = self.objectives, x.__array_namespace__()
        signed = self.outside(x)
        distance = abs(signed)
        deepest = xp.full_like(x[:, 0], -1.0)
        for between in range(1, (m - 1) // 2):
            following = distance[:, (np.arange(m) + between + 1) % m]
            # From a vertex to the line of an edge that is c edges away.
            smallest = 2 * np.sin(pi / m * between) * np.sin(pi / m * (between + 1))
            deepest = xp.maximum(deepest, 1 - (distance + following).min(axis=1) / smallest)
        return xp.minimum(deepest, signed.max(axis=1) - EDGE)[:, None]
