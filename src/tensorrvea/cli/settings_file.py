"""The options of a command from a TOML or JSON file."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

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
        names = [field.name for part in (command, *groups.values()) for field in fields(part)]
        known = tuple(name for name in names if name not in groups)
        options = {name.replace("-", "_"): value for name, value in content.items()}
        for name in options:
            check_choice(f"an option in {path}", name, known)
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
