"""HypE: Bader and Zitzler, "HypE: An Algorithm for Fast Hypervolume-Based Many-Objective Optimization", 2011."""

import jax.numpy as jnp
from jaxtyping import Array, Int, PRNGKeyArray

from tensorrvea.checks import check_integer
from tensorrvea.evolution import Clock, Evolution, Selection, State
from tensorrvea.mating import binary_tournaments
from tensorrvea.metrics.hypervolume_shares import remove_least_shares, remove_least_shares_2d, sampled_shares
from tensorrvea.operators import GA, Variation
from tensorrvea.population import Pool
from tensorrvea.randomness import split
from tensorrvea.selection.dominance import rank_rows
from tensorrvea.selection.last_front import first_by_rank, scale_to_unit, split_last_front
from tensorrvea.settings import settings, static

# The reference point in units of the front, which reaches from 0 to 1. The paper leaves it to the user.
REFERENCE = 1.2


@settings
class HypE(Evolution):
    """Survival by non-dominated rank, then by shares of the hypervolume; parents by tournaments on such shares.

    Rows of the last front are removed one at a time: each time the row with the smallest I_h^k, the hypervolume that
    is lost on average if it and k - 1 others are removed, where k are still to be removed. This is exact for two
    objectives, and estimated by sampling for more. Parents win binary tournaments on I_h^n among all n survivors,
    which is always sampled. The reference point is the worst values plus a fifth of the range. Samples that more than
    32 rows dominate count for nothing in the removal.

    With constraints, domination is constrained, hypervolumes are those of feasible rows, and tournaments are won by
    the feasible, then by the less violating.

    Args:
      population: the number of offspring per generation, and of survivors.
      variation: how offspring are bred.
      samples: the number of points by which hypervolumes are estimated. Of a front of a thousand, most of the default
        number are dominated by no row or by too many: take more for populations of that size.

    Raises:
      TypeError: if a setting has the wrong type.
      ValueError: if a setting is out of range, such as a population below 2.

    >>> HypE(population=100).places(3)
    100
    """

    population: int = static()
    variation: Variation = GA()
    samples: int = static(10_000)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer("samples", self.samples, minimum=1)
        # A row of the pool and a sample are one 32-bit number.
        if (2 * self.population + 1) * self.samples >= 2**32:
            most = (2**32 - 1) // (2 * self.population + 1)
            raise ValueError(f"samples must be at most {most} for population={self.population}, got {self.samples}")

    def mate(self, key: PRNGKeyArray, state: State, count: int) -> Int[Array, " count"]:
        return binary_tournaments(key, state.population.alive, state.score, count)

    def select(self, key: PRNGKeyArray, state: State, pool: Pool, clock: Clock) -> Selection:
        del state, clock
        remove_key, mate_key = split(key)
        rank = rank_rows(pool.f, pool.alive, pool.violation)
        candidate, surplus = split_last_front(rank, pool, self.population)
        f = scale_to_unit(pool.f, candidate)
        if pool.f.shape[1] == 2:
            left = remove_least_shares_2d(f, candidate, surplus, REFERENCE)
        else:
            left = remove_least_shares(remove_key, f, candidate, surplus, REFERENCE, self.samples)
        best = first_by_rank(rank, candidate & ~left)[: self.population]
        feasible = pool.feasible[best]
        share = sampled_shares(mate_key, scale_to_unit(pool.f[best], feasible), feasible, REFERENCE, self.samples)
        return Selection(best, pool.alive[best], jnp.where(feasible, -share, pool.violation[best]))
