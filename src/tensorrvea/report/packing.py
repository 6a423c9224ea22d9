"""Data of the page as JSON that is safe inside HTML, with arrays as base64."""

import base64
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np


def pack(array: np.ndarray) -> dict[str, Any]:
    """Pack an array without loss: in single precision if every value fits exactly, else in double.

    >>> pack(np.array([[0.5, 1.0]]))
    {'type': 'f32', 'shape': [1, 2], 'data': 'AAAAPwAAgD8='}
    >>> pack(np.array([0.1]))["type"]
    'f64'
    """
    values = np.asarray(array, dtype=np.float64)
    with np.errstate(over="ignore"):
        single = values.astype("<f4")
    if (single == values).all():
        return _packed("f32", single)
    return _packed("f64", values.astype("<f8"))


def pack_integers(array: np.ndarray) -> dict[str, Any]:
    """Encode integers for the page."""
    return _packed("u32", np.asarray(array).astype("<u4"))


def pack_16_bit(array: np.ndarray) -> dict[str, Any]:
    """Quantise an array to 16 bits: 65,536 steps over the range of each column of the last axis.

    >>> packed = pack_16_bit(np.array([[0.0, 5.0], [1.0, 7.0]]))
    >>> packed["low"], packed["high"], packed["data"]
    ([0.0, 5.0], [1.0, 7.0], 'AAAAAP////8=')
    """
    values = np.asarray(array, dtype=np.float64)
    columns = values.reshape(-1, values.shape[-1])
    low = columns.min(axis=0) if len(columns) else np.zeros(columns.shape[1])
    high = columns.max(axis=0) if len(columns) else np.zeros(columns.shape[1])
    span = np.where(high > low, high - low, 1.0)
    steps = np.rint((columns - low) / span * 65535).astype("<u2")
    return _packed("u16", steps.reshape(values.shape), low=low.tolist(), high=high.tolist())


def to_json_value(value: Any) -> Any:
    """Convert to what JSON can hold: non-finite numbers and unknown objects become text."""
    if isinstance(value, Mapping):
        return {str(key): to_json_value(inner) for key, inner in value.items()}
    if isinstance(value, str) or value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, np.generic | np.ndarray):
        return to_json_value(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Sequence | set | frozenset):
        return [to_json_value(inner) for inner in value]
    return str(value)


def safe_json(value: Any) -> str:
    r"""Encode JSON for an HTML element: ASCII, without <, > and &, so that it cannot close the element.

    >>> print(safe_json("</script>"))
    "\u003c/script\u003e"
    """
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def thin(rows: np.ndarray, most: int) -> np.ndarray:
    """At most ``most`` rows, evenly spaced."""
    if len(rows) <= most:
        return rows
    return rows[np.linspace(0, len(rows) - 1, most).round().astype(int)]


def _packed(kind: str, array: np.ndarray, **limits: list[float]) -> dict[str, Any]:
    data = base64.b64encode(array.tobytes()).decode("ascii")
    return {"type": kind, "shape": list(array.shape), **limits, "data": data}
