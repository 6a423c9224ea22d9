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

from tensorrvea.checks import check_array, check_callable, check_directions, check_flag, check_integer, is_traced
from tensorrvea.devices import row_numbers
from tensorrvea.directions import Directions, signs
from tensorrvea.fingerprint import fingerprint
from tensorrvea.problem_checks import (
    check_column_names,
    check_names,
    check_outputs,
    check_sample,
    infer_size,
    traced_objectives,
)
from tensorrvea.randomness import uniform
from tensorrvea.search_space import SearchSpace
from tensorrvea.settings import settings, static

SMALLEST_VIOLATION = float(np.finfo(np.float32).tiny)
# Objectives, all minimised, and total constraint violations of some rows, in NumPy or JAX.
Evaluation = tuple[Float[Any, "n m"], Float[Any, " n"]]


class Domain:
    """What algorithms and operators know of a problem.

    ``variables`` and ``objectives`` are their numbers, ``box`` holds the bounds of the search space: arrays of shape
    (d,), or scalars where all variables share them. In compiled code the bounds are arguments, so that problems of one
    shape share the compiled code of an algorithm.
    """

    variables: int
    objectives: int

    @property
    def box(self) -> tuple[Any, Any]:
        """Bounds of the search space."""
        raise NotImplementedError

    def initial_knowledge(self) -> Any:
        """What a problem on the host that learns from its evaluations knows at first, as arrays; () for all others."""
        return ()

    def sample(self, key: PRNGKeyArray, n: int) -> Float[Array, "n d"]:
        """Draw n rows uniformly from the box. A row does not depend on the number of rows."""
        lower, upper = self.box
        drawn = lower + (upper - lower) * uniform(key, (n, self.variables))
        return jnp.clip(drawn.astype(jnp.result_type(float)), lower, upper)


@settings
class Box(Domain):
    """A domain whose bounds are arguments of compiled code."""

    lower: Any
    upper: Any
    variables: int = static()
    objectives: int = static()
    sampler: "Problem | None" = static(None)
    """The problem, if it draws first populations in its own way."""

    @property
    def box(self) -> tuple[Any, Any]:
        return self.lower, self.upper

    def sample(self, key: PRNGKeyArray, n: int) -> Float[Array, "n d"]:
        return super().sample(key, n) if self.sampler is None else self.sampler.sample(key, n)

    def initial_knowledge(self) -> Any:
        return () if self.sampler is None else self.sampler.initial_knowledge()


