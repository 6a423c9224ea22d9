"""Base class of the benchmark suites: problems made by their sizes, with a true front."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from jaxtyping import Array, Float
from numpy.typing import ArrayLike

from tensorrvea.checks import check_integer
from tensorrvea.problem import Problem


class Benchmark(Problem):
    """A problem of a suite, of any size its definition allows. Equal sizes and settings make equal problems.

    A subclass defines ``objective_values`` of a batch, ``constraint_values`` if it is constrained, and ``front``.
    Settings that its values depend on are attributes, set before this class's ``__init__`` and named in
    ``setting_names``. The docstring's first paragraph is its description in the docs.
    """

    constraint_values: Callable[..., Any] | None = None  # values g(x) of a batch, (n, c), feasible where all are ≤ 0
    constrained: ClassVar[bool] = False
    fixed_objectives: ClassVar[int | None] = None  # the only number that the definition allows; None for any
    fewest_objectives: ClassVar[int] = 2
    fixed_variables: ClassVar[int | None] = None  # the only number that the definition allows; None for any
    setting_names: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        cls.constrained = cls.constraint_values is not None

    def __init__(
        self,
        *,
        objectives: int,
        variables: int,
        lower: ArrayLike = 0.0,
        upper: ArrayLike = 1.0,
        function: Callable[..., Any] | None = None,
        stochastic: bool = False,
        integer: bool | Sequence[bool] = False,
        objective_names: Sequence[str] | None = None,
        units: Sequence[str] | None = None,
        variable_names: Sequence[str] | None = None,
        constraint_names: Sequence[str] | None = None,
    ):
        check_integer("objectives", objectives, minimum=2)
        check_integer("variables", variables, minimum=1)
        super().__init__(
            self.objective_values if function is None else function,
            lower=lower,
            upper=upper,
            variables=variables,
            objectives=objectives,
            constraints=self.constraint_values,
            batched=True,
            stochastic=stochastic,
            integer=integer,
            objective_names=objective_names,
            units=units,
            variable_names=variable_names,
            constraint_names=constraint_names,
            name=type(self).__name__,
        )

    @classmethod
    def check_objectives(cls, objectives: int | None) -> int:
        """Return the number of objectives, or raise an error if the definition does not allow it."""
        fixed = cls.fixed_objectives
        m = check_integer("objectives", fixed if objectives is None else objectives, minimum=2)
        if fixed not in (None, m):
            raise ValueError(f"objectives must be {fixed}, as {cls.__name__} is defined, got {objectives}")
        return m

    @classmethod
    def check_variables(cls, variables: int | None) -> int:
        """Likewise, of variables."""
        fixed = cls.fixed_variables
        d = check_integer("variables", fixed if variables is None else variables, minimum=1)
        if fixed not in (None, d):
            raise ValueError(f"variables must be {fixed}, as {cls.__name__} is defined, got {variables}")
        return d

    def objective_values(self, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        raise NotImplementedError

    @property
    def settings(self) -> tuple[tuple[str, Any], ...]:
        """Names and values of the arguments besides the sizes."""
        return tuple((name, vars(self)[name]) for name in self.setting_names)

    def _make_identity(self) -> tuple:
        return (type(self), self.objectives, self.variables, self.settings)

    def __repr__(self) -> str:
        settings = "".join(f", {name}={value!r}" for name, value in self.settings)
        return f"{self.name}(objectives={self.objectives}, variables={self.variables}{settings})"
