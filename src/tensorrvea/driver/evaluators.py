"""Running generations: all of it on the device, or with the evaluation on the host."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from tensorrvea import compiled, loop
from tensorrvea.driver.run import Run
from tensorrvea.evolution import Clock
from tensorrvea.loop import Carry, Record
from tensorrvea.processes import broadcast_from_primary, fetch, on_primary_process

# A chunk has at most this many generations, and bytes of records.
CHUNK_GENERATIONS = 128
CHUNK_BYTES = 2**26


class Evaluator:
    """Runs chunks of generations of a run."""

    capacity = 1
    """The largest number of generations of a chunk."""

    def __init__(self, run: Run):
        self.run = run

    def prepare(self, carry: Carry) -> None:
        """Compile what a chunk calls, so that the clock does not include it."""

    def memory(self, carry: Carry) -> int:
        """Return the bytes on the device while a chunk runs; the carry may be of shapes alone."""
        raise NotImplementedError

    def advance(
        self, carry: Carry, start: int, progress: list[float], before: list[float]
    ) -> tuple[Carry, Record, float]:
        """Run generations from ``start`` on.

        Args:
          carry: what the last generation left; it is donated.
          start: the number of the first generation.
          progress, before: the clock of each generation (see ``Clock``).

        Returns:
          The next carry, the records on the host with a leading axis of generations, and the seconds it took.
        """
        raise NotImplementedError

    def close(self) -> None:
        """End workers after a run that failed; the workers of other runs stay for the next one."""


def make_evaluator(run: Run) -> Evaluator:
    return HostEvaluator(run) if run.problem.host else DeviceEvaluator(run)


class DeviceEvaluator(Evaluator):
    """Evaluates on the device: a chunk is one compiled loop."""

    def __init__(self, run: Run):
        super().__init__(run)
        m, d = run.problem.objectives, run.problem.variables
        numbers = {"summary": 0, "fronts": 1 + m, "populations": 1 + m + d}[run.history]
        recorded = len(run.seeds) * run.places * numbers * np.dtype(jnp.result_type(float)).itemsize
        self.capacity = int(np.clip(CHUNK_BYTES // max(recorded, 1), 1, CHUNK_GENERATIONS))

    def arguments(
        self, carry: Carry, start: int = 0, progress: Sequence[float] = (), before: Sequence[float] = ()
    ) -> dict[str, Any]:
        """Return the arguments of ``compiled.chunk``; the clocks are padded to the capacity."""
        clocks = np.zeros((2, self.capacity), jnp.result_type(float))
        clocks[:, : len(progress)] = progress, before
        return {
            "key": self.run.key, "carry": carry, "start": np.int32(start), "count": np.int32(len(progress)),
            "clocks": Clock(*clocks), "capacity": self.capacity,
        }  # fmt: skip

    def prepare(self, carry: Carry) -> None:
        compiled.chunk.prepare(self.run.program, self.run.setting, **self.arguments(carry))

    def memory(self, carry: Carry) -> int:
        return compiled.chunk.memory(self.run.program, self.run.setting, **self.arguments(carry))

    def advance(
        self, carry: Carry, start: int, progress: list[float], before: list[float]
    ) -> tuple[Carry, Record, float]:
        run = self.run
        timed = Timer()
        carry, records = compiled.chunk(run.program, run.setting, **self.arguments(carry, start, progress, before))
        records = fetch_records(run, records)
        return carry, jax.tree.map(lambda rows: rows[: len(progress)], records), timed.seconds


class HostEvaluator(Evaluator):
    """Evaluates on the host: a chunk is one generation, with one compiled call after the evaluation.

    That call is compiled after the first evaluation, so that a mistake in the user's function is reported first.
    """

    is_prepared = False

    def arguments(self, carry: Carry, t: int = 0, **given: Any) -> dict[str, Any]:
        """Return the arguments of ``compiled.tell_and_ask``: given values, or their shapes."""
        rows, dtype = carry.offspring.x.shape[:-1], carry.offspring.x.dtype
        shapes = {
            "f": jax.ShapeDtypeStruct((*rows, self.run.problem.objectives), dtype),
            "violation": jax.ShapeDtypeStruct(rows, dtype),
            "clock": Clock(*np.zeros((2,), dtype)),
        }
        return {"key": self.run.key, "carry": carry, "t": np.int32(t)} | shapes | given

    def memory(self, carry: Carry) -> int:
        return compiled.tell_and_ask.memory(self.run.program, self.run.setting, **self.arguments(carry))

    def advance(
        self, carry: Carry, start: int, progress: list[float], before: list[float]
    ) -> tuple[Carry, Record, float]:
        run = self.run
        if not self.is_prepared:
            self.rows_to_evaluate(carry, start)  # its first call compiles, which is not timed
        timed = Timer()
        f, violation = self.evaluate(carry, start)
        evaluation_seconds = timed.seconds
        if not self.is_prepared:
            compiled.tell_and_ask.prepare(run.program, run.setting, **self.arguments(carry))
            self.is_prepared = True
        clock = Clock(*np.array([progress[0], before[0]], f.dtype))
        timed = Timer()
        given = self.arguments(carry, start, f=f, violation=violation, clock=clock)
        carry, record = compiled.tell_and_ask(run.program, run.setting, **given)
        records = fetch_records(run, jax.tree.map(lambda leaf: leaf[None], record))
        return carry, records, evaluation_seconds + timed.seconds

    def rows_to_evaluate(self, carry: Carry, t: int) -> tuple[Array, np.ndarray]:
        """Return the key, and the rows of all runs as one batch, without padding."""
        run = self.run
        keys: Callable = jax.vmap(loop.generation_keys, (0, None)) if run.is_batched else loop.generation_keys
        key = keys(run.without_padding(run.key), t)[..., 1]
        x = run.without_padding(fetch(carry.offspring.x))[..., : run.algorithm.population, :]
        return key, run.problem.show(x.reshape(-1, x.shape[-1]))

    def evaluate(self, carry: Carry, t: int) -> tuple[np.ndarray, np.ndarray]:
        """Return objectives and violation, padded as the offspring are."""
        run, x = self.run, carry.offspring.x
        key, rows = self.rows_to_evaluate(carry, t)
        values = on_primary_process(lambda: run.problem.evaluate_host(key, rows))
        padded = x.shape[:-1]
        shape = (len(run.seeds), padded[1]) if run.is_batched else (run.algorithm.population,)
        padding = [(0, padded[0] - shape[0])]
        mode: Any = "edge" if run.is_batched else "constant"

        def to_rows(leaf: np.ndarray, *columns: int) -> np.ndarray:
            # A value that is too large for the device's precision becomes infinite: that evaluation has failed.
            with np.errstate(over="ignore"):
                leaf = leaf.astype(x.dtype).reshape(*shape, *columns)
            return np.pad(leaf, padding + [(0, 0)] * (leaf.ndim - 1), mode=mode)

        return to_rows(values[0], run.problem.objectives), to_rows(values[1])

    def close(self) -> None:
        self.run.problem.close()


class Timer:
    """Seconds since it was made, by the clock of the primary process: so they are the same in all processes."""

    def __init__(self) -> None:
        self.started = time.perf_counter()

    @property
    def seconds(self) -> float:
        return broadcast_from_primary(time.perf_counter() - self.started)


def fetch_records(run: Run, records: Record) -> Record:
    """Return records, with a leading axis of generations, on the host and without padding."""
    records = fetch(records)
    if run.is_batched:
        return run.without_padding(records, axis=1)
    return records._replace(population=jax.tree.map(lambda leaf: leaf[:, : run.places], records.population))
