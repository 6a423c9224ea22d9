"""Create an algorithm from command-line options, with the settings of ``--set``."""

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tensorrvea.algorithms.default import default_algorithm
from tensorrvea.checks import check_choice, hint, match_choice
from tensorrvea.cli.problem_lookup import import_file
from tensorrvea.operators import GA
from tensorrvea.problem import Problem
from tensorrvea.runs.registry import ALGORITHMS, VARIATIONS, find_part

GROUPS = ("problem", "algorithm", "variation")


def parse_settings(pairs: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Group settings such as ``{"variation.crossover.eta": 15}`` by problem, algorithm and variation.

    >>> parse_settings({"variation.crossover.eta": 15, "algorithm.alpha": 1.5})["variation"]
    {'crossover': {'eta': 15}}
    """
    groups: dict[str, dict[str, Any]] = {group: {} for group in GROUPS}
    for path, value in pairs.items():
        group, *names = path.split(".")
        if group not in GROUPS or not names:
            raise ValueError(
                f"a setting must be named like algorithm.alpha and start with one of {', '.join(GROUPS)}, got {path!r}"
                f"{hint(group, GROUPS)}"
            )
        settings = groups[group]
        for name in names[:-1]:
            settings = settings.setdefault(name, {})
        settings[names[-1]] = value
    return groups


def parse_value(text: str) -> Any:
    """Parse a number, true, false, null or a list; any other text is returned as it is.

    >>> parse_value("1.5"), parse_value("[16, 16]"), parse_value("mjx")
    (1.5, [16, 16], 'mjx')
    """
    try:
        return json.loads(text)
    except ValueError:
        return text


def make_default(
    problem: Problem,
    variation: str | None,
    population: int | None,
    settings: Mapping[str, Mapping[str, Any]],
) -> Any:
    """Create the algorithm that suits the problem, with the settings that are given."""
    return with_choices(default_algorithm(problem, population), variation, settings)


def make_algorithm(name: str, variation: str | None, population: int, settings: Mapping[str, Mapping[str, Any]]) -> Any:
    """Create an algorithm with the given settings; it and its variation may be ``file.py:Name``."""
    cls = find_class("algorithm", name, ALGORITHMS)
    needed = {field.name for field in dataclasses.fields(cls) if field.default is dataclasses.MISSING}
    breeding = {"variation": GA()} if "variation" in needed else {}
    return with_choices(cls(population=population, **breeding), variation, settings)


def with_choices(algorithm: Any, variation: str | None, settings: Mapping[str, Mapping[str, Any]]) -> Any:
    """Copy an algorithm with another variation, if one is named, and with the given settings of both."""
    takes_variation = any(field.name == "variation" for field in dataclasses.fields(algorithm))
    if not takes_variation and (variation is not None or settings["variation"]):
        raise ValueError(f"variation cannot be given with {type(algorithm).__name__}, which has none")
    if takes_variation:
        named = algorithm.variation if variation is None else find_class("variation", variation, VARIATIONS)()
        algorithm = dataclasses.replace(algorithm, variation=with_settings(named, settings["variation"], "variation"))
    return with_settings(algorithm, settings["algorithm"], "algorithm")


def find_class(what: str, name: str, known: Mapping[str, type]) -> type:
    """Return a registered class by its name, or a class of the user's by ``file.py:Name``."""
    file, colon, own = name.rpartition(":") if isinstance(name, str) else ("", "", "")
    if colon and file.endswith(".py"):
        module = import_file(Path(file), what)
        classes: dict[str, type] = {
            key: value
            for key, value in vars(module).items()
            if isinstance(value, type) and dataclasses.is_dataclass(value)
        }
        return classes[check_choice(f"{what} in {file}", own, tuple(classes))]
    return known[match_part(what, name, known)]


def match_part(what: str, name: str, known: Mapping[str, type]) -> str:
    """Return the name of a registered class, or that of ``file.py:Name`` as it is."""
    file, _, own = name.rpartition(":")
    if file.endswith(".py"):
        return own
    find_part(name)  # which registers the parts of installed packages, if the name is not known
    return match_choice(what, name, tuple(known))


def with_settings(part: Any, settings: Mapping[str, Any], path: str) -> Any:
    """Copy a part with changed settings, including those of nested parts."""
    fields = tuple(field.name for field in dataclasses.fields(part))
    changes = {}
    for name, value in settings.items():
        check_choice(f"a setting of {path}", name, fields)
        full_name = f"{path}.{name}"
        if isinstance(value, Mapping):
            nested = vars(part)[name]
            if not dataclasses.is_dataclass(nested):
                raise ValueError(f"{full_name} has no settings of its own")
            value = with_settings(nested, value, full_name)
        elif isinstance(value, str) and value.endswith((".csv", ".npy")):
            value = read_table(Path(value), full_name)
        changes[name] = value
    return dataclasses.replace(part, **changes)


def read_table(path: Path, name: str) -> np.ndarray:
    """Read numbers from a ``.npy`` file, or from a ``.csv`` file with or without a header line."""
    if not path.is_file():
        raise ValueError(f"{name} takes an existing file, got {str(path)!r}")
    try:
        if path.suffix == ".npy":
            return np.load(path, allow_pickle=False)
        first_line = path.read_text().partition("\n")[0]
        has_header = any(character.isalpha() for character in first_line.replace("e", "").replace("E", ""))
        return np.loadtxt(path, delimiter=",", ndmin=2, skiprows=int(has_header))
    except (ValueError, EOFError) as error:
        raise ValueError(f"{name} takes a .csv or .npy file of numbers, got {str(path)!r}: {error}") from error
