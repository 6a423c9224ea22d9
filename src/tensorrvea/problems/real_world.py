"""Base classes of the real-world suites RE and CRE.

Tanabe and Ishibuchi, "An Easy-to-Use Real-World Multi-Objective Optimization Problem Suite", Applied Soft Computing 89,
2020, and its supplementary file.

Each problem is defined once, by ``design``: objectives and constraints of a batch of designs, in NumPy or JAX. CRE
problems keep the constraints; RE problems have none, and the sum of their violations is a further objective.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from jaxtyping import Array, Float

from tensorrvea.problems.benchmark import Benchmark
from tensorrvea.problems.reference_sets import reference_front

Column = Float[Any, " n"]


class Variable(NamedTuple):
    """A variable's name, unit, bounds, and whether it is an integer."""

    name: str
    unit: str
    lower: float
    upper: float
    integer: bool = False


class Quantity(NamedTuple):
    """The name and unit of an objective or a constraint."""

    name: str
    unit: str = ""


class Design(NamedTuple):
    """Objectives, all minimised, and constraints, feasible where ≤ 0, of some designs."""

    objectives: list[Column]
    constraints: list[Column]


VIOLATION = Quantity("sum of violations")


class RealWorld(Benchmark):
    """A design problem of fixed size, whose variables, objectives and constraints have names and units."""

    quantities: ClassVar[tuple[Quantity, ...]] = ()  # the objectives
    design_variables: ClassVar[tuple[Variable, ...]] = ()
    design_constraints: ClassVar[tuple[Quantity, ...]] = ()
    has_common_unit = False  # not all units are named

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.fixed_objectives = len(cls.quantities) or None
        cls.fixed_variables = len(cls.design_variables) or None

    def __init__(self, *, objectives: int | None = None, variables: int | None = None):
        m, d = self.check_objectives(objectives), self.check_variables(variables)
        super().__init__(objectives=m, variables=d, **self.labels())

    def labels(self) -> dict[str, Any]:
        """Bounds, names and units, as ``Benchmark`` takes them."""
        return {
            "lower": [variable.lower for variable in self.design_variables],
            "upper": [variable.upper for variable in self.design_variables],
            "integer": [variable.integer for variable in self.design_variables],
            "variable_names": [variable.name for variable in self.design_variables],
            "objective_names": [quantity.name for quantity in self.quantities],
            "units": [quantity.unit for quantity in self.quantities],
            "constraint_names": [q.name for q in self.design_constraints] if self.constrained else None,
        }

    def design(self, x: Float[Any, "n d"]) -> Design:
        """Evaluate designs, in NumPy or JAX."""
        raise NotImplementedError

    def objective_values(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        return stack(self.design(x).objectives)

    def front(self, points: int = 1000) -> np.ndarray | None:
        """At most ``points`` points of a reference set: the best of long runs, see ``reference_sets``."""
        return reference_front(self, points)


class Constrained(RealWorld):
    """A problem of the CRE suite."""

    def constraint_values(self, x: Float[Array, "n d"]) -> Float[Array, "n c"]:
        return stack(self.design(x).constraints)


class ViolationAsObjective(RealWorld):
    """A problem of the RE suite whose last objective is the sum of the constraint violations."""

    constraint_values: Any = None

    def __init_subclass__(cls) -> None:
        if cls.quantities and VIOLATION not in cls.quantities:
            cls.quantities = (*cls.quantities, VIOLATION)
        super().__init_subclass__()

    def objective_values(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        objectives, constraints = self.design(x)
        return stack([*objectives, sum(value.clip(0.0) for value in constraints)])


def stack(columns: Sequence[Column]) -> Float[Any, "n k"]:
    """Join columns to an array."""
    return columns[0].__array_namespace__().stack(columns, axis=1)


def columns_of(x: Float[Any, "n d"]) -> list[Column]:
    """Return the columns of an array."""
    return [x[:, i] for i in range(x.shape[1])]


def polynomial(x: Sequence[Column], terms: Mapping[tuple[int, ...], float]) -> Column:
    """Σ coefficient · product of variables, whose numbers, from 1, are the keys.

    >>> x = [np.array([2.0]), np.array([3.0])]
    >>> polynomial(x, {(): 1.0, (1,): 10.0, (1, 2, 2): 100.0}).tolist()
    [1821.0]
    """
    total = 0 * x[0] + terms.get((), 0.0)
    for numbers, coefficient in terms.items():
        if numbers:
            product = coefficient * x[numbers[0] - 1]
            for number in numbers[1:]:
                product = product * x[number - 1]
            total = total + product
    return total


def nearest(values: Sequence[float], x: Column) -> Column:
    """The nearest of increasing values; of two equally near ones, the smaller.

    >>> nearest([1.0, 2.0, 4.0], np.array([0.0, 1.5, 3.1])).tolist()
    [1.0, 1.0, 4.0]
    """
    xp = x.__array_namespace__()
    known = np.asarray(values)
    middles = 0.5 * (known[1:] + known[:-1])
    return xp.asarray(known.astype(x.dtype))[xp.searchsorted(xp.asarray(middles.astype(x.dtype)), x)]
