"""Compiled breeding for tests: eagerly, every operation of a variation would be compiled separately."""

from functools import partial

import jax

from tensorrvea.operators import Variation
from tensorrvea.operators.base import Mating
from tensorrvea.population import Offspring, Population
from tensorrvea.problem import Problem


@partial(jax.jit, static_argnames=("problem", "offspring"))
def breed(
    key: jax.Array, variation: Variation, survivors: Population, mates: jax.Array, score: jax.Array, *,
    problem: Problem, offspring: int,
) -> Offspring:  # fmt: skip
    return variation(key, Mating(survivors, mates, score), problem, offspring)
