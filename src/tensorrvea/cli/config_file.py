"""Options of a command from the TOML or JSON file of ``--config``."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from tensorrvea.checks import check_choice, shown
from tensorrvea.cli.errors import WrongArgumentsError, argument_errors


def config_path(arguments: list[str]) -> Path | None:
    """Return the file that ``--config`` names on a command line."""
    for i, argument in enumerate(arguments):
        if argument.startswith("--config="):
            return Path(argument.partition("=")[2])
        if argument == "--config" and i + 1 < len(arguments):
            return Path(arguments[i + 1])
    return None


def read_config(path: Path, command: type) -> dict[str, Any]:
    """Read values for the fields of a command.

    Raises:
      WrongArgumentsError: if the file does not exist, or holds unknown options or values of the wrong type.
    """
    readers = {".toml": tomllib.loads, ".json": json.loads}
    if path.suffix not in readers:
        raise WrongArgumentsError(f"config takes a .toml or .json file, got {str(path)!r}")
    if not path.is_file():
        raise WrongArgumentsError(f"config takes an existing file, got {str(path)!r}")
    with argument_errors():
        try:
            content = readers[path.suffix](path.read_text())
        except ValueError as error:  # which names line and column
            raise ValueError(f"{path} is not valid {path.suffix[1:].upper()}: {error}") from error
        if not isinstance(content, dict):
            raise ValueError(f"{path} must hold a table of options, got {type(content).__name__}")
        groups: dict[str, Any] = {f.name: f.default for f in fields(command) if is_dataclass(f.default)}
        types = get_type_hints(command)
        for group in groups.values():
            types |= get_type_hints(type(group))
        known = tuple(name for name in types if name not in groups)
        options = {name.replace("-", "_"): value for name, value in content.items()}
        for name, value in options.items():
            check_choice(f"an option in {path}", name, known)
            expected = dict if name == "set" else types[name]
            if not matches_type(value, expected):
                raise TypeError(f"{name} in {path} takes {type_name(expected)}, got {shown(value)}")
        if "set" in options:
            options["set"] = tuple(f"{name}={json.dumps(value)}" for name, value in flatten(options["set"]).items())
        options |= {name: Path(options[name]) for name in ("out", "start") if name in options}
        options = {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()}
        for name, group in groups.items():
            changed = [field.name for field in fields(group) if field.name in options]
            options[name] = replace(group, **{option: options.pop(option) for option in changed})
        return options


def matches_type(value: Any, expected: Any) -> bool:
    """Whether a value from a file has the type of an option; the words of a ``Literal`` are checked later.

    >>> optional, strings = int | None, tuple[str, ...]
    >>> matches_type(5, optional), matches_type("five", optional)
    (True, False)
    >>> matches_type(["igd"], strings), matches_type("igd", strings)
    (True, False)
    """
    arguments = get_args(expected)
    if get_origin(expected) is tuple:
        return isinstance(value, list) and all(matches_type(item, arguments[0]) for item in value)
    if get_origin(expected) is Literal or expected is Path:
        return isinstance(value, str)
    if arguments:
        return any(matches_type(value, option) for option in arguments)
    return type(value) is expected or (expected is float and type(value) is int)


def type_name(expected: Any) -> str:
    """Name a type in the terms of a configuration file.

    >>> type_name(int | None), type_name(tuple[str, ...]), type_name(dict)
    ('a whole number', 'a list', 'a table')
    """
    names = {int: "a whole number", float: "a number", bool: "true or false", dict: "a table"}
    if get_origin(expected) is tuple:
        return "a list"
    options = [] if get_origin(expected) is Literal else [arg for arg in get_args(expected) if arg is not NoneType]
    return " or ".join(dict.fromkeys(map(type_name, options))) or names.get(expected, "text")


def flatten(settings: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Replace nested tables by dotted names.

    >>> flatten({"algorithm": {"alpha": 1.5}, "variation.scale": 0.4})
    {'algorithm.alpha': 1.5, 'variation.scale': 0.4}
    """
    flat: dict[str, Any] = {}
    for name, value in settings.items():
        path = f"{prefix}.{name}" if prefix else name
        flat |= flatten(value, path) if isinstance(value, Mapping) else {path: value}
    return flat
