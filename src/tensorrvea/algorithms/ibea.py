"""IBEA: Zitzler and Künzli, "Indicator-Based Selection in Multiobjective Search", 2004."""

import jax.numpy as jnp
from jaxtyping import Array, Int, PRNGKeyArray

from tensorrvea.checks import check_number
from tensorrvea.evolution import Clock, Evolution, Selection, State
from tensorrvea.mating import binary_tournaments
from tensorrvea.operators import GA, SBX, PolynomialMutation, Variation
from tensorrvea.population import Pool
from tensorrvea.selection.indicator import fitness_after_removals
from tensorrvea.selection.order import best_first
from tensorrvea.settings import settings, static


@settings
class IBEA(Evolution):
    """Survival by the loss of quality that the additive ε-indicator attributes to a row; parents by binary tournaments.

    This is the paper's adaptive variant (Algorithm 2): objectives are scaled to their ranges in each generation, and
    the worst row is removed one at a time, each time with the fitness updated. The paper has no constraints: here, the
    feasible come first and are selected as if there were no others, and the infeasible fill what is left, the
    least violating first.

    A generation takes O(n² m) time and O(n m) memory.

    Args:
      population: the number of offspring per generation, and of survivors.
      variation: how offspring are bred. By default crossover spreads wider (η = 15) and mutation is twice as frequent
        (one variable per offspring, as is usual) as in ``GA()``: this selection needs the variety.
      kappa: how much small indicator values count; at least 0.02, since exp(1 / kappa) must fit single precision.

    Raises:
      TypeError: if a setting has the wrong type.
      ValueError: if a setting is out of range, such as a population below 2.

    >>> IBEA(population=100).kappa
    0.05
    """

    population: int = static()
    variation: Variation = GA(crossover=SBX(eta=15.0), mutation=PolynomialMutation(probability=1.0))
    kappa: float = 0.05

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("kappa", self.kappa, minimum=0.02)

    def mate(self, key: PRNGKeyArray, state: State, count: int) -> Int[Array, " count"]:
        return binary_tournaments(key, state.population.alive, state.score, count)

    def select(self, key: PRNGKeyArray, state: State, pool: Pool, clock: Clock) -> Selection:
        del key, state, clock
        fitness = fitness_after_removals(pool.f, pool.feasible, self.population, self.kappa)
        removed = ~pool.alive | (pool.feasible & jnp.isinf(fitness))
        violation = jnp.where(removed, jnp.inf, jnp.maximum(pool.violation, 0))
        loss = jnp.where(jnp.isinf(fitness), 0, -fitness)
        best, place = best_first((violation, loss), self.population)
        return Selection(best, ~removed[best], place)
