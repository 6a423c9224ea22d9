"""The LSMOP suite.

Cheng, Jin, Olhofer and Sendhoff, "Test Problems for Large-Scale Multiobjective and Many-Objective Optimization", 2017.

The first m − 1 variables select a point of the front. The others are linked to the first variable, then divided into
m groups of uneven sizes (from a chaotic map) of ``subcomponents`` equal parts each. A basic function of each part, one
for groups 1, 3, … and another for groups 2, 4, …, gives a group's distance, and a correlation matrix determines which
groups' distances enter an objective.

Sizes and linkage follow the authors' program for a given number of variables d: parts have
⌊share · (d − m + 1) / subcomponents⌋ variables, and the remaining variables at the end have no effect.

In LSMOP3, 6 and 7, Rosenbrock's minimum requires some variables to be (1 + 10 x₁)/scale, which can exceed their upper
bound of 10 when x₁ is close to 1. There the attainable front lies slightly behind the simplex or sphere that the paper,
and ``front``, give.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import ClassVar

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from tensorrvea.checks import check_integer
from tensorrvea.problems.basic_functions import Parts, ackley, griewank, rastrigin, rosenbrock, schwefel, sphere
from tensorrvea.problems.benchmark import Benchmark
from tensorrvea.problems.dtlz import disconnected_values
from tensorrvea.problems.fronts import disconnected_front, linear_front, spherical_front
from tensorrvea.problems.shapes import linear_shape, spherical_shape

BasicFunction = Callable[[Float[Array, "n d"], Parts], Float[Array, "n s"]]

LARGEST = 10.0  # upper bound of the linked variables


class LSMOP(Benchmark):
    """Groups of linked variables.

    Args:
      objectives: their number m, 2 or more.
      variables: their number d; 100 m by default.
      subcomponents: the number of equal parts per group, n_k in the paper.
    """

    setting_names = ("subcomponents",)
    basic: ClassVar[tuple[BasicFunction, ...]] = ()  # of the groups 1, 3, … and 2, 4, …

    def __init_subclass__(cls, *, basic: tuple[BasicFunction, ...] | None = None):
        super().__init_subclass__()
        cls.basic = basic or cls.basic

    def __init__(self, *, objectives: int = 3, variables: int | None = None, subcomponents: int = 5):
        m = check_integer("objectives", objectives, minimum=2, why="one objective has no trade-offs")
        self.subcomponents = check_integer("subcomponents", subcomponents, minimum=1)
        d = 100 * m if variables is None else variables
        least = smallest_size(m, subcomponents)
        check_integer("variables", d, minimum=least, why="one per part of each group")
        self.part_sizes = part_sizes(m, d, subcomponents)
        upper = np.full(d, LARGEST)
        upper[: m - 1] = 1.0
        super().__init__(objectives=m, variables=d, upper=upper)

    def linkage(self) -> Float[np.ndarray, " d"]:
        """Factors of the linked variables; those of the first m − 1 have no effect."""
        raise NotImplementedError

    def group_distances(self, x: Float[Array, "n d"]) -> list[Float[Array, " n"]]:
        """Per group, the mean of its basic function over its parts, divided by the size of a part."""
        linked = x * self.linkage().astype(x.dtype) - LARGEST * x[:, :1]
        first, distances = self.objectives - 1, []
        for i, size in enumerate(self.part_sizes):
            parts = Parts(first=first, count=self.subcomponents, size=size)
            distances.append(self.basic[i % 2](linked, parts).sum(axis=1) / (size * self.subcomponents))
            first = parts.end
        return distances


class LinearLSMOP(LSMOP):
    """Linear linkage, a linear front, and one group per objective: LSMOP1 to LSMOP4."""

    def linkage(self) -> Float[np.ndarray, " d"]:
        return 1 + np.arange(1, self.variables + 1) / self.variables

    def objective_values(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        distance = jnp.stack(self.group_distances(x), axis=1)
        return (1 + distance) * linear_shape(x[:, : self.objectives - 1])

    def front(self, points: int = 1000) -> np.ndarray:
        return linear_front(points, self.objectives)


class CurvedLSMOP(LSMOP):
    """Nonlinear linkage, a spherical front, and two neighbouring groups per objective: LSMOP5 to LSMOP8."""

    def linkage(self) -> Float[np.ndarray, " d"]:
        return 1 + np.cos(0.5 * np.pi * np.arange(1, self.variables + 1) / self.variables)

    def objective_values(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        distances = self.group_distances(x)
        overlapping = [own + following for own, following in pairwise(distances)]
        distance = jnp.stack([*overlapping, distances[-1]], axis=1)
        return (1 + distance) * self.front_shape(x[:, : self.objectives - 1])

    def front_shape(self, position: Float[Array, "n p"]) -> Float[Array, "n m"]:
        return spherical_shape(position)

    def front(self, points: int = 1000) -> np.ndarray:
        return spherical_front(points, self.objectives)


class LSMOP1(LinearLSMOP, basic=(sphere, sphere)):
    """Linear front; sphere in all groups (unimodal, separable)."""


class LSMOP2(LinearLSMOP, basic=(griewank, schwefel)):
    """Linear front; Griewank and Schwefel 2.21 (partially separable)."""


class LSMOP3(LinearLSMOP, basic=(rastrigin, rosenbrock)):
    """Linear front; Rastrigin and Rosenbrock (multimodal)."""


class LSMOP4(LinearLSMOP, basic=(ackley, griewank)):
    """Linear front; Ackley and Griewank (multimodal)."""


class LSMOP5(CurvedLSMOP, basic=(sphere, sphere)):
    """Spherical front; sphere in all groups (unimodal, separable)."""


class LSMOP6(CurvedLSMOP, basic=(rosenbrock, schwefel)):
    """Spherical front; Rosenbrock and Schwefel 2.21 (partially separable)."""


class LSMOP7(CurvedLSMOP, basic=(ackley, rosenbrock)):
    """Spherical front; Ackley and Rosenbrock (multimodal)."""


class LSMOP8(CurvedLSMOP, basic=(griewank, sphere)):
    """Spherical front; Griewank and sphere."""


class LSMOP9(CurvedLSMOP, basic=(sphere, ackley)):
    """Front of DTLZ7; sphere and Ackley; the last objective depends on all groups."""

    def objective_values(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        distance = jnp.stack(self.group_distances(x), axis=1).sum(axis=1)
        return disconnected_values(x[:, : self.objectives - 1], 1 + distance)

    def front(self, points: int = 1000) -> np.ndarray:
        return disconnected_front(points, self.objectives)


ALL = (LSMOP1, LSMOP2, LSMOP3, LSMOP4, LSMOP5, LSMOP6, LSMOP7, LSMOP8, LSMOP9)


def group_shares(objectives: int) -> Float[np.ndarray, " m"]:
    """Relative sizes of the groups: successive values of the chaotic map c ← 3.8 c (1 − c), from c = 0.1.

    >>> group_shares(2).round(4)
    array([0.2857, 0.7143])
    """
    values, c = [], 0.1
    for _ in range(objectives):
        c = 3.8 * c * (1 - c)
        values.append(c)
    return np.array(values) / sum(values)


def part_sizes(objectives: int, variables: int, subcomponents: int) -> list[int]:
    """The number of variables in each part, per group.

    >>> part_sizes(3, 300, 5)
    [12, 30, 16]
    """
    linked = variables - objectives + 1
    return np.floor(group_shares(objectives) * linked / subcomponents).astype(int).tolist()


def smallest_size(objectives: int, subcomponents: int) -> int:
    """The smallest number of variables with which no part is empty."""
    needed = int(np.ceil(subcomponents / group_shares(objectives).min())) + objectives - 1
    while min(part_sizes(objectives, needed, subcomponents)) < 1:
        needed += 1
    return needed
