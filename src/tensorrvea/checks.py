"""Argument checks for constructors and public functions: errors name the argument, what it takes and what was given."""

import dataclasses
import math
import os
import reprlib
from collections.abc import Callable, Mapping, Sequence, Set
from difflib import get_close_matches
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import jax
import numpy as np
from numpy.typing import ArrayLike

DIRECTIONS = ("min", "max")
ONE = "one number"
# The most items of a range that are made an array or a tuple.
LONGEST = 2**28

# The largest whole number that an argument can mean, and the most rows of a population, which are counted by int32.
LARGEST = 2**63 - 1
MOST_ROWS = 2**31 - 1
MOST_VARIABLES = 2**26
# The same of arguments by their name, so that a typing slip does not fill the memory.
MOST = {
    "objectives": 10_000,
    "variables": MOST_VARIABLES,
    "positions": MOST_VARIABLES,
    "subcomponents": MOST_VARIABLES,
    "points": MOST_VARIABLES,
}

# What JAX accepts as a number or an array.
Numeric = int | float | np.number | np.bool_ | np.ndarray | jax.Array


def is_traced(value: Any) -> bool:
    """Return whether a number, or one in a tree, is a tracer of a JAX transformation, which has no value to check."""
    try:
        return any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(value))
    except (RecursionError, SystemError, ValueError):  # nested too deeply, or keys that cannot be compared
        return False


def shown(value: Any, most: int = 80) -> str:
    """Return at most so many characters of what a value looks like, for an error; its type if it cannot be shown.

    Long and deeply nested lists are cut before they are written out.

    >>> shown([[[[[[[1]]]]]]]), shown("five")
    ('[[[[[[[...]]]]]]]', "'five'")
    """
    try:
        return _REPR.repr(value)[:most]
    except Exception:  # whatever the user's type raises, or a number with too many digits
        return f"a value of type {type(value).__name__}"


_REPR = reprlib.Repr()
_REPR.maxlist = _REPR.maxtuple = _REPR.maxdict = _REPR.maxset = _REPR.maxfrozenset = _REPR.maxdeque = 80
_REPR.maxstring = _REPR.maxother = _REPR.maxlong = _REPR.maxarray = 80


def check_integer(name: str, value: Any, *, minimum: int, maximum: int | None = None, why: str = "") -> int:
    """Return a whole number from ``minimum`` to ``maximum``; the latter is that of ``MOST`` by default."""
    maximum = MOST.get(name, LARGEST) if maximum is None else maximum
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name} takes a whole number, got {shown(value)}")
    if int(value) > maximum:
        raise ValueError(f"{name} must be at most {maximum}, got {value if value < 10**80 else 'more than 10**80'}")
    if value < minimum:
        raise ValueError(f"{name} must be at least {minimum}{f' ({why})' if why else ''}, got {value}")
    return int(value)


def check_number(
    name: str,
    value: Any,
    *,
    minimum: float = -math.inf,
    maximum: float = math.inf,
    open_minimum: bool = False,
    scalar: bool = False,
) -> None:
    """Check for a finite number in [minimum, maximum], or in (minimum, maximum] if ``open_minimum``.

    Arrays (as in a sweep over settings) are checked element by element, but rejected if ``scalar``. Tracers pass.
    """
    if is_traced(value):
        return
    values = _as_floats(value) if isinstance(value, Numeric) and not isinstance(value, bool | np.bool_) else None
    if values is None or (scalar and values.ndim):
        raise TypeError(f"{name} takes a number, got {shown(value)}")
    below = values <= minimum if open_minimum else values < minimum
    if not np.isfinite(values).all() or below.any() or (values > maximum).any() or not values.size:
        left = "(" if open_minimum or minimum == -math.inf else "["
        right = ")" if maximum == math.inf else "]"
        raise ValueError(f"{name} must be a finite number in {left}{minimum:g}, {maximum:g}{right}, got {shown(value)}")


def check_callable(name: str, value: Any, *, takes: str) -> Callable:
    if not callable(value) or isinstance(value, type):
        raise TypeError(f"{name} takes {takes}, got {shown(value)}")
    return value


def check_flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} takes True or False, got {shown(value)}")
    return bool(value)


def check_text(name: str, value: Any) -> str:
    """Check for text that a file can hold: without NUL, and without half of a surrogate pair."""
    if not isinstance(value, str):
        raise TypeError(f"{name} takes a string, got {shown(value)}")
    if "\0" in value or any("\ud800" <= character <= "\udfff" for character in value):
        raise ValueError(f"{name} must be text without NUL and lone surrogates, got {shown(value)}")
    return value


def check_path(name: str, value: Any) -> Path:
    """Return the path of a file or directory that a user gives."""
    path = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(path, str) or not path:
        raise TypeError(f"{name} takes a path, got {shown(value)}")
    try:
        is_possible = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        is_possible = False
    if not is_possible:
        raise ValueError(f"{name} must be a path that the system allows, got {shown(path)}")
    return Path(path)


def check_part(name: str, value: Any, *parts: str, takes: str) -> None:
    """Check for an object, not a class, that has all the named attributes."""
    if isinstance(value, type) or not all(hasattr(value, part) for part in parts):
        raise TypeError(f"{name} takes {takes}, got {shown(value)}")


