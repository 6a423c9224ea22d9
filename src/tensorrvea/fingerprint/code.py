"""The code of functions: its text, the names that it uses, and whether it is the user's own or installed."""

import dis
import functools
import inspect
import linecache
import sys
import sysconfig
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

# Code in these places is named, not read: the standard library, this library, and installed packages.
INSTALLED = (
    *(f"{Path(sysconfig.get_path(place)).resolve()}/" for place in ("stdlib", "platstdlib")),
    f"{Path(__file__).resolve().parent.parent}/",
)
PACKAGES = ("/site-packages/", "/dist-packages/")


def is_installed(path: str) -> bool:
    if path.startswith("<frozen"):
        return True
    return path.startswith(INSTALLED) or any(part in path for part in PACKAGES)


def is_installed_module(name: str) -> bool:
    top = name.partition(".")[0]
    files = [getattr(sys.modules.get(each), "__file__", None) for each in (name, top)]
    return top in sys.stdlib_module_names or any(file is not None and is_installed(file) for file in files)


def references(code: CodeType, names: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the global names that code uses, and of the attributes of the user's own modules that it uses."""
    used: set[str] = set()
    attributes: set[str] = set()
    for part in _all_code(code):
        for instruction in dis.get_instructions(part):
            if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                used.add(instruction.argval)
            elif instruction.opname in ("LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM"):
                attributes.add(instruction.argval)
    found = {name: names[name] for name in used if name in names}
    for name, module in list(found.items()):
        if isinstance(module, ModuleType) and not is_installed_module(module.__name__):
            found |= {f"{name}.{each}": vars(module)[each] for each in attributes if each in vars(module)}
    return found


def _all_code(code: CodeType) -> Iterator[CodeType]:
    """The code, and that of the functions and classes inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _all_code(constant)


# Source text


def source_text(function: FunctionType) -> bytes | None:
    """The text of a function, or the body of a lambda; None if the file no longer has this code."""
    code = function.__code__
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename, function.__globals__)
    if not lines or code not in _compiled("".join(lines), code.co_filename):
        return None
    if function.__name__ == "<lambda>":
        return _lambda_body(code, lines)
    return textwrap.dedent("".join(inspect.getblock(lines[code.co_firstlineno - 1 :]))).encode()


@functools.lru_cache(maxsize=64)
def _compiled(text: str, filename: str) -> frozenset[CodeType]:
    try:
        return frozenset(_all_code(compile(text, filename, "exec", dont_inherit=True)))
    except (SyntaxError, ValueError, RecursionError):
        return frozenset()


def _lambda_body(code: CodeType, lines: list[str]) -> bytes | None:
    """The body of a lambda without the rest of its line."""
    positions: list[Any] = [p for p in code.co_positions() if None not in p and p[2:] != (0, 0)]
    if not positions:
        return None
    first, last = min((p[0], p[2]) for p in positions), max((p[1], p[3]) for p in positions)
    body = [line.encode() for line in lines[first[0] - 1 : last[0]]]
    body[-1] = body[-1][: last[1]]
    body[0] = body[0][first[1] :]
    return b"".join(body)
