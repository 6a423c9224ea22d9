"""The genetic algorithm's operators, as in the paper: SBX, then polynomial mutation."""

import jax.numpy as jnp
from jaxtyping import PRNGKeyArray

from tensorrvea.checks import check_part
from tensorrvea.domain import Domain
from tensorrvea.operators.base import Mating, Variation, check_mutation
from tensorrvea.operators.polynomial import PolynomialMutation
from tensorrvea.operators.sbx import SBX, cross
from tensorrvea.population import Offspring
from tensorrvea.randomness import split
from tensorrvea.rows import take
from tensorrvea.settings import settings


@settings
class GA(Variation):
    """Genetic algorithm: each pair of parents has two children by crossover, which then mutate.

    Args:
      crossover: how a pair of parents has its children.
      mutation: how children mutate.

    Raises:
      TypeError: if a setting has the wrong type.
      ValueError: if a setting is out of range.

    >>> GA(crossover=SBX(eta=15.0)).crossover.eta
    15.0
    """

    crossover: SBX = SBX()
    mutation: PolynomialMutation = PolynomialMutation()

    def __post_init__(self) -> None:
        check_part("crossover", self.crossover, "spread", takes="a crossover with a spread, such as SBX()")
        check_mutation(self.mutation)

    def num_parents(self, offspring: int) -> int:
        return 2 * -(-offspring // 2)

    def __call__(self, key: PRNGKeyArray, mating: Mating, problem: Domain, offspring: int) -> Offspring:
        survivors, parents, _ = mating
        crossover_key, mutation_key = split(key)
        pairs = take(survivors.x, parents).reshape(-1, 2, problem.variables)
        spread = self.crossover.spread(crossover_key, pairs[:, 0].shape)
        # Both children of a pair in one operation: each is a parent moved by the pair's spread.
        children = cross(pairs, pairs[:, ::-1], spread[:, None])
        x = children.reshape(len(parents), -1)
        if len(parents) == offspring + 1:  # for an odd number, the last pair has one child
            x = x[:offspring]
        # Clipped first, since the formula of the mutation is undefined outside the bounds.
        x = jnp.clip(x, *problem.box)
        return Offspring(self.mutation(mutation_key, x, problem))
