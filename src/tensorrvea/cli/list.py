"""``tensorrvea list``."""

import dataclasses
import inspect
from dataclasses import dataclass
from typing import Any, Literal, get_args

import tyro

from tensorrvea import metrics
from tensorrvea.neuroevolution import TASKS
from tensorrvea.problems import SUITES
from tensorrvea.runs.registry import ALGORITHMS, VARIATIONS, load_installed_parts
from tensorrvea.runs.standard_metrics import STANDARD

Kind = Literal["algorithms", "variations", "problems", "tasks", "metrics"]


@dataclass(kw_only=True)
class List:
    """List the available algorithms, variations, problems, tasks and metrics.

    Example:
      tensorrvea list problems
    """

    kind: tyro.conf.Positional[Kind | None] = None
    """What to list; everything by default."""

    def __call__(self) -> None:
        load_installed_parts()
        for kind in get_args(Kind) if self.kind is None else (self.kind,):
            print(kind)
            for name, description in _entries(kind):
                print(f"  {name:<16} {description}")


def _entries(kind: Kind) -> list[tuple[str, str]]:
    if kind == "problems":
        return [(suite, ", ".join(cls.__name__ for cls in members)) for suite, members in SUITES.items()]
    if kind == "tasks":
        return [(name, "a robot, controlled by a neural network") for name in TASKS]
    if kind == "metrics":
        return [(name, _summary(vars(metrics)[name])) for name in STANDARD]
    classes = ALGORITHMS if kind == "algorithms" else VARIATIONS
    return [(name, _summary(cls) + _settings(cls)) for name, cls in classes.items()]


def _summary(documented: Any) -> str:
    return (inspect.getdoc(documented) or "").partition("\n")[0]


def _settings(cls: type) -> str:
    fields = [field for field in dataclasses.fields(cls) if field.name != "population"]
    shown = ", ".join(f"{field.name}={_default(field.default)}" for field in fields)
    return f" ({shown})" if shown else ""


def _default(value: Any) -> str:
    return type(value).__name__ if dataclasses.is_dataclass(value) else repr(value)
