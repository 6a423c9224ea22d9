"""Objectives with ranges that are unusual: far larger for infeasible solutions, none at all, or the largest floats."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from sizes import QUICKLY

import tensorrvea as tr
from tensorrvea.evolution import Clock
from tensorrvea.population import Pool

N = 20
ALGORITHMS = (tr.TensorRVEA, tr.NSGA2, tr.NSGA3, tr.AGEMOEA2, tr.SMSEMOA, tr.HypE, tr.MOEAD, tr.IBEA, tr.SPEA2)


def test_infeasible_outliers_do_not_collapse_feasible_rows_into_one_niche():
    # As in the welded beam: the second objective is below 0.1 for feasible solutions, and in the thousands elsewhere.
    def objectives(x):
        return jnp.stack([10 * x[0] + x[1], 1e-3 / (x[0] + 0.01) ** 3])

    problem = tr.Problem(
        objectives, lower=[0.0, 0.0], upper=[1.0, 1.0], objectives=2, constraints=lambda x: 0.2 + x[1] - x[0]
    )
    result = tr.optimize(problem, tr.TensorRVEA(population=40), generations=60, seed=1)
    assert len(result.F) >= 10
    # The front is x₁ = 0, x₀ from 0.2 to 1: its first objective spans 2 to 10.
    assert result.F[:, 0].min() < 2.1
    assert result.F[:, 0].max() > 6


@pytest.mark.parametrize("cls", ALGORITHMS, ids=lambda cls: cls.__name__)
def test_survivors_are_the_same_near_the_largest_float(cls):
    algorithm = cls(population=N)
    state = algorithm.init(jax.random.key(0), tr.problems.DTLZ2(objectives=3, variables=7))[0]
    select = jax.jit(type(algorithm).select, compiler_options=QUICKLY)
    places = algorithm.places(3)
    is_new = jnp.arange(places + N) >= places
    for seed in range(5):
        # From −1 to 1, so that differences of the largest values are infinite.
        f = jnp.asarray(np.random.default_rng(seed).uniform(-1, 1, (places + N, 3)), jnp.float32)
        pool = Pool(f, jnp.zeros(len(f)), jnp.ones(len(f), bool), is_new)
        large = pool._replace(f=f * 2.0**127)
        expected, found = (select(algorithm, jax.random.key(1), state, each, Clock(0.5, 0.4)) for each in (pool, large))
        np.testing.assert_array_equal(found.row, expected.row)
        np.testing.assert_array_equal(found.filled, expected.filled)


def test_a_constant_objective_does_not_change_the_front_of_the_others():
    def circle(x):
        radius = 1 + ((x[1:] - 0.5) ** 2).sum()
        return jnp.stack([radius * jnp.cos(x[0] * jnp.pi / 2), radius * jnp.sin(x[0] * jnp.pi / 2), 5 + 0 * x[0]])

    problem = tr.Problem(circle, lower=0.0, upper=1.0, variables=5)
    result = tr.optimize(problem, tr.AGEMOEA2(population=50), generations=60, seed=1)
    # Without normalisation by the plane of the other two, the front was its two ends, with a hypervolume of 0.21.
    assert tr.metrics.hypervolume(result.F[:, :2], [1.1, 1.1]) > 0.39
