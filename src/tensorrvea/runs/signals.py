"""Ctrl-C and SIGTERM as a wish that is granted when the present chunk of generations is done and saved."""

import signal
import sys
import threading
from types import FrameType, TracebackType
from typing import Any, Self

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Signals:
    """Notes the first Ctrl-C or SIGTERM in ``received``; a second one acts as if nobody was listening.

    Listens in the main thread only: nobody else can.
    """

    def __init__(self) -> None:
        self.received: int | None = None
        self.others: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self.others = {number: signal.signal(number, self.note) for number in SIGNALS}
        return self

    def note(self, number: int, frame: FrameType | None) -> None:
        del frame
        self.received = number
        self.leave_alone()

    def leave_alone(self) -> None:
        for number, other in self.others.items():
            signal.signal(number, other)
        self.others = {}

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.leave_alone()

    def obey(self) -> None:
        """Does what was asked for: leaves, as Ctrl-C or SIGTERM would have it."""
        if self.received == signal.SIGINT:
            raise KeyboardInterrupt
        if self.received is not None:
            sys.exit(128 + self.received)
