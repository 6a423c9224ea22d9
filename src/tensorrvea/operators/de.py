"""Differential evolution, DE/rand/1/bin: Storn and Price, 1997."""

import jax.numpy as jnp
from jaxtyping import Array, Int, PRNGKeyArray

from tensorrvea.checks import check_number
from tensorrvea.domain import Domain
from tensorrvea.mating import living_rows
from tensorrvea.operators.base import Mating, Variation, check_mutation
from tensorrvea.operators.polynomial import PolynomialMutation
from tensorrvea.population import Offspring
from tensorrvea.randomness import below, split, uniform, words
from tensorrvea.rows import take
from tensorrvea.settings import settings


@settings
class DE(Variation):
    """Differential evolution: each parent has one child, which takes genes from the mutant a + F (b − c).

    A gene is the parent's with probability 1 − CR, except for one that is always the mutant's. The survivors a, b and
    c differ from the parent and from each other; with fewer than four survivors they are drawn with replacement.

    Args:
      scale: F, the factor of the difference.
      crossover_rate: CR, the probability that a gene is the mutant's.
      mutation: how children mutate.

    Raises:
      TypeError: if a setting has the wrong type.
      ValueError: if a setting is out of range.

    >>> DE(scale=0.4).crossover_rate
    1.0
    """

    scale: float = 0.5
    crossover_rate: float = 1.0
    mutation: PolynomialMutation = PolynomialMutation()

    def __post_init__(self) -> None:
        check_number("scale", self.scale, minimum=0.0, open_minimum=True)
        check_number("crossover_rate", self.crossover_rate, minimum=0.0, maximum=1.0)
        check_mutation(self.mutation)

    def __call__(self, key: PRNGKeyArray, mating: Mating, problem: Domain, offspring: int) -> Offspring:
        del offspring
        survivors, parents, _ = mating
        others_key, cross_key, forced_key, mutation_key = split(key, 4)
        a, b, c = (take(survivors.x, row) for row in three_others(others_key, survivors.alive, parents))
        parent = take(survivors.x, parents)
        forced = below(words(forced_key, (len(parents), 1)), problem.variables) == jnp.arange(problem.variables)
        crossed = (uniform(cross_key, parent.shape) <= self.crossover_rate) | forced
        x = jnp.clip(jnp.where(crossed, a + self.scale * (b - c), parent), *problem.box)
        return Offspring(self.mutation(mutation_key, x, problem))


def three_others(
    key: PRNGKeyArray, alive: Array, parents: Int[Array, " n"]
) -> tuple[Int[Array, " n"], Int[Array, " n"], Int[Array, " n"]]:
    """Return three living rows for each parent that differ from it and from each other."""
    rows, count = living_rows(alive)
    rank = (jnp.cumsum(alive) - 1)[parents]
    word = words(key, (3, len(parents)))
    enough = count >= 4
    taken = [rank]
    for i in range(3):
        # Drawn among the ranks that are left, then shifted past each taken one in ascending order.
        left = jnp.where(enough, count - len(taken), count)
        drawn = below(word[i], left)
        for used in jnp.sort(jnp.stack(taken), axis=0):
            drawn = drawn + (enough & (drawn >= used))
        taken.append(drawn)
    _, a, b, c = (rows[position] for position in taken)
    return a, b, c
