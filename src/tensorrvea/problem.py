"""What is optimised: a box of variables, a few objectives, and perhaps constraints.

Signs and units are turned here, once. Inside, every objective is minimised and the variables live in a search
space (logarithms for log-scaled variables, a unit interval for each integer); users see their own values.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray
from numpy.typing import ArrayLike

from tensorrvea.checks import as_tuple, check_array, check_callable, check_directions, check_flag, check_integer
from tensorrvea.devices import row_numbers
from tensorrvea.directions import signs

if TYPE_CHECKING:
    from tensorrvea.neuroevolution.replay import Replay


class Problem:
    """A problem whose objectives are a JAX function of one individual.

    Args:
      function: takes the variables ``x`` of shape (d,), gives the objectives, of shape (m,). With
        ``batched=True`` it takes (n, d) and gives (n, m). With ``stochastic=True`` it takes a key first.
      lower, upper: the bounds of the variables, (d,).
      objectives: their number, m.
      directions: ``"min"`` or ``"max"`` for each objective, or one for all.
      constraints: like ``function``, gives any number of values g(x) that are kept ≤ 0.
      integer, log: which variables are whole numbers, or searched on a logarithmic scale: True for all of
        them, or one flag a variable.
      sample: ``(key, n) → x``, the first population; uniform between the bounds if not given. What is outside of them
        is moved to the nearest, and NaN to ``lower``.
      front: points of the true front, (k, m), where it is known.

    Two problems that are made of equal parts are equal, and share what was compiled for them. As anywhere in JAX, what
    a function reads from outside (a global, an attribute) is read when it is compiled, and not again: to try another
    value, make another function, with ``functools.partial`` or as a closure.

    >>> problem = Problem(lambda x: jnp.stack([x[0], 1 - x[0]]), lower=[0.0], upper=[1.0], objectives=2)
    >>> f, violation = problem.evaluate(jax.random.key(0), jnp.array([[0.25]]))
    >>> f.tolist(), violation.tolist()
    ([[0.25, 0.75]], [0.0])
    """

    host = False
    can_replay: bool = False
    """Whether ``replay`` returns a replay."""

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        lower: ArrayLike,
        upper: ArrayLike,
        objectives: int,
        directions: str | Sequence[str] = "min",
        constraints: Callable[..., Any] | None = None,
        batched: bool = False,
        stochastic: bool = False,
        integer: bool | Sequence[bool] = False,
        log: bool | Sequence[bool] = False,
        sample: Callable[[PRNGKeyArray, int], Any] | None = None,
        front: ArrayLike | None = None,
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
        self.lower, self.upper = _check_bounds(lower, upper)
        self.variables = len(self.lower)
        self.objectives = check_integer("objectives", objectives, minimum=2, why="one objective has no trade-offs")
        self.directions = check_directions(directions, self.objectives)
        self.integer = _check_flags("integer", integer, self.variables)
        self.log = _check_flags("log", log, self.variables)
        self.batched, self.stochastic = check_flag("batched", batched), check_flag("stochastic", stochastic)
        self._sample = sample
        self._front = None if front is None else check_array("front", front, shape="(points, objectives)", ndim=2)
        if self._front is not None and self._front.shape[1] != self.objectives:
            raise ValueError(f"front must have {self.objectives} columns, got {self._front.shape[1]}")
        self.objective_names = _check_names(
            "objective_names", objective_names, [f"f{i + 1}" for i in range(self.objectives)]
        )
        self.units = _check_names("units", units, [""] * self.objectives)
        self._variable_names = (
            None if variable_names is None else _check_names("variable_names", variable_names, [""] * self.variables)
        )
        self._check_columns()
        if name is not None and not isinstance(name, str):
            raise TypeError(f"name takes a string, got {name!r:.80}")
        self.name = name or getattr(function, "__name__", type(self).__name__).replace("<lambda>", "problem")
        self._check_encoding()
        self._identity = self._make_identity()
        self._hash = hash(self._identity)
        self._check_sample()
        self._check_outputs()

    # What an algorithm sees: a box, a sample of it, and values to minimise.

    @property
    def box(self) -> tuple[np.ndarray, np.ndarray]:
        """Bounds of the search space: (d,), or a scalar where all variables share them (so that it folds)."""
        dtype = jnp.result_type(float)
        lower, upper = self._search_lower.astype(dtype), self._search_upper.astype(dtype)
        same = (lower == lower[0]).all() and (upper == upper[0]).all()
        return (lower[0], upper[0]) if same else (lower, upper)

    def sample(self, key: PRNGKeyArray, n: int) -> Float[Array, "n d"]:
        """A first population, in the search space."""
        lower, upper = self.box
        if self._sample is None:
            # A row does not depend on how many there are.
            return jax.random.uniform(key, (n, self.variables), minval=lower, maxval=upper)
        given = jnp.asarray(self._sample(key, n), jnp.result_type(float))
        inside = jnp.clip(jnp.where(jnp.isnan(given), self.lower, given), self.lower, self.upper)
        return jnp.clip(self.encode(inside.astype(given.dtype)), lower, upper)

    def evaluate(self, key: PRNGKeyArray, x: Float[Array, "n d"]) -> tuple[Float[Array, "n m"], Float[Array, " n"]]:
        """Objectives, all minimised, and the sum of what the constraints are violated by."""
        x = self.decode(x)
        f = self._map(self.function, key, x).astype(x.dtype) * self.signs.astype(x.dtype)
        if self.constraints is None:
            return f, jnp.zeros(len(x), x.dtype)
        g = self._map(self.constraints, key, x).astype(x.dtype).reshape(len(x), -1)
        return f, total_violation(g)

    @property
    def rowwise(self) -> bool:
        """Whether rows can be evaluated apart, and come out as they would together."""
        return not (self.batched and self.stochastic)

    # What a user sees: their own bounds, values and signs.

    @property
    def variable_names(self) -> tuple[str, ...]:
        return self._variable_names or tuple(f"x{i + 1}" for i in range(self.variables))

    @property
    def signs(self) -> np.ndarray:
        """1 for an objective that is minimised, -1 for one that is maximised."""
        return signs(self.directions, self.objectives)

    def decode(self, x: Float[Array, "n d"]) -> Float[Array, "n d"]:
        """From the search space to the user's values."""
        if any(self.log):
            x = jnp.where(np.array(self.log), jnp.exp(x), x)
        if any(self.integer):
            x = jnp.where(np.array(self.integer), jnp.floor(x), x)
        if any(self.log) or any(self.integer):
            x = jnp.clip(x, self.lower.astype(x.dtype), self.upper.astype(x.dtype))
        return x

    def encode(self, x: Float[Array, "n d"]) -> Float[Array, "n d"]:
        """From the user's values to the search space; the inverse of ``decode``."""
        if any(self.integer):
            x = jnp.where(np.array(self.integer), x + 0.5, x)
        if any(self.log):
            x = jnp.where(np.array(self.log), jnp.log(x), x)
        return x

    def show(self, x: ArrayLike) -> np.ndarray:
        """Decoded variables in double precision, inside the user's own bounds."""
        # A decoding that does nothing is left out: handing rows to JAX compiles something for each number of them.
        encoded = any(self.log) or any(self.integer)
        shown = np.asarray(self.decode(jnp.asarray(x)) if encoded else x, dtype=np.float64)
        return np.clip(shown, self.lower, self.upper)

    def front(self, points: int = 1000) -> np.ndarray | None:
        """About ``points`` points of the true front, in the user's signs; None where it is not known."""
        del points
        return self._front

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._identity == other._identity

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"{type(self).__name__}(name={self.name!r}, variables={self.variables}, objectives={self.objectives})"

    # Optional abilities, which subclasses override

    def reference_point(self) -> np.ndarray | None:
        """The reference point of the hypervolume, in the user's signs; None if the problem defines none."""
        return None

    def replay(self, x: ArrayLike) -> "Replay | None":
        """The motion that one solution (d,) produces, for animations; None unless ``can_replay``."""
        del x
        return None

    # Details.

    def _map(self, function: Callable[..., Any], key: PRNGKeyArray, x: Array) -> Array:
        """``function`` over the rows of ``x``, as the user wrote it: of one or of many, with a key or without."""
        if self.batched:
            return jnp.asarray(function(key, x) if self.stochastic else function(x))
        if self.stochastic:
            # A key of its own for each row, from the row's number: it does not matter how rows are laid out.
            keys = jax.vmap(jax.random.fold_in, (None, 0))(key, row_numbers(len(x)))
            return jax.vmap(lambda k, row: jnp.asarray(function(k, row)))(keys, x)
        return jax.vmap(lambda row: jnp.asarray(function(row)))(x)

    def _make_identity(self) -> tuple:
        return (
            *map(_identity_of, (self.function, self.constraints, self._sample)), self.batched, self.stochastic,
            self.lower.tobytes(), self.upper.tobytes(), bytes(self.integer), bytes(self.log),
            self.objectives, self.directions, self.objective_names, self.units, self._variable_names, self.name,
            None if self._front is None else self._front.tobytes(),
        )  # fmt: skip

    def _check_encoding(self) -> None:
        log, integer = np.array(self.log), np.array(self.integer)
        if (self.lower[log] <= 0).any():
            raise ValueError("log-scaled variables must have lower > 0, got lower = " + str(self.lower[log].min()))
        fractional = integer & ((self.lower != np.floor(self.lower)) | (self.upper != np.floor(self.upper)))
        if fractional.any():
            i = int(np.argmax(fractional))
            raise ValueError(f"integer variables must have whole bounds, got [{self.lower[i]}, {self.upper[i]}] at {i}")
        # An integer k owns [k, k + 1), so that each is equally likely.
        upper = self.upper + integer
        with np.errstate(divide="ignore", invalid="ignore"):
            self._search_lower = np.where(log, np.log(self.lower), self.lower)
            self._search_upper = np.where(log, np.log(upper), upper)
        self._check_precision()

    def _check_columns(self) -> None:
        """Objectives and variables are columns of one table, beside the violation."""
        # Of default names there may be very many.
        default = {f"x{i + 1}" for i in range(self.variables)} if "x" in "".join(self.objective_names) else ()
        names = [*self.objective_names, *(self._variable_names or default), "violation"]
        repeated = [name for name, count in Counter(names).items() if count > 1]
        if repeated:
            raise ValueError(
                "objective_names and variable_names must all differ, and none is 'violation', "
                f"got {repeated[0]!r} more than once"
            )

    def _check_precision(self) -> None:
        """The floats in use can tell the bounds, and whole numbers between them, apart."""
        dtype = jnp.result_type(float)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            lower, upper = self._search_lower.astype(dtype), self._search_upper.astype(dtype)
            span, finest = upper - lower, np.spacing(np.maximum(np.abs(lower), np.abs(upper)))
            # The part of the search space that the largest whole number has.
            part = np.where(self.log, np.log1p(1 / self.upper), 1.0)
        rescale, wider = "rescale the variable", "" if dtype == np.float64 else "set jax_enable_x64"
        for wrong, must, remedies in (
            (~np.isfinite(span), "upper - lower must be finite", (rescale, wider)),
            (lower >= upper, "lower and upper must differ", (rescale, wider)),
            (np.array(self.integer) & (finest > part), "neighbouring integers must differ", (wider,)),
        ):
            if wrong.any():
                i = int(np.argmax(wrong))
                remedy = " or ".join(filter(None, remedies))
                got = f"got [{self.lower[i]}, {self.upper[i]}] at {i}"
                raise ValueError(f"{must} in {dtype}, {got}{f'; {remedy}' if remedy else ''}")

    def _check_sample(self) -> None:
        """A sample has one row an individual and one column a variable; found by tracing, too."""
        if self._sample is None:
            return
        rows = _other_than(self.variables, self.objectives)
        key = jax.eval_shape(lambda: jax.random.key(0))
        try:
            shape = jax.eval_shape(lambda k: jnp.asarray(self._sample(k, rows)), key).shape  # type: ignore[misc]
        except Exception as error:
            raise TypeError(f"sample could not be traced with a key and {rows} rows: {error}") from error
        if shape != (rows, self.variables):
            raise ValueError(f"sample must give an array of shape (n, {self.variables}), got {shape} for n = {rows}")

    def _check_outputs(self) -> None:
        """The functions' outputs have the right shapes; found by tracing, without running or compiling."""
        rows = _other_than(self.variables, self.objectives)
        x = jax.ShapeDtypeStruct((rows, self.variables), jnp.result_type(float))
        key = jax.eval_shape(lambda: jax.random.key(0))
        takes = "(n, d)" if self.batched else "(d,)"
        for what, function in (("function", self.function), ("constraints", self.constraints)):
            if function is None:
                continue
            try:
                shape = jax.eval_shape(lambda k, v, g=function: self._map(g, k, v), key, x).shape
            except Exception as error:
                hint = "" if self.host else "; if it is not a JAX function, use HostProblem"
                raise TypeError(f"{what} could not be traced with x of shape {takes}{hint}: {error}") from error
            if what == "function" and shape != (rows, self.objectives):
                got, wanted = (shape, f"(n, {self.objectives})") if self.batched else (shape[1:], (self.objectives,))
                raise ValueError(f"function must give an array of shape {wanted} for x of shape {takes}, got {got}")
            if what == "constraints" and (len(shape) > 2 or shape[:1] != (rows,)):
                got, wanted = (shape, "(n, c)") if self.batched else (shape[1:], "() or (c,)")
                raise ValueError(f"constraints must give an array of shape {wanted} for x of shape {takes}, got {got}")


