"""Imports of optional packages."""

from importlib import import_module
from types import ModuleType


def import_optional(module: str, *, needed_for: str, extra: str) -> ModuleType:
    """Import a module of a package in one of this library's extras; the error says how to install it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != module.partition(".")[0]:
            raise  # the package is installed, but one of its own imports is missing
        remedy = f'pip install "tensorrvea[{extra}]"'
        raise ModuleNotFoundError(
            f"{needed_for} needs {error.name!r}, which is not installed: {remedy}", name=error.name
        ) from error
