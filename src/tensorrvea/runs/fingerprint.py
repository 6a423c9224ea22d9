"""Hashes of functions, by source and captured values, to detect changes between sessions."""

import functools
import hashlib
import inspect
import linecache
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import jax
import numpy as np

from tensorrvea.problem import Problem


def fingerprint(value: Any) -> str:
    """Hash a function, or any value that a function may capture.

    The hash of a function covers its source, defaults, closure, and the functions, classes and constants of its own
    module that it uses, but nothing imported from other modules. Functions of this library are hashed by name.

    >>> fingerprint(lambda x: x + 1) == fingerprint(lambda x: x + 1)
    True
    >>> fingerprint(lambda x: x + 1) == fingerprint(lambda x: x + 2)
    False
    """
    result = hashlib.sha256()
    for part in _parts(value, seen=[]):
        result.update(len(part).to_bytes(8, "little") + part)
    return result.hexdigest()


def _parts(value: Any, seen: list[Any]) -> Iterator[bytes]:
    kind = type(value)
    yield f"{kind.__module__}.{kind.__qualname__}".encode()
    if any(value is other for other in seen):
        return
    seen = [*seen, value]
    if value is None or isinstance(value, bool | int | float | complex | str | bytes):
        yield repr(value).encode()
    elif isinstance(value, np.ndarray | np.generic | jax.Array):
        array = np.asarray(value)
        yield f"{array.dtype} {array.shape}".encode()
        yield array.tobytes()
    elif isinstance(value, FunctionType | type) and _is_library_member(value):
        yield f"{value.__module__}.{value.__qualname__}".encode()  # the manifest records the library version
    elif isinstance(value, FunctionType):
        yield from _function_parts(value, seen)
    elif isinstance(value, MethodType):
        for part in (value.__func__, value.__self__):
            yield from _parts(part, seen)
    elif isinstance(value, functools.partial):
        for part in (value.func, value.args, value.keywords):
            yield from _parts(part, seen)
    elif isinstance(value, type | ModuleType | BuiltinFunctionType):
        yield getattr(value, "__qualname__", value.__name__).encode()
        if isinstance(value, type):
            yield _source(value) or b""
    elif isinstance(value, Mapping):
        for key in sorted(value, key=str):
            yield str(key).encode()
            yield from _parts(value[key], seen)
    elif isinstance(value, tuple | list | set | frozenset):
        for part in sorted(value, key=str) if isinstance(value, set | frozenset) else value:
            yield from _parts(part, seen)
    elif isinstance(value, Problem):
        yield value.name.encode()
        yield from _parts(kind, seen)
    elif hasattr(value, "__wrapped__"):  # a compiled function
        yield from _parts(value.__wrapped__, seen)
    else:
        yield from _parts(kind, seen)
        yield from _parts(getattr(value, "__dict__", {}), seen)


def _is_library_member(value: FunctionType | type) -> bool:
    """Whether this library has ``value`` under its qualified name."""
    if not str(value.__module__).startswith("tensorrvea."):
        return False
    return getattr(sys.modules.get(value.__module__), value.__qualname__, None) is value


def _function_parts(function: FunctionType, seen: list[Any]) -> Iterator[bytes]:
    yield from _own_parts(function, seen)
    for name, value in sorted(_module_references(function).items()):
        yield name.encode()
        yield from _own_parts(value, seen) if isinstance(value, FunctionType) else _parts(value, seen)


def _own_parts(function: FunctionType, seen: list[Any]) -> Iterator[bytes]:
    """Source, defaults and closure."""
    is_lambda = function.__name__ == "<lambda>"
    source = _lambda_body(function.__code__) if is_lambda else _source(function)
    yield from [source] if source is not None else _code_parts(function.__code__)
    yield " ".join(function.__code__.co_varnames[: function.__code__.co_argcount]).encode()
    for part in (function.__defaults__, function.__kwdefaults__):
        yield from _parts(part, seen)
    for cell in function.__closure__ or ():
        try:
            yield from _parts(cell.cell_contents, seen)
        except ValueError:  # the cell is still unassigned
            yield b"empty"


def _module_references(function: FunctionType) -> dict[str, Any]:
    """Functions, classes and constants of its own module that a function uses, directly or through other functions."""
    found: dict[str, Any] = {}
    pending = _names(function.__code__)
    while pending:
        name = pending.pop()
        value = function.__globals__.get(name)
        if name in found or value is function or not _belongs_to_module(value, function):
            continue
        found[name] = value
        if isinstance(value, FunctionType):
            pending |= _names(value.__code__)
    return found


def _names(code: CodeType) -> set[str]:
    """All names that the code, including nested functions, looks up."""
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return set(code.co_names).union(*map(_names, inner))


def _belongs_to_module(value: Any, function: FunctionType) -> bool:
    """Whether ``value`` is a function or class of the same module as ``function``, or a constant."""
    if isinstance(value, FunctionType):
        return value.__globals__ is function.__globals__
    if isinstance(value, type):
        return value.__module__ == function.__module__
    if isinstance(value, tuple):
        return all(_belongs_to_module(part, function) for part in value)
    return isinstance(value, bool | int | float | complex | str | bytes | np.ndarray | np.generic | jax.Array)


def _source(thing: Callable[..., Any] | type) -> bytes | None:
    try:
        return textwrap.dedent(inspect.getsource(thing)).encode()
    except (OSError, TypeError):
        return None


def _lambda_body(code: CodeType) -> bytes | None:
    """The body of a lambda without the rest of its line."""
    positions: list[Any] = [p for p in code.co_positions() if None not in p and p[2:] != (0, 0)]
    if not positions:
        return None
    first, last = min((p[0], p[2]) for p in positions), max((p[1], p[3]) for p in positions)
    lines = [linecache.getline(code.co_filename, n).encode() for n in range(first[0], last[0] + 1)]
    if not all(lines):
        return None
    lines[-1] = lines[-1][: last[1]]
    lines[0] = lines[0][first[1] :]
    return b"".join(lines)


def _code_parts(code: CodeType) -> Iterator[bytes]:
    """Bytecode, for functions whose source is not available."""
    yield code.co_code
    yield repr(code.co_names).encode()
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code_parts(constant)
        else:
            yield repr(constant).encode()
