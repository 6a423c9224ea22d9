"""The DTLZ suite.

Deb, Thiele, Laumanns and Zitzler, "Scalable Test Problems for Evolutionary Multiobjective Optimization", 2005. The
first m − 1 variables select a point of the front, the others determine the distance to it.
"""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from tensorrvea.checks import check_integer
from tensorrvea.problems.benchmark import Benchmark
from tensorrvea.problems.fronts import degenerate_front, disconnected_front, linear_front, spherical_front
from tensorrvea.problems.shapes import linear_shape, spherical_shape
from tensorrvea.problems.sums import masked_sum, sliced_sum
from tensorrvea.problems.trigonometry import cosine_of_turns, versine_of_turns


class DTLZ(Benchmark):
    """m − 1 position variables, which select a point of the front, and k distance variables."""

    distance_variables = 10

    def __init__(self, *, objectives: int = 3, variables: int | None = None):
        m = check_integer("objectives", objectives, minimum=2, why="one objective has no trade-offs")
        d = m - 1 + self.distance_variables if variables is None else variables
        check_integer("variables", d, minimum=m, why="m − 1 select a point of the front, the others its distance")
        super().__init__(objectives=m, variables=d)

    @property
    def positions(self) -> int:
        """The number of position variables, m − 1."""
        return self.objectives - 1

    @property
    def distances(self) -> int:
        """The number of distance variables, k."""
        return self.variables - self.positions

    def position(self, x: Float[Array, "n d"]) -> Float[Array, "n p"]:
        return x[:, : self.positions]

    def distance(self, x: Float[Array, "n d"]) -> Float[Array, " n"]:
        """g of DTLZ2, DTLZ4 and DTLZ5: Σ (x − 1/2)², over the distance variables."""
        return masked_sum(self.positions, (x - 0.5) ** 2)


class Multimodal(DTLZ):
    """The distance of DTLZ1 and DTLZ3."""

    def distance(self, x: Float[Array, "n d"]) -> Float[Array, " n"]:
        """100 · (k + Σ (x − 1/2)² − cos 20π(x − 1/2)), over the k distance variables.

        k is added term by term: near the front each term is small, and adding 100 · k at the end would cancel it.
        """
        y = x - 0.5
        return 100 * sliced_sum(self.positions, y * y + versine_of_turns(10 * y))


class DTLZ1(Multimodal):
    """Linear front Σ fᵢ = 1/2; 11^k − 1 local fronts."""

    distance_variables = 5

    def objective_values(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        return 0.5 * (1 + self.distance(x))[:, None] * linear_shape(self.position(x))

    def front(self, points: int = 1000) -> np.ndarray:
        return 0.5 * linear_front(points, self.objectives)


class DTLZ2(DTLZ):
    """Spherical front Σ fᵢ² = 1."""

    def objective_values(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        return (1 + self.distance(x))[:, None] * spherical_shape(self.position(x))

    def front(self, points: int = 1000) -> np.ndarray:
        return spherical_front(points, self.objectives)


class DTLZ3(Multimodal, DTLZ2):
    """Spherical front; 3^k − 1 local fronts."""


class DTLZ4(DTLZ2):
    """Spherical front; most solutions lie near its edge."""

    def position(self, x: Float[Array, "n d"]) -> Float[Array, "n p"]:
        return super().position(x) ** 100.0


class DTLZ5(DTLZ):
    """Degenerate front: a curve for m ≤ 3.

    With four or more objectives the front is more than the curve (Huband et al., 2006): far from it the angles gain
    more than the distance costs. ``front`` returns the curve and a sample of the rest.
    """

    largest_term = 0.25  # of the sum ``distance``

    def objective_values(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        g = self.distance(x)[:, None]
        return (1 + g) * narrowed_shape(self.position(x), g)

    def front(self, points: int = 1000) -> np.ndarray:
        return degenerate_front(points, self.objectives, farthest=self.largest_term * self.distances)


class DTLZ6(DTLZ5):
    """Degenerate front: a curve for m ≤ 3, with most solutions far from it."""

    largest_term = 1.0

    def distance(self, x: Float[Array, "n d"]) -> Float[Array, " n"]:
        # x^(1/10) by logarithm and exponential, which compile to vector code; zero stays zero.
        return masked_sum(self.positions, jnp.exp(0.1 * jnp.log(x)))


class DTLZ7(DTLZ):
    """Disconnected front: 2^(m−1) pieces."""

    distance_variables = 20

    def objective_values(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        g = 1 + 9 * masked_sum(self.positions, x) / self.distances
        return disconnected_values(self.position(x), g)

    def front(self, points: int = 1000) -> np.ndarray:
        return disconnected_front(points, self.objectives)


ALL = (DTLZ1, DTLZ2, DTLZ3, DTLZ4, DTLZ5, DTLZ6, DTLZ7)


def narrowed_shape(position: Float[Array, "n p"], g: Float[Array, "n 1"]) -> Float[Array, "n m"]:
    """The sphere of DTLZ5: the first angle is free, the others approach an eighth of a turn as g approaches 0."""

    def narrowed(angle: Float[Array, "n p"]) -> Float[Array, "n p"]:
        return jnp.concatenate([angle[:, :1], (1 + 2 * g * angle[:, 1:]) / (2 * (1 + g))], axis=1)

    # The complement of a narrowed angle is the narrowed complement.
    return spherical_shape(narrowed(position), narrowed(1 - position))


def disconnected_values(position: Float[Array, "n p"], g: Float[Array, " n"]) -> Float[Array, "n m"]:
    """Objectives of DTLZ7: the position variables, and (1 + g) · (m − Σ fᵢ/(1 + g) · (1 + sin 3πfᵢ))."""
    # Column by column, since summing the few columns of a tall array is slow.
    columns = [position[:, i] for i in range(position.shape[1])]
    last = (len(columns) + 1) * (1 + g)
    for f in columns:
        last = last - f * (1 + cosine_of_turns(1.5 * f - 0.25))
    return jnp.stack([*columns, last], axis=1)
