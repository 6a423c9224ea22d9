"""Checks of a problem's functions and names, made before anything is compiled."""

import sys
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike

from tensorrvea.checks import as_tuple, check_array, check_text, shown
from tensorrvea.evaluation import Functions
from tensorrvea.index_checks import find_bad_index

# Errors that have nothing to do with tracing.
MISTAKES = (NameError, ImportError, KeyError, ZeroDivisionError, RecursionError)


def check_names(argument: str, names: Sequence[str] | None, count: int | None = None) -> tuple[str, ...] | None:
    """Return the names; ``count`` is None if it is not known yet how many there must be."""
    checked = None if names is None else as_tuple(names)
    if checked is None:
        return None
    wrong_count = not checked if count is None else len(checked) != count
    if wrong_count or not all(isinstance(name, str) for name in checked):
        raise ValueError(f"{argument} takes {'' if count is None else f'{count} '}strings, got {shown(names)}")
    for name in checked:
        check_text(argument, name)
    return checked


def infer_size(size: int | None, *per_item: Any) -> int | None:
    """Return the given size, or else the length of the first argument that has an entry per item."""
    lengths = (len(as_tuple(items)) for items in per_item)
    return size if size is not None else next((length for length in lengths if length), None)


def check_designs(x: ArrayLike, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """Return one design (d,) or several (n, d) as rows, if they are within the bounds."""
    is_single = np.ndim(x) == 1
    rows = check_array("x", x, shape="(variables,) or (solutions, variables)", ndim=1 if is_single else 2)
    rows = rows[None] if is_single else rows
    if rows.shape[1] != len(lower):
        raise ValueError(f"x must have {len(lower)} values, one per variable, got {rows.shape[1]}")
    outside = (rows < lower) | (rows > upper)
    if outside.any():
        i, j = (int(k) for k in np.argwhere(outside)[0])
        bounds = f"[{lower[j]}, {upper[j]}]"
        raise ValueError(f"x must be within the bounds, got {rows[i, j]} outside {bounds} for variable {j}")
    return rows


def traced_objectives(functions: Functions, variables: int) -> int:
    """Return how many objectives a function gives, by tracing it."""
    rows = _unambiguous_rows(variables)
    x = jax.ShapeDtypeStruct((rows, variables), jnp.result_type(float))
    shape = trace("function", functions, x).shape
    if len(shape) != 2 or shape[0] != rows:
        got, wanted = (shape, "(n, m)") if functions.batched else (shape[1:], "(m,)")
        raise ValueError(f"function must give an array of shape {wanted}, one value per objective, got {got}")
    return shape[1]


def trace(argument: str, functions: Functions, x: Any) -> Any:
    """Return the shape and type of a function's values of the rows ``x``, without running or compiling it."""
    function = getattr(functions, argument)
    try:
        make = jax.make_jaxpr(lambda k, v: functions.map_rows(function, k, v), return_shape=True)
        traced, output = make(_abstract_key(), x)
    except MISTAKES as error:
        raise TypeError(f"{argument} raised {type(error).__name__}: {error}{place_of(error)}") from error
    except Exception as error:  # whatever the user's function raises
        takes = "(n, d)" if functions.batched else "(d,)"
        raise TypeError(
            f"{argument} could not be traced with x of shape {takes}: {reason(error)}{place_of(error)}; "
            "if it is not a JAX function, use HostProblem"
        ) from error
    mistake = find_bad_index(traced, argument=1)
    if mistake:
        raise ValueError(f"{argument} uses x beyond its variables, which JAX would clamp in silence: {mistake}")
    return output


def check_column_names(
    objectives: Sequence[str], variables: Sequence[str] | None, count: int, constraints: Sequence[str] = ()
) -> None:
    """Check that objectives, ``count`` variables (None: x1, x2, …), constraints and the violation fit in one table."""
    # There may be millions of default names: build them only if an objective could have one.
    named = [*objectives, *constraints]
    defaults = {f"x{i + 1}" for i in range(count)} if "x" in "".join(named) else ()
    columns = [*named, *(variables or defaults), "violation"]
    repeated = [name for name, uses in Counter(columns).items() if uses > 1]
    if repeated:
        raise ValueError(
            "objective_names, variable_names and constraint_names must all differ, and none may be 'violation', "
            f"got {repeated[0]!r} more than once"
        )


def check_sample(sample: Callable[..., Any], *, variables: int, objectives: int) -> None:
    """Check by tracing that ``sample(key, n)`` returns an array of shape (n, d)."""
    rows = _unambiguous_rows(variables, objectives)
    try:
        shape = jax.eval_shape(lambda key: jnp.asarray(sample(key, rows)), _abstract_key()).shape
    except Exception as error:  # whatever the user's function raises
        raise TypeError(f"sample could not be traced with a key and {rows} rows: {reason(error)}") from error
    if shape != (rows, variables):
        raise ValueError(f"sample must give an array of shape (n, {variables}), got {shape} for n = {rows}")


def check_outputs(functions: Functions, variables: int, objectives: int) -> dict[str, int]:
    """Check the shapes of the functions' outputs by tracing, without running or compiling them.

    Returns:
      How many values ``function``, ``constraints`` and ``equalities`` give per individual.
    """
    rows = _unambiguous_rows(variables, objectives)
    x = jax.ShapeDtypeStruct((rows, variables), jnp.result_type(float))
    takes = "(n, d)" if functions.batched else "(d,)"
    counts = dict.fromkeys(("function", "constraints", "equalities"), 0)
    for argument in counts:
        if getattr(functions, argument) is None:
            continue
        output = trace(argument, functions, x)
        shape = output.shape
        if not any(jnp.issubdtype(output.dtype, kind) for kind in (jnp.floating, jnp.integer, jnp.bool_)):
            raise TypeError(f"{argument} must give real numbers, got {output.dtype}")
        if argument == "function" and shape != (rows, objectives):
            got, wanted = (shape, f"(n, {objectives})") if functions.batched else (shape[1:], (objectives,))
            raise ValueError(f"function must give an array of shape {wanted} for x of shape {takes}, got {got}")
        if argument != "function" and (len(shape) > 2 or shape[:1] != (rows,)):
            got, wanted = (shape, "(n, c)") if functions.batched else (shape[1:], "() or (c,)")
            raise ValueError(f"{argument} must give an array of shape {wanted} for x of shape {takes}, got {got}")
        counts[argument] = shape[1] if len(shape) == 2 else 1
    return counts


def reason(error: Exception) -> str:
    """Return the reason of a function's error in one line; JAX's own errors about tracing take several."""
    if isinstance(error, jax.errors.JAXTypeError | jax.errors.JAXIndexError):
        return "it needs the values of x, as NumPy, float() or if do; write it with jax.numpy, and if as jnp.where"
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def place_of(error: BaseException) -> str:
    """Return the file and line at which the user's function raised an error."""
    frames = traceback.extract_tb(error.__traceback__)
    packages = [str(Path(module.__file__ or "").parent) for module in (jax, sys.modules["tensorrvea"])]
    own = [frame for frame in frames if not frame.filename.startswith(tuple(packages))]
    frame = own[-1] if own else frames[-1]
    return f" ({Path(frame.filename).name}, line {frame.lineno})"


def _abstract_key() -> Any:
    return jax.eval_shape(lambda: jax.random.key(0))


def _unambiguous_rows(*sizes: int) -> int:
    """A number of rows that differs from all other sizes, so that a wrong axis shows."""
    return next(rows for rows in (7, 11, 13) if rows not in sizes)
