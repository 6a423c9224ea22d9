"""One progress bar over all runs of a study."""

import sys
from threading import Event, Thread
from typing import Any

from tensorrvea.checks import check_flag
from tensorrvea.driver.search import Observer, Search

FORMAT = "{{desc}}{{percentage:3.0f}}%|{{bar}}| {done}/{total} runs [{{elapsed}}<{{remaining}}]"


def shows_progress(progress: bool | None) -> bool:
    """Return whether to show a bar: by default in a terminal and in a notebook."""
    is_watched = sys.stderr.isatty() or "ipykernel" in sys.modules
    return is_watched if progress is None else check_flag("progress", progress)


class StudyBar:
    """A bar whose unit is a run; nothing at all if it is not shown.

    Args:
      total: the number of runs.
      is_shown: whether there is a bar.
    """

    def __init__(self, total: int, *, is_shown: bool):
        self.total, self.done = total, 0
        self.running: dict[int, float] = {}
        """How many runs' worth of work is done in each batch that is running."""
        self.bar: Any = None
        if is_shown:
            from tqdm import tqdm  # not needed without a bar

            self.bar = tqdm(total=total, bar_format=FORMAT.format(done=0, total=total), desc="starting")
        self.is_closed = Event()
        if is_shown:
            Thread(target=self._show_clock, daemon=True).start()

    def _show_clock(self) -> None:
        while not self.is_closed.wait(0.5):
            self.bar.refresh()

    def describe(self, text: str) -> None:
        if self.bar is not None:
            self.bar.set_description(text, refresh=False)

    def add(self, runs: int) -> None:
        """Note that runs are done."""
        self.done += runs
        self.refresh()

    def refresh(self) -> None:
        if self.bar is not None:
            self.bar.n = min(self.done + sum(self.running.values()), self.total)
            self.bar.bar_format = FORMAT.format(done=self.done, total=self.total)
            self.bar.refresh()

    def close(self) -> None:
        self.is_closed.set()
        if self.bar is not None:
            self.bar.close()


class BatchProgress(Observer):
    """Moves the bar of a study as a batch of its runs goes on."""

    def __init__(self, bar: StudyBar, label: str):
        self.bar, self.label = bar, label

    def start(self, search: Search) -> None:
        del search
        self.bar.describe(f"{self.label}: compiling")
        self.bar.refresh()

    def after(self, search: Search) -> None:
        schedule = search.schedule
        self.bar.running[id(self)] = schedule.progress[-1] * len(search.run.seeds)
        self.bar.describe(self.label)
        self.bar.refresh()

    def close(self) -> None:
        self.bar.running.pop(id(self), None)
