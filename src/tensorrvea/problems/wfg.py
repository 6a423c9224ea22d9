"""The WFG suite.

Huband, Hingston, Barone and While, "A Review of Multiobjective Test Problems and a Scalable Test Problem Toolkit",
2006.

Variable i is in [0, 2i]. The first k variables, a multiple of m − 1, select a point of the front, the others determine
the distance to it. Transformations of the scaled variables end in m values in [0, 1]: m − 1 positions and a distance.
Objective i is the distance plus 2i times a shape function of the positions.
"""

from typing import Any, ClassVar

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from tensorrvea.checks import check_integer
from tensorrvea.problems.benchmark import Benchmark
from tensorrvea.problems.fronts import nondominated, record_intervals, spherical_front, spread, unit_points
from tensorrvea.problems.shapes import products, spherical_shape
from tensorrvea.problems.wfg_transformations import (
    b_flat,
    b_param,
    b_poly,
    means_after,
    means_before,
    r_nonsep,
    r_nonsep_pairs,
    r_sum,
    s_decept,
    s_linear,
    s_multi,
)

OPTIMUM = 0.35  # of a shifted distance variable, as a share of its range


class WFG(Benchmark):
    """Position and distance variables, transformed and reduced to m values.

    Args:
      objectives: their number m, 2 or more.
      variables: their number d; 20 distance variables by default.
      positions: the number k of position variables, a multiple of m − 1; 2(m − 1) by default.
    """

    setting_names = ("positions",)
    distance_variables: ClassVar[int] = 20
    positions_per_objective: ClassVar[int] = 2
    reduces_pairs: ClassVar[bool] = False  # whether distance variables are reduced in pairs

    def __init__(self, *, objectives: int = 3, variables: int | None = None, positions: int | None = None):
        m = check_integer("objectives", objectives, minimum=2, why="one objective has no trade-offs")
        k = self.positions_per_objective * (m - 1) if positions is None else positions
        check_integer("positions", k, minimum=m - 1)
        if k % (m - 1):
            raise ValueError(f"positions must be a multiple of objectives − 1 ({m - 1}), got {k}")
        d = k + self.distance_variables if variables is None else variables
        least = k + (2 if self.reduces_pairs else 1)
        check_integer("variables", d, minimum=least, why=f"{k} select a point of the front, the others its distance")
        if self.reduces_pairs and (d - k) % 2:
            raise ValueError(f"variables − positions must be even, since pairs are reduced, got {d} − {k}")
        self.positions = int(k)
        super().__init__(objectives=m, variables=d, upper=2.0 * np.arange(1, d + 1))

    def objective_values(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        y = (x / self.upper.astype(x.dtype)).clip(0.0, 1.0)
        position, distance = self.reduce(self.transform(y))
        position = self.place(position, distance)
        scale = 2.0 * np.arange(1, self.objectives + 1)
        return distance[:, None] + scale.astype(x.dtype) * self.shape(position)

    def transform(self, y: Float[Array, "n d"]) -> Float[Array, "n d"]:
        """Bias and shift the variables, before they are reduced."""
        return self.join(self.position(y), s_linear(self.distance(y), OPTIMUM))

    def reduce(self, y: Float[Array, "n d"]) -> tuple[Float[Array, "n p"], Float[Array, " n"]]:
        """m − 1 positions and the distance: means of the groups of position variables, and of the others."""
        return self.reduce_groups(y, np.ones(self.variables))

    def place(self, position: Float[Array, "n p"], distance: Float[Array, " n"]) -> Float[Array, "n p"]:
        """x of the paper, from t: x = max(t_M, A)(t − 1/2) + 1/2, which is t where A = 1."""
        del distance
        return position

    def shape(self, position: Float[Array, "n p"]) -> Float[Array, "n m"]:
        """h of the paper: concave, the positive part of a sphere."""
        return spherical_shape(1 - position, position)

    def front(self, points: int = 1000) -> np.ndarray:
        return self.scaled(spherical_front(points, self.objectives))

    # Parts that the problems share

    def position(self, y: Float[Array, "n d"]) -> Float[Array, "n k"]:
        return y[:, : self.positions]

    def distance(self, y: Float[Array, "n d"]) -> Float[Array, "n l"]:
        return y[:, self.positions :]

    def join(self, position: Float[Array, "n k"], distance: Float[Array, "n l"]) -> Float[Array, "n d"]:
        return jnp.concatenate([position, distance], axis=1)

    def groups(self) -> list[slice]:
        """Columns of the position variables that each objective but one depends on."""
        size = self.positions // (self.objectives - 1)
        return [slice(i * size, (i + 1) * size) for i in range(self.objectives - 1)]

    def reduce_groups(
        self, y: Float[Array, "n d"], weights: Float[np.ndarray, " d"]
    ) -> tuple[Float[Array, "n p"], Float[Array, " n"]]:
        rest = slice(self.positions, None)
        position = jnp.stack([r_sum(y[:, group], weights[group]) for group in self.groups()], axis=1)
        return position.clip(0.0, 1.0), r_sum(y[:, rest], weights[rest])

    def reduce_nonseparably(self, y: Float[Array, "n d"]) -> tuple[Float[Array, "n p"], Float[Array, " n"]]:
        position = jnp.stack([r_nonsep(y[:, group]) for group in self.groups()], axis=1)
        return position.clip(0.0, 1.0), r_nonsep(self.distance(y)).clip(0.0, 1.0)

    def position_points(self, points: int) -> Float[np.ndarray, "k p"]:
        """About ``points`` points of the unit cube, among them those of each objective's largest value."""
        p = self.objectives - 1
        return np.vstack([np.tri(p + 1, p, -1), unit_points(points, p)])

    def scaled(self, shape: Float[np.ndarray, "k m"]) -> Float[np.ndarray, "k m"]:
        return shape * 2 * np.arange(1, self.objectives + 1)


class WFG1(WFG):
    """Convex front with waves; most solutions are far from it, since all variables are biased by y^0.02."""

    def transform(self, y: Float[Array, "n d"]) -> Float[Array, "n d"]:
        flat = b_flat(s_linear(self.distance(y), OPTIMUM), 0.8, 0.75, 0.85)
        return b_poly(self.join(self.position(y), flat), 0.02)

    def reduce(self, y: Float[Array, "n d"]) -> tuple[Float[Array, "n p"], Float[Array, " n"]]:
        return self.reduce_groups(y, 2.0 * np.arange(1, self.variables + 1))

    def shape(self, position: Float[Array, "n p"]) -> Float[Array, "n m"]:
        return convex_shape(position, wave(position[:, 0]))

    def front(self, points: int = 1000) -> np.ndarray:
        x = self.position_points(points)
        return np.unique(self.scaled(convex_shape(x, wave(x[:, 0]))), axis=0)


class WFG2(WFG):
    """Disconnected convex front: five pieces; pairs of distance variables depend on each other."""

    reduces_pairs = True

    def reduce(self, y: Float[Array, "n d"]) -> tuple[Float[Array, "n p"], Float[Array, " n"]]:
        pairs = r_nonsep_pairs(self.distance(y))
        reduced = self.join(self.position(y), pairs)
        return self.reduce_groups(reduced, np.ones(reduced.shape[1]))

    def shape(self, position: Float[Array, "n p"]) -> Float[Array, "n m"]:
        return convex_shape(position, 1 - teeth(position[:, 0], jnp))

    def front(self, points: int = 1000) -> np.ndarray:
        x = self.position_points(points)
        x[:, 0] = spread(x[:, 0], record_intervals(teeth))
        return np.unique(self.scaled(convex_shape(x, 1 - teeth(x[:, 0]))), axis=0)


class WFG3(WFG2):
    """Linear front: a line, and for three or more objectives also a surface beside it.

    The paper calls the front degenerate. For three or more objectives there are also optimal solutions off the line
    (Ishibuchi, Masuda and Nojima, 2016), of which ``front`` returns a sample; a tenth of its points are on the line.
    """

    def place(self, position: Float[Array, "n p"], distance: Float[Array, " n"]) -> Float[Array, "n p"]:
        others = distance[:, None] * (position[:, 1:] - 0.5) + 0.5
        return jnp.concatenate([position[:, :1], others], axis=1)

    def shape(self, position: Float[Array, "n p"]) -> Float[Array, "n m"]:
        return products(position, 1 - position)

    def front(self, points: int = 1000) -> np.ndarray:
        check_integer("points", points, minimum=1)
        on_line = points if self.objectives == 2 else points // 10
        line = np.full((max(on_line, 2), self.objectives - 1), 0.5)
        line[:, 0] = np.linspace(0, 1, len(line))
        line_points = self.scaled(products(line, 1 - line))
        if self.objectives == 2:
            return line_points
        # The least distance at which a position can be reached is twice the largest deviation from 1/2.
        x = np.random.default_rng(0).uniform(size=(60 * points, self.objectives - 1))
        x[:, 1:] = 0.5 + (x[:, 1:] - 0.5) * np.random.default_rng(1).uniform(size=(len(x), 1))
        distance = 2 * np.abs(x[:, 1:] - 0.5).max(axis=1, keepdims=True)
        candidates = np.vstack([line_points, distance + self.scaled(products(x, 1 - x))])
        rest = candidates[nondominated(candidates)][len(line_points) :]
        return np.vstack([line_points, rest[:: max(1, round(len(rest) / max(points - len(line), 1)))]])


class WFG4(WFG):
    """Concave front; 60 local fronts per variable."""

    def transform(self, y: Float[Array, "n d"]) -> Float[Array, "n d"]:
        return s_multi(y, 30, 10.0, OPTIMUM)


class WFG5(WFG):
    """Concave front; deceptive: most solutions lead away from it."""

    def transform(self, y: Float[Array, "n d"]) -> Float[Array, "n d"]:
        return s_decept(y, OPTIMUM, 0.001, 0.05)


class WFG6(WFG):
    """Concave front; all variables of a group depend on each other."""

    def reduce(self, y: Float[Array, "n d"]) -> tuple[Float[Array, "n p"], Float[Array, " n"]]:
        return self.reduce_nonseparably(y)


class WFG7(WFG):
    """Concave front; position variables are biased by all variables after them."""

    def transform(self, y: Float[Array, "n d"]) -> Float[Array, "n d"]:
        position = b_param(self.position(y), self.position(means_after(y)))
        return super().transform(self.join(position, self.distance(y)))


class WFG8(WFG):
    """Concave front; distance variables are biased by all variables before them."""

    def transform(self, y: Float[Array, "n d"]) -> Float[Array, "n d"]:
        distance = b_param(self.distance(y), self.distance(means_before(y)))
        return super().transform(self.join(self.position(y), distance))


class WFG9(WFG):
    """Concave front; biased by later variables, deceptive in position, multimodal in distance, non-separable."""

    def transform(self, y: Float[Array, "n d"]) -> Float[Array, "n d"]:
        biased = jnp.concatenate([b_param(y, means_after(y))[:, :-1], y[:, -1:]], axis=1)
        distance = s_multi(self.distance(biased), 30, 95.0, OPTIMUM)
        return self.join(s_decept(self.position(biased), OPTIMUM, 0.001, 0.05), distance)

    def reduce(self, y: Float[Array, "n d"]) -> tuple[Float[Array, "n p"], Float[Array, " n"]]:
        return self.reduce_nonseparably(y)


ALL = (WFG1, WFG2, WFG3, WFG4, WFG5, WFG6, WFG7, WFG8, WFG9)


def convex_shape(position: Float[Any, "n p"], last: Float[Any, " n"]) -> Float[Any, "n m"]:
    """Convex shape functions with another one for the last objective, in NumPy or JAX."""
    xp = position.__array_namespace__()
    angle = 0.5 * np.pi * position
    # 1 − cos a is 2 sin² a/2, without cancellation.
    convex = products(2 * xp.sin(0.5 * angle) ** 2, 2 * xp.sin(0.25 * np.pi - 0.5 * angle) ** 2)
    return xp.concatenate([convex[:, :-1], last[:, None]], axis=1)


def wave(x: Float[Any, " n"]) -> Float[Any, " n"]:
    """Mixed shape function with α = 1 and A = 5, for the last objective of WFG1, in NumPy or JAX."""
    return 1 - x + x.__array_namespace__().sin(10 * np.pi * x) / (10 * np.pi)


def teeth(x: Any, xp: Any = np) -> Any:
    """One minus the disconnected shape function with α = β = 1 and A = 5, of WFG2, in NumPy or JAX."""
    return x * xp.cos(5 * np.pi * x) ** 2
