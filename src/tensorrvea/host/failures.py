"""Messages of failed evaluations, with their counts."""

import logging

logger = logging.getLogger("tensorrvea.host")

MAX_MESSAGES = 100
OTHERS = "other messages"


class Failures:
    """Distinct messages in order of first occurrence, at most ``MAX_MESSAGES``, with their counts."""

    def __init__(self, name: str):
        self.name = name
        self._counts: dict[str, int] = {}

    def add(self, message: str, count: int = 1) -> None:
        if message not in self._counts and len(self._counts) >= MAX_MESSAGES:
            message = OTHERS
        if message not in self._counts:
            # Logged once per message, so that an error in the user's function is noticed although the run continues.
            logger.warning("%s: an evaluation failed: %s", self.name, message)
        self._counts[message] = self._counts.get(message, 0) + count

    @property
    def messages(self) -> list[tuple[str, int]]:
        return list(self._counts.items())
