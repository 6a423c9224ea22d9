"""The parts that a manifest or a command line can name: those of this library, and those that users register.

Nothing else is ever created from a manifest.
"""

import dataclasses
from importlib.metadata import entry_points
from typing import Any, TypeVar

from tensorrvea import algorithms, operators, stop
from tensorrvea.checks import shown
from tensorrvea.constraints import ConstraintRule
from tensorrvea.evolution import Evolution
from tensorrvea.operators import Variation

ALGORITHMS: dict[str, type] = {cls.__name__: cls for cls in algorithms.ALL}
VARIATIONS: dict[str, type] = {cls.__name__: cls for cls in operators.VARIATIONS}
STOPS: dict[str, type] = {cls.__name__: cls for cls in (stop.Stagnation, stop.MetricReached, stop.Target)}
PARTS = ALGORITHMS | {cls.__name__: cls for cls in (*operators.ALL, ConstraintRule)} | STOPS
OWN = frozenset(PARTS)
"""Names of this library, which users cannot register."""
ENTRY_POINTS = "tensorrvea.parts"
"""The group of entry points by which an installed package registers its parts."""

T = TypeVar("T", bound=type)


def register(cls: T) -> T:
    """Make an algorithm or operator of your own known by its name: to the command line, run directories and studies.

    Args:
      cls: a class made with ``tensorrvea.settings.settings``; a class of the same name and module is replaced.

    Returns:
      The class, so that it can be a decorator.

    Raises:
      TypeError: if it is not a class of settings.
      ValueError: if another part has this name.

    Example::

        @tr.register
        @settings
        class Mine(tr.Evolution): ...
    """
    if not isinstance(cls, type) or not dataclasses.is_dataclass(cls):
        raise TypeError(f"register takes a class made with tensorrvea.settings.settings, got {shown(cls)}")
    name = cls.__name__
    known = PARTS.get(name)
    if name in OWN or (known is not None and known.__module__ != cls.__module__):
        raise ValueError(f"{name} is the name of another part; give the class another name")
    PARTS[name] = cls
    if issubclass(cls, Evolution):
        ALGORITHMS[name] = cls
    elif issubclass(cls, Variation):
        VARIATIONS[name] = cls
    return cls


def load_installed_parts() -> None:
    """Register the parts of installed packages that have entry points in the group ``tensorrvea.parts``."""
    for entry in entry_points(group=ENTRY_POINTS):
        if PARTS.get(entry.name) is None:
            register(entry.load())


def find_part(name: Any) -> type | None:
    """Return a part by its name, also one of an installed package; None if there is none."""
    if isinstance(name, str) and name not in PARTS:
        load_installed_parts()
    return PARTS.get(name) if isinstance(name, str) else None


def is_of_library(part: Any) -> bool:
    """Return whether a part is of this library, and not registered by a user."""
    return type(part).__name__ in OWN


def settings_of(part: Any) -> dict[str, Any] | None:
    """Return the arguments that recreate a registered part; None for a user-defined one."""
    if PARTS.get(type(part).__name__) is not type(part):
        return None
    names = [field.name for field in dataclasses.fields(part)] if dataclasses.is_dataclass(part) else vars(part)
    return {name: vars(part)[name] for name in names}
