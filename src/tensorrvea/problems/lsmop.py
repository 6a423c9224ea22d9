"""The LSMOP suite: Cheng, Jin, Olhofer and Sendhoff, "Test Problems for Large-Scale Multiobjective and
Many-Objective Optimization", 2017.

The first m − 1 variables choose a point of the front. The others are linked to the first variable, then dealt out
in m groups of uneven sizes (by a chaotic map), each of ``subcomponents`` equal parts. A basic function of each
part, one kind for groups 1, 3, … and another for groups 2, 4, …, gives a group's distance, and a correlation
matrix says which groups' distances an objective feels.

Sizes and linkage are those of the authors' program for a given number of variables d: parts have
⌊share · (d − m + 1) / subcomponents⌋ variables, and what is left over at the end has no effect.

In LSMOP3, 6 and 7, Rosenbrock's minimum asks of some variables (1 + 10 x₁)/scale, which can be above their bound of
10 when x₁ is close to 1. There the true front lies a little behind the simplex or sphere that the paper, and
``front``, give.
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

CHAOS_RATE = 3.8
CHAOS_START = 0.1
LARGEST = 10.0  # the upper bound of the linked variables


class LSMOP(Benchmark):
    """Groups of linked variables.

    Args:
      objectives: their number m, 2 or more.
      variables: d; 100 m if not given.
      subcomponents: how many equal parts each group has, n_k in the paper.
    """

    setting_names = ("subcomponents",)
    basic: ClassVar[tuple[BasicFunction, BasicFunction]]  # of the groups 1, 3, … and 2, 4, …

    def __init__(self, *, objectives: int = 3, variables: int | None = None, subcomponents: int = 5):
        m = check_integer("objectives", objectives, minimum=2, why="one objective has no trade-offs")
        self.subcomponents = check_integer("subcomponents", subcomponents, minimum=1)
        d = 100 * m if variables is None else variables
        least = smallest_size(m, subcomponents)
        check_integer("variables", d, minimum=least, why="one for each part of each group")
        self.part_sizes = part_sizes(m, d, subcomponents)
        upper = np.full(d, LARGEST)
        upper[: m - 1] = 1.0
        super().__init__(objectives=m, variables=d, upper=upper)

    def linkage(self) -> Float[np.ndarray, " d"]:
        """What the linked variables are multiplied by; of no account for the others."""
        raise NotImplementedError

    def group_distances(self, x: Float[Array, "n d"]) -> list[Float[Array, " n"]]:
        """The mean over a group's parts of its basic function, divided by the size of a part."""
        linked = x * self.linkage().astype(x.dtype) - LARGEST * x[:, :1]
        first, distances = self.objectives - 1, []
        for i, size in enumerate(self.part_sizes):
            parts = Parts(first=first, count=self.subcomponents, size=size)
            distances.append(self.basic[i % 2](linked, parts).sum(axis=1) / (size * self.subcomponents))
            first = parts.end
        return distances


class LinearLSMOP(LSMOP):
    """Linear linkage, a linear front, and each objective with a group of its own: LSMOP1 to LSMOP4."""

    def linkage(self) -> Float[np.ndarray, " d"]:
        return 1 + np.arange(1, self.variables + 1) / self.variables

    def objective_values(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        distance = jnp.stack(self.group_distances(x), axis=1)
        return (1 + distance) * linear_shape(x[:, : self.objectives - 1])

    def front(self, points: int = 1000) -> np.ndarray:
        return linear_front(points, self.objectives)


class CurvedLSMOP(LSMOP):
    """Nonlinear linkage, a spherical front, and each objective with its group and the next: LSMOP5 to LSMOP8."""

    def linkage(self) -> Float[np.ndarray, " d"]:
        return 1 + np.cos(0.5 * np.pi * np.arange(1, self.variables + 1) / self.variables)

    def objective_values(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        distances = self.group_distances(x)
        overlapping = [own + following for own, following in pairwise(distances)]
        distance = jnp.stack([*overlapping, distances[-1]], axis=1)
        return (1 + distance) * spherical_shape(x[:, : self.objectives - 1])

    def front(self, points: int = 1000) -> np.ndarray:
        return spherical_front(points, self.objectives)


class LSMOP1(LinearLSMOP):
    """Unimodal and separable: sphere and sphere."""

    basic = (sphere, sphere)


class LSMOP2(LinearLSMOP):
    """Partially separable: Griewank's function and Schwefel's."""

    basic = (griewank, schwefel)


class LSMOP3(LinearLSMOP):
    """Multimodal: Rastrigin's function and Rosenbrock's."""

    basic = (rastrigin, rosenbrock)


class LSMOP4(LinearLSMOP):
    """Multimodal: Ackley's function and Griewank's."""

    basic = (ackley, griewank)


class LSMOP5(CurvedLSMOP):
    """Unimodal and separable: sphere and sphere."""

    basic = (sphere, sphere)


class LSMOP6(CurvedLSMOP):
    """Partially separable: Rosenbrock's function and Schwefel's."""

    basic = (rosenbrock, schwefel)


class LSMOP7(CurvedLSMOP):
    """Multimodal: Ackley's function and Rosenbrock's."""

    basic = (ackley, rosenbrock)


class LSMOP8(CurvedLSMOP):
    """Griewank's function and sphere."""

    basic = (griewank, sphere)


class LSMOP9(CurvedLSMOP):
    """Sphere and Ackley's function, with the front of DTLZ7 and every objective tied to all groups."""

    basic = (sphere, ackley)

    def objective_values(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        distance = jnp.stack(self.group_distances(x), axis=1).sum(axis=1)
        return disconnected_values(x[:, : self.objectives - 1], 1 + distance)

    def front(self, points: int = 1000) -> np.ndarray:
        return disconnected_front(points, self.objectives)


def group_shares(objectives: int) -> Float[np.ndarray, " m"]:
    """Shares of the groups: successive values of the chaotic map c ← 3.8 c (1 − c), from c = 0.1.

    >>> group_shares(2).round(4)
    array([0.2857, 0.7143])
    """
    values, c = [], CHAOS_START
    for _ in range(objectives):
        c = CHAOS_RATE * c * (1 - c)
        values.append(c)
    return np.array(values) / sum(values)


def part_sizes(objectives: int, variables: int, subcomponents: int) -> list[int]:
    """How many variables each part of each group has.

    >>> part_sizes(3, 300, 5)
    [12, 30, 16]
    """
    linked = variables - objectives + 1
    return np.floor(group_shares(objectives) * linked / subcomponents).astype(int).tolist()


def smallest_size(objectives: int, subcomponents: int) -> int:
    """The fewest variables with which each part of each group has one."""
    needed = int(np.ceil(subcomponents / group_shares(objectives).min())) + objectives - 1
    while min(part_sizes(objectives, needed, subcomponents)) < 1:
        needed += 1
    return needed
