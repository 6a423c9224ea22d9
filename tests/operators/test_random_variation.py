"""Random sampling: children are samples of the problem, independent of the parents."""

import jax
import jax.numpy as jnp
import numpy as np

from tensorrvea import Problem, Random
from tensorrvea.operators.base import Mating
from tensorrvea.population import Offspring, empty_population


def test_children_are_sampled_like_the_first_population():
    problem = Problem(lambda x: x[:2], lower=[0.0, 5.0], upper=[1.0, 6.0], objectives=2)
    variation = Random()
    assert variation.num_parents(9) == 0
    survivors = empty_population(4, Offspring(jnp.zeros((4, 2))), 2)
    bred = variation(jax.random.key(3), Mating(survivors, jnp.zeros(0, jnp.int32), jnp.zeros(4)), problem, 9)
    np.testing.assert_array_equal(bred.x, problem.sample(jax.random.key(3), 9))
    assert bred.memory == ()
