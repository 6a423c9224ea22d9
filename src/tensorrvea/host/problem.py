"""Problems that are not JAX: any Python function of an individual or of a batch, evaluated on the host."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray
from numpy.typing import ArrayLike

from tensorrvea.checks import is_traced
from tensorrvea.host.failures import Failures, describe
from tensorrvea.problem import Problem


class HostProblem(Problem):
    """A problem whose objectives are any Python function: a simulator, a program that is called, NumPy.

    Args:
      function: takes the variables ``x`` of one individual, float64 of shape (d,), inside the bounds; gives m
        numbers. With ``batched=True`` it takes (n, d) and gives (n, m).

    The other arguments are those of ``Problem``. Nothing is called when the problem is made.

    An evaluation that raises an exception, or gives NaN or an infinite number, costs that individual and not
    the run: ``failures`` has each message and how often it came. If a batched function raises, its rows are
    evaluated one by one, so that only the culprit is lost. Outputs of the wrong shape are a ``ValueError``.

    >>> problem = HostProblem(lambda x: (x[0], 1 / x[0]), lower=[0.5], upper=[2.0], objectives=2)
    >>> f, violation = problem.evaluate_host(None, np.array([[0.5], [2.0]]))
    >>> f.tolist(), violation.tolist()
    ([[0.5, 2.0], [2.0, 0.5]], [0.0, 0.0])
    """

    host = True

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
        integer: bool | Sequence[bool] = False,
        log: bool | Sequence[bool] = False,
        sample: Callable[[PRNGKeyArray, int], Any] | None = None,
        front: ArrayLike | None = None,
        objective_names: Sequence[str] | None = None,
        units: Sequence[str] | None = None,
        variable_names: Sequence[str] | None = None,
        name: str | None = None,
    ):
        super().__init__(
            function, lower=lower, upper=upper, objectives=objectives, directions=directions,
            constraints=constraints, batched=batched, integer=integer, log=log, sample=sample, front=front,
            objective_names=objective_names, units=units, variable_names=variable_names, name=name,
        )  # fmt: skip
        self._failures = Failures(self.name)

    @property
    def failures(self) -> list[tuple[str, int]]:
        """The messages of evaluations that failed, in the order in which they first came, and how often."""
        return self._failures.messages

    def evaluate(
        self, key: PRNGKeyArray, x: Float[Array, "n d"]
    ) -> tuple[Float[Array, "n m"], Float[Array, " n"]]:
        """As ``Problem.evaluate``, but not inside compiled code."""
        if is_traced(x):
            raise TypeError(
                f"{self.name} is evaluated on the host and cannot be compiled; call evaluate_host between"
            )
        f, violation = self.evaluate_host(key, self.show(x))
        return jnp.asarray(f, jnp.result_type(float)), jnp.asarray(violation, jnp.result_type(float))

    def evaluate_host(
        self, key: PRNGKeyArray | None, x: Float[np.ndarray, "n d"]
    ) -> tuple[Float[np.ndarray, "n m"], Float[np.ndarray, " n"]]:
        """Objectives, all minimised, and the violation, of the user's own values; NaN where it failed."""
        del key
        x = np.asarray(x, dtype=np.float64)
        f = np.full((len(x), self.objectives), np.nan)
        violation = np.full(len(x), np.nan)
        if self.batched:
            self._evaluate_rows(slice(0, len(x)), x, f, violation)
        else:
            for i in range(len(x)):
                self._evaluate_rows(slice(i, i + 1), x, f, violation)
        return f * self.signs, violation

    # Details.

    def _evaluate_rows(self, rows: slice, x: np.ndarray, f: np.ndarray, violation: np.ndarray) -> None:
        """Writes the values of some rows, if they do not fail."""
        # A copy, for a function that works in place must not change the population.
        given = x[rows].copy() if self.batched else x[rows.start].copy()
        try:
            values = self.function(given)
            limits = None if self.constraints is None else self.constraints(given.copy())
        except Exception as error:
            if rows.stop - rows.start > 1:
                for i in range(rows.start, rows.stop):
                    self._evaluate_rows(slice(i, i + 1), x, f, violation)
                return
            self._failures.add(describe(error))
            return
        count = rows.stop - rows.start
        f[rows] = self._check_values(values, count)
        violation[rows] = 0.0 if limits is None else self._check_limits(limits, count)
        bad = ~(np.isfinite(f[rows]).all(axis=1) & np.isfinite(violation[rows]))
        if bad.any():
            f[rows][bad] = np.nan
            self._failures.add("gave NaN or an infinite number", int(bad.sum()))

    def _check_values(self, values: Any, count: int) -> np.ndarray:
        wanted = (count, self.objectives) if self.batched else (self.objectives,)
        got = _as_floats("function", values)
        if got.shape != wanted:
            takes = f"({count}, {self.variables})" if self.batched else f"({self.variables},)"
            raise ValueError(
                f"function must give {wanted} for x of shape {takes}, got an array of shape {got.shape}"
            )
        return got.reshape(count, self.objectives)

    def _check_limits(self, limits: Any, count: int) -> np.ndarray:
        got = _as_floats("constraints", limits)
        if (self.batched and (got.ndim > 2 or got.shape[:1] != (count,))) or (
            not self.batched and got.ndim > 1
        ):
            wanted = f"({count}, c)" if self.batched else "() or (c,)"
            raise ValueError(f"constraints must give an array of shape {wanted}, got {got.shape}")
        return np.maximum(got.reshape(count, -1), 0).sum(axis=1)

    def _check_outputs(self) -> None:
        """Nothing: a host function may be dear or have effects, and is first called when it is needed."""


def _as_floats(what: str, values: Any) -> np.ndarray:
    if values is None:  # NumPy would make a NaN of it
        raise ValueError(f"{what} must give numbers, got None; is its return missing?")
    try:
        return np.asarray(jax.device_get(values), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{what} must give numbers, got {values!r:.80}") from error
