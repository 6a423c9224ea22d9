"""RVEA: the paper's baseline, whose selection walks the reference vectors one at a time.

Cheng, Jin, Olhofer and Sendhoff, "A Reference Vector Guided Evolutionary Algorithm for Many-Objective
Optimization", 2016.
"""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, Int

from tensorrvea.algorithms.tensorrvea import TensorRVEA
from tensorrvea.selection.apd import Pool, Selected, angle_penalized_distance, translate
from tensorrvea.selection.association import associate
from tensorrvea.settings import settings


@settings
class RVEA(TensorRVEA):
    """The same algorithm as TensorRVEA, with the same survivors, selected by a loop."""

    @property
    def selection(self) -> Callable[..., Selected]:
        return select_by_loop


def select_by_loop(
    pool: Pool, vectors: Float[Array, "r m"], gamma: Float[Array, " r"], index: Any, penalty: Float[Array, ""]
) -> Selected:
    """One reference vector after another: whose subpopulation is it, and who is the best of them."""
    f = translate(pool)
    niche, theta = associate(f, vectors, index)
    score = angle_penalized_distance(f, theta, gamma[niche], penalty)
    feasible = pool.alive & (pool.violation <= 0)

    def best_of(j: Int[Array, ""], selected: Selected) -> Selected:
        members = pool.alive & (niche == j)
        has_feasible = (members & feasible).any()
        stands = members & (feasible | ~has_feasible)
        rank = jnp.where(has_feasible, score, pool.violation)
        best = jnp.where(stands, rank, jnp.inf).min()
        # Not an argmin over ranks: one that is infinite must not tie with those who do not stand.
        row = jnp.argmax(stands & (rank == best))
        filled = stands.any()
        return selected._replace(
            row=selected.row.at[j].set(jnp.where(filled, row, 0)), filled=selected.filled.at[j].set(filled)
        )

    r = len(vectors)
    nothing = Selected(row=jnp.zeros(r, jnp.int32), filled=jnp.zeros(r, bool), score=score)
    return lax.fori_loop(0, r, best_of, nothing)
