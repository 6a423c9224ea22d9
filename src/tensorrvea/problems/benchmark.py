"""What the benchmark suites share: sizes instead of bounds, and a true front."""

from typing import Any

import numpy as np
from jaxtyping import Array, Float
from numpy.typing import ArrayLike

from tensorrvea.problem import Problem


class Benchmark(Problem):
    """A problem of a suite, of any size its definition allows. Equal sizes and settings make equal problems.

    A subclass gives ``objective_values`` of a batch, ``constraint_values`` if it has constraints, and ``front``.
    Settings that its values depend on go into ``settings``.
    """

    constrained = False

    def __init__(
        self, *, objectives: int, variables: int, lower: ArrayLike = 0.0, upper: ArrayLike = 1.0, **settings: Any
    ):
        self.settings = tuple(sorted(settings.items()))
        super().__init__(
            self.objective_values,
            lower=np.broadcast_to(np.asarray(lower, float), (variables,)).copy(),
            upper=np.broadcast_to(np.asarray(upper, float), (variables,)).copy(),
            objectives=objectives,
            constraints=self.constraint_values if self.constrained else None,
            batched=True,
            name=type(self).__name__,
        )

    def objective_values(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        raise NotImplementedError

    def constraint_values(self, x: Float[Array, "n d"]) -> Float[Array, "n c"]:
        """Values g(x) that are kept ≤ 0."""
        raise NotImplementedError

    def _make_identity(self) -> tuple:
        return (type(self), self.objectives, self.variables, self.settings)

    def __repr__(self) -> str:
        settings = "".join(f", {name}={value!r}" for name, value in self.settings)
        return f"{self.name}(objectives={self.objectives}, variables={self.variables}{settings})"
