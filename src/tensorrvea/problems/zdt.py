"""The ZDT suite.

Zitzler, Deb and Thiele, "Comparison of Multiobjective Evolutionary Algorithms: Empirical Results", 2000. Two
objectives; ZDT5 is omitted, since its variables are bit strings.
"""

import jax.numpy as jnp
import numpy as np
import scipy
from jaxtyping import Array, Float

from tensorrvea.checks import check_integer
from tensorrvea.problems.benchmark import Benchmark
from tensorrvea.problems.fronts import record_intervals, spread, unit_points
from tensorrvea.problems.sums import masked_sum, sliced_sum
from tensorrvea.problems.trigonometry import cosine_of_turns, versine_of_turns


class ZDT(Benchmark):
    """f₁ depends on the first variable; f₂ = g · h(f₁, g), where g depends on the others and is 1 on the front."""

    fixed_objectives = 2
    default_variables = 30
    bounds_of_others = (0.0, 1.0)

    def __init__(self, *, objectives: int = 2, variables: int | None = None):
        if check_integer("objectives", objectives, minimum=2) != 2:
            raise ValueError(f"objectives must be 2, as the ZDT problems are defined, got {objectives}")
        d = self.default_variables if variables is None else variables
        check_integer(
            "variables",
            d,
            minimum=2,
            why="the first determines f₁, the others the distance to the front",
        )
        lower, upper = np.tile(np.array(self.bounds_of_others)[:, None], d)
        lower[0], upper[0] = 0.0, 1.0
        super().__init__(objectives=2, variables=d, lower=lower, upper=upper)

    def objective_values(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        f, g = self.first_objective(x[:, 0]), self.distance(x)
        return jnp.stack([f, g * self.shape(f, g)], axis=1)

    def first_objective(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return x

    def distance(self, x: Float[Array, "n d"]) -> Float[Array, " n"]:
        """g of ZDT1 to ZDT3."""
        return 1 + 9 * mean_of_others(x)

    def shape(self, f: Float[Array, " n"], g: Float[Array, " n"]) -> Float[Array, " n"]:
        """h, the shape of the front."""
        raise NotImplementedError


class ZDT1(ZDT):
    """Convex front f₂ = 1 − √f₁."""

    def shape(self, f: Float[Array, " n"], g: Float[Array, " n"]) -> Float[Array, " n"]:
        return 1 - jnp.sqrt(f / g)

    def front(self, points: int = 1000) -> np.ndarray:
        # Even steps of √f₁, since even steps of f₁ would leave a gap at the steep end.
        root = unit_points(points, 1)
        return np.hstack([root**2, 1 - root])


class ZDT2(ZDT):
    """Concave front f₂ = 1 − f₁²."""

    def shape(self, f: Float[Array, " n"], g: Float[Array, " n"]) -> Float[Array, " n"]:
        return 1 - (f / g) ** 2

    def front(self, points: int = 1000) -> np.ndarray:
        f = unit_points(points, 1)
        return np.hstack([f, 1 - f**2])


class ZDT3(ZDT):
    """Disconnected front: five pieces of f₂ = 1 − √f₁ − f₁ sin 10πf₁."""

    def shape(self, f: Float[Array, " n"], g: Float[Array, " n"]) -> Float[Array, " n"]:
        ratio = f / g
        return 1 - jnp.sqrt(ratio) - ratio * cosine_of_turns(5 * f - 0.25)

    def front(self, points: int = 1000) -> np.ndarray:
        f = spread(unit_points(points, 1), record_intervals(_falling_part))
        return np.hstack([f, 1 - _falling_part(f)])


class ZDT4(ZDT1):
    """Front of ZDT1; 21^(d−1) − 1 local fronts."""

    default_variables = 10
    bounds_of_others = (-5.0, 5.0)

    def distance(self, x: Float[Array, "n d"]) -> Float[Array, " n"]:
        # 10(d − 1) is added term by term, as in DTLZ1.
        return 1 + sliced_sum(1, x * x + 10 * versine_of_turns(2 * x))


class ZDT6(ZDT2):
    """Front of ZDT2 from f₁ ≈ 0.281 on; solutions are uneven along the front and rare near it."""

    default_variables = 10

    def first_objective(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        # sin⁶ 6πx; sin² is half a versine.
        return 1 - jnp.exp(-4 * x) * (0.5 * versine_of_turns(6 * x)) ** 3

    def distance(self, x: Float[Array, "n d"]) -> Float[Array, " n"]:
        return 1 + 9 * mean_of_others(x) ** 0.25

    def front(self, points: int = 1000) -> np.ndarray:
        smallest = scipy.optimize.minimize_scalar(
            lambda x: 1 - np.exp(-4 * x) * np.sin(6 * np.pi * x) ** 6, bounds=(0.0, 1 / 6), options={"xatol": 1e-12}
        ).fun
        f = smallest + (1 - smallest) * unit_points(points, 1)
        return np.hstack([f, 1 - f**2])


ALL = (ZDT1, ZDT2, ZDT3, ZDT4, ZDT6)


def mean_of_others(x: Float[Array, "n d"]) -> Float[Array, " n"]:
    """The mean of all variables but the first."""
    return masked_sum(1, x) / (x.shape[1] - 1)


def _falling_part(f: np.ndarray) -> np.ndarray:
    """1 − f₂ on the front of ZDT3."""
    return np.sqrt(f) + f * np.sin(10 * np.pi * f)
