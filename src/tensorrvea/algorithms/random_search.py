"""Random search: the baseline that any algorithm has to beat."""

import jax.numpy as jnp
from jaxtyping import PRNGKeyArray

from tensorrvea.checks import MOST_ROWS, check_integer
from tensorrvea.constraints import check_constraint_rule
from tensorrvea.evolution import Clock, Evolution, Selection, State
from tensorrvea.operators import Random
from tensorrvea.population import Pool
from tensorrvea.selection.crowding import least_crowded
from tensorrvea.selection.dominance import nondominated_rows
from tensorrvea.settings import settings, static


@settings
class RandomSearch(Evolution):
    """Draw every generation as the first population of any algorithm is drawn, and keep the non-dominated.

    With constraints, domination is constrained: as long as nothing feasible was found, the least infeasible
    is kept.

    Args:
      population: the number of samples per generation, and of those that are kept at most, the least crowded.

    Raises:
      TypeError: if a setting has the wrong type.
      ValueError: if a setting is out of range, such as a population below 1.

    >>> RandomSearch(population=100).places(2)
    100
    """

    population: int = static()
    variation = Random()

    def __post_init__(self) -> None:
        check_integer("population", self.population, minimum=1, maximum=MOST_ROWS)
        check_constraint_rule(self.constraint_rule)

    def select(self, key: PRNGKeyArray, state: State, pool: Pool, clock: Clock) -> Selection:
        del key, state, clock
        front = nondominated_rows(pool.f, pool.alive, pool.violation)
        row, filled = least_crowded(pool.f, front, self.population)
        return Selection(row, filled, score=jnp.zeros(self.population))
