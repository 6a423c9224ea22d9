"""CCMO.

Tian, Zhang, Xiao, Zhang and Jin, "A Coevolutionary Framework for Constrained Multiobjective Optimization Problems",
IEEE Transactions on Evolutionary Computation 25(1), 2021.
"""

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Int, PRNGKeyArray

from tensorrvea.algorithms.spea2 import environmental_selection
from tensorrvea.evolution import Clock, Evolution, Selection, State
from tensorrvea.mating import binary_tournaments
from tensorrvea.operators import GA, PolynomialMutation, Variation
from tensorrvea.population import Pool
from tensorrvea.randomness import split
from tensorrvea.settings import settings, static


@settings
class CCMO(Evolution):
    """Two populations that share their offspring: one for the problem, one that ignores its constraints.

    The second population crosses infeasible regions in which the first would stop. Each breeds half of the offspring,
    parents by binary tournaments among its own, and each selects, as SPEA2 does, among its own survivors and all
    offspring. An individual may survive in both. The first population starts both, where the paper evaluates another.

    Args:
      population: the number of offspring per generation, and of survivors in each of the two populations.
      variation: how offspring are bred. By default, one variable per offspring is mutated on average, as is usual; with
        ``GA()``, the setting of TensorRVEA's paper, half as many are.

    Raises:
      TypeError: if a setting has the wrong type.
      ValueError: if a setting is out of range, such as a population below 2.

    >>> CCMO(population=100).places(2)
    200
    """

    population: int = static()
    variation: Variation = GA(mutation=PolynomialMutation(probability=1.0))

    def places(self, objectives: int) -> int:
        del objectives
        return 2 * self.population

    def mate(self, key: PRNGKeyArray, state: State, count: int) -> Int[Array, " count"]:
        alive, half = state.population.alive, count // 4 * 2  # an even number, since operators may breed by pairs
        is_first = jnp.arange(len(alive)) < self.population
        own_key, helper_key = split(key)
        own = binary_tournaments(own_key, alive & is_first, state.score, count - half)
        helpers = binary_tournaments(helper_key, alive & ~is_first, state.score, half)
        return jnp.concatenate([own, helpers])

    def select(self, key: PRNGKeyArray, state: State, pool: Pool, clock: Clock) -> Selection:
        del key, state, clock
        n = self.population
        place = jnp.arange(len(pool.alive))
        competes = jnp.stack([(place < n) | pool.is_new, place >= n]) & pool.alive
        violation = jnp.stack([pool.violation, jnp.where(pool.alive, 0, jnp.inf)])

        def select_one(among: tuple[Array, Array]) -> Selection:
            alive, violation = among
            rows = Pool(
                f=jnp.where(alive[:, None], pool.f, jnp.inf),
                violation=jnp.where(alive, violation, jnp.inf),
                alive=alive,
                is_new=pool.is_new,
            )
            return environmental_selection(rows, n, normalize=True)

        # One after the other, and not both at once: selection is compiled once, and its loops do not wait.
        both = lax.map(select_one, (competes, violation))
        return Selection(*(part.reshape(2 * n) for part in both[:3]))
