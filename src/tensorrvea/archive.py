"""A bounded archive: the best non-dominated solutions ever found, whatever becomes of the population.

It is a population without memory, so that it is shown, saved and gathered as any other. Both functions are
pure, and jit, vmap and scan.
"""

import jax.numpy as jnp
from jaxtyping import Array, Bool

from tensorrvea.mating import living_rows
from tensorrvea.population import Offspring, Population, choose, empty_population
from tensorrvea.selection.crowding import prune, repeated
from tensorrvea.selection.dominance import nondominated_rows


def empty_archive(capacity: int, offspring: Offspring, objectives: int) -> Population:
    """Places for ``capacity`` solutions like ``offspring``, nobody in them."""
    return empty_population(capacity, Offspring(offspring.x), objectives)


def insert(archive: Population, population: Population, capacity: int | None = None) -> Population:
    """The non-dominated feasible solutions of both; the least crowded of them, if there are too many.

    Of solutions with equal objectives one is kept, the archive's own before a new one. Without a ``capacity``, all
    places can be taken.
    """
    capacity = len(archive.alive) if capacity is None else capacity
    newcomers = population._replace(memory=())
    f, violation, alive = (jnp.concatenate([a, b]) for a, b in zip(archive[1:4], newcomers[1:4], strict=True))
    front = nondominated_rows(f, alive & (violation <= 0))
    return keep(archive, newcomers, front & ~repeated(f, front.astype(jnp.int32)), capacity)


def keep(first: Population, second: Population, front: Bool[Array, " rows"], capacity: int) -> Population:
    """The rows of both that are on the front: at most ``capacity``, the least crowded, in the places of ``first``."""
    rows = len(first.alive)
    stays = prune(jnp.concatenate([first.f, second.f]), front, capacity)
    index, _ = living_rows(stays)
    filled = jnp.arange(rows) < stays.sum()
    chosen: Population = choose(first, second, index[:rows])
    return chosen._replace(
        f=jnp.where(filled[:, None], chosen.f, jnp.inf),
        violation=jnp.where(filled, chosen.violation, jnp.inf),
        alive=filled,
    )
