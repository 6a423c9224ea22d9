"""Constraints whose violators have extreme objectives, as in engineering design."""

import jax.numpy as jnp

import tensorrvea as tr


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
