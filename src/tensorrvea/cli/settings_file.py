"""The options of a command from a TOML or JSON file."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from tensorrvea.checks import check_choice
from tensorrvea.cli.errors import WrongArgumentsError, reading_arguments


def file_argument(arguments: list[str]) -> Path | None:
    """The file that ``--config`` names on a command line."""
    for i, argument in enumerate(arguments):
        if argument.startswith("--config="):
            return Path(argument.partition("=")[2])
        if argument == "--config" and i + 1 < len(arguments):
            return Path(arguments[i + 1])
    return None


def read_options(path: Path, command: type) -> dict[str, Any]:
    """What the file says, for the fields of a command; another file's name is a ``WrongArgumentsError``."""
    readers = {".toml": tomllib.loads, ".json": json.loads}
    if path.suffix not in readers:
        raise WrongArgumentsError(f"config takes a .toml or .json file, got {str(path)!r}")
    if not path.is_file():
        raise WrongArgumentsError(f"config takes a file that is there, got {str(path)!r}")
    with reading_arguments():
        content = readers[path.suffix](path.read_text())
        if not isinstance(content, dict):
            raise ValueError(f"{path} must hold options by name")
        groups: dict[str, Any] = {own.name: own.default for own in fields(command) if is_dataclass(own.default)}
        kinds = get_type_hints(command)
        for group in groups.values():
            kinds |= get_type_hints(type(group))
        known = tuple(name for name in kinds if name not in groups)
        options = {name.replace("-", "_"): value for name, value in content.items()}
        for name, value in options.items():
            check_choice(f"an option in {path}", name, known)
            kind = dict if name == "set" else kinds[name]
            if not fits(value, kind):
                raise TypeError(f"{name} in {path} takes {shown(kind)}, got {value!r:.80}")
        if "set" in options:
            options["set"] = tuple(f"{name}={json.dumps(value)}" for name, value in flat(options["set"]).items())
        for name in ("out", "start"):
            if name in options:
                options[name] = Path(options[name])
        options = {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()}
        for name, group in groups.items():
            given = [field.name for field in fields(group) if field.name in options]
            options[name] = replace(group, **{option: options.pop(option) for option in given})
        return options


def fits(value: Any, kind: Any) -> bool:
    """Whether a value of a file is what an option takes; words that have to be one of a few are checked later.

    >>> fits(5, int | None), fits("five", int | None), fits(["igd"], tuple[str, ...]), fits("igd", tuple[str, ...])
    (True, False, True, False)
    """
    inner = get_args(kind)
    if get_origin(kind) is tuple:
        return isinstance(value, list) and all(fits(part, inner[0]) for part in value)
    if get_origin(kind) is Literal:
        return isinstance(value, str)
    if inner:
        return any(fits(value, part) for part in inner)
    if kind is Path:
        return isinstance(value, str)
    return type(value) is kind or (kind is float and type(value) is int)


def shown(kind: Any) -> str:
    """A kind as the user of a file would call it.

    >>> shown(int | None), shown(tuple[str, ...]), shown(dict)
    ('a whole number', 'a list', 'a table')
    """
    names = {int: "a whole number", float: "a number", bool: "true or false", dict: "a table"}
    if get_origin(kind) is tuple:
        return "a list"
    parts = [part for part in get_args(kind) if part is not NoneType] if get_origin(kind) is not Literal else []
    return " or ".join(dict.fromkeys(map(shown, parts))) or names.get(kind, "text")


def flat(settings: Mapping[str, Any], path: str = "") -> dict[str, Any]:
    """Nested tables with dotted names.

    >>> flat({"algorithm": {"alpha": 1.5}, "variation.scale": 0.4})
    {'algorithm.alpha': 1.5, 'variation.scale': 0.4}
    """
    found: dict[str, Any] = {}
    for name, value in settings.items():
        below = f"{path}.{name}" if path else name
        found |= flat(value, below) if isinstance(value, Mapping) else {below: value}
    return found
