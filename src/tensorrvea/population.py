"""Individuals as rows: the one data structure that every algorithm and operator shares."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from tensorrvea.devices import expand_to, gather, padded_size


class Offspring(NamedTuple):
    """Individuals that are not evaluated yet: their variables, and what their operator remembers of them."""

    x: Float[Array, "n d"]
    memory: Any = ()


class Population(NamedTuple):
    """Individuals as rows. Selection is one gather over every leaf.

    A row with ``alive=False`` is an empty place: its numbers mean nothing, and no NaN stands for it.
    """

    x: Float[Array, "n d"]
    f: Float[Array, "n m"]
    violation: Float[Array, " n"]
    alive: Bool[Array, " n"]
    memory: Any = ()

    @property
    def feasible(self) -> Bool[Array, " n"]:
        return self.alive & (self.violation <= 0)


def evaluated(
    offspring: Offspring, f: Float[Array, "n m"], violation: Float[Array, " n"], population: int | None = None
) -> Population:
    """The evaluated offspring. An evaluation that failed (NaN or infinite) is dead from here on.

    Rows past ``population``, if it is given, are there to fill the devices, and were never alive.
    """
    rows = len(offspring.x)
    told = jnp.shape(f), jnp.shape(violation)
    if told[0][:1] != (rows,) or told[1] != (rows,):
        raise ValueError(f"f and violation must have a row for each of {rows} offspring, got shapes {told}")
    alive = jnp.isfinite(f).all(axis=1) & jnp.isfinite(violation)
    if population is not None and len(alive) > population:
        alive &= jnp.arange(len(alive)) < population
    return Population(
        x=offspring.x,
        f=jnp.where(alive[:, None], f, jnp.inf),
        violation=jnp.where(alive, violation, jnp.inf),
        alive=alive,
        memory=offspring.memory,
    )


def empty_population(rows: int, offspring: Offspring, objectives: int) -> Population:
    """Empty places, shaped to take rows of ``offspring``."""
    rows = padded_size(rows)

    def empty(leaf: Array) -> Array:
        return jnp.zeros((rows, *leaf.shape[1:]), leaf.dtype)

    dtype = offspring.x.dtype
    return Population(
        x=empty(offspring.x),
        f=jnp.full((rows, objectives), jnp.inf, dtype),
        violation=jnp.full((rows,), jnp.inf, dtype),
        alive=jnp.zeros((rows,), bool),
        memory=jax.tree.map(empty, offspring.memory),
    )


def take(rows: Any, index: Int[Array, " k"]) -> Any:
    """The rows at ``index``, which is within bounds, of every leaf."""
    return gather(lambda tables, at: _take(tables[0], at), (rows,), index)


def choose(first: Any, second: Any, index: Int[Array, " k"]) -> Any:
    """Rows of ``first`` followed by ``second``, at ``index``, without writing the two into one.

    The dear leaves (X, and an operator's memory) are then read and written once.
    """
    return gather(lambda tables, at: _choose(tables[0], tables[1], at), (first, second), index)


def _take(rows: Any, index: Int[Array, " k"]) -> Any:
    return jax.tree.map(lambda leaf: leaf.at[index].get(mode="promise_in_bounds"), rows)


def _choose(first: Any, second: Any, index: Int[Array, " k"]) -> Any:
    rows = jax.tree.leaves(first)[0].shape[0]
    others = jax.tree.leaves(second)[0].shape[0]
    from_first = index < rows
    chosen_first = _take(first, jnp.where(from_first, index, 0))
    chosen_second = _take(second, jnp.clip(index - rows, 0, others - 1))

    return jax.tree.map(lambda a, b: jnp.where(expand_to(from_first, a), a, b), chosen_first, chosen_second)
