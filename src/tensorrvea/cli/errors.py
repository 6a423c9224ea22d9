"""How a command ends: 0 done, 1 failed while it ran, 2 wrong arguments, 130 Ctrl-C, 143 SIGTERM."""

from collections.abc import Iterator
from contextlib import contextmanager

FAILED, WRONG_ARGUMENTS, INTERRUPTED = 1, 2, 130


class WrongArgumentsError(Exception):
    """What was asked for cannot be; the message says what can."""


def printable(text: str) -> str:
    """A text without what could command a terminal: names in a run directory may be somebody else's.

    >>> printable("front\\n\\x1b[2J")
    'front\\n?[2J'
    """
    return "".join(character if character.isprintable() or character == "\n" else "?" for character in text)


@contextmanager
def reading_arguments() -> Iterator[None]:
    """In here, a ValueError or TypeError is about what the user has asked for."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise WrongArgumentsError(str(error)) from error
