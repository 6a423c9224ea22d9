"""SMS-EMOA: Beume, Naujoks and Emmerich, "SMS-EMOA: Multiobjective selection based on dominated hypervolume", 2007."""

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from tensorrvea.checks import check_integer
from tensorrvea.evolution import Clock, Evolution, Selection, State
from tensorrvea.metrics.contributions import contribution_to, remove_least
from tensorrvea.operators import GA, Variation
from tensorrvea.population import Pool
from tensorrvea.selection.dominance import rank_rows
from tensorrvea.settings import settings, static

# The reference point in units of the last front, which reaches from 0 to 1.
REFERENCE = 2.0


@settings
class SMSEMOA(Evolution):
    """Survival by non-dominated rank, then by hypervolume contributions; parents at random.

    The paper's algorithm is steady-state: it makes one offspring, and removes the row of the last front that
    contributes least to its hypervolume. This one makes ``population`` offspring from the same survivors, and then
    removes as many rows, one at a time, each time that with the smallest contribution among those left in the last
    front. So parents are older by up to a generation, and all offspring are evaluated at once.

    Contributions are exact for two and three objectives, and estimated from lines in random directions for more.
    They are computed up to the worst values of the last front plus its range; the paper adds 1, for objectives of
    about that range. With constraints, domination is constrained.

    Args:
      population: the number of offspring per generation, and of survivors.
      variation: how offspring are bred.
      lines: the number of lines by which a contribution is estimated for four objectives and more.
    """

    population: int = static()
    variation: Variation = GA()
    lines: int = static(64)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer("lines", self.lines, minimum=1)

    def select(self, key: PRNGKeyArray, state: State, pool: Pool, clock: Clock) -> Selection:
        del state, clock
        rank = rank_rows(pool.f, pool.alive, pool.violation)
        candidate, surplus = split_last_front(rank, pool, self.population)
        contribution = contribution_to(scale_to_unit(pool.f, candidate), REFERENCE, key, self.lines)
        left = remove_least(contribution, candidate, surplus)
        best = first_by_rank(rank, candidate & ~left)[: self.population]
        return Selection(best, pool.alive[best], rank[best])


def split_last_front(rank: Int[Array, " n"], pool: Pool, places: int) -> tuple[Bool[Array, " n"], Int[Array, ""]]:
    """Return the feasible rows of the last front of which any survives, and how many of them must be removed.

    Infeasible rows of one front are equally violating: there, the first ones survive, and nothing is removed.
    """
    last = jnp.sort(rank)[places - 1]
    candidate = pool.feasible & (rank == last)
    surplus = (pool.alive & (rank <= last)).sum(dtype=jnp.int32) - places
    return candidate, jnp.where(candidate.any(), jnp.maximum(surplus, 0), 0)


def scale_to_unit(f: Float[Array, "n m"], front: Bool[Array, " n"]) -> Float[Array, "n m"]:
    """Return the objectives in units in which the front reaches from 0 to 1 in each; 0 for other rows."""
    lowest = jnp.where(front[:, None], f, jnp.inf).min(axis=0)
    span = jnp.where(front[:, None], f, -jnp.inf).max(axis=0) - lowest
    return jnp.where(front[:, None], (f - lowest) / jnp.where(span > 0, span, 1), 0)


def first_by_rank(rank: Int[Array, " n"], is_removed: Bool[Array, " n"]) -> Int[Array, " n"]:
    """Return the rows by rank, those removed from a front after the others of it, and then in order."""
    row = jnp.arange(len(rank), dtype=jnp.int32)
    return lax.sort((rank, is_removed, row), num_keys=2, is_stable=True)[-1]