def check_settings(name: str, value: Any, variables: int) -> None:
    """Check for a pytree of numbers and arrays, which compiled code can take as an argument.

    Number settings must be scalars; in nested parts, such as operators, one number per variable is allowed as well.
    """
    for path, leaf in jax.tree_util.tree_leaves_with_path(value):
        if not isinstance(leaf, Numeric):
            raise TypeError(
                f"{name}{jax.tree_util.keystr(path)} must be a pytree of numbers and arrays, got {shown(leaf)}; "
                "decorate its class with tensorrvea.settings.settings"
            )
    _check_shapes(name, value, {(): ONE}, variables)


def _check_shapes(name: str, value: Any, shapes: dict[tuple[int, ...], str], variables: int) -> None:
    if isinstance(value, type) or not dataclasses.is_dataclass(value):
        return
    each = {(): ONE, (variables,): f"one for each of {variables} variables"}
    for field in dataclasses.fields(value):
        inner, path = getattr(value, field.name), f"{name}.{field.name}"
        if field.type in (float, float | None) and np.shape(inner) not in shapes:
            takes = ", or ".join(shapes.values())
            raise ValueError(f"{path} must be {takes} in a run, got shape {np.shape(inner)}; for a sweep, vmap")
        _check_shapes(path, inner, each, variables)


def check_array(name: str, value: ArrayLike, *, shape: str, ndim: int, finite: bool = True) -> np.ndarray:
    """Return the value as an array of floats with ``ndim`` axes, which ``shape`` describes for the error."""
    array = _as_floats(value)
    if array is None:
        raise TypeError(f"{name} takes numbers of shape {shape}, got {type(value).__name__}: {shown(value)}")
    if array.ndim != ndim:
        raise ValueError(f"{name} must have shape {shape}, got an array of shape {array.shape}")
    if finite and not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name} must be finite, got {array[where]} at {where}")
    return array


def _as_floats(value: Any) -> np.ndarray | None:
    """Return the value in double precision, or None if not real: NumPy would drop imaginary parts and masks."""
    try:
        if is_masked(value) or is_endless(value) or isinstance(value, bytearray | memoryview):
            return None
        array = np.asarray(value)
        if array.dtype == object:
            real = all(isinstance(each, Real) for each in array.flat)
        else:
            real = any(jax.dtypes.issubdtype(array.dtype, kind) for kind in (np.bool_, np.integer, np.floating))
        return np.asarray(array, dtype=float) if real else None
    except Exception:  # whatever an object of the user's raises when it is converted
        return None


def is_masked(value: Any) -> bool:
    """Return whether a value is masked, or an item of a list: NumPy would take what is under the mask."""
    items = value if isinstance(value, list | tuple) else (value,)
    return any(isinstance(item, np.ma.MaskedArray) and np.ma.is_masked(item) for item in items)


def is_endless(value: Any) -> bool:
    """Return whether a value is a range that no memory holds."""
    return isinstance(value, range) and len(value) > LONGEST


def check_points(name: str, value: ArrayLike, *, minimum: int = 1) -> np.ndarray:
    """Return points in objective space, one per row, as a finite array with at least ``minimum`` rows."""
    array = check_array(name, value, shape="(points, objectives)", ndim=2)
    if array.shape[1] == 0:
        raise ValueError(f"{name} must have at least one objective, got an array of shape {array.shape}")
    if len(array) < minimum:
        needs = "one point" if minimum == 1 else f"{minimum} points"
        raise ValueError(f"{name} must hold at least {needs}, got {len(array)}")
    return array


def check_directions(directions: str | Sequence[str], objectives: int) -> tuple[str, ...]:
    """Return ``"min"`` or ``"max"`` for each objective; a single one stands for all."""
    each = (directions,) * objectives if isinstance(directions, str) else as_tuple(directions)
    if len(each) != objectives:
        raise ValueError(
            f"directions must have one entry for each of {objectives} objectives, in order, got {shown(directions)}"
        )
    return tuple(check_choice("directions", direction, DIRECTIONS) for direction in each)


def as_tuple(value: Any) -> tuple:
    """Return the items of an ordered iterable; an empty tuple for text, a set, a mapping or a number."""
    try:
        is_unordered = isinstance(value, str | bytes | bytearray | Set | Mapping)
        return () if is_unordered or is_endless(value) else tuple(value)
    except Exception:  # whatever an iterable of the user's raises
        return ()


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in choices:
        allowed = ", ".join(map(repr, choices))
        raise ValueError(f"{name} must be one of {allowed}, got {shown(value)}{hint(value, choices)}")
    return value


def match_choice(name: str, value: Any, choices: tuple[str, ...], aliases: Mapping[str, str] | None = None) -> str:
    """Return the choice that a person means: capitals, hyphens and underscores do not count.

    >>> match_choice("algorithm", "nsga-2", ("NSGA2", "NSGA3")), match_choice("metric", "HV", ("igd",), {"hv": "igd"})
    ('NSGA2', 'igd')
    """
    if isinstance(value, str) and value not in choices:
        known = {_normalized(choice): choice for choice in choices}
        known |= {_normalized(alias): choice for alias, choice in (aliases or {}).items()}
        value = known.get(_normalized(value), value)
    return check_choice(name, value, choices)


def _normalized(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")


def hint(value: Any, choices: tuple[str, ...]) -> str:
    """Suggest the nearest name, for a typing slip; capitals do not count.

    >>> hint("dtlz22", ("DTLZ2", "ZDT1"))
    "; did you mean 'DTLZ2'?"
    """
    known = {choice.lower(): choice for choice in choices}
    near = get_close_matches(value[:80].lower(), known, n=1) if isinstance(value, str) else []
    return f"; did you mean {known[near[0]]!r}?" if near else ""
