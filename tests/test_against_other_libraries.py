"""Numbers that other libraries compute, too: ranks, hypervolume, lattices, and the distributions of operators."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from pymoo.indicators.hv import HV
from pymoo.operators.crossover.sbx import cross_sbx
from pymoo.operators.mutation.pm import mut_pm
from pymoo.util.nds.non_dominated_sorting import NonDominatedSorting
from pymoo.util.ref_dirs import get_reference_directions
from scipy import stats

from tensorrvea import PolynomialMutation, Problem, metrics
from tensorrvea.operators import SBX
from tensorrvea.reference_vectors import simplex_lattice
from tensorrvea.selection.dominance import rank_rows, ranks

ROWS, GENES = 2000, 20


@pytest.mark.parametrize("objectives", [2, 3, 5])
def test_ranks_are_those_of_pymoo(objectives):
    f = np.random.default_rng(objectives).random((60, objectives)).round(1)  # rounded, so that some are equal
    expected = NonDominatedSorting().do(f, return_rank=True)[1]
    np.testing.assert_array_equal(ranks(f), expected)
    np.testing.assert_array_equal(jax.jit(rank_rows)(jnp.asarray(f), jnp.ones(60, bool)), expected)


@pytest.mark.parametrize("objectives", [2, 3, 4])
def test_hypervolumes_are_those_of_pymoo(objectives):
    f = np.random.default_rng(objectives).random((25, objectives))
    reference = np.full(objectives, 1.1)
    np.testing.assert_allclose(metrics.hypervolume(f, reference), HV(ref_point=reference)(f), rtol=1e-12)


@pytest.mark.parametrize(("divisions", "objectives"), [(7, 2), (12, 3), (5, 4), (3, 8)])
def test_lattices_are_those_of_pymoo(divisions, objectives):
    expected = get_reference_directions("das-dennis", objectives, n_partitions=divisions)
    ours = simplex_lattice(divisions, objectives)
    np.testing.assert_allclose(ours[np.lexsort(ours.T)], expected[np.lexsort(expected.T)], atol=1e-12)


@pytest.mark.parametrize("eta", [5.0, 20.0])
def test_mutants_have_the_distribution_of_pymoos(eta):
    x = np.full((ROWS, GENES), 0.3)
    bounds = np.zeros(GENES), np.ones(GENES)
    problem = Problem(lambda row: row[:2], lower=bounds[0], upper=bounds[1], objectives=2)
    mutation = PolynomialMutation(probability=1.0, eta=eta)
    ours = np.asarray(jax.jit(lambda key: mutation(key, jnp.asarray(x, jnp.float32), problem))(jax.random.key(0)))
    rng = np.random.default_rng(1)
    theirs = mut_pm(x, *bounds, np.full(ROWS, eta), np.ones(ROWS), at_least_once=False, random_state=rng)
    mutated = [values[np.abs(values - 0.3) > 1e-7] for values in (ours, theirs)]
    assert min(map(len, mutated)) > ROWS / 2
    assert stats.ks_2samp(*mutated).pvalue > 1e-3


def test_children_have_the_distribution_of_pymoos():
    """Bounds are far away, since pymoo adapts the spread to them and the paper's crossover does not."""
    ones = np.ones((ROWS, GENES))
    ours = np.asarray(jax.jit(lambda key: SBX(eta=15.0)(key, jnp.asarray(ones), -jnp.asarray(ones)))(jax.random.key(0)))
    bounds = np.full(GENES, -1e9), np.full(GENES, 1e9)
    prob = [np.full((ROWS, 1), value) for value in (15.0, 1.0, 0.5)]
    parents = np.stack([ones, -ones])
    theirs = cross_sbx(parents, *bounds, *prob, random_state=np.random.default_rng(1))
    spreads = [np.abs(children[0].ravel()) for children in (ours, theirs)]
    crossed = [values[np.abs(values - 1) > 1e-6] for values in spreads]
    assert stats.ks_2samp(*crossed).pvalue > 1e-3
