"""Polynomial mutation, in distribution, against the formulas of the paper's supplement."""

import jax
import jax.numpy as jnp
import numpy as np
import oracle
import pytest
from scipy import stats

from tensorrvea import PolynomialMutation, Problem
from tensorrvea.operators.polynomial import mutate, mutated_genes

LOWER, UPPER = -1.0, 3.0


def box(variables: int, *, each: bool = False) -> Problem:
    """A problem of which only the bounds matter; with ``each``, not the same ones for all variables."""
    lower, upper = np.full(variables, LOWER), np.full(variables, UPPER)
    if each:
        upper[0] += 1
    return Problem(lambda x: x[:2], lower=lower, upper=upper, objectives=2)


def mutants(mutation, x: np.ndarray, problem: Problem, seed: int = 0) -> np.ndarray:
    return np.asarray(jax.jit(lambda key, x: mutation(key, x, problem))(jax.random.key(seed), jnp.asarray(x)))


def fits_binomial(counts: np.ndarray, trials: int, probability: float) -> bool:
    """Chi-square of how often each count came, those that are rare together."""
    observed = np.bincount(counts, minlength=trials + 1)
    expected = stats.binom.pmf(np.arange(trials + 1), trials, probability) * len(counts)
    likely = expected > 8
    pair = [np.append(values[likely], values[~likely].sum() + 1e-9) for values in (observed, expected)]
    return bool(stats.chisquare(*pair, sum_check=False).pvalue > 1e-4)


@pytest.mark.parametrize(
    ("variables", "mutation", "rate"),
    [
        (3, PolynomialMutation(probability=1.0), 1 / 3),
        (10, PolynomialMutation(rate=0.1), 0.1),
        (100, PolynomialMutation(probability=0.7), 0.007),
        (100, PolynomialMutation(probability=1.0), 0.01),
    ],
    ids=["few variables", "every gene asked", "only the mutated drawn", "only the mutated drawn, one in the mean"],
)
def test_each_gene_mutates_independently_with_the_same_probability(variables, mutation, rate):
    rows = 20_000
    x = np.full((rows, variables), 0.5, np.float32)
    changed = mutants(mutation, x, box(variables)) != x
    assert fits_binomial(changed.sum(axis=1), variables, rate)
    assert stats.chisquare(changed.sum(axis=0)).pvalue > 1e-4
    # Neighbours in the flat order of genes, over the ends of rows too.
    flat = changed.ravel()
    both = int((flat[:-1] & flat[1:]).sum())
    assert abs(both - flat.size * rate**2) < 5 * np.sqrt(flat.size * rate**2)


@pytest.mark.parametrize(("variables", "each", "rows"), [(8, False, 12_000), (128, False, 10_000), (128, True, 10_000)])
def test_the_size_of_a_mutation_has_the_papers_distribution(variables, each, rows):
    places = LOWER + np.array([0.001, 0.1, 0.5, 0.98], np.float32) * (UPPER - LOWER)
    x = np.repeat(places, rows)[:, None] + np.zeros((1, variables), np.float32)
    mutation = PolynomialMutation(eta=20.0, probability=1.0)
    mutant = mutants(mutation, x, box(variables, each=each), seed=variables)
    u = np.linspace(1e-7, 1, 400_001)
    for number, at in enumerate(places.astype(float)):
        group = slice(number * rows, (number + 1) * rows), slice(1, None)  # the first column may have other bounds
        step = mutant[group].astype(float)[mutant[group] != x[group]] - at
        assert len(step) > 8000
        delta = oracle.polynomial_delta(at, u, LOWER, UPPER, 20.0)
        # Δ grows with M_mut: carried back through the formula, steps are uniform.
        assert (np.diff(delta) >= -1e-12).all()
        back = np.interp(step, delta, u)
        assert stats.kstest(back, "uniform").statistic < 1.95 / np.sqrt(len(step)) + 2e-3, at


@jax.jit
def compiled_mutate(x, u, eta):
    return mutate(x, u, np.float32(LOWER), np.float32(UPPER), eta)


def test_delta_is_the_papers_formula():
    u = np.linspace(0.001, 1, 1001)
    for x in (-1.0, -0.9, 0.3, 2.9, 3.0):
        for eta in (0.0, 5.0, 20.0, 100.0):
            mutant = compiled_mutate(np.full(u.shape, x, np.float32), u.astype(np.float32), eta)
            expected = x + oracle.polynomial_delta(x, u, LOWER, UPPER, eta)
            np.testing.assert_allclose(mutant, expected, atol=2e-5)


