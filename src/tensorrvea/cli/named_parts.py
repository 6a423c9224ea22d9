"""Problems, algorithms and their settings from the words of a command line."""

import dataclasses
import importlib.util
import inspect
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tensorrvea.checks import check_choice, hint
from tensorrvea.problem import Problem
from tensorrvea.problems import NAMED
from tensorrvea.runs.registry import ALGORITHMS, ROBOT, VARIATIONS, make_problem, problem_class

GROUPS = ("problem", "algorithm", "variation")


def parse_settings(pairs: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Settings like ``{"variation.crossover.eta": 15}``, grouped by problem, algorithm and variation.

    >>> parse_settings({"variation.crossover.eta": 15, "algorithm.alpha": 1.5})["variation"]
    {'crossover': {'eta': 15}}
    """
    groups: dict[str, dict[str, Any]] = {group: {} for group in GROUPS}
    for path, value in pairs.items():
        group, *names = path.split(".")
        if group not in GROUPS or not names:
            raise ValueError(
                f"a setting takes a name like algorithm.alpha, got {path!r}; it begins with one of {', '.join(GROUPS)}"
                f"{hint(group, GROUPS)}"
            )
        place = groups[group]
        for name in names[:-1]:
            place = place.setdefault(name, {})
        place[names[-1]] = value
    return groups


def read_value(text: str) -> Any:
    """A number, true, false, null, a list, or else the text itself.

    >>> read_value("1.5"), read_value("[16, 16]"), read_value("mjx")
    (1.5, [16, 16], 'mjx')
    """
    try:
        return json.loads(text)
    except ValueError:
        return text


def make_algorithm(name: str, variation: str | None, population: int, settings: Mapping[str, Mapping[str, Any]]) -> Any:
    """An algorithm with its variation, both with the settings that were given."""
    cls = ALGORITHMS[check_choice("algorithm", name, tuple(ALGORITHMS))]
    breeds = any(field.name == "variation" for field in dataclasses.fields(cls))
    if not breeds and (variation is not None or settings["variation"]):
        raise ValueError(f"variation does not go with {name}, which breeds nothing")
    parts: dict[str, Any] = {"population": population}
    if breeds:
        kind = VARIATIONS[check_choice("variation", variation or "GA", tuple(VARIATIONS))]
        parts["variation"] = with_settings(kind(), settings["variation"], "variation")
    return with_settings(cls(**parts), settings["algorithm"], "algorithm")


def with_settings(part: Any, settings: Mapping[str, Any], path: str) -> Any:
    """A part with other settings, also of the parts that it is made of."""
    known = tuple(field.name for field in dataclasses.fields(part))
    changes = {}
    for name, value in settings.items():
        check_choice(f"a setting of {path}", name, known)
        below = f"{path}.{name}"
        if isinstance(value, Mapping):
            if not dataclasses.is_dataclass(getattr(part, name)):
                raise ValueError(f"{below} has no settings of its own")
            value = with_settings(getattr(part, name), value, below)
        elif isinstance(value, str) and value.endswith((".csv", ".npy")):
            value = read_table(Path(value), below)
        changes[name] = value
    return dataclasses.replace(part, **changes)


def read_table(path: Path, what: str) -> np.ndarray:
    """Numbers from a ``.npy`` file, or from a ``.csv`` file with or without a line of names."""
    if not path.is_file():
        raise ValueError(f"{what} takes a file that is there, got {str(path)!r}")
    if path.suffix == ".npy":
        return np.load(path, allow_pickle=False)
    first = path.read_text().partition("\n")[0]
    named = any(character.isalpha() for character in first.replace("e", "").replace("E", ""))
    return np.loadtxt(path, delimiter=",", ndmin=2, skiprows=int(named))


def task_names() -> tuple[str, ...]:
    """The robots' tasks; none where no engine is installed."""
    try:
        from tensorrvea.neuroevolution import TASKS
    except ImportError:
        return ()
    return tuple(TASKS)


def find_problem(
    text: str, settings: Mapping[str, Any] | None = None, objectives: int | None = None, variables: int | None = None
) -> Problem:
    """A problem by its name, a robot's task, or ``file.py:name``, which is the only code that is ever imported."""
    file, colon, name = text.rpartition(":")
    if colon and file.endswith(".py"):
        if settings or objectives or variables:
            raise ValueError(f"the settings of {text} are in the file, got some on the command line")
        return problem_from_file(Path(file), name)
    if text.endswith(".py"):
        raise ValueError(f"problem takes file.py:name, with the name of the problem in it, got {text!r}")
    given = {"objectives": objectives, "variables": variables}
    sizes = {name: value for name, value in given.items() if value is not None}
    plain = {known.upper().replace("-", ""): known for known in (*NAMED, *task_names())}
    known = plain.get(text.upper().replace("-", "").replace("_", ""))
    if known is None:
        names = tuple(plain.values())
        near = hint(text, names) or hint(text.upper(), names)
        raise ValueError(f"no problem is named {text!r}{near or '; see tensorrvea list problems'}")
    if known in NAMED:
        return _made(known, sizes | dict(settings or {}))
    if sizes:
        raise ValueError(f"{known} has its own number of objectives and variables")
    return _made(ROBOT, {"task": known} | dict(settings or {}))


def _made(name: str, settings: dict[str, Any]) -> Problem:
    cls: Any = problem_class(name)
    parameters = inspect.signature(cls.__init__).parameters.values()
    known = tuple(
        p.name for p in parameters if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD) and p.name != "self"
    )
    for setting in settings:
        check_choice(f"a setting of {name}", setting, known)
    return make_problem(name, settings)


def problem_from_file(path: Path, name: str) -> Problem:
    """The problem called ``name`` in a file of the user's; it, or a function that makes it."""
    if not path.is_file():
        raise ValueError(f"problem takes a file that is there, got {str(path)!r}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None  # it ends in .py
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)
    sys.path.insert(0, str(path.parent.resolve()))  # as for a script: what stands beside it can be imported
    spec.loader.exec_module(module)
    if not hasattr(module, name):
        problems = tuple(key for key, value in vars(module).items() if isinstance(value, Problem))
        raise ValueError(f"{path} has no {name!r}{hint(name, problems) or f'; it has {problems}'}")
    found = getattr(module, name)
    made = found() if callable(found) and not isinstance(found, Problem) else found
    if not isinstance(made, Problem):
        raise ValueError(f"{path}:{name} must be a Problem, or a function that makes one, got {made!r:.80}")
    return made
