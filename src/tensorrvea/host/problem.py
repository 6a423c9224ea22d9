"""Problems whose functions are any Python code, evaluated on the host."""

import os
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import Any, Self

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, PRNGKeyArray
from numpy.typing import ArrayLike

from tensorrvea.checks import check_integer, check_number, shown
from tensorrvea.directions import Directions
from tensorrvea.evaluation import Evaluation
from tensorrvea.host.batch import Batch, Failures
from tensorrvea.host.guard import Guard
from tensorrvea.host.pool import WorkerPool
from tensorrvea.host.remote import WithEqualities, as_numbers, describe
from tensorrvea.host.workers import ExecutorWorker, LocalWorker, ProcessWorker, check_sendable
from tensorrvea.problem import EQUALITY_TOLERANCE, Problem


class HostProblem(Problem):
    """A problem whose objectives are any Python function: a simulator, an external program, NumPy code.

    Args:
      function: takes the variables ``x`` of one individual, float64 of shape (d,), inside the bounds, and returns m
        numbers. With ``batched=True`` it maps (n, d) to (n, m). With ``stochastic=True`` its first argument is a NumPy
        ``Generator`` (batched: a list of them, one per row) that depends on the run's seed.
      constraints: called like ``function``; returns any number of values g(x), feasible where all are ≤ 0. Or the
        number c of such values that ``function`` returns after the objectives, m + c numbers in all. If
        ``constraints`` is a function and there are no ``constraint_names``, it is called once in the middle of the
        bounds when a run begins, to count its values; ``equalities`` always is.
      workers: number of processes that evaluate; None for this process. With ``executor="ray"``, the number of the
        cluster's CPUs to use; None for all.
      executor: ``"ray"`` for a Ray cluster, or any ``concurrent.futures.Executor``.
      timeout: maximum seconds per individual; needs ``workers`` or ``executor="ray"``.
      retries: how often a failed evaluation is repeated.

    The other arguments are those of ``Problem``; ``sample`` is a JAX function here, too. The function is
    not called when the problem is made, so ``objectives`` is required unless ``directions`` or names tell it.

    An exception, a NaN, a time-out or a killed worker fails that individual, not the run; ``failures`` lists the
    messages. After a killed worker the individual is retried once even if ``retries`` is 0. If a batched function
    raises, its rows are evaluated one by one, so that only the failing row is lost. Outputs of the wrong shape raise a
    ``ValueError``.

    Workers stay between batches, until ``close``, the end of a ``with`` block, or the end of the program.

    >>> problem = HostProblem(lambda x: (x[0], 1 / x[0]), lower=[0.5], upper=[2.0], objectives=2)
    >>> f, g = problem.evaluate_host(None, np.array([[0.5], [2.0]]))
    >>> f.tolist(), g.shape
    ([[0.5, 2.0], [2.0, 0.5]], (2, 0))
    """

    host = True

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        lower: "ArrayLike",
        upper: "ArrayLike",
        objectives: int | None = None,
        variables: int | None = None,
        directions: Directions = "min",
        constraints: Callable[..., Any] | int | None = None,
        equalities: Callable[..., Any] | None = None,
        equality_tolerance: float = EQUALITY_TOLERANCE,
        workers: int | None = None,
        executor: str | Executor | None = None,
        timeout: float | None = None,
        retries: int = 0,
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
        self.workers = None if workers is None else check_integer("workers", workers, minimum=1)
        if not (
            executor is None or isinstance(executor, Executor) or (isinstance(executor, str) and executor == "ray")
        ):
            raise TypeError(f"executor takes None, 'ray' or a concurrent.futures.Executor, got {shown(executor)}")
        self.executor = executor
        self.timeout = timeout
        if timeout is not None:
            check_number("timeout", timeout, minimum=0, open_minimum=True, scalar=True)
            if executor != "ray" and (executor is not None or workers is None):
                where = "this process" if executor is None else "an executor of your own"
                raise ValueError(f"timeout needs workers= or executor='ray': a call in {where} cannot be ended")
        self.retries = check_integer("retries", retries, minimum=0)
        if isinstance(constraints, int):
            self.host_constraints, constraints = check_integer("constraints", constraints, minimum=0), None
        super().__init__(
            function, lower=lower, upper=upper, objectives=objectives, variables=variables, directions=directions,
            constraints=constraints, equalities=equalities, equality_tolerance=equality_tolerance,
            batched=batched, stochastic=stochastic, integer=integer, log=log, sample=sample, front=front,
            objective_names=objective_names, units=units, variable_names=variable_names,
            constraint_names=constraint_names, name=name,
        )  # fmt: skip
        if self.workers is not None and executor is None:
            check_sendable("function", function)
            check_sendable("constraints", constraints)
            check_sendable("equalities", equalities)
        self._failures = Failures(self.name)
        self._pool: WorkerPool | None = None

    @property
    def failures(self) -> list[tuple[str, int]]:
        return self._failures.messages

    def restore_failures(self, failures: Sequence[tuple[str, int]]) -> None:
        self._failures.restore(failures)

    def evaluate_host(self, key: PRNGKeyArray | None, x: Float[np.ndarray, "n d"]) -> Evaluation:
        """Evaluate rows of the user's values: objectives, all minimised, and constraint values; NaN where failed.

        With an array of k keys, ``x`` consists of k equal blocks of rows, each of which draws from its own key.
        """
        x = np.asarray(x, dtype=np.float64)
        batch = Batch(
            x,
            objectives=self.objectives,
            constraints=self.num_constraints,
            joint=self.host_constraints,
            batched=self.batched,
            retries=self.retries,
            failures=self._failures,
            generator=_generators(key, len(x)) if self.stochastic else None,
        )
        if self._pool is None:
            self._pool, self._blocks = self._make_pool()
            # The pool holds no reference to the problem, so that its workers stop when the problem is collected. A
            # problem that was optimised stays referenced by its compiled code, until it is closed or the process ends.
            weakref.finalize(self, self._pool.close)
        self._pool.run(batch, batch.jobs(self._blocks))
        return batch.f * self.signs, batch.g

    def close(self) -> None:
        if self._pool is not None:
            self._pool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Details

    def _make_pool(self) -> tuple[WorkerPool, int]:
        """Create the workers; also return the number of blocks per batch for a batched function."""
        limits = self.constraints
        if self.equalities is not None:
            limits = WithEqualities(self.constraints, self.equalities, self.equality_tolerance, self.batched)
        functions, executor = (self.function, limits), self.executor
        if executor == "ray":
            from tensorrvea.host.ray_worker import RayWorker, connect  # needs the optional package ray

            size = connect(self.workers)
            return WorkerPool(lambda: RayWorker(functions), size=size, timeout=self.timeout), size
        if isinstance(executor, Executor):
            pool = WorkerPool(lambda: ExecutorWorker(functions, executor), size=None)
            return pool, self.workers or os.cpu_count() or 1
        if self.workers is None:
            return WorkerPool(lambda: LocalWorker(functions), size=1), 1
        guard, size = Guard(), self.workers
        make, release = (lambda: ProcessWorker(functions, guard)), guard.close
        return WorkerPool(make, size=size, timeout=self.timeout, release=release), size

    def _make_identity(self) -> tuple:
        own = (self.host_constraints, self.workers, self.executor, self.timeout, self.retries)
        return (*super()._make_identity(), *own)

    @property
    def num_constraints(self) -> int:
        if self._num_constraints is None:
            counted = 0 if self.constraints is None else self._count("constraints", self.constraints)
            self._num_constraints = self.host_constraints + counted + self.num_equalities
            self._check_constraint_count()
        return self._num_constraints

    @property
    def num_equalities(self) -> int:
        if self._num_equalities is None:
            self._num_equalities = 0 if self.equalities is None else self._count("equalities", self.equalities)
        return self._num_equalities

    def _infer_objectives(self) -> int:
        raise TypeError(
            "objectives must be given, or one entry of directions= or objective_names= per objective: the function of "
            "a HostProblem is not called when the problem is made"
        )

    def _check_outputs(self) -> None:
        """Do not call the functions, since they may be expensive or have side effects."""
        names = self._constraint_names
        self._num_equalities = 0 if self.equalities is None else None
        if self.constraints is None and self.equalities is None:
            self._num_constraints = self.host_constraints
            self._check_constraint_count()
        else:
            self._num_constraints = None if names is None else len(names)

    @property
    def _known_constraint_names(self) -> tuple[str, ...]:
        return () if None in (self._num_constraints, self._num_equalities) else self.constraint_names

    def _count(self, argument: str, function: Callable[..., Any]) -> int:
        """Call a function of constraints once, in the middle of the bounds, and return how many values it gives."""
        middle = self.show(self.encode(jnp.asarray((self.lower + self.upper) / 2)[None]))
        arguments: tuple[Any, ...] = (middle if self.batched else middle[0],)
        if self.stochastic:
            generator = _generators(jax.random.key(0), 1)(0)
            arguments = ([generator] if self.batched else generator, *arguments)
        try:
            shape = as_numbers(argument, function(*arguments)).shape
        except Exception as error:  # whatever the user's function raises
            remedy = ": give constraint_names, one per constraint" if argument == "constraints" else ""
            raise ValueError(
                f"{argument} could not be counted in the middle of the bounds ({describe(error)}){remedy}"
            ) from error
        count = shape[1:] if self.batched else shape
        if len(count) > 1 or (self.batched and shape[:1] != (1,)):
            expected = "(1,) or (1, c)" if self.batched else "() or (c,)"
            raise ValueError(f"{argument} must give shape {expected}, got shape {shape}")
        return int(np.prod(count))


def _generators(key: PRNGKeyArray | None, rows: int) -> Callable[[int], np.random.Generator]:
    """Return a function from row number to generator, which depends only on the key and the row."""
    if key is None:
        raise TypeError("key must be given for a stochastic problem, got None")
    keys = jax.random.key_data(jnp.atleast_1d(key)) if jnp.issubdtype(key.dtype, jax.dtypes.prng_key) else key
    words = np.asarray(keys).reshape(-1, np.shape(keys)[-1])
    if rows % len(words):
        raise ValueError(f"x must have the same number of rows for each of {len(words)} keys, got {rows} rows")
    block = max(rows // len(words), 1)

    def generator(row: int) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence(words[row // block].tolist(), spawn_key=(row % block,)))

    return generator