class Problem(Domain):
    """A problem whose objectives are a JAX function of one individual.

    Args:
      function: takes the variables ``x`` of shape (d,) and returns the objectives, of shape (m,). With
        ``batched=True`` it maps (n, d) to (n, m). With ``stochastic=True`` its first argument is a key.
      lower, upper: the bounds of the variables, (d,), or one number for all. Equal bounds fix a variable.
      objectives: the number of objectives, m; by default it is what ``function`` returns.
      variables: the number of variables, d, if both bounds are one number.
      directions: ``"min"`` or ``"max"`` per objective, or one of them for all.
      constraints: called like ``function``; returns any number of values g(x), feasible where all are ≤ 0.
      integer, log: which variables are integers, or searched on a logarithmic scale: True for all of them, or one
        flag per variable.
      sample: ``(key, n) → x`` for the first population; uniform between the bounds by default. Values outside the
        bounds are clipped, NaN becomes ``lower``.
      front: points of the true front, (k, m), if known.

    Problems made of equal parts are equal, and share compiled code. A function that is defined again with the same
    text, and with the same values around it, is equal to the one before. As always in JAX, whatever it reads from
    outside (a global, an attribute) is read once, when it is compiled: to change such a value, make another problem.

    >>> problem = Problem(lambda x: jnp.stack([x[0], 1 - x[0]]), lower=[0.0], upper=[1.0], objectives=2)
    >>> f, violation = problem.evaluate(jax.random.key(0), jnp.array([[0.25]]))
    >>> f.tolist(), violation.tolist()
    ([[0.25, 0.75]], [0.0])
    """

    host: bool = False  # whether it is evaluated on the host, by ``evaluate_host``, and not in compiled code
    origin: str = ""  # where a command line found it, as file.py:name
    can_replay: bool = False  # whether ``replay`` returns a replay
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
        batched: bool = False,
        stochastic: bool = False,
        integer: bool | Sequence[bool] = False,
        log: bool | Sequence[bool] = False,
        sample: Callable[..., Any] | None = None,
        front: "ArrayLike | None" = None,
        objective_names: Sequence[str] | None = None,
        units: Sequence[str] | None = None,
        variable_names: Sequence[str] | None = None,
        name: str | None = None,
    ):
        self.function = check_callable("function", function, takes="a function of the variables")
        self.constraints = constraints
        if constraints is not None:
            check_callable("constraints", constraints, takes="a function of the variables, or None")
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
        if name is not None and not isinstance(name, str):
            raise TypeError(f"name takes a string, got {name!r:.80}")
        self.name = name or getattr(function, "__name__", type(self).__name__).replace("<lambda>", "problem")
        self._check_representation()
        if sample is not None:
            check_sample(sample, variables=self.variables, objectives=self.objectives)
        self._check_outputs()

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
        """Evaluate encoded rows: objectives, all minimised, and total constraint violations."""
        if self.host:
            return self._evaluate_through_host(key, x)
        x = self.decode(x)
        f = self._map_rows(self.function, key, x).astype(x.dtype) * self.signs.astype(x.dtype)
        if self.constraints is None:
            return f, jnp.zeros(len(x), x.dtype)
        g = self._map_rows(self.constraints, key, x).astype(x.dtype).reshape(len(x), -1)
        return f, total_violation(g)

    def evaluate_host(self, key: PRNGKeyArray | None, x: Float[np.ndarray, "n d"]) -> Evaluation:
        """Evaluate decoded rows on the host; only where ``host`` is True."""
        del key, x
        raise TypeError(f"only a HostProblem is evaluated on the host; use evaluate for {self.name}")

    def apply_knowledge(self, known: Any, x: Float[Array, "*runs n d"]) -> Float[Array, "*runs n d"]:
        """Change rows, before they are evaluated, by what is known from earlier generations."""
        del known
        return x

    def evaluate_and_learn(
        self, key: PRNGKeyArray | None, x: Float[np.ndarray, "n d"], known: Any
    ) -> tuple[Evaluation, Any]:
        """``evaluate_host``, and what is known after it."""
        return self.evaluate_host(key, x), known

    @property
    def rowwise(self) -> bool:
        """Whether the values of a row do not depend on the other rows of its batch."""
        return not (self.batched and self.stochastic)

    # The user's values and signs

    @property
    def variable_names(self) -> tuple[str, ...]:
        return self._variable_names or tuple(f"x{i + 1}" for i in range(self.variables))

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

    # Optional abilities, which subclasses override

    def reference_point(self) -> np.ndarray | None:
        """The reference point of the hypervolume, in the user's signs; None if the problem defines none."""

    def rescore(self, x: ArrayLike) -> Any:
        """Evaluate solutions (k, d) again under conditions that the search has not seen; None if there are none."""

    def replay(self, x: ArrayLike) -> Any:
        """The motion that one solution (d,) produces, for animations; None unless ``can_replay``."""

    @property
    def failures(self) -> list[tuple[str, int]]:
        """Messages of failed evaluations in order of first occurrence, each with its count."""
        return []

    def restore_failures(self, failures: Sequence[tuple[str, int]]) -> None:
        """Take over the messages that a checkpoint has recorded, where they are not known or are counted lower."""

    def close(self) -> None:
        """Stop workers, if there are any; the next evaluation starts them again."""

    # Identity

    @property
    def source_parts(self) -> tuple[Any, ...]:
        """Everything that determines the values; a run's manifest records its hash."""
        functions = (self.function, self.constraints, self._sample)
        kinds = (self.batched, self.stochastic, self.host_constraints, self.directions)
        return (*functions, *kinds, self.lower, self.upper, self.integer, self.log)

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
            *map(_function_identity, (self.function, self.constraints, self._sample)), self.batched, self.stochastic,
            self.lower.tobytes(), self.upper.tobytes(), bytes(self.integer), bytes(self.log),
            self.objectives, self.directions, self.objective_names, self.units, self._variable_names, self.name,
            None if self._front is None else self._front.tobytes(),
        )  # fmt: skip

    # Details

    def _map_rows(self, function: Callable[..., Any], key: PRNGKeyArray, x: Array) -> Array:
        """Apply the user's function to the rows of ``x``: per row or batched, with a key or without."""
        if self.batched:
            return jnp.asarray(function(key, x) if self.stochastic else function(x))
        if self.stochastic:
            # Each row's key comes from its row number, so that the layout over devices does not matter.
            keys = jax.vmap(jax.random.fold_in, (None, 0))(key, row_numbers(len(x)))
            return jax.vmap(lambda k, row: jnp.asarray(function(k, row)))(keys, x)
        return jax.vmap(lambda row: jnp.asarray(function(row)))(x)

    def _evaluate_through_host(self, key: PRNGKeyArray, x: Array) -> Evaluation:
        if is_traced(x):
            raise TypeError(
                f"{self.name} is evaluated on the host and cannot be compiled; call evaluate_host outside of jit"
            )
        f, violation = self.evaluate_host(key, self.show(x))
        return jnp.asarray(f, jnp.result_type(float)), jnp.asarray(violation, jnp.result_type(float))

    def _check_representation(self) -> None:
        """Check that names can be columns of one table, and that the precision resolves the bounds."""
        check_column_names(self.objective_names, self._variable_names, self.variables)
        self.space.check_precision()

    def _infer_objectives(self) -> int:
        """Return the number of values that the function gives, by tracing it."""
        return traced_objectives(self.function, self._map_rows, self.variables, batched=self.batched)

    def _check_outputs(self) -> None:
        functions, sizes = (self.function, self.constraints), (self.variables, self.objectives)
        check_outputs(functions, self._map_rows, sizes, batched=self.batched)


def _function_identity(function: Callable[..., Any] | None) -> Any:
    """What the function computes, as far as that can be told; else the function, or its id if it cannot be hashed."""
    known = None if function is None else fingerprint(function)
    if known is not None:
        return known
    try:
        hash(function)
    except TypeError:
        return id(function)
    return function


def total_violation(g: Float[Any, "n c"]) -> Float[Any, " n"]:
    """The sum of the positive constraint values of each row, in NumPy or JAX; NaN if one of them is.

    Less than 1.2e-38 counts as 0, on the host as on devices, which compute such numbers as 0.
    """
    namespace = g.__array_namespace__()
    total = namespace.maximum(g, 0).sum(axis=1)
    return namespace.where(total < SMALLEST_VIOLATION, 0, total)
