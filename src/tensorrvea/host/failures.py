"""What went wrong in evaluations: every distinct message once, with how often it came."""

import logging

logger = logging.getLogger("tensorrvea.host")

KEPT = 100
OTHERS = "other messages, not kept one by one"


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
        if message not in self._counts and len(self._counts) >= KEPT:
            message = OTHERS
        if message not in self._counts:
            # Once a message: the run goes on, but a slip in the user's function must not stay unseen.
            logger.warning("%s: an evaluation failed: %s", self.name, message)
        self._counts[message] = self._counts.get(message, 0) + count

    @property
    def messages(self) -> list[tuple[str, int]]:
        return list(self._counts.items())

    @property
    def total(self) -> int:
        return sum(self._counts.values())
