"""RVEA: the paper's baseline, whose selection walks the reference vectors one at a time.

Cheng, Jin, Olhofer and Sendhoff, "A Reference Vector Guided Evolutionary Algorithm for Many-Objective
Optimization", 2016.
"""

from typing import Any

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, Int

from tensorrvea.algorithms.paper_tensorrvea import PaperTensorRVEA, Vectors
from tensorrvea.population import Pool
from tensorrvea.selection.apd import Selected, angle_penalized_distance, translate
from tensorrvea.selection.association import associate
from tensorrvea.settings import settings


@settings
class RVEA(PaperTensorRVEA):
    """The same algorithm and survivors as PaperTensorRVEA, selected by a loop over the vectors.

    Args:
      population: the number of offspring per generation.
      variation: how offspring are bred.
      vectors: the reference vectors, as in ``PaperTensorRVEA``.
      alpha: how the penalty on the angle grows over the budget, progress^alpha.
      adaptation: the vectors adapt to the ranges of the objectives each time this share of the budget is spent.

    Raises:
      TypeError: if a setting has the wrong type.
      ValueError: if a setting is out of range, such as a population below 2.

    >>> RVEA(population=100).places(3)
    91
    """

    def best_per_vector(self, pool: Pool, vectors: Vectors, penalty: Float[Array, ""]) -> Selected:
        return select_by_loop(pool, vectors.adapted, vectors.gamma, vectors.index, penalty)


def select_by_loop(
    pool: Pool, vectors: Float[Array, "r m"], gamma: Float[Array, " r"], index: Any, penalty: Float[Array, ""]
) -> Selected:
    """Return the best of the subpopulation of one reference vector after the other."""
    f = translate(pool)
    niche, theta = associate(f, vectors, index)
    score = angle_penalized_distance(f, theta, gamma[niche], penalty)
    feasible = pool.feasible

    def best_of(j: Int[Array, ""], selected: Selected) -> Selected:
        members = pool.alive & (niche == j)
        has_feasible = (members & feasible).any()
        competes = members & (feasible | ~has_feasible)
        rank = jnp.where(has_feasible, score, pool.violation)
        best = jnp.where(competes, rank, jnp.inf).min()
        # Not an argmin over ranks: an infinite rank must not tie with rows that do not compete.
        row = jnp.argmax(competes & (rank == best))
        filled = competes.any()
        return selected._replace(
            row=selected.row.at[j].set(jnp.where(filled, row, 0).astype(jnp.int32)),
            filled=selected.filled.at[j].set(filled),
        )

    r = len(vectors)
    nothing = Selected(row=jnp.zeros(r, jnp.int32), filled=jnp.zeros(r, bool), score=score)
    return lax.fori_loop(0, r, best_of, nothing)
