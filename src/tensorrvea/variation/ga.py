"""The genetic algorithm's operators, as in the paper: SBX, then polynomial mutation."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, PRNGKeyArray

from tensorrvea.population import Offspring, Population, take
from tensorrvea.problem import Problem
from tensorrvea.settings import settings
from tensorrvea.variation.base import Forgetful
from tensorrvea.variation.polynomial import PolynomialMutation
from tensorrvea.variation.sbx import SBX


@settings
class GA(Forgetful):
    """Pairs of parents have two children by crossover; the children mutate."""

    crossover: SBX = SBX()
    mutation: PolynomialMutation = PolynomialMutation()

    def mates(self, offspring: int) -> int:
        return 2 * -(-offspring // 2)

    def __call__(
        self,
        key: PRNGKeyArray,
        survivors: Population,
        mates: Int[Array, " k"],
        score: Float[Array, " r"],
        problem: Problem,
        offspring: int,
    ) -> Offspring:
        del score
        crossover_key, mutation_key = jax.random.split(key)
        first, second = take(survivors.x, mates[::2]), take(survivors.x, mates[1::2])
        pairs = jnp.stack(self.crossover(crossover_key, first, second), axis=1)
        # Clipped before mutation: outside the bounds the formula of the mutation has no meaning.
        x = jnp.clip(pairs.reshape(len(mates), -1)[:offspring], *problem.box)
        return Offspring(self.mutation(mutation_key, x, problem))
