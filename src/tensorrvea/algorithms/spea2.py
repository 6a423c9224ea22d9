"""SPEA2: Zitzler, Laumanns and Thiele, "SPEA2: Improving the Strength Pareto Evolutionary Algorithm", 2001."""

from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from tensorrvea.checks import check_flag, check_integer, check_number
from tensorrvea.domain import Domain
from tensorrvea.evolution import Clock, Evolution, Selection, State
from tensorrvea.mating import tournaments
from tensorrvea.operators import GA, SBX, PolynomialMutation, Variation
from tensorrvea.population import Pool
from tensorrvea.randomness import split
from tensorrvea.rounding import power_of_two, scaled_down
from tensorrvea.selection.dominance import widened_for
from tensorrvea.selection.order import best_first
from tensorrvea.selection.strength import kth_nearest, raw_fitness
from tensorrvea.selection.truncation import truncate
from tensorrvea.settings import settings, static

# In a tournament; more would only ever select the best row.
MOST_COMPETITORS = 64


@settings
class SPEA2(Evolution):
    """Survival of the non-dominated, thinned by distances to neighbours; parents by tournaments on the fitness.

    The survivors are the paper's archive. The fitness of a row is the sum of the strengths of the rows that dominate it
    (the strength of a row is how many it dominates), and then its distance to the k-th nearest row, k = √rows. If too
    few are non-dominated, the best of the others fill the archive; if too many are, the one with the smallest distances
    is removed, again and again. The paper has no constraints: here, the feasible come first and are
    selected as if there were no others, and the infeasible fill what is left, the least violating first.

    The defaults differ from the paper where that finds better fronts; its algorithm is ``SPEA2.paper(population=...)``.
    A generation takes O(n² m) time and O(n m) memory, if few rows tie.

    Args:
      population: the number of offspring per generation, and of survivors.
      variation: how offspring are bred. By default, crossover spreads wider (η = 15) and mutation is twice as frequent
        (one variable per offspring, as is usual) as in ``GA()``, the setting of TensorRVEA's paper.
      tournament: how many rows compete to be a parent. The paper's tournaments are of two; with four, convergence is
        faster.
      normalize: whether distances are measured in units of the ranges of the non-dominated rows. The paper
        measures in the objectives as they are, so that an objective with a large range dominates the distances.
      cone: how much wider the cone of dominance is at the beginning of a run, as a share of the ranges (see
        ``selection.dominance.widen``); it narrows to plain dominance, the paper's, at the end. It removes individuals
        that are slightly better in one objective and far worse in the others. By default 0.05, and 0 for two
        objectives.
      prefer_new: whether every second parent is selected among the survivors of the last offspring, if its tournament
        has any. They are those that have just made progress, so that convergence is faster.

    Raises:
      TypeError: if a setting has the wrong type.
      ValueError: if a setting is out of range, such as a population below 2.

    >>> SPEA2(population=100).places(2)
    100
    """

    population: int = static()
    variation: Variation = GA(crossover=SBX(eta=15.0), mutation=PolynomialMutation(probability=1.0))
    tournament: int = static(default=4)
    normalize: bool = static(default=True)
    cone: float | None = None
    prefer_new: bool = static(default=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer("tournament", self.tournament, minimum=1, maximum=MOST_COMPETITORS)
        check_flag("normalize", self.normalize)
        if self.cone is not None:
            check_number("cone", self.cone, minimum=0.0, maximum=1.0)
        check_flag("prefer_new", self.prefer_new)

    @staticmethod
    def paper(**arguments: Any) -> "SPEA2":
        """Return the algorithm as in the paper, with these settings.

        >>> SPEA2.paper(population=100).tournament
        2
        """
        paper = {"tournament": 2, "normalize": False, "cone": 0.0, "prefer_new": False}
        return SPEA2(**{**paper, **arguments})

    def setup(self, key: PRNGKeyArray, problem: Domain) -> Bool[Array, " n"] | tuple:
        """Return which survivors are new, if that is used: none."""
        del key, problem
        return jnp.zeros(self.population, bool) if self.prefer_new else ()

    def mate(self, key: PRNGKeyArray, state: State, count: int) -> Int[Array, " count"]:
        alive, score = state.population.alive, state.score
        if not self.prefer_new:
            return tournaments(key, alive, score, count, self.tournament)
        first_key, second_key = split(key)
        pairs = -(-count // 2)
        is_new = jnp.pad(state.extra, (0, len(alive) - self.population))
        new_first = jnp.where(is_new, score, score + self.population)
        first = tournaments(first_key, alive, score, pairs, self.tournament)
        second = tournaments(second_key, alive, new_first, pairs, self.tournament)
        return jnp.stack([first, second], axis=1).reshape(-1)[:count]

    def select(self, key: PRNGKeyArray, state: State, pool: Pool, clock: Clock) -> Selection:
        del key, state
        wide = widened_for(pool, self.cone, clock.progress)
        chosen = environmental_selection(pool, self.population, self.normalize, wide)
        return chosen._replace(extra=pool.is_new[chosen.row]) if self.prefer_new else chosen


def environmental_selection(
    pool: Pool, survivors: int, normalize: bool, compared: Float[Array, "n m"] | None = None
) -> Selection:
    """Return the rows of the next archive, best first; ``compared`` are other objectives to compare for dominance."""
    feasible = pool.feasible
    raw = raw_fitness(pool.f if compared is None else compared, feasible)
    front = feasible & (raw == 0)
    f = scale_distances(pool.f, feasible, front, normalize)
    k = jnp.sqrt(feasible.sum().astype(f.dtype)).astype(jnp.int32)
    sigma = kth_nearest(f, feasible, k)
    removed = ~pool.alive | (front & ~truncate(f, front, survivors))
    violation = jnp.where(removed, jnp.inf, jnp.maximum(pool.violation, 0))
    density = jnp.where(feasible, -sigma, 0)
    best, place = best_first((violation, jnp.where(feasible, raw, 0), density), survivors)
    return Selection(best, ~removed[best], place)


def scale_distances(
    f: Float[Array, "n m"], competes: Bool[Array, " n"], front: Bool[Array, " n"], normalize: bool
) -> Float[Array, "n m"]:
    """Return the objectives in the units of distances, 0 for rows that do not compete.

    Without ``normalize``, all are divided by the same power of two, so that squares neither overflow nor underflow.
    """
    f = jnp.where(competes[:, None], scaled_down(f), 0)
    rows = front if normalize else competes
    low = jnp.where(rows[:, None], f, jnp.inf).min(axis=0)
    spread = jnp.where(rows[:, None], f, -jnp.inf).max(axis=0) - low
    own = jnp.where(spread > 0, spread, scaled_down(jnp.ones_like(spread)))
    unit = own if normalize else power_of_two(jnp.maximum(spread.max(), 0))
    return jnp.where(competes[:, None], (f - low) / unit, 0)
