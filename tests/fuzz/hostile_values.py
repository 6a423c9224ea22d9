"""Values for fuzzing arguments: what can never be meant, and what can be for some arguments.

Each is made anew for every call, since iterators are used up.
"""

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


# No argument means one of these.
NEVER: list[Callable[[], Any]] = [
    object, Raises, lambda: _nested(100), lambda: _nested(5000), lambda: ..., lambda: NotImplemented,
    lambda: math.nan, lambda: 1j, lambda: 1 + 2j, lambda: b"", lambda: b"a", lambda: b"1.5",
    lambda: bytearray(b"a"), lambda: "\0", lambda: "\ud800", lambda: object, lambda: int, lambda: float,
    lambda: str, lambda: type, lambda: Exception, lambda: [None], lambda: [math.nan], lambda: [1j],
    lambda: [[1.0], [2.0, 3.0]], lambda: ((1, 2), (3,)), lambda: slice(1, 2), lambda: decimal.Decimal("nan"),
    lambda: datetime.date(2024, 1, 2), lambda: datetime.timedelta(1), lambda: np.float64(math.nan),
    lambda: np.datetime64("2024-01-02"), lambda: np.ones((3, 2), complex),
    lambda: np.ma.masked_array([1.0, 2.0], [True, False]),
    lambda: np.full((2, 2), math.nan), lambda: {1: 2}, lambda: range(10**12), lambda: np.float64(math.inf),
]  # fmt: skip
# Some arguments mean one of these, and others do not.
PERHAPS: list[Any] = [
    None, (), True, False, 0, 1, -1, 2, 3, 7, 2**31, -(2**31), 2**63, 2**64, 10**30, 10**400, 0.0, -0.0, 0.5, 1.5, -1.5,
    1e-300, 5e-324, 1e308, -1e308, math.inf, -math.inf, "", "a", "1", "1.5", "nan", "min", "max", "é" * 1000, print,
    len, abs, sum, lambda: None, lambda x: x, lambda *_, **__: None, lambda *_: "text", (1,), (1, 2), (0.0, 1.0),
    ("min", "max"), ("min", "max", "sum"), [], [1], [0.0, 1.0], [[0.0, 1.0], [1.0, 0.0]], [[[1.0]]], ["a"],
    [math.inf, 1.0], {}, {"a": 1}, {"igd": 3}, set(), {1, 2}, frozenset({1}), range(0), range(3), Path("nowhere"),
    decimal.Decimal("1.5"), fractions.Fraction(1, 3), np.float32(1.5), np.int64(3), np.bool_(True), np.array(3),
    np.array([]), np.zeros((0, 2)), np.zeros((2, 0)), np.zeros((2, 2)), np.array([None, 1], object),
    np.array(["a", "b"]), jnp.zeros(3), jnp.float32(2.0),
]  # fmt: skip


def hostile_values() -> list[tuple[bool, Any]]:
    """Return the values, each with whether some argument may mean it."""
    made = [*(make() for make in NEVER), iter([1, 2]), (i for i in range(3))]
    return [(False, value) for value in made[:-2]] + [(True, value) for value in [*made[-2:], *PERHAPS]]


# Words for the command line, where every value is text.
WORDS = [
    "", " ", "a", "0", "1", "-1", "2", "3", "1.5", "-1.5", "1e308", "1e-300", "nan", "inf", "-inf", "1e400", "9" * 400,
    "2147483648", "18446744073709551616", "True", "False", "None", "none", "null", "[]", "{}", "()", "1,2", "1 2",
    "0x10", "1_000", "١", "½", "é" * 300, "a" * 5000, "../../etc/passwd", "/dev/null", "/", ".", "..", "/proc/self/mem",
    "file:///", "a:b", ":", "a.py:b", ":b", "nowhere.py:problem", "=", "a=b", "algorithm.population=0",
    "algorithm.alpha=nan", "algorithm.alpha", "problem.variables=-1", "algorithm.population=[1]", "x.y.z=1",
    "algorithm.__class__=1", "igd<=nan", "igd<=", "igd", "<=1", "igd<=1e999", "hypervolume>=a", "--", "-", "--help ",
    "\x01", "\x1b[2J", "\n", "\t", "%s", "{0}", "$HOME", "`id`", ";", "|", "*", "?", "~", "\\", "'", '"', "DTLZ2 ",
    "dtlz2", "ZDT1", "TensorRVEA", "GA", "cores", "auto", "localhost:1", "256.256.256.256:1", "host:99999",
    "[::1]:80", "9999999999:1", "summary", "populations", "igd", "front.svg", "front.xyz", "smoke", "mujoco",
    "\ud83d\ude00", "surrogate\udc80", "O'Neil", "nul\u2028line", "1" * 50 + "." + "1" * 50,
]  # fmt: skip
