"""The DTLZ suite: Deb, Thiele, Laumanns and Zitzler, "Scalable Test Problems for Evolutionary Multiobjective
Optimization", 2005. Any number of objectives; the variables beyond the first m − 1 set the distance to the front.
"""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from tensorrvea.checks import check_integer
from tensorrvea.problems.benchmark import Benchmark
from tensorrvea.problems.shapes import cosine_of_turns, linear_shape, spherical_shape
from tensorrvea.reference_vectors import simplex_lattice_of_about


class DTLZ(Benchmark):
    """m − 1 position variables, which choose a point of the front, and k distance variables."""

    distance_variables = 10

    def __init__(self, *, objectives: int = 3, variables: int | None = None):
        m = check_integer("objectives", objectives, minimum=2)
        d = m - 1 + self.distance_variables if variables is None else variables
        super().__init__(objectives=m, variables=check_integer("variables", d, minimum=m, why="at least objectives"))

    def split(self, x: Float[Array, "n d"]) -> tuple[Float[Array, "n p"], Float[Array, "n k"]]:
        """Position and distance variables."""
        return x[:, : self.objectives - 1], x[:, self.objectives - 1 :]


class DTLZ1(DTLZ):
    """A linear front, f₁ + … + fₘ = 1/2, behind 11^k − 1 local ones."""

    distance_variables = 5

    def objective_values(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        position, distance = self.split(x)
        return 0.5 * (1 + multimodal_distance(distance))[:, None] * linear_shape(position)

    def front(self, points: int = 1000) -> np.ndarray:
        return 0.5 * simplex_lattice_of_about(points, self.objectives)


class DTLZ2(DTLZ):
    """A spherical front, f₁² + … + fₘ² = 1."""

    def objective_values(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        position, distance = self.split(x)
        return (1 + ((distance - 0.5) ** 2).sum(axis=1))[:, None] * spherical_shape(position)

    def front(self, points: int = 1000) -> np.ndarray:
        lattice = simplex_lattice_of_about(points, self.objectives)
        return lattice / np.linalg.norm(lattice, axis=1, keepdims=True)


class DTLZ3(DTLZ2):
    """The front of DTLZ2 behind 3^k − 1 local ones."""

    def objective_values(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        position, distance = self.split(x)
        return (1 + multimodal_distance(distance))[:, None] * spherical_shape(position)


class DTLZ4(DTLZ2):
    """The front of DTLZ2, with points crowded towards its edge by a power of the position variables."""

    bias = 100.0

    def objective_values(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        position, distance = self.split(x)
        return (1 + ((distance - 0.5) ** 2).sum(axis=1))[:, None] * spherical_shape(position**self.bias)


def multimodal_distance(distance: Float[Array, "n k"]) -> Float[Array, " n"]:
    """g of DTLZ1 and DTLZ3: 100 · (k + Σ (x − 1/2)² − cos 20π(x − 1/2)).

    k is added inside the sum: each term is then small near the front, where 100 · k would drown it.
    """
    y = distance - 0.5
    return 100 * (y**2 + (1 - cosine_of_turns(10 * y))).sum(axis=1)
