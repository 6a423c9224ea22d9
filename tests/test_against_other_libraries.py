"""Numbers that other libraries compute, too: ranks, indicators, lattices, statistics, distributions of operators."""

import jax
import jax.numpy as jnp
import moocore
import numpy as np
import pytest
from pymoo.indicators.gd import GD
from pymoo.indicators.hv import HV
from pymoo.indicators.igd import IGD
from pymoo.indicators.igd_plus import IGDPlus
from pymoo.operators.crossover.sbx import cross_sbx
from pymoo.operators.mutation.pm import mut_pm
from pymoo.util.nds.non_dominated_sorting import NonDominatedSorting
from pymoo.util.ref_dirs import get_reference_directions
from scipy import stats

from tensorrvea import PolynomialMutation, Problem, metrics
from tensorrvea.operators import SBX
from tensorrvea.reference_vectors import simplex_lattice
from tensorrvea.selection.dominance import nondominated, rank_rows, ranks
from tensorrvea.study import statistics

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


@pytest.mark.parametrize(("name", "theirs"), [("igd", IGD), ("igd_plus", IGDPlus), ("gd", GD)])
@pytest.mark.parametrize("objectives", [2, 3, 5])
def test_distances_are_those_of_pymoo(name, theirs, objectives):
    rng = np.random.default_rng(objectives)
    f, front = rng.random((40, objectives)), rng.random((70, objectives))
    expected = theirs(front)(f)
    np.testing.assert_allclose(getattr(metrics, name)(f, front), expected, rtol=1e-12)
    on_device = getattr(metrics.device, name)(jnp.asarray(f), jnp.ones(40, bool), jnp.asarray(front))
    np.testing.assert_allclose(on_device, expected, rtol=1e-5)


@pytest.mark.parametrize("objectives", [2, 3, 5])
def test_indicators_and_ranks_are_those_of_moocore(objectives):
    rng = np.random.default_rng(objectives)
    f, front = rng.random((40, objectives)).round(2), rng.random((70, objectives))
    np.testing.assert_allclose(metrics.igd(f, front), moocore.igd(f, front), rtol=1e-12)
    np.testing.assert_allclose(metrics.igd_plus(f, front), moocore.igd_plus(f, front), rtol=1e-12)
    reference = np.full(objectives, 1.1)
    np.testing.assert_allclose(metrics.hypervolume(f, reference), moocore.hypervolume(f, ref=reference), rtol=1e-12)
    np.testing.assert_array_equal(nondominated(f), moocore.is_nondominated(f, keep_weakly=True))
    if objectives <= 3:
        on_device = metrics.device.hypervolume(jnp.asarray(f), jnp.ones(40, bool), jnp.asarray(reference))
        np.testing.assert_allclose(on_device, moocore.hypervolume(f, ref=reference), rtol=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_statistics_are_those_of_scipy(seed):
    rng = np.random.default_rng(seed)
    ours, theirs = rng.normal(size=12).round(1), rng.normal(0.5, 2, size=15).round(1)  # rounded, so that some are equal
    u, p = stats.mannwhitneyu(ours, theirs, alternative="two-sided")
    np.testing.assert_allclose(statistics.rank_sum(ours, theirs), p, rtol=1e-9)
    np.testing.assert_allclose(statistics.effect_size(ours, theirs), u / (12 * 15), rtol=1e-12)
    summary = statistics.summary(ours)
    interval = stats.t.interval(0.95, 11, loc=ours.mean(), scale=stats.sem(ours))
    np.testing.assert_allclose((summary.low, summary.high), interval, rtol=1e-9)
    p_values = rng.random(8) / 20
    in_order = np.argsort(p_values)
    expected = np.maximum.accumulate(np.minimum(1, p_values[in_order] * np.arange(8, 0, -1)))
    np.testing.assert_allclose(np.array(statistics.holm(list(p_values)))[in_order], expected, rtol=1e-12)


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
