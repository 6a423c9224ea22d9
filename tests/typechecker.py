"""The run-time check of shapes that the tests install: beartype, but for what users call with wrong arguments."""

from collections.abc import Callable
from typing import TypeVar

from beartype import BeartypeConf, beartype

T = TypeVar("T", bound=Callable)

# Inside the library a wrong shape is a bug, and is found here. Modules whose functions check their own arguments
# are left out: their errors are what is tested.
CHECKED = (
    "tensorrvea.algorithms",
    "tensorrvea.archive",
    "tensorrvea.loop",
    "tensorrvea.mating",
    "tensorrvea.population",
    "tensorrvea.randomness",
    "tensorrvea.selection.apd",
    "tensorrvea.selection.crowding",
    "tensorrvea.selection.decomposition",
    "tensorrvea.selection.dominance",
    "tensorrvea.selection.indicator",
    "tensorrvea.selection.order",
    "tensorrvea.selection.strength",
    "tensorrvea.selection.truncation",
    "tensorrvea.operators",
)

_check = beartype(conf=BeartypeConf(is_pep484_tower=True))


def check(function: T) -> T:
    """``function`` with its annotations checked.

    Constructors of settings check their own arguments; and what is inside a function is often the body of a loop,
    whose counter is a whole number and no array where nothing is compiled.
    """
    inside = "<locals>" in function.__qualname__
    return function if inside or function.__name__ == "__init__" else _check(function)
