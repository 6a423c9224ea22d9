"""Imports of optional packages."""

from importlib import import_module
from types import ModuleType


def import_optional(module: str, *, purpose: str) -> ModuleType:
    """Import a module; the error says how to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(f"{purpose} needs {error.name or module}: pip install 'tensorrvea[adapters]'") from error
