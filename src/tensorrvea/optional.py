"""Imports of optional packages, and versions of the installed ones."""

import platform
from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
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


def installed_versions(packages: Iterable[str]) -> dict[str, str]:
    """Versions of Python and of those packages that are installed."""
    versions = {"python": platform.python_version()}
    for name in packages:
        with suppress(PackageNotFoundError):
            versions[name] = version(name)
    return versions
