"""LMOCSO.

Tian, Zheng, Zhang and Jin, "Efficient Large-Scale Multiobjective Optimization Based on a Competitive Swarm Optimizer",
IEEE Transactions on Cybernetics 50(8), 2020.
"""

import jax.numpy as jnp
from jaxtyping import PRNGKeyArray

from tensorrvea.algorithms.paper_tensorrvea import PaperTensorRVEA
from tensorrvea.evolution import Clock, Selection, State
from tensorrvea.operators import TwoStageCSO, Variation
from tensorrvea.population import Pool
from tensorrvea.selection.shift_density import shifted_distance
from tensorrvea.settings import settings, static


@settings
class LMOCSO(PaperTensorRVEA):
    """Swarms for many variables: survivors compete in pairs, and the losers learn from the winners in two stages.

    Survivors are those of ``PaperTensorRVEA``: the best of each reference vector by the angle-penalised distance, as in
    the paper. The winner of a pair is the one whose nearest other survivor is farther, by shift-based density
    estimation.
    It differs from the paper in this:

    - There are as many pairs as offspring, and only losers are evaluated. The paper has half as many pairs, and
      mutates and evaluates winners as well.
    - The paper has no constraints in its competition: here, the feasible win, and then the less violating.

    Args:
      population: the number of offspring per generation.
      variation: how offspring are bred; ``TwoStageCSO()`` is the paper's.
      vectors: the reference vectors, as for ``PaperTensorRVEA``.
      alpha: how the penalty on the angle grows over the budget, progress^alpha.
      adaptation: the vectors adapt to the ranges of the objectives each time this share of the budget is spent.

    Raises:
      TypeError: if a setting has the wrong type.
      ValueError: if a setting is out of range, such as a population below 2.

    >>> LMOCSO(population=105).places(3)
    105
    """

    population: int = static()
    variation: Variation = TwoStageCSO()

    def select(self, key: PRNGKeyArray, state: State, pool: Pool, clock: Clock) -> Selection:
        selection = super().select(key, state, pool, clock)
        row = selection.row
        feasible = selection.filled & pool.feasible[row]
        fitness = shifted_distance(pool.f[row], feasible)
        # A single feasible survivor has no neighbour, and an infinite fitness.
        score = jnp.where(feasible, -jnp.minimum(fitness, jnp.finfo(fitness.dtype).max), pool.violation[row])
        return selection._replace(score=score)
