"""Problems that are not JAX: any Python function of an individual or of a batch, evaluated on the host."""

import os
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from types import TracebackType
from typing import Any, Self

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray
from numpy.typing import ArrayLike

from tensorrvea.checks import check_integer, check_number, is_traced
from tensorrvea.host.batch import Batch
from tensorrvea.host.failures import Failures
from tensorrvea.host.places import ExecutorPlace, HerePlace, Place, ProcessPlace, check_sendable
from tensorrvea.host.team import Team
from tensorrvea.problem import Problem


class HostProblem(Problem):
    """A problem whose objectives are any Python function: a simulator, a program that is called, NumPy.

    Args:
      function: takes the variables ``x`` of one individual, float64 of shape (d,), inside the bounds; gives m
        numbers. With ``batched=True`` it takes (n, d) and gives (n, m). With ``stochastic=True`` it takes a
        NumPy ``Generator`` first (batched: one for each row), which the run's seed decides.
      constraints: like ``function``, gives any number of values g(x) that are kept ≤ 0. Or a number c, if
        ``function`` itself gives c such values after the objectives: m + c numbers in all.
      workers: how many processes evaluate; None for this process alone. With ``executor="ray"``, how many of
        the cluster's CPUs to use, all if None.
      executor: ``"ray"`` for a Ray cluster, or any ``concurrent.futures.Executor``.
      timeout: seconds that one individual may take; needs ``workers`` or ``executor="ray"``.
      retries: how often an evaluation that failed is tried again.

    The other arguments are those of ``Problem``; ``sample`` is a JAX function here, too. Nothing is called
    when the problem is made.

    An exception, a NaN, a time-out or a killed worker costs that individual and not the run: ``failures`` has
    each message and how often it came. One whose worker was killed is tried once again even if ``retries`` is
    0. If a batched function raises, its rows are evaluated one by one, so that only the culprit is lost.
    Outputs of the wrong shape are a ``ValueError``.

    Workers stay between batches, until ``close`` (or the end of a ``with`` block, or of the program).

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
        constraints: Callable[..., Any] | int | None = None,
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
        workers: int | None = None,
        executor: str | Executor | None = None,
        timeout: float | None = None,
        retries: int = 0,
    ):
        self.workers = None if workers is None else check_integer("workers", workers, minimum=1)
        self.executor = _check_executor(executor)
        self.timeout = timeout
        if timeout is not None:
            check_number("timeout", timeout, minimum=0, open_minimum=True, scalar=True)
            if executor != "ray" and (executor is not None or workers is None):
                where = "this process" if executor is None else "an executor of your own"
                raise ValueError(f"timeout needs workers= or executor='ray': what runs in {where} cannot be ended")
        self.retries = check_integer("retries", retries, minimum=0)
        self.given_constraints = 0
        if isinstance(constraints, int):
            self.given_constraints, constraints = check_integer("constraints", constraints, minimum=0), None
        super().__init__(
            function, lower=lower, upper=upper, objectives=objectives, directions=directions,
            constraints=constraints, batched=batched, stochastic=stochastic, integer=integer, log=log,
            sample=sample, front=front, objective_names=objective_names, units=units,
            variable_names=variable_names, name=name,
        )  # fmt: skip
        if self.workers is not None and executor is None:
            check_sendable("function", function)
            check_sendable("constraints", constraints)
        self._failures = Failures(self.name)
        self._team: Team | None = None

    @property
    def failures(self) -> list[tuple[str, int]]:
        """The messages of evaluations that failed, in the order in which they first came, and how often."""
        return self._failures.messages

    def evaluate(self, key: PRNGKeyArray, x: Float[Array, "n d"]) -> tuple[Float[Array, "n m"], Float[Array, " n"]]:
        """As ``Problem.evaluate``, but not inside compiled code."""
        if is_traced(x):
            raise TypeError(f"{self.name} is evaluated on the host and cannot be compiled; call evaluate_host between")
        f, violation = self.evaluate_host(key, self.show(x))
        return jnp.asarray(f, jnp.result_type(float)), jnp.asarray(violation, jnp.result_type(float))

    def evaluate_host(
        self, key: PRNGKeyArray | None, x: Float[np.ndarray, "n d"]
    ) -> tuple[Float[np.ndarray, "n m"], Float[np.ndarray, " n"]]:
        """Objectives, all minimised, and the violation, of the user's own values; NaN where it failed.

        With an array of k keys, the rows are k equal parts, each of which draws as it would alone.
        """
        x = np.asarray(x, dtype=np.float64)
        batch = Batch(
            x,
            objectives=self.objectives,
            constraints=self.given_constraints,
            batched=self.batched,
            retries=self.retries,
            failures=self._failures,
            generator=_generators(key, len(x)) if self.stochastic else None,
        )
        if self._team is None:
            self._team, self._blocks = self._make_team()
            # The team does not know the problem, so that a problem which is gone ends its workers. One that was
            # optimised stays known to what was compiled for it: its workers end when it is closed, or with the process.
            weakref.finalize(self, self._team.close)
        self._team.run(batch, batch.jobs(self._blocks))
        return batch.f * self.signs, batch.violation

    def close(self) -> None:
        """Ends the workers; another evaluation starts them again."""
        if self._team is not None:
            self._team.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Details.

    def _make_team(self) -> tuple[Team, int]:
        """Who evaluates, and into how many blocks a batch is cut for a function of batches."""
        functions, executor = (self.function, self.constraints), self.executor
        if executor == "ray":
            from tensorrvea.host.ray_place import RayPlace, connect

            size = connect(self.workers)
            return Team(lambda: RayPlace(functions), size=size, timeout=self.timeout), size
        if isinstance(executor, Executor):
            return Team(lambda: ExecutorPlace(functions, executor), size=None), self.workers or os.cpu_count() or 1
        make: Callable[[], Place] = (
            (lambda: ProcessPlace(functions)) if self.workers else (lambda: HerePlace(functions))
        )
        return Team(make, size=self.workers or 1, timeout=self.timeout), self.workers or 1

    def _make_identity(self) -> tuple:
        return (
            *super()._make_identity(),
            self.given_constraints,
            self.workers,
            self.executor,
            self.timeout,
            self.retries,
        )

    def _check_outputs(self) -> None:
        """Nothing: a host function may be dear or have effects, and is first called when it is needed."""


def _check_executor(executor: Any) -> str | Executor | None:
    if executor is None or isinstance(executor, Executor) or executor == "ray":
        return executor
    raise TypeError(f"executor takes None, 'ray' or a concurrent.futures.Executor, got {executor!r:.80}")


def _generators(key: PRNGKeyArray | None, rows: int) -> Callable[[int], np.random.Generator]:
    """A generator for each row, from the key and the row's number, whoever evaluates it and when."""
    if key is None:
        raise TypeError("key must be given for a stochastic problem, got None")
    keys = jax.random.key_data(jnp.atleast_1d(key)) if jnp.issubdtype(key.dtype, jax.dtypes.prng_key) else key
    words = np.asarray(keys).reshape(-1, np.shape(keys)[-1])
    if rows % len(words):
        raise ValueError(f"x must have the same number of rows for each of {len(words)} keys, got {rows} rows")
    part = max(rows // len(words), 1)

    def generator(row: int) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence(words[row // part].tolist(), spawn_key=(row % part,)))

    return generator