def _identity_of(function: Callable[..., Any] | None) -> Any:
    """What is equal for equal functions: for one that cannot be hashed (a class of the user's), just itself."""
    try:
        hash(function)
    except TypeError:
        return id(function)
    return function


def total_violation(g: Float[Array, "n c"]) -> Float[Array, " n"]:
    """How far the constraints g ≤ 0 are from being met, in all; zero if they are."""
    return jnp.maximum(g, 0).sum(axis=1)


def _check_bounds(lower: ArrayLike, upper: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    low = check_array("lower", lower, shape="(variables,)", ndim=1)
    high = check_array("upper", upper, shape="(variables,)", ndim=1)
    if len(low) != len(high):
        raise ValueError(f"lower and upper must have the same length, got {len(low)} and {len(high)}")
    if len(low) == 0:
        raise ValueError("lower and upper must have at least one variable, got none")
    if (low >= high).any():
        i = int(np.argmax(low >= high))
        raise ValueError(f"lower must be below upper, got lower[{i}] = {low[i]} and upper[{i}] = {high[i]}")
    return low, high


def _check_flags(name: str, flags: bool | Sequence[bool], variables: int) -> tuple[bool, ...]:
    try:
        each = np.asarray(flags)
    except ValueError:  # ragged
        each = np.empty(0)
    if each.dtype != bool or each.shape not in ((), (variables,)):
        raise ValueError(f"{name} takes True, False or {variables} of them, one a variable, got {flags!r:.80}")
    return tuple(np.broadcast_to(each, variables).tolist())


def _check_names(what: str, names: Sequence[str] | None, otherwise: Sequence[str]) -> tuple[str, ...]:
    each = as_tuple(otherwise if names is None else names)
    if len(each) != len(otherwise) or not all(isinstance(name, str) for name in each):
        raise ValueError(f"{what} takes {len(otherwise)} strings, got {names!r:.80}")
    return each


def _other_than(*sizes: int) -> int:
    """A number of rows that a function cannot take for one of these sizes."""
    return next(rows for rows in (7, 11, 13) if rows not in sizes)
