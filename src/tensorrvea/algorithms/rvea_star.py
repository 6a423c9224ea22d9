"""RVEA*.

Cheng, Jin, Olhofer and Sendhoff, "A Reference Vector Guided Evolutionary Algorithm for Many-Objective Optimization",
2016, with the regeneration of reference vectors for irregular fronts.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from tensorrvea.algorithms.paper_tensorrvea import PaperTensorRVEA, Vectors, indexed
from tensorrvea.domain import Domain
from tensorrvea.evolution import Clock, Selection, State
from tensorrvea.population import Pool
from tensorrvea.randomness import uniform
from tensorrvea.reference_vectors import unit_rows
from tensorrvea.selection.adaptation import objective_ranges, scale_vectors
from tensorrvea.selection.association import associate, make_index
from tensorrvea.settings import settings


@settings
class RVEAStar(PaperTensorRVEA):
    """RVEA with a second set of as many vectors, V*, for fronts that many of the first vectors do not meet.

    V* is random at first. After each generation, those of its vectors to which no survivor is nearest (of V*) are drawn
    again, within the ranges of the survivors. So V* gathers where the front is. Individuals are selected by both
    sets, and there are up to twice as many survivors as vectors.

    The settings are those of ``PaperTensorRVEA``; ``vectors`` and ``adaptation`` are about the first set. A
    generation also indexes all vectors anew, which takes O(r log r) time.

    Args:
      population: the number of offspring per generation.
      variation: how offspring are bred.
      vectors: the reference vectors, as in ``PaperTensorRVEA``.
      alpha: how the penalty on the angle grows over the budget, progress^alpha.
      adaptation: the vectors adapt to the ranges of the objectives each time this share of the budget is spent.

    Raises:
      TypeError: if a setting has the wrong type.
      ValueError: if a setting is out of range, such as a population below 2.

    >>> RVEAStar(population=100).places(3)
    182
    """

    def places(self, objectives: int) -> int:
        return 2 * super().places(objectives)

    def setup(self, key: PRNGKeyArray, problem: Domain) -> Vectors:
        initial = super().setup(key, problem).initial
        both = jnp.concatenate([initial, unit_rows(uniform(key, initial.shape))])
        # The first selection makes the index.
        empty = jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), jax.eval_shape(indexed, initial, both))
        return empty._replace(initial=initial, adapted=both, gamma=jnp.ones_like(empty.gamma))

    def select(self, key: PRNGKeyArray, state: State, pool: Pool, clock: Clock) -> Selection:
        selection = super().select(key, state, pool, clock)
        vectors: Vectors = selection.extra
        row, filled = selection.row, selection.filled
        r = len(vectors.initial)
        second = vectors.adapted[r:]
        drawn = regenerate(uniform(key, second.shape), second, pool, row, filled)
        both = vectors.adapted.at[r:].set(jnp.where(clock.is_first, second, drawn))
        return selection._replace(extra=indexed(vectors.initial, both))

    def adapt(
        self, vectors: Vectors, pool: Pool, row: Int[Array, " places"], filled: Bool[Array, " places"], clock: Clock
    ) -> Vectors:
        """Scale the first set to the ranges of the objectives; ``select`` makes the index."""
        first = vectors.adapted[: len(vectors.initial)]
        scaled = scale_vectors(vectors.initial, objective_ranges(pool, row, filled))
        adapted = jnp.where(clock.is_first, first, scaled)
        return vectors._replace(adapted=vectors.adapted.at[: len(first)].set(adapted))


def regenerate(
    u: Float[Array, "r m"],
    vectors: Float[Array, "r m"],
    pool: Pool,
    row: Int[Array, " places"],
    filled: Bool[Array, " places"],
) -> Float[Array, "r m"]:
    """Algorithm 6: replace vectors to which no survivor is nearest by u ∘ (z_max − z_min), with length one.

    ``u`` is uniform between 0 and 1.
    """
    survivors = jnp.where(filled[:, None], pool.f[row], jnp.inf)
    f = jnp.where(filled[:, None], survivors - survivors.min(axis=0), 0)
    niche, _ = associate(f, vectors, make_index(vectors))
    is_used = jnp.zeros(len(vectors), bool).at[niche].max(filled)
    return jnp.where(is_used[:, None], vectors, scale_vectors(u, objective_ranges(pool, row, filled)))
