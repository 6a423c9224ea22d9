"""The problem to optimise: bounded variables, two or more objectives, and optional constraints.

Signs and scales are converted here, once. Algorithms minimise every objective over an encoded box (``SearchSpace``);
users see their own values and directions.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray
from numpy.typing import ArrayLike

from tensorrvea.abilities import Abilities
from tensorrvea.checks import (
    check_array,
    check_callable,
    check_directions,
    check_flag,
    check_integer,
    check_number,
    check_text,
    is_traced,
    shown,
)
from tensorrvea.constraints import total_violation
from tensorrvea.directions import Directions, signs
from tensorrvea.domain import Box, Domain
from tensorrvea.evaluation import Evaluation, Functions, Values
from tensorrvea.fingerprint import identity
from tensorrvea.problem_checks import (
    check_column_names,
    check_designs,
    check_names,
    check_outputs,
    check_sample,
    infer_size,
    traced_objectives,
)
from tensorrvea.search_space import SearchSpace

EQUALITY_TOLERANCE = 1e-4
# How many random designs tell the usual size of constraint values.
SCALE_DESIGNS = 200


class Problem(Abilities, Domain):
    """A problem whose objectives are a JAX function of one individual.

    Args:
      function: takes the variables ``x`` of shape (d,) and returns the objectives, of shape (m,). With
        ``batched=True`` it maps (n, d) to (n, m). With ``stochastic=True`` its first argument is a key.
      lower, upper: the bounds of the variables, (d,), or one number for all. Equal bounds fix a variable.
      objectives: the number of objectives, m; by default it is what ``function`` returns.
      variables: the number of variables, d, if both bounds are one number.
      directions: ``"min"`` or ``"max"`` per objective, or one of them for all.
      constraints: called like ``function``; returns any number of values g(x), feasible where all are ≤ 0.
      equalities: called like ``function``; returns any number of values h(x), feasible where all are 0 within
        ``equality_tolerance``. Each is a further constraint, ``|h|`` − tolerance ≤ 0. By default they are relaxed
        at first (see ``ConstraintRule``).
      constraint_names: the names of constraints, then of equalities; g1, g2, …, h1, h2, … by default.
      integer, log: which variables are integers, or searched on a logarithmic scale: True for all of them, or one
        flag per variable.
      sample: ``(key, n) → x`` for the first population; uniform between the bounds by default. Values outside the
        bounds are clipped, NaN becomes ``lower``.
      front: points of the true front, (k, m), if known.

    Problems made of equal parts are equal, and share compiled code. A function that is defined again with the same
    text, and with the same values around it, is equal to the one before. As always in JAX, whatever it reads from
    outside (a global, an attribute) is read once, when it is compiled: to change such a value, make another problem.

    >>> problem = Problem(lambda x: jnp.stack([x[0], 1 - x[0]]), lower=[0.0], upper=[1.0], objectives=2)
    >>> f, g = problem.evaluate(jax.random.key(0), jnp.array([[0.25]]))
    >>> f.tolist(), g.shape
    ([[0.25, 0.75]], (1, 0))
    """

    host: bool = False  # whether it is evaluated on the host, by ``evaluate_host``, and not in compiled code
    origin: str = ""  # where a command line found it, as file.py:name
    _num_constraints: int | None = 0  # equalities included; None if it is not known yet
    _num_equalities: int | None = 0
    host_constraints: int = 0  # how many constraint values a host function returns after its objectives

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        lower: "ArrayLike",
        upper: "ArrayLike",
        objectives: int | None = None,
        variables: int | None = None,
        directions: Directions = "min",
        constraints: Callable[..., Any] | None = None,
        equalities: Callable[..., Any] | None = None,
        equality_tolerance: float = EQUALITY_TOLERANCE,
        batched: bool = False,
        stochastic: bool = False,
        integer: bool | Sequence[bool] = False,
        log: bool | Sequence[bool] = False,
        sample: Callable[..., Any] | None = None,
        front: "ArrayLike | None" = None,
        objective_names: Sequence[str] | None = None,
        units: Sequence[str] | None = None,
        variable_names: Sequence[str] | None = None,
        constraint_names: Sequence[str] | None = None,
        name: str | None = None,
    ):
        self.function = check_callable("function", function, takes="a function of the variables")
        self.constraints = constraints
        if constraints is not None:
            check_callable("constraints", constraints, takes="a function of the variables, or None")
        self.equalities = equalities
        if equalities is not None:
            check_callable("equalities", equalities, takes="a function of the variables, or None")
        check_number("equality_tolerance", equality_tolerance, minimum=0.0, scalar=True)
        self.equality_tolerance = float(equality_tolerance)
        if sample is not None:
            check_callable("sample", sample, takes="a function of a key and a number of rows, or None")
        named = infer_size(None, variable_names, integer, log)
        self.space = SearchSpace(lower, upper, integer=integer, log=log, variables=variables, named=named)
        self.lower, self.upper, self.variables = self.space.lower, self.space.upper, self.space.variables
        self.integer, self.log = self.space.integer, self.space.log
        self.batched, self.stochastic = check_flag("batched", batched), check_flag("stochastic", stochastic)
        objectives = infer_size(objectives, directions, objective_names, units)
        objectives = self._infer_objectives() if objectives is None else objectives
        self.objectives = check_integer("objectives", objectives, minimum=2, why="one objective has no trade-offs")
        self.directions = check_directions(directions, self.objectives)
        self._sample = sample
        self._front = None if front is None else check_array("front", front, shape="(points, objectives)", ndim=2)
        if self._front is not None and self._front.shape[1] != self.objectives:
            raise ValueError(f"front must have {self.objectives} columns, got {self._front.shape[1]}")
        names = check_names("objective_names", objective_names, self.objectives)
        self.objective_names = names or tuple(f"f{i + 1}" for i in range(self.objectives))
        self.units = check_names("units", units, self.objectives) or ("",) * self.objectives
        self._variable_names = check_names("variable_names", variable_names, self.variables)
        self._constraint_names = check_names("constraint_names", constraint_names)
        if name is not None:
            check_text("name", name)
        self.name = name or getattr(function, "__name__", type(self).__name__).replace("<lambda>", "problem")
        if sample is not None:
            check_sample(sample, variables=self.variables, objectives=self.objectives)
        self._check_outputs()
        self._check_representation()

    # Interface to algorithms: an encoded box, and values to minimise

    @property
    def box(self) -> tuple[np.ndarray, np.ndarray]:
        """Bounds of the search space: (d,), or scalars where all variables share them."""
        return self.space.box

    @property
    def domain(self) -> Box:
        """What algorithms and operators know of the problem, with the bounds as leaves of a pytree."""
        is_uniform = self._sample is None and type(self).sample is Problem.sample
        # One bound per variable, also where all are equal, so that problems of one shape share compiled code.
        lower, upper = (np.broadcast_to(bound, self.variables) for bound in self.box)
        return Box(
            lower=lower, upper=upper, variables=self.variables, objectives=self.objectives,
            num_constraints=self.num_constraints, num_equalities=self.num_equalities,
            sampler=None if is_uniform else self,
        )  # fmt: skip

    def sample(self, key: PRNGKeyArray, n: int) -> Float[Array, "n d"]:
        """Draw a first population, encoded."""
        if self._sample is None:
            return super().sample(key, n)
        lower, upper = self.box
        x = jnp.asarray(self._sample(key, n), jnp.result_type(float))
        inside = jnp.clip(jnp.where(jnp.isnan(x), self.lower, x), self.lower, self.upper)
        return jnp.clip(self.encode(inside.astype(x.dtype)), lower, upper)

    def evaluate(self, key: PRNGKeyArray, x: Float[Array, "n d"]) -> Evaluation:
        """Evaluate rows of the search space: objectives, all minimised, and constraint values.

        Algorithms call this. It takes encoded variables and returns minimised objectives; for your own values and
        signs, call the problem itself.
        """
        if self.host:
            return self._evaluate_through_host(key, x)
        return self._values(key, self.decode(x))

    def evaluate_host(self, key: PRNGKeyArray | None, x: Float[np.ndarray, "n d"]) -> Evaluation:
        """Evaluate decoded rows on the host; only where ``host`` is True."""
        del key, x
        raise TypeError(f"only a HostProblem is evaluated on the host; use evaluate for {self.name}")

    def __call__(self, x: "ArrayLike", *, key: PRNGKeyArray | None = None) -> Values:
        """Evaluate a solution, or several, in your own values and signs.

        Args:
          x: the variables, (d,), or (n, d) for several solutions, within the bounds.
          key: for a stochastic problem; ``jax.random.key(0)`` by default.

        Returns:
          Objectives, constraint values, and whether all constraints are kept.

        >>> problem = Problem(lambda x: jnp.stack([x[0], 1 - x[0]]), lower=[0.0], upper=[1.0], objectives=2,
        ...                   directions=("max", "min"), constraints=lambda x: x[0] - 0.5)
        >>> F, G, feasible = problem([0.25])
        >>> F.tolist(), G.tolist(), bool(feasible)
        ([0.25, 0.75], [-0.25], True)
        """
        is_single = np.ndim(x) == 1
        rows = check_designs(x, self.lower, self.upper)
        key = jax.random.key(0) if key is None else key
        if self.host:
            f, g = self.evaluate_host(key, rows)
        else:
            f, g = self._values(key, jnp.asarray(rows, jnp.result_type(float)))
        f, g = np.asarray(f, np.float64) * self.signs, np.asarray(g, np.float64)
        feasible = np.isfinite(f).all(axis=1) & (total_violation(g) <= 0)
        return Values(*(part[0] if is_single else part for part in (f, g, feasible)))

    @property
    def rowwise(self) -> bool:
        """Whether the values of a row do not depend on the other rows of its batch."""
        return not (self.batched and self.stochastic)

    # The user's values and signs

    @property
    def variable_names(self) -> tuple[str, ...]:
        return self._variable_names or tuple(f"x{i + 1}" for i in range(self.variables))

    @property
    def num_constraints(self) -> int:
        return self._num_constraints or 0

    @property
    def num_equalities(self) -> int:
        return self._num_equalities or 0

    @property
    def constraint_names(self) -> tuple[str, ...]:
        if self._constraint_names is not None:
            return self._constraint_names
        c, e = self.num_constraints - self.num_equalities, self.num_equalities
        return (*(f"g{i + 1}" for i in range(c)), *(f"h{i + 1}" for i in range(e)))

    @cached_property
    def constraint_scale(self) -> Float[np.ndarray, " c"] | None:
        """The usual size of each constraint's values: their median size over random designs.

        None on the host, where evaluations may be expensive.
        """
        if self.host or self.num_constraints == 0:
            return None
        sample_key, key = jax.random.split(jax.random.key(0))
        _, g = jax.jit(self.evaluate)(key, Domain.sample(self, sample_key, SCALE_DESIGNS))
        return np.median(np.nan_to_num(np.abs(np.asarray(g, np.float64))), axis=0)

    @property
    def signs(self) -> np.ndarray:
        """1 for an objective that is minimised, -1 for one that is maximised."""
        return signs(self.directions, self.objectives)

    def decode(self, x: Float[Array, "n d"]) -> Float[Array, "n d"]:
        """Map the search space to the user's values."""
        return self.space.decode(x)

    def encode(self, x: Float[Array, "n d"]) -> Float[Array, "n d"]:
        """Map the user's values to the search space; the inverse of ``decode``."""
        return self.space.encode(x)

    def show(self, x: ArrayLike) -> np.ndarray:
        """Decode to double precision, inside the user's own bounds."""
        # Skip a decoding that does nothing: passing rows to JAX compiles code for each number of rows.
        decoded = np.asarray(self.decode(jnp.asarray(x)) if self.space.is_encoded else x, dtype=np.float64)
        return np.clip(decoded, self.lower, self.upper)

    def front(self, points: int = 1000) -> np.ndarray | None:
        """About ``points`` points of the true front, in the user's signs; None if it is not known."""
        del points
        return self._front

    @property
    def has_common_unit(self) -> bool:
        """Whether all objectives have the same unit, so that distances between their vectors need no scaling."""
        return len(set(self.units)) == 1

    def distance_units(self, front: Float[np.ndarray, "k m"]) -> Float[np.ndarray, " m"]:
        """Return what distances to a front are measured in: 1 per objective, or its range if units differ.

        An objective that is constant on the front is not scaled.
        """
        span = np.ptp(front, axis=0)
        return np.ones(self.objectives) if self.has_common_unit else np.where(span > 0, span, 1.0)

    # Identity

    @property
    def source_parts(self) -> tuple[Any, ...]:
        """Everything that determines the values; a run's manifest records its hash."""
        functions = (self.function, self.constraints, self._sample)
        kinds = (self.batched, self.stochastic, self.host_constraints, self.directions)
        equalities = () if self.equalities is None else (self.equalities, self.equality_tolerance)
        return (*functions, *kinds, self.lower, self.upper, self.integer, self.log, *equalities)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(name={self.name!r}, variables={self.variables}, objectives={self.objectives})"

    @cached_property
    def _identity(self) -> tuple:
        return self._make_identity()

    def _make_identity(self) -> tuple:
        return (
            *map(identity, (self.function, self.constraints, self.equalities, self._sample)),
            self.equality_tolerance, self.batched, self.stochastic,
            self.lower.tobytes(), self.upper.tobytes(), bytes(self.integer), bytes(self.log),
            self.objectives, self.directions, self.objective_names, self.units, self._variable_names,
            self._constraint_names, self.name,
            None if self._front is None else self._front.tobytes(),
        )  # fmt: skip

    # Details

    @property
    def _functions(self) -> Functions:
        return Functions(
            self.function, self.constraints, self.equalities, self.equality_tolerance, self.batched, self.stochastic
        )

    def _values(self, key: PRNGKeyArray, x: Float[Array, "n d"]) -> Evaluation:
        """Evaluate rows of the user's values: objectives, all minimised, and constraint values."""
        f, g = self._functions.values(key, x)
        return f * self.signs.astype(x.dtype), g

    def _evaluate_through_host(self, key: PRNGKeyArray, x: Array) -> Evaluation:
        if is_traced(x):
            raise TypeError(
                f"{self.name} is evaluated on the host and cannot be compiled; call evaluate_host outside of jit"
            )
        f, g = self.evaluate_host(key, self.show(x))
        return jnp.asarray(f, jnp.result_type(float)), jnp.asarray(g, jnp.result_type(float))

    def _check_representation(self) -> None:
        """Check that names can be columns of one table, and that the precision resolves the bounds."""
        check_column_names(self.objective_names, self._variable_names, self.variables, self._known_constraint_names)
        self.space.check_precision()

    def _infer_objectives(self) -> int:
        """Return the number of values that the function gives, by tracing it."""
        return traced_objectives(self._functions, self.variables)

    def _check_outputs(self) -> None:
        counts = check_outputs(self._functions, self.variables, self.objectives)
        self._num_equalities = counts["equalities"]
        self._num_constraints = counts["constraints"] + counts["equalities"]
        self._check_constraint_count()

    def _check_constraint_count(self) -> None:
        names = self._constraint_names
        if names is not None and len(names) != self.num_constraints:
            raise ValueError(
                f"constraint_names takes {self.num_constraints} strings, one per constraint, got {shown(names)}"
            )

    @property
    def _known_constraint_names(self) -> tuple[str, ...]:
        """The names of constraints, as far as they are known without calling a function of the user's."""
        return self.constraint_names
