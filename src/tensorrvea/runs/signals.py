"""Delay Ctrl-C and SIGTERM until the current chunk of generations is finished and saved."""

import signal
import sys
import threading
from typing import Any, Self

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Signals:
    """Records the first Ctrl-C or SIGTERM in ``received``; a second one acts immediately.

    Handlers are installed in the main thread only, since Python allows no other.
    """

    def __init__(self) -> None:
        self.received: int | None = None
        self.previous: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self.previous = {number: signal.signal(number, self.handle) for number in SIGNALS}
        return self

    def handle(self, number: int, _: Any) -> None:
        self.received = number
        self.restore_handlers()

    def restore_handlers(self) -> None:
        for number, handler in self.previous.items():
            signal.signal(number, handler)
        self.previous = {}

    def __exit__(self, *_: object) -> None:
        self.restore_handlers()

    def raise_received(self) -> None:
        """Raise KeyboardInterrupt for Ctrl-C, or exit as SIGTERM would, if a signal was received."""
        if self.received == signal.SIGINT:
            raise KeyboardInterrupt
        if self.received is not None:
            sys.exit(128 + self.received)
