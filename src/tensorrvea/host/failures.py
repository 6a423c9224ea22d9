"""What went wrong in evaluations: every distinct message once, with how often it came."""

import logging
import traceback

logger = logging.getLogger("tensorrvea.host")

KEPT = 100
LENGTH = 500
OTHERS = "others, not kept one by one"


def describe(error: BaseException) -> str:
    """One line: the error's type, what it says, and where it was raised."""
    text = " ".join(str(error).split())[:LENGTH]
    where = traceback.extract_tb(error.__traceback__)[-1:]
    place = f" ({where[0].filename.rsplit('/', 1)[-1]}:{where[0].lineno})" if where else ""
    return f"{type(error).__name__}{': ' if text else ''}{text}{place}"


class Failures:
    """Messages of failed evaluations in the order in which they first came; at most ``KEPT`` distinct ones.

    >>> failures = Failures("simulate")
    >>> failures.total, failures.messages
    (0, [])
    """

    def __init__(self, name: str):
        self.name = name
        self._counts: dict[str, int] = {}

    def add(self, message: str, count: int = 1) -> None:
        if message not in self._counts:
            if len(self._counts) >= KEPT:
                message = OTHERS
            # Once a message: the run goes on, but a slip in the user's function must not stay unseen.
            if message not in self._counts:
                logger.warning("%s: an evaluation failed: %s", self.name, message)
        self._counts[message] = self._counts.get(message, 0) + count

    @property
    def messages(self) -> list[tuple[str, int]]:
        return list(self._counts.items())

    @property
    def total(self) -> int:
        return sum(self._counts.values())
