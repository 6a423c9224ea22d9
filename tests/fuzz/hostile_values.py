"""Values that no argument, or only few arguments, can mean; each is made anew for every call."""

import datetime
import decimal
import fractions
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np


class Raises:
    """An object all of whose questions fail."""

    def __len__(self):
        raise RuntimeError("no length")

    def __iter__(self):
        raise RuntimeError("no items")

    def __float__(self):
        raise RuntimeError("no number")


def _nested(depth: int) -> list:
    value: list = []
    for _ in range(depth):
        value = [value]
    return value


PLAIN: list[Any] = [
    None, True, False, 0, 1, -1, 2, 3, 7, 2**31, -(2**31), 2**63, 2**64, 10**30, 10**400, 0.0, -0.0, 0.5, 1.5, -1.5,
    1e-300, 5e-324, 1e308, -1e308, math.inf, -math.inf, math.nan, 1j, 1 + 2j, "", "a", "1", "1.5", "nan", "min",
    "max", "\0", "\ud800", "é" * 1000, b"", b"a", b"1.5", bytearray(b"a"), ..., NotImplemented, object, int, float,
    str, type, Exception, print, len, abs, sum, lambda: None, lambda x: x, lambda *_, **__: None, lambda *_: "text",
    (), (1,), (1, 2), (0.0, 1.0), ("min", "max"), ("min", "max", "sum"), ((1, 2), (3,)), [], [1], [0.0, 1.0],
    [[0.0, 1.0], [1.0, 0.0]], [[[1.0]]], [None], ["a"], [math.nan], [math.inf, 1.0], [1j], [[1.0], [2.0, 3.0]], {},
    {"a": 1}, {1: 2}, {"igd": 3}, set(), {1, 2}, frozenset({1}), range(0), range(3), range(10**12), slice(1, 2),
    Path("nowhere"), decimal.Decimal("1.5"), decimal.Decimal("nan"), fractions.Fraction(1, 3),
    datetime.date(2024, 1, 2), datetime.timedelta(1), np.float32(1.5), np.float64(math.nan), np.int64(3),
    np.bool_(True), np.datetime64("2024-01-02"), np.array(3), np.array([]), np.zeros((0, 2)), np.zeros((2, 0)),
    np.zeros((2, 2)), np.ones((3, 2), complex), np.array(["a", "b"]), np.array([None, 1], object),
    np.ma.masked_array([1.0, 2.0], [True, False]), np.full((2, 2), math.nan), jnp.zeros(3), jnp.float32(2.0),
]  # fmt: skip
MADE: list[Callable[[], Any]] = [
    object, Raises, lambda: iter([1, 2]), lambda: (i for i in range(3)), lambda: _nested(100), lambda: _nested(5000),
]  # fmt: skip


def hostile_values() -> list[Any]:
    return [*PLAIN, *(make() for make in MADE)]
