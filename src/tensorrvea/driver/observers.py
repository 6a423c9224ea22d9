"""Observers of a search: the progress bar and the user's callbacks."""

from functools import partial
from threading import Event, Thread
from types import MappingProxyType

import numpy as np

from tensorrvea.callbacks import HistoryLog
from tensorrvea.checks import check_flag
from tensorrvea.driver.run import Callback
from tensorrvea.driver.search import INTERRUPTED, Observer, Search
from tensorrvea.driver.signals import Signals
from tensorrvea.processes import gather_from_all, is_primary, on_primary_process
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

    def start(self, search: Search) -> None:
        self.search = search

    def after(self, search: Search) -> None:
        run = search.run
        if search.generation == 0 or (search.generation % run.every and not search.stopped):
            return
        result = search.results()[0]
        for function in (*run.callback_functions, *run.stop_functions):
            is_stop = function in run.stop_functions
            if on_primary_process(partial(self.ends, function, result, is_stop=is_stop)):
                search.stopped = search.stopped or f"stopped by {name_of(function)}"

    def close(self) -> None:
        """Let logs write what came after the last call, also of an interrupted run, and close them."""
        logs = [function for function in self.search.run.callback_functions if isinstance(function, HistoryLog)]
        result = self.search.results()[0] if logs and self.search.stopped else None
        for log in logs if is_primary() else ():
            log.close(result)

    @staticmethod
    def ends(function: Callback, result: Result, *, is_stop: bool) -> bool:
        """Return whether a function wants the run to end: by any true value if it is in ``stop``, else by True."""
        answer = function(result)
        return bool(answer) if is_stop else isinstance(answer, bool | np.bool_) and bool(answer)


def name_of(function: Callback) -> str:
    """Return the name of a function, or of the class of a callable object."""
    return str(getattr(function, "__name__", type(function).__name__))


class Interruption(Observer):
    """Ends a search after a signal; it comes after the callbacks, which are not called for it."""

    def __init__(self, signals: Signals):
        self.signals = signals

    def after(self, search: Search) -> None:
        received = int(gather_from_all([self.signals.received or 0]).max())  # by any process
        if received and not search.stopped:
            self.signals.received = received
            search.stopped = INTERRUPTED


class ProgressBar(Observer):
    """A clock while the search is compiled, and then a progress bar over generations or seconds.

    With a budget of both it is over the share of the one that is ahead.
    """

    FORMATS = MappingProxyType({"%": "{l_bar}{bar}| {elapsed}<{remaining}{postfix}"})

    def start(self, search: Search) -> None:
        from tqdm import tqdm  # not needed without a bar

        budget = search.run.budget
        self.total: float
        if budget.last is not None and budget.seconds is not None:
            self.unit, self.total = "%", 100
        elif budget.last is not None:
            self.unit, self.total = "gen", budget.last
        else:
            self.unit, self.total = "s", budget.given["seconds"]
        self.bar = tqdm(total=self.total, unit=self.unit, desc=COMPILING, bar_format="{desc} {elapsed}")
        self.is_running = False
        self.is_compiled = Event()
        Thread(target=self.show_clock, daemon=True).start()

    def show_clock(self) -> None:
        while not self.is_compiled.wait(0.5):
            self.bar.refresh()

    def after(self, search: Search) -> None:
        done = self.done(search)
        if not self.is_running:
            self.is_running = True
            self.is_compiled.set()
            self.bar.bar_format = self.FORMATS.get(self.unit)
            self.bar.set_description(search.run.problem.name, refresh=False)
            self.bar.reset(self.total)
            self.bar.initial = done  # the pace of a resumed run is that of its new generations
        self.bar.n = done
        record = search.recorder.last
        self.bar.set_postfix(
            ({"gen": search.generation} if self.unit == "%" else {})
            | {"living": int(np.mean(record.living[-1]))}
            | {name: f"{np.mean(values[-1]):.4g}" for name, values in record.metrics.items()}
        )

    def done(self, search: Search) -> float:
        """Return how far the search got, in units of the bar."""
        if self.unit == "gen":
            return search.generation
        elapsed = min(search.schedule.elapsed, search.run.budget.given["seconds"])
        share = max(search.generation / (search.run.budget.last or 1), elapsed / search.run.budget.given["seconds"])
        return round(100 * share, 1) if self.unit == "%" else round(elapsed, 2)

    def close(self) -> None:
        self.is_compiled.set()
        self.bar.close()
