"""A search on its way: chunks of generations until the budget is spent or an observer stops it."""

from collections.abc import Sequence
from typing import Any

import jax

from tensorrvea import compiled
from tensorrvea.constraints import Limits
from tensorrvea.driver.evaluators import make_evaluator
from tensorrvea.driver.run import Run
from tensorrvea.driver.schedule import Schedule
from tensorrvea.evolution import FIRST
from tensorrvea.history import Individuals, Recorder, individuals
from tensorrvea.loop import Carry
from tensorrvea.population import Population
from tensorrvea.processes import detect_lost_peers, fetch
from tensorrvea.result import Result

BUDGET_SPENT = "budget spent"
INTERRUPTED = "interrupted"


class Observer:
    """Looks at a search between chunks, and may set ``search.stopped`` to end it."""

    def start(self, search: "Search") -> None:
        """Called once, before anything is compiled."""

    def after(self, search: "Search") -> None:
        """Called after every chunk."""

    def close(self) -> None:
        """Called once, when the run has ended or failed."""


class Search:
    """A run, or a batch of runs: what is on the device, what was recorded, and how far it got."""

    def __init__(self, run: Run):
        self.run = run
        has_callbacks = run.callback_functions or run.stop_functions
        self.schedule = Schedule(run.budget, every=run.every if has_callbacks else None)
        self.evaluator = make_evaluator(run)
        self.recorder = Recorder()
        self.stopped = ""
        """Why the run has ended; empty while it is running."""
        self.carry: Carry | None = None
        self.first_generation = -1
        """The generation of the checkpoint that was restored; -1 if there was none."""

    @property
    def generation(self) -> int:
        return self.schedule.generation

    @property
    def has_progress(self) -> bool:
        """Whether generations have been computed that no checkpoint had when the search began."""
        return self.generation > self.first_generation

    def execute(self, observers: Sequence[Observer] = ()) -> None:
        """Run until the budget is spent or an observer stops it.

        Workers of a problem on the host stay for the next run, unless this one raises.
        """
        started: list[Observer] = []
        try:
            for observer in observers:
                started.append(observer)
                observer.start(self)
            with detect_lost_peers():
                self.prepare()
                while not self.stopped:
                    self.advance()
                    for observer in observers:
                        observer.after(self)
        except BaseException:
            self.evaluator.close()
            raise
        finally:
            for observer in reversed(started):
                observer.close()

    def prepare(self) -> None:
        """Make the first population and compile what a chunk calls, unless a checkpoint was restored."""
        if self.carry is None:
            run = self.run
            self.carry = compiled.begin(run.program, run.setting, run.key, run.start_x)
            self.evaluator.prepare(self.carry)

    def restore(self, carry: Carry) -> None:
        """Move a carry of a checkpoint from the host to the devices."""
        run = self.run
        self.first_generation = self.generation
        self.carry = compiled.place(run.program, run.setting, carry, run.key, run.start_x)
        self.evaluator.prepare(self.carry)

    def advance(self) -> None:
        """Run a chunk of generations."""
        schedule = self.schedule
        progress = schedule.next_progress(schedule.next_count(self.evaluator.capacity))
        before = [*(schedule.progress[-1:] or [FIRST]), *progress][: len(progress)]
        assert self.carry is not None
        self.carry, records, seconds = self.evaluator.advance(self.carry, self.generation + 1, progress, before)
        schedule.add(progress, seconds)
        self.recorder.add(records)
        if self.generation == 0:
            self.check_first_population()
        elif schedule.is_spent:
            several = len(schedule.budget.given) > 1
            self.stopped = f"{BUDGET_SPENT} ({schedule.spent})" if several else BUDGET_SPENT

    def check_first_population(self) -> None:
        if (self.recorder.summary().living[0] == 0).any():
            failures = self.run.problem.failures
            reasons = f" ({failures})" if failures else ""
            raise RuntimeError(
                f"all {self.run.algorithm.population} evaluations of the first population failed: "
                f"the objectives or constraints came back NaN or infinite{reasons}"
            )

    def results(self) -> list[Result]:
        """Return what each run has found so far."""
        run, carry = self.run, self.carry
        assert carry is not None
        with detect_lost_peers():
            rows = [each for each in (carry.state.population, carry.archive) if isinstance(each, Population)]
            limits = carry.state.limits
            largest, survivors, *archive = fetch(
                [limits.largest if isinstance(limits, Limits) else (), *(each._replace(memory=()) for each in rows)]
            )
        best = archive[0] if archive else None
        return [self._result(survivors, best, largest, i, seed) for i, seed in enumerate(run.seeds)]

    def _result(self, survivors: Any, archive: Any, largest: Any, index: int, seed: int) -> Result:
        run = self.run

        def shown(rows: Any) -> Individuals:
            return individuals(run.problem, jax.tree.map(lambda leaf: leaf[index], rows) if run.is_batched else rows)

        return Result(
            problem=run.problem,
            algorithm=run.algorithm,
            seed=seed,
            population=shown(survivors),
            history=self.recorder.history(
                run.problem,
                run.algorithm.population,
                run.history,
                self.schedule.progress,
                self.schedule.seconds,
                index if run.is_batched else None,
            ),
            archive=None if archive is None else shown(archive),
            capacity=run.places,
            stopped=self.stopped or "not finished",
            largest_violation=None if isinstance(largest, tuple) else largest[index] if run.is_batched else largest,
        )
