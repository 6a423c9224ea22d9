"""Whether a function is still the one it was: a hash of its source and of the values it was made with."""

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
    """A hash of a function, or of any value that functions are made with.

    Of a function: its source, its defaults, what it closes over, and the functions, classes and plain values of its own
    module that it names; not what it takes from other modules. Of this library's own functions: their names.

    >>> fingerprint(lambda x: x + 1) == fingerprint(lambda x: x + 1)
    True
    >>> fingerprint(lambda x: x + 1) == fingerprint(lambda x: x + 2)
    False
    """
    known = hashlib.sha256()
    for part in _parts(value, seen=[]):
        known.update(len(part).to_bytes(8, "little") + part)
    return known.hexdigest()


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
    elif isinstance(value, FunctionType | type) and _is_ours(value):
        yield f"{value.__module__}.{value.__qualname__}".encode()  # ours: its version is recorded
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


def _is_ours(value: FunctionType | type) -> bool:
    """Whether it is found in this library under its name."""
    if not str(value.__module__).startswith("tensorrvea."):
        return False
    return getattr(sys.modules.get(value.__module__), value.__qualname__, None) is value


def _function_parts(function: FunctionType, seen: list[Any]) -> Iterator[bytes]:
    yield from _own_parts(function, seen)
    for name, named in sorted(_beside(function).items()):
        yield name.encode()
        yield from _own_parts(named, seen) if isinstance(named, FunctionType) else _parts(named, seen)


def _own_parts(function: FunctionType, seen: list[Any]) -> Iterator[bytes]:
    """Source, defaults and what it closes over."""
    lambda_ = function.__name__ == "<lambda>"
    source = _expression(function.__code__) if lambda_ else _source(function)
    yield from [source] if source is not None else _code_parts(function.__code__)
    yield " ".join(function.__code__.co_varnames[: function.__code__.co_argcount]).encode()
    for part in (function.__defaults__, function.__kwdefaults__):
        yield from _parts(part, seen)
    for cell in function.__closure__ or ():
        try:
            yield from _parts(cell.cell_contents, seen)
        except ValueError:  # a cell that nothing was put into
            yield b"empty"


def _beside(function: FunctionType) -> dict[str, Any]:
    """What a function names in its own module, and what the functions among that name there in turn."""
    found: dict[str, Any] = {}
    left = _names(function.__code__)
    while left:
        name = left.pop()
        value = function.__globals__.get(name)
        if name in found or value is function or not _is_beside(value, function):
            continue
        found[name] = value
        if isinstance(value, FunctionType):
            left |= _names(value.__code__)
    return found


def _names(code: CodeType) -> set[str]:
    """All names that code looks up, also in the functions inside it."""
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return set(code.co_names).union(*map(_names, inner))


def _is_beside(value: Any, function: FunctionType) -> bool:
    """Whether it is a function or class of the same module, or a value that does not change by being used."""
    if isinstance(value, FunctionType):
        return value.__globals__ is function.__globals__
    if isinstance(value, type):
        return value.__module__ == function.__module__
    if isinstance(value, tuple):
        return all(_is_beside(part, function) for part in value)
    return isinstance(value, bool | int | float | complex | str | bytes | np.ndarray | np.generic | jax.Array)


def _source(thing: Callable[..., Any] | type) -> bytes | None:
    try:
        return textwrap.dedent(inspect.getsource(thing)).encode()
    except (OSError, TypeError):
        return None


def _expression(code: CodeType) -> bytes | None:
    """The body of a lambda alone: the line that it stands on may hold much else."""
    places: list[Any] = [place for place in code.co_positions() if None not in place and place[2:] != (0, 0)]
    if not places:
        return None
    first, last = min((p[0], p[2]) for p in places), max((p[1], p[3]) for p in places)
    lines = [linecache.getline(code.co_filename, n).encode() for n in range(first[0], last[0] + 1)]
    if not all(lines):
        return None
    lines[-1] = lines[-1][: last[1]]
    lines[0] = lines[0][first[1] :]
    return b"".join(lines)


def _code_parts(code: CodeType) -> Iterator[bytes]:
    """For functions whose source is nowhere: what they compile to."""
    yield code.co_code
    yield repr(code.co_names).encode()
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code_parts(constant)
        else:
            yield repr(constant).encode()
