"""The runs of one algorithm on one problem: which are on disk, which are missing, and in what batches these are run."""

import shutil
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import numpy as np

from tensorrvea.checks import as_tuple, shown
from tensorrvea.devices import Devices, default_device
from tensorrvea.driver.run import Run
from tensorrvea.driver.schedule import Budget
from tensorrvea.driver.search import Search
from tensorrvea.evolution import Evolution
from tensorrvea.problem import Problem
from tensorrvea.runs.files import digest
from tensorrvea.runs.keep import INTERVAL, keep_run
from tensorrvea.runs.spec import describe, differences
from tensorrvea.study.device_pool import run_on_all_devices
from tensorrvea.study.progress import BatchProgress, StudyBar
from tensorrvea.study.records import reduce_search
from tensorrvea.study.store import Arrays, RunFiles, file_name

Reduce = Callable[[Search], dict[int, Arrays]]
# The fronts of all generations of a batch take at most this many bytes of memory, until they are reduced.
BATCH_BYTES = 2**29
# What a stored run may differ in: these change the last bits of a run at most.
NOT_COMPARED = ("seeds", "batch", "effort", "history")


@dataclass(frozen=True)
class Series:
    """The runs of one algorithm on one problem.

    Args:
      label: names the problem and the algorithm.
      budget: of each run. Runs with a budget of seconds, and those of problems on the host, run one by one; others in
        batches of many seeds.
      is_timed: whether runs with any budget run one by one, so that their times can be compared.
    """

    label: str
    problem: Problem
    algorithm: Evolution
    budget: Budget
    effort: str | None = None
    devices: Devices = None
    is_timed: bool = False

    def make_run(self, seeds: Sequence[int], budget: Budget | None = None) -> Run:
        """Return the run of these seeds, a batch if this series is run in batches. Arguments are checked here."""
        return Run(
            self.problem, self.algorithm, seeds=seeds, is_batched=not self.is_one_by_one, budget=budget or self.budget,
            history="fronts" if self.records_fronts else "summary", effort=self.effort, devices=self.devices,
        )  # fmt: skip

    @property
    def is_one_by_one(self) -> bool:
        """Whether each seed is run by itself: for equal times, and for slow simulations, to save them run by run."""
        return self.is_timed or self.problem.host or self.budget.seconds is not None

    @property
    def bytes_per_run(self) -> int:
        """The memory of the fronts of all generations of a run; as if of 1000 if their number is not known."""
        generations = (self.budget.last or 1000) + 1
        return generations * self.algorithm.places(self.problem.objectives) * (self.problem.objectives + 2) * 4

    @property
    def records_fronts(self) -> bool:
        return self.bytes_per_run <= BATCH_BYTES

    @cached_property
    def spec(self) -> dict:
        return describe(self.make_run([0]))[0]

    @cached_property
    def name(self) -> str:
        """The label, and a digest of all that decides the values of a run."""
        return f"{self.label}, {digest({k: v for k, v in self.spec.items() if k not in NOT_COMPARED})[:12]}"

    def batches(self, seeds: Sequence[int]) -> list[list[int]]:
        """Divide seeds into the batches that are run."""
        size = 1 if self.is_one_by_one else max(1, BATCH_BYTES // self.bytes_per_run)
        return [list(seeds[i : i + size]) for i in range(0, len(seeds), size)]

    def warn_if_unknown(self) -> None:
        """Warn if stored runs cannot be told from those of another function."""
        for line in differences(self.spec, self.spec):  # the same spec differs only in what cannot be compared
            warnings.warn(f"{self.label}: {line}; stored runs are used as they are", stacklevel=4)


class Executor:
    """Runs what is missing of series, with the results in a directory if one is given.

    Args:
      directory: ``raw`` in it has a file per finished batch, ``runs`` the checkpoints of unfinished ones.
      bar: moved as runs go on.
      checkpoint_seconds: seconds from one checkpoint to the next.
      log: called with the name of each batch that is run.
      reduce: returns what is kept of each run of a finished search.
    """

    def __init__(
        self,
        directory: Path | None = None,
        bar: StudyBar | None = None,
        checkpoint_seconds: float = INTERVAL,
        log: Callable[[str], None] | None = None,
        reduce: Reduce = reduce_search,
    ):
        self.directory, self.checkpoint_seconds, self.reduce = directory, checkpoint_seconds, reduce
        self.bar = bar or StudyBar(0, is_shown=False)
        self.log = log or (lambda _: None)
        self.files = None if directory is None else RunFiles(directory / "raw", log or warnings.warn)
        self.is_warm: set = set()

    def run(self, series: Series, seeds: Sequence[int]) -> dict[int, Arrays]:
        """Return the runs of all seeds; those that are not on disk are run."""
        found: dict[int, Arrays] = {}
        if self.files is not None:
            series.warn_if_unknown()
            stored = self.files.load_seeds(series.name)
            found = {seed: stored[seed] for seed in seeds if seed in stored}
        self.bar.add(len(found))
        missing = [seed for seed in seeds if seed not in found]
        jobs = [partial(self.run_batch, series, batch) for batch in series.batches(missing)]
        done = run_on_all_devices(jobs) if series.is_one_by_one else [job() for job in jobs]
        for runs in done:
            found |= runs
        if self.directory is not None:  # a process may have been killed between saving a batch and this
            for batch in series.batches(list(seeds)):
                shutil.rmtree(self.working_directory(self.directory, series, batch), ignore_errors=True)
        return {seed: found[seed] for seed in seeds}

    @staticmethod
    def working_directory(directory: Path, series: Series, seeds: list[int]) -> Path:
        """Return where the checkpoints of an unfinished batch are."""
        return directory / "runs" / file_name(f"{series.name}, {seeds}")

    def run_batch(self, series: Series, seeds: list[int]) -> dict[int, Arrays]:
        self.log(f"{series.label}, seed {seeds[0]}" if len(seeds) == 1 else f"{series.label}, {len(seeds)} seeds")
        if series.is_timed or series.budget.seconds is not None:
            self.warm_up(series)
        search = Search(series.make_run(seeds))
        observers = [BatchProgress(self.bar, series.label)]
        if self.directory is None or self.files is None:
            search.execute(observers)
            runs = self.reduce(search)
        else:
            working = self.working_directory(self.directory, series, seeds)
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message=".*accept_changes")  # said before, and the name has a digest
                keep_run(search, working, observers, every=self.checkpoint_seconds, accept_changes=True)
            runs = self.reduce(search)
            self.files.save_seeds(series.name, runs)
            shutil.rmtree(working)
        self.bar.add(len(seeds))
        return runs

    def warm_up(self, series: Series) -> None:
        """Run two generations once per process and device, so that no timed run includes a cold start."""
        signature = series.label, default_device()
        if signature not in self.is_warm and not series.problem.host:
            self.is_warm.add(signature)
            run = series.make_run([0], Budget(population=series.algorithm.population, generations=2))
            effort = series.make_run([0]).setting.effort
            run.setting = run.setting._replace(effort=effort)
            Search(run).execute()


def as_seeds(seeds: int | Iterable[int]) -> list[int]:
    """Return a list of different seeds; a number n stands for 0 to n − 1.

    >>> as_seeds(3), as_seeds([7, 8])
    ([0, 1, 2], [7, 8])
    """
    if isinstance(seeds, int | np.integer) and not isinstance(seeds, bool):
        if seeds < 1:
            raise ValueError(f"seeds must be at least 1, got {seeds}")
        return list(range(int(seeds)))
    each = list(as_tuple(seeds))
    if not each or not all(isinstance(seed, int | np.integer) and not isinstance(seed, bool) for seed in each):
        raise TypeError(f"seeds takes a number of runs, or the seed of each, got {shown(seeds)}")
    if len(set(each)) < len(each):
        raise ValueError(f"seeds must be different, got {shown(seeds)}")
    return [int(seed) for seed in each]
