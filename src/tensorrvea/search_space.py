"""The box that is searched, and how the user's variables are encoded in it.

A log-scaled variable is searched as its logarithm. An integer k owns the interval [k, k + 1), so that every integer
is equally likely. A fixed variable (``lower == upper``) is searched in [0, 1], since operators divide by ranges, and
decoded to its value.
"""

from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float
from numpy.typing import ArrayLike

from tensorrvea.checks import check_array, check_integer, is_endless, shown


class SearchSpace:
    """The user's bounds, and the encoding of integer and log-scaled variables.

    >>> space = SearchSpace([1.0], [3.0], integer=True)
    >>> [float(bound) for bound in space.box]
    [1.0, 4.0]
    >>> space.decode(jnp.array([[2.7]])).tolist()
    [[2.0]]
    """

    def __init__(
        self,
        lower: ArrayLike,
        upper: ArrayLike,
        *,
        integer: bool | Sequence[bool] = False,
        log: bool | Sequence[bool] = False,
        variables: int | None = None,
        named: int | None = None,
    ):
        self.lower, self.upper = _check_bounds(lower, upper, variables, named)
        self.variables = len(self.lower)
        self.integer = _check_flags("integer", integer, self.variables)
        self.log = _check_flags("log", log, self.variables)
        is_log, is_integer = np.array(self.log), np.array(self.integer)
        if (self.lower[is_log] <= 0).any():
            raise ValueError(f"log-scaled variables must have lower > 0, got lower = {self.lower[is_log].min()}")
        fractional = is_integer & ((self.lower != np.floor(self.lower)) | (self.upper != np.floor(self.upper)))
        if fractional.any():
            i = int(np.argmax(fractional))
            raise ValueError(f"integer variables must have whole bounds, got [{self.lower[i]}, {self.upper[i]}] at {i}")
        self.fixed = self.lower == self.upper
        upper_end = self.upper + is_integer
        with np.errstate(divide="ignore", invalid="ignore"):
            search_lower = np.where(is_log, np.log(self.lower), self.lower)
            search_upper = np.where(is_log, np.log(upper_end), upper_end)
        self._search_lower = np.where(self.fixed, 0.0, search_lower)
        self._search_upper = np.where(self.fixed, 1.0, search_upper)

    @property
    def is_encoded(self) -> bool:
        """Whether any variable is searched on another scale than the user's."""
        return any(self.log) or any(self.integer) or bool(self.fixed.any())

    @property
    def box(self) -> tuple[np.ndarray, np.ndarray]:
        """Encoded bounds: (d,), or scalars where all variables share them, which compiles to constants."""
        lower, upper = self._rounded_bounds()
        same = (lower == lower[0]).all() and (upper == upper[0]).all()
        return (lower[0], upper[0]) if same else (lower, upper)

    def decode(self, x: Float[Array, "n d"]) -> Float[Array, "n d"]:
        """Map encoded variables to the user's values."""
        if any(self.log):
            x = jnp.where(np.array(self.log), jnp.exp(x), x)
        if any(self.integer):
            x = jnp.where(np.array(self.integer), jnp.floor(x), x)
        if self.is_encoded:
            x = jnp.clip(x, self.lower.astype(x.dtype), self.upper.astype(x.dtype))
        return x

    def encode(self, x: Float[Array, "n d"]) -> Float[Array, "n d"]:
        """Map the user's values to encoded variables; the inverse of ``decode``."""
        if any(self.integer):
            x = jnp.where(np.array(self.integer), x + 0.5, x)
        if any(self.log):
            x = jnp.where(np.array(self.log), jnp.log(x), x)
        if self.fixed.any():
            x = jnp.where(self.fixed, 0.5, x)
        return x

    def check_precision(self) -> None:
        """Raise a ValueError if the current float type cannot tell the bounds, or neighbouring integers, apart."""
        dtype = jnp.result_type(float)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            lower, upper = self._rounded_bounds()
            span, spacing = upper - lower, np.spacing(np.maximum(np.abs(lower), np.abs(upper)))
            # The width of the interval that the largest integer owns.
            width = np.where(self.log, np.log1p(1 / self.upper), 1.0)
        rescale, widen = "rescale the variable", "" if dtype == np.float64 else "set jax_enable_x64"
        for wrong, requirement, remedies in (
            (~np.isfinite(span), "upper - lower must be finite", (rescale, widen)),
            (lower >= upper, "lower and upper must differ", (rescale, widen)),
            (np.array(self.integer) & ~self.fixed & (spacing > width), "neighbouring integers must differ", (widen,)),
        ):
            if wrong.any():
                i = int(np.argmax(wrong))
                remedy = " or ".join(filter(None, remedies))
                got = f"got [{self.lower[i]}, {self.upper[i]}] at {i}"
                raise ValueError(f"{requirement} in {dtype}, {got}{f'; {remedy}' if remedy else ''}")

    def _rounded_bounds(self) -> tuple[np.ndarray, np.ndarray]:
        dtype = jnp.result_type(float)
        return self._search_lower.astype(dtype), self._search_upper.astype(dtype)


def _check_bounds(
    lower: ArrayLike, upper: ArrayLike, variables: int | None, named: int | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return both bounds with one entry per variable; one number stands for all of ``variables``, or of ``named``."""
    bounds = {name: _one_or_each(name, bound) for name, bound in (("lower", lower), ("upper", upper))}
    sizes = {name: len(bound) for name, bound in bounds.items() if bound.ndim}
    if variables is not None:
        sizes["variables"] = check_integer("variables", variables, minimum=1)
    if not sizes and named is not None:
        sizes["names or flags"] = named
    if not sizes:
        raise ValueError("lower and upper are one number each: give the number of variables as well, as variables=")
    if len(set(sizes.values())) > 1:
        shown = ", ".join(f"{name}: {size}" for name, size in sizes.items())
        raise ValueError(f"lower and upper must have the same length, one entry per variable, got {shown}")
    size = next(iter(sizes.values()))
    if size == 0:
        raise ValueError("lower and upper must have at least one variable, got none")
    low, high = (np.broadcast_to(bound, size).copy() for bound in bounds.values())
    if (low > high).any():
        i = int(np.argmax(low > high))
        raise ValueError(f"lower must not be above upper, got lower[{i}] = {low[i]} and upper[{i}] = {high[i]}")
    return low, high


def _one_or_each(name: str, bound: ArrayLike) -> np.ndarray:
    is_number = isinstance(bound, int | float | np.number) or (isinstance(bound, np.ndarray) and bound.ndim == 0)
    is_number = is_number and not isinstance(bound, bool)
    return check_array(name, bound, shape="(variables,), or one number for all", ndim=0 if is_number else 1)


def _check_flags(name: str, flags: bool | Sequence[bool], variables: int) -> tuple[bool, ...]:
    try:
        array = np.empty(0) if is_endless(flags) else np.asarray(flags)
    except Exception:  # ragged, or whatever the user's type raises
        array = np.empty(0)
    if array.dtype != bool or array.shape not in ((), (variables,)):
        raise ValueError(f"{name} takes True, False or {variables} of them, one per variable, got {shown(flags)}")
    return tuple(np.broadcast_to(array, variables).tolist())
