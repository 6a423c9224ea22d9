"""Checks of arguments, made where an object is made: each error names the argument, what it takes and what came."""

import math
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any

import jax
import numpy as np
from numpy.typing import ArrayLike

DIRECTIONS = ("min", "max")


def is_traced(value: Any) -> bool:
    """Whether a number, or one in a list, is inside one of JAX's transformations, where it has no value to check."""
    return any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(value))


def check_integer(name: str, value: Any, *, minimum: int, why: str = "") -> int:
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name} takes a whole number, got {value!r}")
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
) -> None:
    """A finite number in [minimum, maximum], or in (minimum, maximum] if ``open_minimum``.

    Arrays of numbers (as in a sweep over settings) are checked element by element; tracers are let through.
    """
    if is_traced(value):
        return
    if isinstance(value, bool) or not isinstance(value, Real | np.ndarray | jax.Array):
        raise TypeError(f"{name} takes a number, got {value!r}")
    values = np.asarray(value, dtype=float)
    below = values <= minimum if open_minimum else values < minimum
    if not np.isfinite(values).all() or below.any() or (values > maximum).any():
        left = "(" if open_minimum or minimum == -math.inf else "["
        right = ")" if maximum == math.inf else "]"
        raise ValueError(f"{name} must be a finite number in {left}{minimum:g}, {maximum:g}{right}, got {value}")


def check_callable(name: str, value: Any, *, takes: str) -> Callable:
    if not callable(value):
        raise TypeError(f"{name} takes {takes}, got {value!r}")
    return value


def check_array(name: str, value: ArrayLike, *, shape: str, ndim: int) -> np.ndarray:
    """A finite array of floats with ``ndim`` axes; ``shape`` says in words what they are."""
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise TypeError(f"{name} takes numbers of shape {shape}, got {type(value).__name__}: {value!r:.80}") from None
    if array.ndim != ndim:
        raise ValueError(f"{name} must have shape {shape}, got an array of shape {array.shape}")
    if not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name} must be finite, got {array[where]} at {where}")
    return array


def check_points(name: str, value: ArrayLike, *, minimum: int = 1) -> np.ndarray:
    """Points in objective space, one a row: a finite array with at least ``minimum`` rows."""
    array = check_array(name, value, shape="(points, objectives)", ndim=2)
    if array.shape[1] == 0:
        raise ValueError(f"{name} must have at least one objective, got an array of shape {array.shape}")
    if len(array) < minimum:
        needs = "one point" if minimum == 1 else f"{minimum} points"
        raise ValueError(f"{name} must hold at least {needs}, got {len(array)}")
    return array


def check_directions(directions: str | Sequence[str], objectives: int) -> tuple[str, ...]:
    """``"min"`` or ``"max"`` for each objective; one for all may be given."""
    each = (directions,) * objectives if isinstance(directions, str) else tuple(directions)
    if len(each) != objectives:
        raise ValueError(f"directions must have one entry for each of {objectives} objectives, got {len(each)}")
    return tuple(check_choice("directions", direction, DIRECTIONS) for direction in each)


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> str:
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}{hint(value, choices)}")
    return value


def hint(value: Any, choices: tuple[str, ...]) -> str:
    """The nearest name, for a typing slip."""
    near = get_close_matches(str(value), choices, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
