"""Exit codes and the errors behind them."""

from collections.abc import Iterator
from contextlib import contextmanager

FAILED, WRONG_ARGUMENTS, INTERRUPTED = 1, 2, 130


class WrongArgumentsError(Exception):
    """An invalid request; the message says what is allowed."""


def printable(text: str) -> str:
    r"""Replace control characters, since names in a run directory may come from somebody else.

    >>> printable("front\n\x1b[2J")
    'front\n?[2J'
    """
    return "".join(character if character.isprintable() or character == "\n" else "?" for character in text)


@contextmanager
def argument_errors() -> Iterator[None]:
    """Convert a ValueError or TypeError into a WrongArgumentsError."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise WrongArgumentsError(str(error)) from error
