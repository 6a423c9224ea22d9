"""NSGA-II.

Deb, Pratap, Agarwal and Meyarivan, "A Fast and Elitist Multiobjective Genetic Algorithm: NSGA-II", 2002.
"""

from jaxtyping import Array, Int, PRNGKeyArray

from tensorrvea.evolution import Clock, Evolution, Selection, State
from tensorrvea.mating import binary_tournaments
from tensorrvea.operators import GA, Variation
from tensorrvea.population import Pool
from tensorrvea.selection.crowding import crowding_distance
from tensorrvea.selection.dominance import rank_rows
from tensorrvea.selection.order import best_first
from tensorrvea.settings import settings, static


@settings
class NSGA2(Evolution):
    """Survival by non-dominated rank, then by crowding distance; parents by binary tournaments on both.

    With constraints, domination is constrained: the feasible come before the infeasible, and those by
    violation.

    Args:
      population: the number of offspring per generation, and of survivors.
      variation: how offspring are bred.

    Raises:
      TypeError: if a setting has the wrong type.
      ValueError: if a setting is out of range, such as a population below 2.

    >>> NSGA2(population=100).places(2)
    100
    """

    population: int = static()
    variation: Variation = GA()

    def mate(self, key: PRNGKeyArray, state: State, count: int) -> Int[Array, " count"]:
        return binary_tournaments(key, state.population.alive, state.score, count)

    def select(self, key: PRNGKeyArray, state: State, pool: Pool, clock: Clock) -> Selection:
        del key, state, clock
        rank = rank_rows(pool.f, pool.alive, pool.violation)
        crowding = crowding_distance(pool.f, rank, pool.alive)
        best, place = best_first((rank, -crowding), self.population)
        return Selection(best, pool.alive[best], place)
