"""Ctrl-C and SIGTERM wait until the current chunk of generations is finished, so that no run is lost."""

import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any, Self

WAITING = "finishing the current generation; Ctrl-C again leaves at once"

_raises = ContextVar("raises", default=False)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, with a message that says how far the run got and where it is saved."""


@contextmanager
def raise_interrupts() -> Iterator[None]:
    """Make an interrupted run raise ``Interrupted`` here, for programs that call ``optimize`` many times.

    ``optimize`` returns what an interrupted run has found. A program of several runs would take that for the result.
    """
    token = _raises.set(True)
    try:
        yield
    finally:
        _raises.reset(token)


def interrupts_raise() -> bool:
    return _raises.get()


class Signals:
    """Records the first Ctrl-C or SIGTERM in ``received``; a second one acts immediately.

    Handlers are installed in the main thread only, since Python allows no other, and not for ignored signals.

    Args:
      numbers: the signals to record.
      has_progress: whether anything would be lost if the run ended now; if not, Ctrl-C raises ``Interrupted`` at once.
      is_slow: whether a generation may take long, so that the first Ctrl-C says what it waits for.
    """

    def __init__(self, numbers: Sequence[int], *, has_progress: Callable[[], bool], is_slow: bool = False) -> None:
        self.numbers, self.has_progress, self.is_slow = numbers, has_progress, is_slow
        self.received: int | None = None
        self.previous: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            heeded = [number for number in self.numbers if signal.getsignal(number) not in (signal.SIG_IGN, None)]
            self.previous = {number: signal.signal(number, self.handle) for number in heeded}
        return self

    def handle(self, number: int, _: Any) -> None:
        self.received = number
        self.restore_handlers()
        if number == signal.SIGINT and not self.has_progress():
            raise Interrupted("interrupted before the first generation was finished")
        if number == signal.SIGINT and self.is_slow:
            with suppress(RuntimeError):  # the signal came while the same stream was written to
                # In a terminal, ^C stands at the end of the progress bar.
                print(f"\n{WAITING}" if sys.stderr.isatty() else WAITING, file=sys.stderr, flush=True)

    def restore_handlers(self) -> None:
        for number, handler in self.previous.items():
            signal.signal(number, handler)
        self.previous = {}

    def __exit__(self, *_: object) -> None:
        self.restore_handlers()
