"""The rows that are evaluated together: what is asked for each, what came out, what has to be done again."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tensorrvea.host.failures import Failures
from tensorrvea.host.worker import Outcome

NOT_FINITE = "gave NaN or an infinite number"


class Job(NamedTuple):
    """Rows that one call evaluates; one row, unless the function takes batches."""

    rows: np.ndarray
    attempts: int = 0


class Batch:
    """Objectives and violations of the rows of ``x``, NaN until a job has brought them.

    A job that fails is done again ``retries`` times, then its row stays NaN and its message is kept. If a
    job of several rows fails, the rows become jobs of their own, so that only the culprit is lost.
    """

    def __init__(
        self,
        x: np.ndarray,
        *,
        objectives: int,
        constraints: int = 0,
        batched: bool,
        retries: int,
        failures: Failures,
        generator: Callable[[int], np.random.Generator] | None = None,
    ):
        self.x = x
        self.f = np.full((len(x), objectives), np.nan)
        self.violation = np.full(len(x), np.nan)
        self._constraints = constraints
        self._batched, self._retries, self._failures, self._generator = batched, retries, failures, generator

    def jobs(self, blocks: int) -> list[Job]:
        """A job a row; or a block of rows for each of ``blocks``, if the function takes batches."""
        rows = np.arange(len(self.x))
        parts = min(blocks, len(rows)) if self._batched else len(rows)
        return [Job(part) for part in np.array_split(rows, parts)] if len(rows) else []

    def given(self, job: Job) -> tuple[Any, ...]:
        """What the user's function is called with. Generators are new: each attempt draws the same."""
        x = self.x[job.rows] if self._batched else self.x[job.rows[0]]
        if self._generator is None:
            return (x,)
        generators = [self._generator(int(row)) for row in job.rows]
        return (generators if self._batched else generators[0], x)

    def settle(self, job: Job, outcome: Outcome) -> list[Job]:
        """Writes what came of a job; gives the jobs that have to be done again."""
        kind, *content = outcome
        if kind == "wrong":
            raise ValueError(*content)
        if kind == "values":
            return self._write(job, *content)
        (message,) = content
        if len(job.rows) > 1:
            return [Job(job.rows[i : i + 1]) for i in range(len(job.rows))]
        # A killed worker (on a machine that ran out of memory, say) speaks less against the individual than
        # an exception does: it gets a second chance in any case.
        return self._again(job, message, retries=max(self._retries, 1) if kind == "lost" else self._retries)

    def _again(self, job: Job, message: str, retries: int) -> list[Job]:
        if job.attempts < retries:
            return [job._replace(attempts=job.attempts + 1)]
        self._failures.add(message, len(job.rows))
        return []

    def _write(self, job: Job, values: np.ndarray, limits: np.ndarray | None) -> list[Job]:
        values = self._check_values(values, len(job.rows))
        f, violation = values[:, : self.f.shape[1]], total_violation(values[:, self.f.shape[1] :])
        if limits is not None:
            violation = total_violation(self._check_limits(limits, len(job.rows)))
        good = np.isfinite(f).all(axis=1) & np.isfinite(violation)
        self.f[job.rows[good]] = f[good]
        self.violation[job.rows[good]] = violation[good]
        if good.all():
            return []
        return self._again(job._replace(rows=job.rows[~good]), NOT_FINITE, self._retries)

    def _check_values(self, values: np.ndarray, count: int) -> np.ndarray:
        m, d = self.f.shape[1] + self._constraints, self.x.shape[1]
        takes, wanted = ((count, d), (count, m)) if self._batched else ((d,), (m,))
        if values.shape != wanted:
            raise ValueError(f"function must give shape {wanted} for x of shape {takes}, got shape {values.shape}")
        return values.reshape(count, m)

    def _check_limits(self, limits: np.ndarray, count: int) -> np.ndarray:
        leading = (count,) if self._batched else ()
        if limits.shape[: len(leading)] != leading or limits.ndim - len(leading) > 1:
            wanted = f"({count},) or ({count}, c)" if self._batched else "() or (c,)"
            raise ValueError(f"constraints must give shape {wanted}, got shape {limits.shape}")
        return limits.reshape(count, -1)


def total_violation(limits: np.ndarray) -> np.ndarray:
    """How far constraints ≤ 0 are from being met, in all; NaN if one of them is."""
    return np.maximum(limits, 0).sum(axis=1)
