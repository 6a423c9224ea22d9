"""Indices beyond the variables, found in the traced form of a user's function.

JAX clamps an index that is out of range in silence: ``x[7]`` of two variables is ``x[1]``. Such an index is a constant
in the traced function, after a few steps (adding the length to a negative one, say) that are computed here in NumPy.
Only what is indexed directly, the function's argument, is looked at.
"""

from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np
from jax.extend import core

# Larger constants are not looked at.
MOST_ELEMENTS = 10_000


def _broadcast(value: np.ndarray, *, shape: tuple, broadcast_dimensions: tuple, **_: Any) -> np.ndarray:
    kept = [1] * len(shape)
    for axis, size in zip(broadcast_dimensions, value.shape, strict=True):
        kept[axis] = size
    return np.broadcast_to(value.reshape(kept), shape)


# How JAX computes indices from what the user wrote.
STEPS: dict[str, Callable[..., np.ndarray]] = {
    "add": lambda a, b, **_: a + b,
    "broadcast_in_dim": _broadcast,
    "concatenate": lambda *parts, dimension, **_: np.concatenate(parts, axis=dimension),
    "convert_element_type": lambda a, *, new_dtype, **_: a.astype(new_dtype),
    "iota": lambda *, dtype, shape, dimension, **_: np.indices(shape)[dimension].astype(dtype),
    "lt": lambda a, b, **_: a < b,
    "reshape": lambda a, *, new_sizes, **_: a.reshape(new_sizes),
    "select_n": lambda which, no, yes, **_: np.where(which, yes, no),
    "squeeze": lambda a, *, dimensions, **_: a.squeeze(dimensions),
}  # fmt: skip


def find_bad_index(traced: core.ClosedJaxpr, argument: int) -> str:
    """Return where an argument is indexed out of its range; an empty text if it is nowhere.

    Args:
      traced: the function, as ``jax.make_jaxpr`` returns it.
      argument: the number of the argument.
    """
    known = dict(zip(traced.jaxpr.constvars, map(_as_constant, traced.consts), strict=True))
    return next(_bad_indices(traced.jaxpr, known, {traced.jaxpr.invars[argument]}), "")


def _bad_indices(jaxpr: Any, known: dict[Any, Any], arrays: set[Any]) -> Iterator[str]:
    """Yield descriptions; ``known`` has the values of constants, ``arrays`` the names of the indexed argument."""

    def value(name: Any) -> Any:
        return _as_constant(name.val) if isinstance(name, core.Literal) else known.get(name)

    for step in jaxpr.eqns:
        kind, inputs = step.primitive.name, step.invars
        values = [value(name) for name in inputs]
        inner = step.params.get("jaxpr") if kind in ("jit", "pjit") else None
        if isinstance(inner, core.ClosedJaxpr):
            names = inner.jaxpr.invars
            inside = dict(zip(inner.jaxpr.constvars, map(_as_constant, inner.consts), strict=True))
            inside |= dict(zip(names, values, strict=True))
            same = {name for name, outer in zip(names, inputs, strict=True) if _is_in(outer, arrays)}
            yield from _bad_indices(inner.jaxpr, inside, same)
            known |= {
                outer: _as_constant(name.val) if isinstance(name, core.Literal) else inside.get(name)
                for outer, name in zip(step.outvars, inner.jaxpr.outvars, strict=True)
            }
        elif inputs and _is_in(inputs[0], arrays):
            if kind == "convert_element_type":
                arrays = arrays | set(step.outvars)
            yield from _out_of_range(step, values)
        elif kind in STEPS and all(each is not None for each in values) and _is_small(step.outvars[0]):
            known[step.outvars[0]] = STEPS[kind](*values, **step.params)


def _out_of_range(step: Any, values: list[Any]) -> Iterator[str]:
    """Yield what is wrong with an operation on the argument, if its indices are constants."""
    shape, kind, numbers = step.invars[0].aval.shape, step.primitive.name, step.params.get("dimension_numbers")
    if kind == "dynamic_slice":
        starts = [(axis, start, size) for axis, (start, size) in
                  enumerate(zip(values[1:], step.params["slice_sizes"], strict=True))]  # fmt: skip
    elif kind == "gather" and values[1] is not None:
        sizes = step.params["slice_sizes"]
        starts = [(axis, values[1][..., k], sizes[axis]) for k, axis in enumerate(numbers.start_index_map)]
    elif kind.startswith("scatter") and values[1] is not None:
        starts = [(axis, values[1][..., k], 1) for k, axis in enumerate(numbers.scatter_dims_to_operand_dims)]
    else:
        return
    for axis, start, size in starts:
        if start is None:
            continue
        outside = (start < 0) | (start > shape[axis] - size)
        if outside.any():
            index = int(np.asarray(start)[outside].flat[0])
            # JAX has added the length to a negative index.
            written = index - shape[axis] if index < 0 else index
            yield f"index {written} is out of range for {shape[axis]} variables{_place(step)}"


def _place(step: Any) -> str:
    """Return the line of the user's code that an operation comes from."""
    library = __file__.rpartition("/")[0]
    frames = step.source_info.traceback.frames if step.source_info.traceback else ()
    for frame in frames:
        if not frame.file_name.startswith((library, jax.__file__.rpartition("/")[0])):
            return f" ({frame.file_name.rpartition('/')[2]}, line {frame.line_num})"
    return ""


def _as_constant(value: Any) -> Any:
    """Return a small array of numbers in NumPy; None for anything else."""
    is_number = isinstance(value, np.generic | np.ndarray | jax.Array | int | float | bool)
    if not is_number or isinstance(value, jax.core.Tracer) or np.size(value) > MOST_ELEMENTS:
        return None
    if jax.dtypes.issubdtype(getattr(value, "dtype", np.dtype(float)), jax.dtypes.extended):
        return None  # a key
    return np.asarray(value)


def _is_small(name: Any) -> bool:
    return bool(name.aval.size <= MOST_ELEMENTS)


def _is_in(name: Any, names: set[Any]) -> bool:
    return not isinstance(name, core.Literal) and name in names
