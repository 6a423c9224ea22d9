"""Evaluating the user's functions: row by row or batched, with a key or without; and what comes out of it."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from tensorrvea.devices import row_numbers

# Objectives, all minimised, and constraint values, feasible where ≤ 0, of some rows, in NumPy or JAX.
Evaluation = tuple[Float[Any, "n m"], Float[Any, "n c"]]


class Values(NamedTuple):
    """What a problem says of some solutions, in the user's signs; of a single one, without the leading axis."""

    F: Float[np.ndarray, "*n m"]
    """The objectives."""
    G: Float[np.ndarray, "*n c"]
    """The constraint values, kept where ≤ 0; an equality h(x) = 0 has ``|h|`` minus its tolerance."""
    feasible: Bool[np.ndarray, "*n"]
    """Whether all values are finite and all constraints kept."""


class Functions(NamedTuple):
    """The user's JAX functions, and how they are called."""

    function: Callable[..., Any]
    constraints: Callable[..., Any] | None
    equalities: Callable[..., Any] | None
    equality_tolerance: float
    batched: bool
    stochastic: bool

    def values(self, key: PRNGKeyArray, x: Float[Array, "n d"]) -> Evaluation:
        """Evaluate rows: objectives, in the user's signs, and constraint values."""
        f = self.map_rows(self.function, key, x).astype(x.dtype)
        g = [jnp.zeros((len(x), 0), x.dtype)]
        if self.constraints is not None:
            g.append(self.map_rows(self.constraints, key, x).astype(x.dtype).reshape(len(x), -1))
        if self.equalities is not None:
            h = self.map_rows(self.equalities, key, x).astype(x.dtype).reshape(len(x), -1)
            g.append(jnp.abs(h) - self.equality_tolerance)
        return f, g[-1] if len(g) < 3 else jnp.concatenate(g, axis=1)

    def map_rows(self, function: Callable[..., Any], key: PRNGKeyArray, x: Array) -> Array:
        """Apply one of the functions to the rows of ``x``."""
        if self.batched:
            return jnp.asarray(function(key, x) if self.stochastic else function(x))
        if self.stochastic:
            # Each row's key comes from its row number, so that the layout over devices does not matter.
            keys = jax.vmap(jax.random.fold_in, (None, 0))(key, row_numbers(len(x)))
            return jax.vmap(lambda k, row: jnp.asarray(function(k, row)))(keys, x)
        return jax.vmap(lambda row: jnp.asarray(function(row)))(x)
