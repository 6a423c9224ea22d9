"""The competitive swarm optimiser.

Cheng and Jin, "A Competitive Swarm Optimizer for Large Scale Optimization", 2015.
"""

from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, PRNGKeyArray

from tensorrvea.checks import check_number
from tensorrvea.domain import Domain
from tensorrvea.operators.base import Mating, Variation, check_mutation
from tensorrvea.operators.polynomial import PolynomialMutation
from tensorrvea.population import Offspring, Population
from tensorrvea.randomness import split, uniform
from tensorrvea.rounding import rounded
from tensorrvea.rows import take
from tensorrvea.settings import settings


class Competitor(NamedTuple):
    """The memory of an individual: its velocity."""

    velocity: Float[Array, "n d"]


@settings
class CSO(Variation):
    """Competitive swarm: parents compete in pairs, and the loser learns from the winner.

    v ← r₁ v + r₂ (winner − loser) + φ r₃ (mean − loser), loser ← loser + v. Each child takes two parents, since a
    winner does not move and need not be evaluated again.

    Args:
      phi: how much the mean of the swarm attracts.
      mutation: how children mutate.

    Raises:
      TypeError: if a setting has the wrong type.
      ValueError: if a setting is out of range.

    >>> CSO(phi=0.2).phi
    0.2
    """

    phi: float = 0.1
    mutation: PolynomialMutation = PolynomialMutation()

    def __post_init__(self) -> None:
        check_number("phi", self.phi, minimum=0.0)
        check_mutation(self.mutation)

    def num_parents(self, offspring: int) -> int:
        return 2 * offspring

    def init_memory(self, x: Float[Array, "n d"], objectives: int) -> Competitor:
        del objectives
        return Competitor(velocity=jnp.zeros_like(x))

    def __call__(self, key: PRNGKeyArray, mating: Mating, problem: Domain, offspring: int) -> Offspring:
        del offspring
        *learning_keys, mutation_key = split(key, 4)
        winner, loser, memory = compete(mating)
        r1, r2, r3 = (uniform(k, loser.shape) for k in learning_keys)
        mean = mean_of_living(mating.survivors, *problem.box)
        learnt, centred = rounded(r2 * (winner - loser)), rounded(self.phi * r3 * (mean - loser))
        velocity = rounded(r1 * memory.velocity) + learnt + centred
        x = jnp.clip(loser + velocity, *problem.box)
        return Offspring(self.mutation(mutation_key, x, problem), Competitor(velocity))


def compete(mating: Mating) -> tuple[Float[Array, "n d"], Float[Array, "n d"], Competitor]:
    """Return the winner of each pair of parents, by their scores, and the loser with its memory."""
    survivors, parents, score = mating
    one, other = parents[::2], parents[1::2]
    one_wins = score[one] <= score[other]
    winner = take(survivors.x, jnp.where(one_wins, one, other))
    loser, memory = take((survivors.x, survivors.memory), jnp.where(one_wins, other, one))
    return winner, loser, memory


def mean_of_living(survivors: Population, lower: Any, upper: Any) -> Float[Array, " d"]:
    """Return the mean of each variable over the living rows, with the same bits for any order of addition.

    Sums of integers are exact: each variable is rounded to steps of its range, as fine as the sum can hold.
    """
    x = survivors.x
    integer = jnp.int64 if x.dtype == jnp.float64 else jnp.int32
    living = jnp.maximum(survivors.alive.sum(), 1).astype(integer)
    steps = jnp.ldexp(jnp.ones((), x.dtype), (lax.clz(living) - 2).astype(jnp.int32))
    step = jnp.round((x - lower) / (upper - lower) * steps).astype(integer)
    total = jnp.where(survivors.alive[:, None], step, 0).sum(axis=0)
    return lower + (upper - lower) * (total.astype(x.dtype) / (living.astype(x.dtype) * steps))
