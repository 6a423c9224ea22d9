"""Fingerprints of functions and values: equal only if, as far as can be told, they compute the same.

This module imports neither JAX nor the rest of the library.
"""

import copyreg
import functools
import hashlib
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from types import (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

import numpy as np

from tensorrvea.fingerprint.code import is_installed, is_installed_module, references, source_text

# Entries of a class that do not change what it computes, or that are different in every process.
IGNORED = frozenset(
    {
        "__dict__", "__weakref__", "__module__", "__qualname__", "__doc__", "__annotations__", "__annotate_func__",
        "__annotations_cache__", "__firstlineno__", "__static_attributes__", "__abstractmethods__", "_abc_impl",
        "__slots__", "__orig_bases__", "__parameters__", "__dataclass_params__", "__dataclass_fields__",
        "__match_args__",
    }
)  # fmt: skip
LOCKS = (type(threading.Lock()), type(threading.RLock()))
DESCRIPTORS: tuple[type, ...] = (
    BuiltinFunctionType, MemberDescriptorType, GetSetDescriptorType, MethodDescriptorType, WrapperDescriptorType,
    MethodWrapperType, ClassMethodDescriptorType,
)  # fmt: skip
# The most values that are followed.
MOST = 200_000


class UnknownValueError(TypeError):
    """A value that cannot be described; the message names its type."""


def fingerprint(value: Any) -> str | None:
    """Return a hash that changes if what a function computes may have changed; None if that cannot be told.

    What is followed, from a function (or from any other value):

    * its source text, or its bytecode if the text is not available or no longer that of the code; its defaults, its
      closure, and its attributes;
    * the global names that it uses, with their values: functions, classes and constants, also those of other modules
      of the user, as in ``import model`` and ``model.f(x)``. A class stands for its bases and all its members;
    * what is wrapped: by ``jax.jit``, ``jax.vmap``, ``functools.partial``, ``functools.lru_cache``, or by any other
      object that has ``__wrapped__``; a method's object;
    * numbers, text, arrays and containers by their content, sets and mappings in any order;
    * an object that has ``source_parts`` by these; any other by its type and what ``pickle`` would store of it.

    Functions and classes of the standard library, of this library and of installed packages count by their name. The
    names of the user's own modules do not matter, nor does the place of a function in its file.

    None is returned if something on the way cannot be described: what ``pickle`` refuses, such as an open file or a
    generator; a JAX tracer; or more than 200,000 values. ``why_unknown`` says what it was. Two results of None say
    nothing about each other. The hash is the same in every process, and nothing is unpickled.

    >>> fingerprint(lambda x: x + 1) == fingerprint(lambda x: x + 1)
    True
    >>> fingerprint(lambda x: x + 1) == fingerprint(lambda x: x + 2)
    False
    >>> fingerprint(i for i in [1]) is None
    True
    """
    try:
        return _Walk().digest(value)
    except UnknownValueError:
        return None


def identity(function: Callable[..., Any] | None) -> Any:
    """What the function computes, as far as that can be told; else the function, or its id if it cannot be hashed."""
    known = None if function is None else fingerprint(function)
    if known is not None:
        return known
    try:
        hash(function)
    except TypeError:
        return id(function)
    return function


def why_unknown(value: Any) -> str:
    """Say what it is that ``fingerprint`` cannot describe; an empty string if it can.

    >>> why_unknown(i for i in [1])
    'a generator'
    """
    try:
        _Walk().digest(value)
    except UnknownValueError as error:
        return str(error)
    return ""


class _Walk:
    """One walk over a value and all that belongs to it."""

    def __init__(self, inside: tuple[int, ...] = ()):
        self._numbers: dict[int, int] = {}  # of objects that were met, by id
        self._kept: list[Any] = []  # so that no id is used twice
        self._inside = inside  # ids of the sets and mappings whose items are being sorted
        self._left = MOST

    def digest(self, value: Any) -> str:
        result = hashlib.sha256()
        try:
            for part in self.parts(value):
                result.update(len(part).to_bytes(8, "little") + part)
        except RecursionError:
            raise UnknownValueError("values that are nested too deeply") from None
        return result.hexdigest()

    def parts(self, value: Any) -> Iterator[bytes]:
        kind = type(value)
        self._left -= 1
        if self._left < 0:
            raise UnknownValueError(f"a {kind.__qualname__}, after {MOST} other values")
        yield kind.__qualname__.encode()
        if kind in (int, float, complex, bool, str, bytes, type(None), type(...), type(NotImplemented)):
            yield _plain(value)
        elif kind is tuple:
            yield from self._sequence(value)
        elif id(value) in self._numbers:
            yield str(self._numbers[id(value)]).encode()
        else:
            self._numbers[id(value)] = len(self._numbers)
            self._kept.append(value)
            yield from self._object(value, kind)

    def _object(self, value: Any, kind: type) -> Iterator[bytes]:
        jax = sys.modules.get("jax")  # without it there is no array of JAX
        if kind is np.ndarray or isinstance(value, np.generic):
            yield from self._array(np.asarray(value))
        elif jax is not None and isinstance(value, getattr(jax, "Array", ())):
            yield from self._jax_array(value, jax)
        elif kind is list:
            yield from self._sequence(value)
        elif isinstance(value, set | frozenset):
            yield from self._unordered(value, ((item,) for item in value))
            if kind not in (set, frozenset):
                yield from self._sequence((kind, getattr(value, "__dict__", {})))
        elif kind in (dict, MappingProxyType):
            yield from self._unordered(value, value.items())
        elif kind is FunctionType:
            yield from self._function(value)
        elif isinstance(value, type):
            yield from self._class(value)
        elif isinstance(value, MethodType):
            yield from self._sequence((value.__func__, value.__self__))
        elif isinstance(value, functools.partial):
            yield from self._sequence((value.func, value.args, value.keywords))
        elif isinstance(value, ModuleType):
            yield value.__name__.encode()
        elif isinstance(value, property):
            yield from self._sequence((value.fget, value.fset, value.fdel))
        elif isinstance(value, functools.cached_property):
            yield from self.parts(value.func)
        elif isinstance(value, DESCRIPTORS):
            yield from self._builtin(value)
        elif isinstance(value, CodeType):
            yield from self._code(value)
        elif kind in LOCKS:
            return
        elif hasattr(kind, "source_parts"):
            yield from self._sequence((kind, value.source_parts))
        elif hasattr(value, "__wrapped__"):
            public = {k: v for k, v in getattr(value, "__dict__", {}).items() if not k.startswith("_")}
            yield from self._sequence((kind, value.__wrapped__, public))
        else:
            yield from self._pickled(value, kind)

    # Containers and arrays

    def _sequence(self, values: Iterable[Any]) -> Iterator[bytes]:
        for value in values:
            yield from self.parts(value)
        yield b"end"

    def _unordered(self, container: Any, items: Iterable[tuple[Any, ...]]) -> Iterator[bytes]:
        """The items in the order of their first parts' own fingerprints; their order differs between processes."""
        if id(container) in self._inside:
            yield b"inside itself"
            return
        inside = (*self._inside, id(container))
        for _, item in sorted(((_Walk(inside).digest(item[0]), item) for item in items), key=lambda pair: pair[0]):
            yield from self._sequence(item)
        yield b"end"

    def _array(self, array: np.ndarray) -> Iterator[bytes]:
        yield f"{array.dtype} {array.shape}".encode()
        if array.dtype.hasobject:
            yield from self._sequence(array.ravel().tolist())
        else:
            yield array.tobytes()

    def _jax_array(self, array: Any, jax: Any) -> Iterator[bytes]:
        if jax.dtypes.issubdtype(array.dtype, jax.dtypes.prng_key):
            yield str(array.dtype).encode()
            array = jax.random.key_data(array)
        try:
            values = np.asarray(array)
        except Exception:  # a tracer, or an array on devices of other processes
            raise UnknownValueError("a JAX array without values, such as a tracer") from None
        yield from self._array(values)

    # Code

    def _function(self, function: FunctionType) -> Iterator[bytes]:
        code = function.__code__
        yield from self._sequence((function.__defaults__, function.__kwdefaults__))
        for cell in function.__closure__ or ():
            try:
                yield from self.parts(cell.cell_contents)
            except ValueError:  # the cell is still unassigned
                yield b"empty"
        if is_installed(code.co_filename):
            yield f"{function.__globals__.get('__name__')}.{code.co_qualname}".encode()
            return
        source = source_text(function)
        yield from [source] if source is not None else self._code(code)
        yield " ".join(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]).encode()
        for name, value in sorted(vars(function).items()):
            if not name.startswith("_"):
                yield name.encode()
                yield from self.parts(value)
        for name, value in sorted(references(code, function.__globals__).items()):
            yield name.encode()
            yield from self.parts(value)

    def _class(self, cls: type) -> Iterator[bytes]:
        if is_installed_module(str(cls.__module__)):
            yield f"{cls.__module__}.{cls.__qualname__}".encode()
            if "<locals>" not in cls.__qualname__:
                return
        yield cls.__qualname__.encode()
        yield from self._sequence(cls.__bases__)
        for name, value in sorted(vars(cls).items()):
            if name not in IGNORED:
                yield name.encode()
                yield from self.parts(value)

    def _code(self, code: CodeType) -> Iterator[bytes]:
        yield code.co_code
        yield " ".join((*code.co_names, "/", *code.co_varnames, "/", *code.co_freevars)).encode()
        yield from self._sequence(code.co_consts)

    def _builtin(self, value: Any) -> Iterator[bytes]:
        owner = getattr(value, "__objclass__", None) or getattr(value, "__self__", None)
        yield f"{getattr(value, '__module__', None)}.{value.__qualname__}".encode()
        if not isinstance(owner, ModuleType | type | None):
            yield from self.parts(owner)

    # Everything else

    def _pickled(self, value: Any, kind: type) -> Iterator[bytes]:
        try:
            special = copyreg.dispatch_table.get(kind)
            reduced: Any = value.__reduce_ex__(4) if special is None else special(value)
        except Exception:  # pickling runs code of the value's type
            raise UnknownValueError(f"a {kind.__qualname__}") from None
        if isinstance(reduced, str):  # the name of a global
            yield f"{getattr(value, '__module__', None) or kind.__module__}.{reduced}".encode()
            return
        make, arguments, state, items, pairs = (*reduced, None, None, None)[:5]
        yield from self._sequence((kind, make, arguments, state))
        yield from self._sequence(() if items is None else items)
        yield from self._unordered(value, () if pairs is None else pairs)


def _plain(value: Any) -> bytes:
    """Numbers and text; ``repr`` refuses integers of many digits."""
    if isinstance(value, bytes):
        return value
    return (hex(value) if type(value) is int else repr(value)).encode("utf-8", "surrogatepass")