def test_no_mutation_leaves_the_bounds_or_is_a_nan():
    corners = np.array([LOWER, np.nextafter(np.float32(LOWER), np.float32(9)), 1.0, UPPER], jnp.float32)
    u = np.array([2.0**-33, 2.0**-20, 0.5, 1 - 2.0**-24, 1.0], jnp.float32)
    for eta in (0.0, 20.0, 1000.0):
        mutant = compiled_mutate(np.repeat(corners, len(u)), np.tile(u, len(corners)), eta)
        assert ((mutant >= LOWER) & (mutant <= UPPER)).all(), eta


@pytest.mark.parametrize("variables", [10, 100])
def test_a_rate_of_zero_changes_nothing_and_of_one_everything(variables):
    x = np.random.default_rng(0).uniform(LOWER, UPPER, (50, variables)).astype(np.float32)
    np.testing.assert_array_equal(mutants(PolynomialMutation(probability=0.0), x, box(variables)), x)
    np.testing.assert_array_equal(mutants(PolynomialMutation(rate=0.0), x, box(variables)), x)
    assert (mutants(PolynomialMutation(rate=1.0, eta=1.0), x, box(variables)) != x).mean() > 0.99


def test_gaps_between_mutated_genes_are_geometric():
    genes, rate = 2_000_000, 0.004
    row, column = jax.jit(lambda key: mutated_genes(key, 8000, 250, rate))(jax.random.key(3))
    gene = np.asarray(row) * 250 + np.asarray(column)
    inside = gene[gene < genes]
    assert (np.diff(inside) > 0).all()
    assert abs(len(inside) - genes * rate) < 5 * np.sqrt(genes * rate)
    gaps = np.diff(inside, prepend=-1)
    edges = np.unique(stats.geom.ppf(np.linspace(0, 1, 41)[1:-1], rate))
    observed = np.bincount(np.searchsorted(edges, gaps), minlength=len(edges) + 1)
    expected = np.diff(np.concatenate([[0], stats.geom.cdf(edges, rate), [1]])) * len(gaps)
    assert stats.chisquare(observed, expected).pvalue > 1e-4
    # What is past the end is distinct, so that nothing is written twice.
    assert len(np.unique(gene)) == len(gene)


def test_a_short_row_of_genes_ends_where_it_ends():
    gene = np.asarray(jax.jit(lambda key: mutated_genes(key, 5, 1, 0.9))(jax.random.key(0))[0])
    assert (np.diff(gene) > 0).all()
    assert set(gene[gene < 5]) <= set(range(5))


@pytest.mark.parametrize("most_genes", [2**31, 1])
def test_more_rows_do_not_change_what_the_first_draw(most_genes, monkeypatch):
    monkeypatch.setattr("tensorrvea.operators.polynomial.MANY_GENES", most_genes)
    problem = Problem(lambda x: x[:2], lower=[0.0] * 4, upper=[1.0] * 4, objectives=2)
    x, mutation = jnp.full((16, 4), 0.3), PolynomialMutation(probability=1.0)
    alone = mutation(jax.random.key(1), x[:10], problem)
    assert (alone != 0.3).any()
    np.testing.assert_array_equal(mutation(jax.random.key(1), x, problem)[:10], alone)


@pytest.mark.parametrize(("n", "d", "rate"), [(1, 1, 1.0), (7, 3, 0.3), (500, 40, 1 / 40), (50, 9, 0.001), (9, 2, 0.5)])
def test_genes_that_are_too_many_to_number_are_those_of_the_flat_order(n, d, rate, monkeypatch):
    few = mutated_genes(jax.random.key(5), n, d, rate)
    monkeypatch.setattr("tensorrvea.operators.polynomial.MANY_GENES", 1)
    many = mutated_genes(jax.random.key(5), n, d, rate)
    inside = np.asarray(few[0]) < n
    assert (inside == (np.asarray(many[0]) < n)).all()
    for expected, found in zip(few, many, strict=True):
        np.testing.assert_array_equal(np.asarray(found)[inside], np.asarray(expected)[inside])
    # Rows past the end are distinct and in order, as the write that drops them requires.
    assert (np.diff(np.asarray(many[0])[~inside]) > 0).all()


@pytest.mark.parametrize("variables", [7, 12, 49])
def test_a_gate_that_just_opens_makes_no_nan(variables, monkeypatch):
    """The word that is exactly the rate: u / rate must not be more than 1, whatever division is compiled to."""
    rate = np.float32(0.7 / variables)
    near = [rate, np.nextafter(rate, np.float32(0)), np.nextafter(rate, np.float32(1))]
    monkeypatch.setattr("tensorrvea.operators.polynomial.unit", lambda _: jnp.tile(jnp.array(near), (variables, 1)).T)
    problem = box(variables)
    x = np.full((3, variables), LOWER, np.float32)
    mutation = PolynomialMutation(rate=float(rate))
    mutant = jax.jit(lambda x: mutation(jax.random.key(0), x, problem))(x)
    assert np.isfinite(mutant).all()
