"""A bounded archive: the best non-dominated solutions ever found, independent of who survives.

It is a population without memory, so that it is shown, saved and gathered as any other. Both functions are
pure, and jit, vmap and scan.
"""

import jax.numpy as jnp

from tensorrvea.population import Offspring, Population, empty_population, join, settle
from tensorrvea.selection.crowding import least_crowded, repeated
from tensorrvea.selection.dominance import nondominated_rows


def empty_archive(capacity: int, offspring: Offspring, objectives: int, constraints: int = 0) -> Population:
    """Return ``capacity`` empty places for solutions like ``offspring``."""
    return empty_population(capacity, Offspring(offspring.x), objectives, constraints)


def insert(
    archive: Population, population: Population, capacity: int | None = None, count: int | None = None
) -> Population:
    """Return the non-dominated feasible solutions of both; the least crowded of them, if there are too many.

    Of solutions with equal objectives one is kept, the archive's own before a new one.

    Args:
      archive: the archive.
      population: evaluated individuals.
      capacity: how many rows of the archive are not padding; all by default.
      count: how many rows of the population are not padding; all by default.

    Returns:
      The next archive.
    """
    capacity = len(archive.alive) if capacity is None else capacity
    count = len(population.alive) if count is None else count
    pool = join(archive, population, capacity, count)
    front = nondominated_rows(pool.f, pool.feasible)
    best = front & ~repeated(pool.f, front.astype(jnp.int32))
    return settle(archive, population._replace(memory=()), *least_crowded(pool.f, best, capacity))
