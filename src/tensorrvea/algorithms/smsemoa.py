"""SMS-EMOA: Beume, Naujoks and Emmerich, "SMS-EMOA: Multiobjective selection based on dominated hypervolume", 2007."""

from jaxtyping import Array, Bool, PRNGKeyArray

from tensorrvea.checks import check_integer
from tensorrvea.evolution import Clock, Evolution, Selection, State
from tensorrvea.metrics.contributions import remove_least
from tensorrvea.operators import GA, Variation
from tensorrvea.population import Pool
from tensorrvea.selection.dominance import rank_rows
from tensorrvea.selection.last_front import first_by_rank, remove_in_small_arrays, scale_to_unit, split_last_front
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

    Raises:
      TypeError: if a setting has the wrong type.
      ValueError: if a setting is out of range, such as a population below 2.

    >>> SMSEMOA(population=100).places(2)
    100
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
        f = scale_to_unit(pool.f, candidate)

        def remove(f: Array, front: Array, count: Array) -> Bool[Array, " n"]:
            return remove_least(f, front, count, REFERENCE, key, self.lines)

        left = remove_in_small_arrays(remove, f, candidate, surplus)
        best = first_by_rank(rank, candidate & ~left)[: self.population]
        return Selection(best, pool.alive[best], rank[best])
