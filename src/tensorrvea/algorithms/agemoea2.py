"""AGE-MOEA-II.

Panichella, "An Improved Pareto Front Modeling Algorithm for Large-scale Many-Objective Optimization", GECCO 2022; its
selection is that of AGE-MOEA (GECCO 2019) with another model of the front.
"""

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from tensorrvea.evolution import Clock, Evolution, Selection, State
from tensorrvea.mating import binary_tournaments
from tensorrvea.operators import GA, PolynomialMutation, Variation
from tensorrvea.population import Pool
from tensorrvea.selection.dominance import rank_rows
from tensorrvea.selection.front_geometry import (
    Columns,
    curvature,
    distances_to,
    extreme_rows,
    lp_norm,
    nearest_to_ideal,
    project,
)
from tensorrvea.selection.niching import normalize
from tensorrvea.settings import settings, static


@settings
class AGEMOEA2(Evolution):
    """Survival by non-dominated rank, then by proximity and diversity on a model of the front; parents by tournaments.

    The first front is normalised as in NSGA-III and modelled as the surface on which an L_p norm is 1. Its
    survivors are chosen one after the other: first the extreme points, then the one whose distances along the
    surface to the two nearest of those chosen, divided by its L_p norm, have the largest sum. On later fronts those
    with the smallest norm survive. Parents win binary tournaments on this order. p is that of the surface through the
    row nearest to the ideal point, extreme points aside.

    With constraints, domination is constrained, the front is that of the feasible, and tournaments are won by
    the feasible, then by the less violating.

    Args:
      population: the number of offspring per generation, and of survivors.
      variation: how offspring are bred. By default, one variable per offspring is mutated on average, as is usual; with
        ``GA()``, the setting of TensorRVEA's paper, half as many are.

    Raises:
      TypeError: if a setting has the wrong type.
      ValueError: if a setting is out of range, such as a population below 2.

    >>> AGEMOEA2(population=100).places(3)
    100
    """

    population: int = static()
    variation: Variation = GA(mutation=PolynomialMutation(probability=1.0))

    def mate(self, key: PRNGKeyArray, state: State, count: int) -> Int[Array, " count"]:
        return binary_tournaments(key, state.population.alive, state.score, count)

    def select(self, key: PRNGKeyArray, state: State, pool: Pool, clock: Clock) -> Selection:
        del key, state, clock
        rank = rank_rows(pool.f, pool.alive, pool.violation)
        front = pool.feasible & (rank == 0)
        ideal = jnp.where(front[:, None], pool.f, jnp.inf).min(axis=0)
        # The survivors of later fronts need only their norm; dead rows are zero.
        normal = tuple(normalize(pool.f, ideal, front).T)
        extremes = extreme_rows(normal, front)
        # A row is extreme in objectives with a range alone.
        has_range = jnp.where(front, jnp.stack(normal), 0).max(axis=1) > 0
        is_extreme = jnp.zeros_like(front).at[extremes].max(has_range)
        p = curvature(nearest_to_ideal(normal, front & ~is_extreme))
        proximity = lp_norm(normal, p)
        turn = turns(project(normal, p), proximity, p, front, is_extreme, self.population)
        order_in_front = jnp.where(front, turn.astype(proximity.dtype), jnp.where(pool.feasible, proximity, 0))
        *_, row = lax.sort((rank, order_in_front, jnp.arange(len(rank), dtype=jnp.int32)), num_keys=2, is_stable=True)
        best = row[: self.population]
        return Selection(best, pool.alive[best], jnp.arange(self.population, dtype=jnp.int32))


def turns(
    projected: Columns,
    proximity: Float[Array, " n"],
    p: Float[Array, ""],
    front: Bool[Array, " n"],
    is_extreme: Bool[Array, " n"],
    most: int,
) -> Int[Array, " n"]:
    """Return when each row of the front is chosen, from 0 on; n for those after the first ``most``, and other rows.

    Extreme points come first. Then, each time, the largest survival score is chosen: the sum of the distances to the
    two nearest of those chosen, divided by the proximity. Scores fall as more are chosen, so that this is also their
    final order. The lowest row wins a tie.
    """
    n = len(front)

    def choose(turn: Int[Array, ""] | int, state: tuple) -> tuple:
        score, nearest, second, chosen = state
        row = jnp.argmax(score)
        chosen = chosen.at[row].set(jnp.asarray(turn, jnp.int32))
        distance = distances_to(row, projected, p)
        second = jnp.minimum(second, jnp.maximum(nearest, distance))
        nearest = jnp.minimum(nearest, distance)
        diversity = nearest + jnp.where(jnp.isinf(second), 0, second)
        score = jnp.where(is_extreme, jnp.inf, diversity / proximity)
        return jnp.where(front & (chosen == n), score, -1), nearest, second, chosen

    far = jnp.full_like(proximity, jnp.inf)
    start = jnp.where(is_extreme, jnp.inf, jnp.where(front, 0, -1)).astype(proximity.dtype)
    wanted = jnp.minimum(front.sum(dtype=jnp.int32), most)
    *_, chosen = lax.fori_loop(0, wanted, choose, (start, far, far, jnp.full(n, n, jnp.int32)))
    return chosen
