"""The parts of this library that a manifest can name. Nothing else is ever created from a manifest."""

import dataclasses
from typing import Any

from tensorrvea import algorithms, operators, stop
from tensorrvea.constraints import ConstraintRule

ALGORITHMS: dict[str, type] = {cls.__name__: cls for cls in algorithms.ALL}
VARIATIONS: dict[str, type] = {cls.__name__: cls for cls in operators.VARIATIONS}
STOPS: dict[str, type] = {cls.__name__: cls for cls in (stop.Stagnation, stop.MetricReached, stop.Target)}
PARTS = ALGORITHMS | {cls.__name__: cls for cls in (*operators.ALL, ConstraintRule)} | STOPS


def settings_of(part: Any) -> dict[str, Any] | None:
    """Return the arguments that recreate a registered part; None for a user-defined one."""
    if PARTS.get(type(part).__name__) is not type(part):
        return None
    names = [field.name for field in dataclasses.fields(part)] if dataclasses.is_dataclass(part) else vars(part)
    return {name: vars(part)[name] for name in names}
