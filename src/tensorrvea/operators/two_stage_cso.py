"""The competitive swarm optimiser with an acceleration, for many variables.

Tian, Zheng, Zhang and Jin, "Efficient Large-Scale Multiobjective Optimization Based on a Competitive Swarm Optimizer",
IEEE Transactions on Cybernetics 50(8), 2020.
"""

import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from tensorrvea.domain import Domain
from tensorrvea.operators.base import Mating, Variation, check_mutation
from tensorrvea.operators.cso import Competitor, compete
from tensorrvea.operators.polynomial import PolynomialMutation
from tensorrvea.population import Offspring
from tensorrvea.randomness import split, uniform
from tensorrvea.rounding import rounded
from tensorrvea.settings import settings


@settings
class TwoStageCSO(Variation):
    """Competitive swarm whose losers also follow the change of their velocity: the operator of ``LMOCSO``.

    v′ = r₀ v + r₁ (winner − loser), loser ← loser + v′ + r₀ (v′ − v). Unlike in ``CSO``, r₀ and r₁ are one number each
    for all variables of an individual, so that a loser without velocity moves straight towards the winner. Each child
    takes two parents, since a winner does not move and need not be evaluated again; the paper mutates and evaluates it.

    Args:
      mutation: how children mutate. By default, one variable on average.

    Raises:
      TypeError: if a setting has the wrong type.
      ValueError: if a setting is out of range.

    >>> TwoStageCSO().num_parents(100)
    200
    """

    mutation: PolynomialMutation = PolynomialMutation(probability=1.0)

    def __post_init__(self) -> None:
        check_mutation(self.mutation)

    def num_parents(self, offspring: int) -> int:
        return 2 * offspring

    def init_memory(self, x: Float[Array, "n d"], objectives: int) -> Competitor:
        del objectives
        return Competitor(velocity=jnp.zeros_like(x))

    def __call__(self, key: PRNGKeyArray, mating: Mating, problem: Domain, offspring: int) -> Offspring:
        del offspring
        inertia_key, learning_key, mutation_key = split(key, 3)
        winner, loser, memory = compete(mating)
        r0, r1 = (uniform(k, (len(loser), 1)) for k in (inertia_key, learning_key))
        velocity = rounded(r0 * memory.velocity) + rounded(r1 * (winner - loser))
        x = loser + velocity + rounded(r0 * (velocity - memory.velocity))
        return Offspring(self.mutation(mutation_key, jnp.clip(x, *problem.box), problem), Competitor(velocity))
