"""Individuals as rows: the one data structure that every algorithm and operator shares.

A population may hold more rows than it has places, to fill the devices it is divided over. Those rows are never alive.
``join`` leaves them out, and ``settle`` puts them back: between the two, selection sees only real individuals.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from tensorrvea.constraints import total_violation
from tensorrvea.devices import padded_size
from tensorrvea.rows import choose


class Offspring(NamedTuple):
    """Individuals that are not evaluated yet: their variables, and what their operator remembers of them."""

    x: Float[Array, "n d"]
    memory: Any = ()


class Population(NamedTuple):
    """Individuals as rows. Selection is one gather over every leaf.

    A row with ``alive=False`` is an empty place: its objectives, violation and constraint values are infinite, and
    nothing in it is NaN. ``violation`` is 0 if all constraint values g are ≤ 0; how it sums up the others is decided by
    the ``ConstraintRule`` of the algorithm.
    """

    x: Float[Array, "n d"]
    f: Float[Array, "n m"]
    violation: Float[Array, " n"]
    alive: Bool[Array, " n"]
    memory: Any = ()
    g: Any = ()
    """The value of each constraint, (n, c); () if the problem has none, so that they cost nothing."""

    @property
    def feasible(self) -> Bool[Array, " n"]:
        """Which rows are alive and violate nothing."""
        return self.alive & (self.violation <= 0)


class Pool(NamedTuple):
    """What selection looks at: the survivors in their places, then the offspring. No row is padding.

    Rows that are not alive have infinite objectives and violation.

    Args:
      f: objectives, all minimised.
      violation: by how much each row violates the constraints; 0 for the feasible.
      alive: which rows hold an individual.
      is_new: which rows are offspring.

    >>> import jax.numpy as jnp
    >>> rows = jnp.array([True, True])
    >>> Pool(jnp.zeros((2, 2)), jnp.array([0.0, 3.0]), rows, rows).feasible.tolist()
    [True, False]
    """

    f: Float[Array, "n m"]
    violation: Float[Array, " n"]
    alive: Bool[Array, " n"]
    is_new: Bool[Array, " n"]

    @property
    def feasible(self) -> Bool[Array, " n"]:
        """Which rows are alive and violate nothing."""
        return self.alive & (self.violation <= 0)


def evaluated(
    offspring: Offspring, f: Float[Array, "n m"], g: Float[Array, "n *c"] | tuple = (), count: int | None = None
) -> Population:
    """Return the offspring with their objectives and constraint values.

    A failed evaluation (NaN, or infinite; a constraint may be −∞) makes an empty place. Rows from ``count`` on, if it
    is given, are padding.
    """
    rows = len(offspring.x)
    g = jnp.zeros((rows, 0), f.dtype) if isinstance(g, tuple) else jnp.asarray(g)
    if jnp.shape(f)[:1] != (rows,) or g.shape[:1] != (rows,) or g.ndim > 2:
        shapes = jnp.shape(f), g.shape
        raise ValueError(f"f and g must have a row for each of {rows} offspring, got shapes {shapes}")
    g = g.reshape(rows, -1) if g.size else g.reshape(rows, 0)
    alive = jnp.isfinite(f).all(axis=1)
    violation = jnp.zeros(rows, f.dtype)
    if g.shape[1]:
        alive &= (g < jnp.inf).all(axis=1)
        violation = total_violation(g)
    if count is not None and rows > count:
        alive &= jnp.arange(rows) < count
    return clear_empty(Population(offspring.x, f, violation, alive, offspring.memory, g if g.shape[1] else ()), alive)


def empty_population(places: int, offspring: Offspring, objectives: int, constraints: int = 0) -> Population:
    """Return empty places with the shapes of ``offspring``."""
    rows = padded_size(places)

    def zeros(leaf: Array) -> Array:
        return jnp.zeros((rows, *leaf.shape[1:]), leaf.dtype)

    dtype = offspring.x.dtype
    return Population(
        x=zeros(offspring.x),
        f=jnp.full((rows, objectives), jnp.inf, dtype),
        violation=jnp.full((rows,), jnp.inf, dtype),
        alive=jnp.zeros((rows,), bool),
        memory=jax.tree.map(zeros, offspring.memory),
        g=jnp.full((rows, constraints), jnp.inf, dtype) if constraints else (),
    )


def join(survivors: Population, offspring: Population, places: int, count: int) -> Pool:
    """Return the pool of the survivors in their ``places`` and ``count`` offspring."""
    pairs = zip(survivors[1:4], offspring[1:4], strict=True)
    f, violation, alive = (jnp.concatenate([old[:places], new[:count]]) for old, new in pairs)
    return Pool(f, violation, alive, is_new=jnp.arange(places + count) >= places)


def settle(
    survivors: Population, offspring: Population, row: Int[Array, " places"], filled: Bool[Array, " places"]
) -> Population:
    """Move the selected rows of the pool of ``join`` into their places; a place that is not filled becomes empty."""
    places = len(row)
    padding = len(survivors.alive) - places
    row = jnp.pad(jnp.where(row < places, row, row + padding), (0, padding))
    filled = jnp.pad(filled, (0, padding))
    return clear_empty(choose(survivors, offspring, row), filled)


def clear_empty(population: Population, alive: Bool[Array, " n"]) -> Population:
    """Mark which rows are alive, and give the others infinite objectives, violation and constraint values."""
    return population._replace(
        f=jnp.where(alive[:, None], population.f, jnp.inf),
        violation=jnp.where(alive, population.violation, jnp.inf),
        alive=alive,
        g=jax.tree.map(lambda g: jnp.where(alive[:, None], g, jnp.inf), population.g),
    )
