"""A batch of rows: its division into jobs, their results, the jobs to repeat, and the failures."""

import logging
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tensorrvea.host.remote import Outcome

NOT_FINITE = "gave NaN or an infinite number"
MAX_MESSAGES = 100
OTHERS = "other messages"

logger = logging.getLogger("tensorrvea.host")


class Failures:
    """Distinct messages of failed evaluations in order of first occurrence, at most ``MAX_MESSAGES``, with counts."""

    def __init__(self, name: str):
        self.name = name
        self._counts: dict[str, int] = {}

    def add(self, message: str, count: int = 1) -> None:
        message = message.encode(errors="replace").decode()  # so that it can be printed and saved
        if message not in self._counts and len(self._counts) >= MAX_MESSAGES:
            message = OTHERS
        if message not in self._counts:
            # Logged once per message, so that an error in the user's function is noticed although the run continues.
            logger.warning("%s: an evaluation failed: %s", self.name, message)
        self._counts[message] = self._counts.get(message, 0) + count

    def restore(self, messages: Sequence[tuple[str, int]]) -> None:
        """Take over messages of an earlier process. In the same process they are known, and not counted twice."""
        for message, count in messages:
            if message in self._counts or len(self._counts) <= MAX_MESSAGES:
                self._counts[message] = max(count, self._counts.get(message, 0))

    @property
    def messages(self) -> list[tuple[str, int]]:
        return list(self._counts.items())


class Job(NamedTuple):
    """The rows of one call: a single row, unless the function is batched."""

    rows: np.ndarray
    attempts: int = 0


class Batch:
    """Objectives and constraint values of the rows of ``x``, NaN until evaluated.

    The function returns the first ``joint`` constraint values after the objectives.

    A job that fails is repeated up to ``retries`` times; then its row stays NaN and its message is recorded. If a job
    of several rows fails, each row becomes a job, so that only the failing row is lost.
    """

    def __init__(
        self,
        x: np.ndarray,
        *,
        objectives: int,
        constraints: int = 0,
        joint: int = 0,
        batched: bool,
        retries: int,
        failures: Failures,
        generator: Callable[[int], np.random.Generator] | None = None,
    ):
        self.x = x
        self.f = np.full((len(x), objectives), np.nan)
        self.g = np.full((len(x), constraints), np.nan)
        self._joint = joint
        self._batched, self._retries, self._failures, self._generator = batched, retries, failures, generator

    def jobs(self, blocks: int) -> list[Job]:
        """Divide the batch into one job per row, or into ``blocks`` jobs if the function is batched."""
        rows = np.arange(len(self.x))
        parts = min(blocks, len(rows)) if self._batched else len(rows)
        return [Job(part) for part in np.array_split(rows, parts)] if len(rows) else []

    def arguments(self, job: Job) -> tuple[Any, ...]:
        """Arguments of the user's function. Generators are created anew, so that each attempt draws the same."""
        x = self.x[job.rows] if self._batched else self.x[job.rows[0]]
        if self._generator is None:
            return (x,)
        generators = [self._generator(int(row)) for row in job.rows]
        return (generators if self._batched else generators[0], x)

    def record(self, job: Job, outcome: Outcome) -> list[Job]:
        """Store the outcome of a job and return the jobs to repeat."""
        kind, *content = outcome
        if kind == "wrong":
            raise ValueError(*content)
        if kind == "values":
            return self._store(job, *content)
        (message,) = content
        if len(job.rows) > 1:
            return [Job(job.rows[i : i + 1]) for i in range(len(job.rows))]
        # A killed worker may not be the individual's fault (the machine ran out of memory, say): retry at least once.
        return self._retry(job, message, retries=max(self._retries, 1) if kind == "lost" else self._retries)

    def _retry(self, job: Job, message: str, retries: int) -> list[Job]:
        if job.attempts < retries:
            return [job._replace(attempts=job.attempts + 1)]
        self._failures.add(message, len(job.rows))
        return []

    def _store(self, job: Job, values: np.ndarray, constraints: np.ndarray | None) -> list[Job]:
        values = self._check_values(values, len(job.rows))
        f, g = values[:, : self.f.shape[1]], values[:, self.f.shape[1] :]
        if constraints is not None:
            g = np.concatenate([g, self._check_constraints(constraints, len(job.rows))], axis=1)
        good = np.isfinite(f).all(axis=1) & (g < np.inf).all(axis=1)
        self.f[job.rows[good]] = f[good]
        self.g[job.rows[good]] = g[good]
        if good.all():
            return []
        return self._retry(job._replace(rows=job.rows[~good]), NOT_FINITE, self._retries)

    def _check_values(self, values: np.ndarray, count: int) -> np.ndarray:
        m, d = self.f.shape[1] + self._joint, self.x.shape[1]
        takes, expected = ((count, d), (count, m)) if self._batched else ((d,), (m,))
        if values.shape != expected:
            raise ValueError(f"function must give shape {expected} for x of shape {takes}, got shape {values.shape}")
        return values.reshape(count, m)

    def _check_constraints(self, values: np.ndarray, count: int) -> np.ndarray:
        leading, c = (count,) if self._batched else (), self.g.shape[1] - self._joint
        if values.shape != (*leading, c) and (c != 1 or values.shape != leading):
            raise ValueError(f"constraints must give shape {(*leading, c)}, got shape {values.shape}")
        return values.reshape(count, c)
