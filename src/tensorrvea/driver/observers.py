"""Observers of a search: the progress bar and the user's callbacks."""

from functools import partial
from threading import Event, Thread

import numpy as np

from tensorrvea.checks import check_flag
from tensorrvea.driver.run import Callback
from tensorrvea.driver.search import Observer, Search
from tensorrvea.processes import is_primary, on_primary_process
from tensorrvea.result import Result

COMPILING = "compiling (once for this size)"


def standard_observers(search: Search, *, progress: bool) -> list[Observer]:
    """Return the observers that every run has: callbacks if there are any, and a progress bar if it is wanted."""
    check_flag("progress", progress)
    run = search.run
    observers: list[Observer] = []
    if run.callback_functions or run.stop_functions:
        observers.append(Callbacks())
    if progress and is_primary():
        observers.append(ProgressBar())
    return observers


class Callbacks(Observer):
    """Call the user's functions every ``every`` generations, and at the end."""

    def after(self, search: Search) -> None:
        run = search.run
        if search.generation == 0 or (search.generation % run.every and not search.stopped):
            return
        result = search.results()[0]
        for function in (*run.callback_functions, *run.stop_functions):
            is_stop = function in run.stop_functions
            if on_primary_process(partial(self.ends, function, result, is_stop=is_stop)):
                search.stopped = search.stopped or f"stopped by {name_of(function)}"

    @staticmethod
    def ends(function: Callback, result: Result, *, is_stop: bool) -> bool:
        """Return whether a function wants the run to end: by any true value if it is in ``stop``, else by True."""
        answer = function(result)
        return bool(answer) if is_stop else isinstance(answer, bool | np.bool_) and bool(answer)


def name_of(function: Callback) -> str:
    """Return the name of a function, or of the class of a callable object."""
    return str(getattr(function, "__name__", type(function).__name__))


class ProgressBar(Observer):
    """A clock while the search is compiled, and then a progress bar over generations or seconds."""

    def start(self, search: Search) -> None:
        budget = search.run.budget
        self.by_generation = budget.seconds is None
        self.total: float = search.schedule.last if budget.seconds is None else budget.seconds
        from tqdm import tqdm  # not needed without a bar

        self.bar = tqdm(
            total=self.total, unit="gen" if self.by_generation else "s", desc=COMPILING, bar_format="{desc} {elapsed}"
        )
        self.is_running = False
        self.is_compiled = Event()
        Thread(target=self.show_clock, daemon=True).start()

    def show_clock(self) -> None:
        while not self.is_compiled.wait(0.5):
            self.bar.refresh()

    def after(self, search: Search) -> None:
        done = search.generation if self.by_generation else round(min(search.schedule.elapsed, self.total), 2)
        if not self.is_running:
            self.is_running = True
            self.is_compiled.set()
            self.bar.bar_format = None
            self.bar.set_description(search.run.problem.name, refresh=False)
            self.bar.reset(self.total)
            self.bar.initial = done  # the pace of a resumed run is that of its new generations
        self.bar.n = done
        record = search.recorder.last
        self.bar.set_postfix(
            {"living": int(np.mean(record.living[-1]))}
            | {name: f"{np.mean(values[-1]):.4g}" for name, values in record.metrics.items()}
        )

    def close(self) -> None:
        self.is_compiled.set()
        self.bar.close()
