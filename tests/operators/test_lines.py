"""Lines: the formula of a move, who moves, and where anchors come from."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from breeding import breed
from scipy import stats

import tensorrvea as tr
from tensorrvea import CSO, DE, GA, PSO, Lines, PolynomialMutation, Problem, Random, TwoStageCSO
from tensorrvea.operators.cso import Competitor
from tensorrvea.operators.lines import Bred, line_factor, move_block
from tensorrvea.population import Offspring, evaluated

UNMUTATED = PolynomialMutation(rate=0.0)
GENES = 40


def box(variables: int = GENES) -> Problem:
    return Problem(lambda x: x[:2], lower=[-1.0] * variables, upper=[3.0] * variables, objectives=2)


def survivors_with(x, memory=(), on_line=2):
    """All bred on a line, unless said otherwise, so that without a least probability all offspring are."""
    bred = Bred(jnp.broadcast_to(jnp.asarray(on_line, jnp.int32), (len(x),)), memory)
    return evaluated(Offspring(jnp.asarray(x, jnp.float32), bred), jnp.ones((len(x), 2)))


def breed_lines(variation, survivors, offspring, key=0):
    parents = jnp.zeros(variation.num_parents(offspring), jnp.int32)
    score = jnp.zeros(len(survivors.alive))
    return breed(jax.random.key(key), variation, survivors, parents, score, problem=box(), offspring=offspring)


def test_a_block_moves_as_in_a_loop_over_variables():
    generator = np.random.default_rng(3)
    n, d = 50, 17
    x, anchor = generator.normal(size=(2, n, d)).astype(np.float32)
    factor = generator.uniform(0, 3, (n, 1)).astype(np.float32)
    start, length = generator.integers(0, d, (n, 1)), generator.integers(1, 2 * d + 1, (n, 1))
    expected = x.copy()
    for i in range(n):
        for step in range(min(int(length[i, 0]), d)):
            j = (int(start[i, 0]) + step) % d
            expected[i, j] = anchor[i, j] + factor[i, 0] * (x[i, j] - anchor[i, j])
    moved = jax.jit(move_block)(x, anchor, factor, start, length)
    np.testing.assert_allclose(moved, expected, rtol=1e-5, atol=1e-6)


def test_the_logarithm_of_the_factor_is_symmetric():
    generator = np.random.default_rng(4)
    u, s = generator.uniform(0, 1, (2, 20_000)).astype(np.float32)
    factor = np.asarray(jax.jit(line_factor)(u, s))
    np.testing.assert_allclose(factor, ((1 - u.astype(float)) / u) ** s, rtol=1e-4, atol=1e-6)
    assert stats.binomtest(int((factor > 1).sum()), len(factor), 0.5).pvalue > 1e-3
    assert stats.ks_2samp(np.log(factor), -np.log(factor)).pvalue > 1e-3


def test_the_smallest_and_largest_draws_give_finite_factors():
    factor = np.asarray(jax.jit(line_factor)(jnp.array([1.0, 1.0, 2.0**-33]), jnp.array([2.0**-33, 1.0, 1.0])))
    assert (factor >= 0).all()
    assert np.isfinite(factor).all()


def test_half_of_the_blocks_are_the_whole_and_the_others_are_uniformly_long():
    # With all lines from the lower corner, a variable has moved if it is not 1.
    bred = breed_lines(Lines(base=GA(), least=0.0, corners=1.0), survivors_with(np.ones((3, GENES))), 4000)
    count = (np.asarray(bred.x) != 1).sum(axis=1)
    is_whole = count == GENES
    # A length of d is one more way to be the whole.
    assert stats.binomtest(int(is_whole.sum()), 4000, 0.5 + 0.5 / GENES).pvalue > 1e-3
    observed = np.bincount(count[~is_whole], minlength=GENES)[1:GENES]
    assert stats.chisquare(observed).pvalue > 1e-3
    # Consecutive, counting the first after the last: at most two changes round the circle.
    changed = np.asarray(bred.x) != 1
    assert ((changed != np.roll(changed, 1, axis=1)).sum(axis=1) <= 2).all()


def test_anchors_are_corners_or_living_survivors_with_the_given_probabilities():
    x = np.array([[1.0] * GENES, [2.0] * GENES, [0.0] * GENES])
    survivors = survivors_with(x)._replace(alive=jnp.array([True, True, False]))
    variation = Lines(corners=0.5)
    anchors = jax.jit(lambda key: variation.choose_anchors(key, survivors, box(), 8000))(jax.random.key(2))
    assert (np.asarray(anchors) == np.asarray(anchors)[:, :1]).all()
    counts = [int((np.asarray(anchors)[:, 0] == value).sum()) for value in (-1.0, 3.0, 1.0, 2.0)]
    assert sum(counts) == 8000
    assert stats.chisquare(counts).pvalue > 1e-3


def test_offspring_on_lines_stay_on_the_line_within_the_bounds():
    generator = np.random.default_rng(5)
    x = generator.uniform(-1, 3, (1, GENES))
    moved = np.asarray(breed_lines(Lines(base=GA(), least=0.0, corners=1.0), survivors_with(x), 500).x)
    parent = x.astype(np.float32)[0]
    assert (moved >= -1).all()
    assert (moved <= 3).all()
    for child in moved:
        inside = (child != parent) & (child > -1) & (child < 3)
        for corner in (-1, 3):
            factor = (child[inside] - corner) / (parent[inside] - corner)
            if not inside.any() or np.ptp(factor) <= 1e-3 * max(1, factor.max()):
                break
        else:
            pytest.fail("an offspring is on no line through a corner")


@pytest.mark.parametrize(
    ("on_line", "least", "expected"),
    [
        ([2, 2, 0, 0, 0, 0, 0, 0], 0.1, 0.25),
        ([1] * 8, 0.1, 0.5),
        ([0] * 8, 0.1, 0.1),
        ([2] * 8, 0.1, 0.9),
        ([2] * 8, 0.5, 0.5),
        ([0] * 8, 0.0, 0.0),
    ],
)
def test_the_probability_of_a_line_is_the_share_of_survivors_bred_on_one(on_line, least, expected):
    x = np.random.default_rng(6).uniform(-1, 3, (8, GENES))
    survivors = survivors_with(x, Competitor(jnp.ones((8, GENES))), on_line)
    bred = breed_lines(Lines(base=CSO(mutation=UNMUTATED), least=least, corners=1.0), survivors, 4000)
    is_on_line = np.asarray(bred.memory.on_line) == 2
    assert set(np.unique(bred.memory.on_line).tolist()) <= {0, 2}
    assert stats.binomtest(int(is_on_line.sum()), 4000, expected).pvalue > 1e-3
    # Offspring on lines have the velocity of their first parent; the base has changed the others.
    np.testing.assert_array_equal((np.asarray(bred.memory.base.velocity) == 1).all(axis=1), is_on_line)


def test_dead_rows_do_not_count_for_the_probability():
    memory = Bred(jnp.array([2, 0, 2, 2], jnp.int32), ())
    assert float(Lines().share(memory, jnp.array([True, True, False, False]))) == 0.5
    assert float(Lines().share(memory, jnp.zeros(4, bool))) == pytest.approx(0.1)


@pytest.mark.parametrize(
    "base", [GA(), DE(), PSO(), CSO(), TwoStageCSO(), Random()], ids=lambda base: type(base).__name__
)
def test_every_operator_can_be_the_base_for_odd_and_even_numbers(base):
    variation = Lines(base=base)
    for count in (7, 8):
        x = np.random.default_rng(count).uniform(-1, 3, (count, GENES)).astype(np.float32)
        memory = variation.init_memory(jnp.asarray(x), 2)
        bred = breed_lines(variation, survivors_with(x, memory.base, memory.on_line), count)
        assert len(bred.x) >= count
        assert np.isfinite(bred.x).all()


def test_a_base_that_is_no_operator_is_refused():
    with pytest.raises(TypeError, match="base takes an operator"):
        Lines(base="GA")
    with pytest.raises(ValueError, match="least must be a finite number in"):
        Lines(least=0.6)


def test_lines_find_a_front_at_the_bounds_of_a_thousand_variables():
    problem = tr.problems.ZDT1(variables=1000)
    found = {}
    for variation in (CSO(), Lines()):
        result = tr.optimize(problem, tr.TensorRVEA(population=50, variation=variation), generations=40, seed=1)
        found[type(variation).__name__] = tr.metrics.igd(result.F, problem.front(500))
    assert found["Lines"] < 0.05
    assert found["CSO"] > 10 * found["Lines"]
