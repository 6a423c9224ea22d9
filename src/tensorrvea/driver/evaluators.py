"""Running generations: all of it on the device, or with the evaluation on the host."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec
from jaxtyping import Array

from tensorrvea import compiled, loop
from tensorrvea.devices import ROWS, RUNS
from tensorrvea.driver.run import Run
from tensorrvea.effort import FULL
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
          progress: the share of the budget that each generation has spent (see ``Clock``).
          before: the same, one generation before.

        Returns:
          The next carry, the records on the host with a leading axis of generations, and the seconds it took.
        """
        raise NotImplementedError

    def close(self) -> None:
        """End workers after a run that failed; the workers of other runs stay for the next one."""

    def clocks(self, progress: Sequence[float] = (), before: Sequence[float] = ()) -> Clock:
        """Return the clocks of a chunk, padded to its capacity."""
        clocks = np.zeros((2, self.capacity), jnp.result_type(float))
        clocks[:, : len(progress)] = progress, before
        return Clock(*clocks)


def make_evaluator(run: Run) -> Evaluator:
    if run.problem.host:
        return HostEvaluator(run)
    return ChunkEvaluator(run) if run.setting.effort.is_fused else StepEvaluator(run)


def chunk_capacity(run: Run) -> int:
    """Return how many generations' records may be kept on the device."""
    m, d = run.problem.objectives, run.problem.variables
    c = run.problem.num_constraints
    numbers = {"summary": 0, "fronts": 1 + m, "populations": 1 + m + d + c}[run.history]
    recorded = len(run.seeds) * run.places * numbers * np.dtype(jnp.result_type(float)).itemsize
    return int(np.clip(CHUNK_BYTES // max(recorded, 1), 1, CHUNK_GENERATIONS))


class ChunkEvaluator(Evaluator):
    """Runs a chunk as one compiled loop, evaluation included."""

    def __init__(self, run: Run):
        super().__init__(run)
        self.capacity = chunk_capacity(run)

    def arguments(
        self, carry: Carry, start: int = 0, progress: Sequence[float] = (), before: Sequence[float] = ()
    ) -> tuple:
        """Return the arguments of ``compiled.chunk``."""
        return self.run.key, carry, np.int32(start), np.int32(len(progress)), self.clocks(progress, before)

    def prepare(self, carry: Carry) -> None:
        self.chunk = compiled.chunk.prepare(self.run.program, self.run.setting, *self.arguments(carry))

    def memory(self, carry: Carry) -> int:
        return compiled.chunk.memory(self.run.program, self.run.setting, *self.arguments(carry))

    def advance(
        self, carry: Carry, start: int, progress: list[float], before: list[float]
    ) -> tuple[Carry, Record, float]:
        timed = Timer()
        carry, records = self.chunk(*self.arguments(carry, start, progress, before))
        records = fetch_records(self.run, records)
        return carry, jax.tree.map(lambda rows: rows[: len(progress)], records), timed.seconds


class StepEvaluator(Evaluator):
    """Runs a chunk as two compiled programs that take turns: evaluation, and a step of the search."""

    records: Any = None
    """Where the next chunk is recorded, on the device; None before the step is compiled."""

    def __init__(self, run: Run):
        super().__init__(run)
        self.capacity = chunk_capacity(run)

    @property
    def evaluation_setting(self) -> compiled.Setting:
        """The setting with full effort: nothing is known of how long the user's function takes."""
        return self.run.setting._replace(effort=FULL)

    def shapes(self, carry: Carry) -> tuple[Record, Any, Any]:
        """Return the shapes of records, objectives and constraint values (() if there are none)."""
        run, x = self.run, carry.offspring.x
        mesh, rows = run.setting.mesh, x.shape[:-1]
        spec = PartitionSpec(RUNS) if run.is_batched else ROWS
        sharding = None if mesh is None else NamedSharding(mesh, spec)
        f = jax.ShapeDtypeStruct((*rows, run.problem.objectives), x.dtype, sharding=sharding)
        c = run.problem.num_constraints
        g = jax.ShapeDtypeStruct((*rows, c), x.dtype, sharding=sharding) if c else ()
        return compiled.record_shapes(run.program, run.setting, carry, self.capacity), f, g

    def prepare(self, carry: Carry) -> None:
        self.prepare_evaluation(carry)
        self.prepare_step(carry)

    def prepare_evaluation(self, carry: Carry) -> None:
        run = self.run
        self.evaluate_compiled = compiled.evaluate.prepare(
            run.program, self.evaluation_setting, run.key, carry.offspring.x, np.int32(0)
        )

    def prepare_step(self, carry: Carry) -> None:
        run = self.run
        records, f, g = self.shapes(carry)
        steps = compiled.start_steps(run.setting, carry, records, 0)
        self.records = steps.records
        self.step = compiled.step.prepare(run.program, run.setting, run.key, steps, f, g, self.clocks())

    def memory(self, carry: Carry) -> int:
        run = self.run
        records, f, g = self.shapes(carry)
        number = jax.ShapeDtypeStruct((), np.int32)
        steps = compiled.Steps(carry, records, number, number)
        stepping = compiled.step.memory(run.program, run.setting, run.key, steps, f, g, self.clocks())
        if run.problem.host:
            return stepping
        state = sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves(carry))
        x = carry.offspring.x
        evaluating = compiled.evaluate.memory(run.program, self.evaluation_setting, run.key, x, number)
        return max(stepping, evaluating + state - x.size * x.dtype.itemsize)

    def advance(
        self, carry: Carry, start: int, progress: list[float], before: list[float]
    ) -> tuple[Carry, Record, float]:
        run = self.run
        clocks = self.clocks(progress, before)
        timed = Timer()
        steps = compiled.start_steps(run.setting, carry, self.records, start)
        for _ in progress:
            f, g = self.evaluate_compiled(run.key, steps.carry.offspring.x, steps.t)
            steps = self.step(run.key, steps, f, g, clocks)
        self.records = steps.records
        records = fetch_records(run, steps.records)
        return steps.carry, jax.tree.map(lambda rows: rows[: len(progress)], records), timed.seconds


class HostEvaluator(StepEvaluator):
    """Evaluates on the host: a chunk is one generation, with one compiled call after the evaluation.

    That call is compiled after the first evaluation, so that a mistake in the user's function is reported first.
    """

    def __init__(self, run: Run):
        super().__init__(run)
        self.capacity = 1

    def prepare(self, carry: Carry) -> None:
        """Compile nothing before the first evaluation."""

    def advance(
        self, carry: Carry, start: int, progress: list[float], before: list[float]
    ) -> tuple[Carry, Record, float]:
        run = self.run
        if self.records is None:
            self.rows_to_evaluate(carry, start)  # its first call compiles, which is not timed
        timed = Timer()
        carry = self.apply_knowledge(carry)
        f, g, known = self.evaluate(carry, start)
        evaluation_seconds = timed.seconds
        if self.records is None:
            self.prepare_step(carry)
        timed = Timer()
        steps = compiled.start_steps(run.setting, carry._replace(known=known), self.records, start)
        carry, self.records, *_ = self.step(run.key, steps, f, g, self.clocks(progress, before))
        return carry, fetch_records(run, self.records), evaluation_seconds + timed.seconds

    def rows_to_evaluate(self, carry: Carry, t: int) -> tuple[Array, np.ndarray]:
        """Return the key, and the rows of all runs as one batch, without padding."""
        run = self.run
        keys: Callable = jax.vmap(loop.generation_keys, (0, None)) if run.is_batched else loop.generation_keys
        key = keys(run.without_padding(run.key), t)[..., 1]
        x = run.without_padding(fetch(carry.offspring.x))[..., : run.algorithm.population, :]
        return key, run.problem.show(x.reshape(-1, x.shape[-1]))

    def apply_knowledge(self, carry: Carry) -> Carry:
        """Change the offspring by what the problem knows, if it learns."""
        if not jax.tree.leaves(carry.known):
            return carry
        x = self.run.problem.apply_knowledge(carry.known, carry.offspring.x)
        return carry._replace(offspring=carry.offspring._replace(x=x))

    def evaluate(self, carry: Carry, t: int) -> tuple[np.ndarray, Any, Any]:
        """Return objectives and constraint values (() if none), padded as the offspring are, and what is known then."""
        run, x = self.run, carry.offspring.x
        key, rows = self.rows_to_evaluate(carry, t)
        known = run.without_padding(fetch(carry.known))
        values, known = on_primary_process(lambda: run.problem.evaluate_and_learn(key, rows, known))
        padded = x.shape[:-1]
        shape = (len(run.seeds), padded[1]) if run.is_batched else (run.algorithm.population,)
        padding = [(0, padded[0] - shape[0])]
        mode: Any = "edge" if run.is_batched else "constant"

        def to_rows(leaf: np.ndarray) -> np.ndarray:
            # A value that is too large for the device's precision becomes infinite: that evaluation has failed.
            with np.errstate(over="ignore"):
                leaf = leaf.astype(x.dtype).reshape(*shape, leaf.shape[1])
            return np.pad(leaf, padding + [(0, 0)] * (leaf.ndim - 1), mode=mode)

        if run.is_batched:
            known = jax.tree.map(lambda leaf: np.pad(leaf, padding + [(0, 0)] * (leaf.ndim - 1), mode=mode), known)
        f, g = values
        return to_rows(f), to_rows(g) if run.problem.num_constraints else (), known

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
