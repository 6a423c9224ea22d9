"""The genetic algorithm: crossover and mutation combined."""

import jax
import jax.numpy as jnp
import numpy as np
from breeding import breed

from tensorrvea import GA, SBX, PolynomialMutation, Problem
from tensorrvea.population import Offspring, evaluated


def parents(x: np.ndarray):
    x = jnp.asarray(x, jnp.float32)
    return evaluated(Offspring(x), jnp.zeros((len(x), 2)), jnp.zeros(len(x)))


def wide(variables: int) -> Problem:
    return Problem(lambda x: x[:2], lower=[-100.0] * variables, upper=[100.0] * variables, objectives=2)


def test_each_pair_has_two_children_and_an_odd_last_one_is_dropped():
    variation = GA(mutation=PolynomialMutation(rate=0.0))
    assert [variation.num_parents(n) for n in (1, 2, 7, 8)] == [2, 2, 8, 8]
    survivors = parents(np.random.default_rng(0).uniform(0, 1, (8, 5)))
    mates = jnp.array([3, 1, 0, 7, 6, 6, 2, 5])
    for offspring in (7, 8):
        x = breed(jax.random.key(1), variation, survivors, mates, jnp.zeros(8), problem=wide(5), offspring=offspring).x
        assert x.shape == (offspring, 5)
        for pair in range(offspring // 2):
            both = survivors.x[mates[2 * pair]] + survivors.x[mates[2 * pair + 1]]
            np.testing.assert_allclose(x[2 * pair] + x[2 * pair + 1], both, rtol=1e-5, atol=1e-5)
    # The children of a row paired with itself are equal to it.
    np.testing.assert_array_equal(x[4], survivors.x[6])


def test_children_are_within_the_bounds_and_never_nan():
    problem = Problem(lambda x: x[:2], lower=[0.0, -1.0, 5.0], upper=[1.0, 1.0, 6.0], objectives=2)
    generator = np.random.default_rng(1)
    corners = np.where(generator.random((200, 3)) < 0.5, problem.lower, problem.upper)
    variation = GA(crossover=SBX(eta=0.0), mutation=PolynomialMutation(eta=0.0, rate=0.5))
    mates = jnp.asarray(generator.integers(0, 200, 5000))
    x = np.asarray(
        breed(jax.random.key(2), variation, parents(corners), mates, jnp.zeros(200), problem=problem, offspring=5000).x
    )
    assert (x >= problem.lower.astype(np.float32)).all()
    assert (x <= problem.upper.astype(np.float32)).all()


def test_the_operator_has_no_memory():
    assert GA().init_memory(jnp.zeros((3, 2)), 2) == ()
