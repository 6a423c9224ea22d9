"""Problems: evaluation, encoding, identity and optional abilities."""

import inspect

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

import tensorrvea as tr
from tensorrvea.constraints import total_violation

KEY = jax.random.key(0)


def function(x):
    return jnp.stack([x[0], x.sum()])


def make(**settings) -> tr.Problem:
    return tr.Problem(function, **({"lower": [0.0, 0.0], "upper": [1.0, 1.0], "objectives": 2} | settings))


def evaluate(problem, x):
    f, g = problem.evaluate(KEY, jnp.asarray(x, jnp.float32))
    return np.asarray(f), np.asarray(g)


def test_maximised_objectives_are_negated():
    f, _ = evaluate(make(directions=("max", "min")), [[0.25, 0.5]])
    assert f.tolist() == [[-0.25, 0.75]]
    assert make(directions="max").signs.tolist() == [-1, -1]


def test_each_constraint_has_a_column():
    for constraints in (lambda x: jnp.stack([x[0] - 0.5, 0.25 - x[1], -1.0 + 0 * x[0]]), lambda x: jnp.maximum(x[0] - 0.5, 0.25 - x[1])):  # fmt: skip  # noqa: E501
        _, g = evaluate(make(constraints=constraints), [[0.75, 0.5], [0.5, 0.25], [0.5, 0.0]])
        assert g.max(axis=1).tolist() == [0.25, 0, 0.25]
        assert total_violation(g).tolist() == [0.25, 0, 0.25]
    both = make(constraints=lambda x: jnp.stack([x[0] - 0.5, 0.25 - x[1]]))
    assert evaluate(both, [[1.0, 0.0]])[1].tolist() == [[0.5, 0.25]]
    assert both.constraint_names == ("g1", "g2")
    assert evaluate(make(), [[1.0, 0.0]])[1].shape == (1, 0)
    assert make().constraint_names == ()


def test_functions_may_be_batched_or_stochastic():
    x = np.random.default_rng(0).random((6, 2)).astype(np.float32)
    plain, _ = evaluate(make(), x)
    batched = tr.Problem(lambda x: jnp.stack([x[:, 0], x.sum(axis=1)], axis=1), lower=[0.0, 0], upper=[1.0, 1],
                         objectives=2, batched=True)  # fmt: skip
    np.testing.assert_allclose(evaluate(batched, x)[0], plain, rtol=1e-6)
    noisy = tr.Problem(lambda key, x: function(x) + jax.random.normal(key, (2,)), lower=[0.0, 0], upper=[1.0, 1],
                       objectives=2, stochastic=True)  # fmt: skip
    noise = evaluate(noisy, x)[0] - plain
    assert len(np.unique(noise)) == 12
    # The noise of a row does not depend on the number of rows.
    np.testing.assert_allclose(evaluate(noisy, x[:3])[0] - plain[:3], noise[:3], atol=1e-6)


@pytest.fixture(scope="module")
def encoded() -> tr.Problem:
    """A plain, an integer, a log-scaled, and a log-scaled integer variable."""
    return tr.Problem(
        function, lower=[-1.0, -2, 1e-3, 1], upper=[1.0, 3, 1e3, 100], objectives=2,
        integer=[False, True, False, True], log=[False, False, True, True],
    )  # fmt: skip


def test_encoding_and_decoding_are_inverse(encoded):
    x = np.array([[-1.0, -2, 1e-3, 1], [1.0, 3, 1e3, 100], [0.3, 0, 1.0, 7], [0.1, 1, 50.0, 64]])
    np.testing.assert_allclose(encoded.show(encoded.encode(jnp.asarray(x, jnp.float32))), x, rtol=1e-5)
    lower, upper = encoded.box
    inside = np.asarray(encoded.encode(jnp.asarray(x, jnp.float32)))
    assert ((inside >= lower) & (inside <= upper)).all()


def test_decoded_samples_are_integer_within_the_bounds_and_uniform_on_their_scale(encoded):
    lower, upper = encoded.box
    x = encoded.show(encoded.sample(KEY, 20_000))
    assert ((x >= encoded.lower) & (x <= encoded.upper)).all()
    assert (x[:, [1, 3]] == np.round(x[:, [1, 3]])).all()
    whole = np.bincount((x[:, 1] + 2).astype(int), minlength=6)
    assert stats.chisquare(whole).pvalue > 1e-4
    assert stats.kstest(np.log(x[:, 2]), stats.uniform(np.log(1e-3), np.log(1e6)).cdf).pvalue > 1e-3
    # On a logarithmic scale, the integer k has the probability of [k, k + 1).
    share = np.diff(np.log(np.arange(1, 102))) / np.log(101)
    assert stats.chisquare(np.bincount(x[:, 3].astype(int), minlength=101)[1:], share * 20_000).pvalue > 1e-4
    assert encoded.show(np.array([upper, lower])).tolist() == [[1.0, 3, pytest.approx(1e3), 100], [-1.0, -2, pytest.approx(1e-3), 1]]  # fmt: skip  # noqa: E501


def test_functions_receive_decoded_values(encoded):
    x = encoded.encode(jnp.array([[0.5, 2.0, 10.0, 30.0]]))
    np.testing.assert_allclose(evaluate(encoded, x)[0], [[0.5, 42.5]], rtol=1e-5)


def test_shared_bounds_become_scalars():
    assert [np.ndim(bound) for bound in make().box] == [0, 0]
    assert [np.ndim(bound) for bound in make(upper=[1.0, 2.0]).box] == [1, 1]


def test_a_users_sample_is_clipped_to_the_bounds():
    problem = make(sample=lambda key, n: jax.random.normal(key, (n, 2)))
    x = np.asarray(problem.sample(KEY, 100))
    assert x.min() == 0
    assert x.max() == 1


def test_a_users_sample_is_clipped_before_it_is_encoded():
    def sample(key, n):
        return jnp.array([[-5.0, jnp.nan], [jnp.nan, 3.4], [1e9, -jnp.inf]] * n)[:n]

    problem = make(lower=[1.0, 1.0], upper=[9.0, 9.0], log=[True, False], integer=[False, True], sample=sample)
    np.testing.assert_allclose(problem.show(problem.sample(KEY, 3)), [[1, 1], [1, 3], [9, 1]], rtol=1e-6)


def test_problems_of_equal_parts_are_equal():
    assert make() == make()
    assert hash(make()) == hash(make())
    assert make() != make(upper=[1.0, 2.0])
    assert make() != make(directions="max")
    assert make() != make(integer=[True, False])
    assert make(constraints=function) != make()
    assert tr.problems.DTLZ2(objectives=3, variables=7) == tr.problems.DTLZ2(objectives=3, variables=7)
    assert tr.problems.DTLZ2(objectives=3, variables=7) != tr.problems.DTLZ3(objectives=3, variables=7)
    assert len({make(), make(), make(name="other")}) == 2


def test_names_are_given_or_generated():
    named = make(objective_names=["cost", "time"], units=["€", "s"], variable_names=["a", "b"], name="bridge")
    assert named.objective_names == ("cost", "time")
    assert named.variable_names == ("a", "b")
    assert "bridge" in repr(named)
    assert make().objective_names == ("f1", "f2")
    assert make().variable_names == ("x1", "x2")
    assert make().name == "function"
    assert tr.Problem(lambda x: x[:2], lower=[0.0, 0], upper=[1.0, 1], objectives=2).name == "problem"


def test_callable_objects_are_equal_if_their_state_is():
    class Simulator:
        __hash__ = None

        def __init__(self, shift):
            self.shift = shift

        def __call__(self, x):
            return jnp.stack([x[0] + self.shift, 1 - x[0]])

    def problem(function):
        return tr.Problem(function, lower=[0.0], upper=[1.0], objectives=2)

    one, same, other = Simulator(1.0), Simulator(1.0), Simulator(2.0)
    assert problem(one) == problem(one) == problem(same)
    assert hash(problem(one)) == hash(problem(same))
    assert problem(one) != problem(other)


def test_optional_abilities_are_absent_by_default():
    problem = make()
    assert (problem.host, problem.can_replay, problem.host_constraints, problem.failures) == (False, False, 0, [])
    assert problem.reference_point() is problem.rescore([[0.0, 0.0]]) is problem.replay([0.0, 0.0]) is None
    problem.close()
    with pytest.raises(TypeError, match="only a HostProblem is evaluated on the host; use evaluate for function"):
        problem.evaluate_host(KEY, np.zeros((1, 2)))


# Gentle arguments


def test_objectives_are_counted_by_tracing_or_told_by_names():
    def three(x):
        return x[0], 1 - x[0], x[0] ** 2

    assert tr.Problem(three, lower=[0.0], upper=[1.0]).objectives == 3
    assert (
        tr.Problem(lambda x: jnp.stack([x[:, 0]] * 4, axis=1), lower=[0.0], upper=[1.0], batched=True).objectives == 4
    )
    for told in ({"directions": ("min", "max")}, {"objective_names": ["a", "b"]}, {"units": ["m", "s"]}):
        assert tr.HostProblem(three, lower=[0.0], upper=[1.0], **told).objectives == 2


def test_one_number_is_a_bound_of_all_variables():
    def two(x):
        return x[0], 1 - x[1]

    for arguments in (
        {"lower": 0, "upper": [1.0, 1.0, 1.0]},
        {"lower": [0.0, 0.0, 0.0], "upper": np.float32(1)},
        {"lower": 0.0, "upper": 1.0, "variables": 3},
        {"lower": 0.0, "upper": 1.0, "variable_names": ["a", "b", "c"]},
        {"lower": 0, "upper": 1, "integer": [False, False, True]},
    ):
        problem = tr.Problem(two, **arguments)
        np.testing.assert_array_equal(problem.lower, np.zeros(3))
        np.testing.assert_array_equal(problem.upper, np.ones(3))


def test_a_variable_whose_bounds_are_equal_is_fixed():
    def two(x):
        return x[0] + x[1] + x[2] + x[3], 1 - x[0]

    fixed = {"lower": [0.0, 3.0, 1e9, 7.0], "upper": [1.0, 3.0, 1e9, 7.0]}
    problem = tr.Problem(two, **fixed, integer=[False, False, False, True], log=[False, True, False, False])
    for variation in (tr.GA(), tr.DE(), tr.PSO(), tr.CSO()):
        result = tr.optimize(problem, tr.TensorRVEA(population=8, variation=variation), generations=3, seed=1)
        assert len(result.X) > 0
        np.testing.assert_array_equal(result.X[:, 1:], np.tile([3.0, 1e9, 7.0], (len(result.X), 1)))
    start = tr.optimize(problem, tr.RandomSearch(population=8), generations=1, x=[[0.5, 3.0, 1e9, 7.0]])
    assert (start.population.X[:, 2] == 1e9).all()


# What a person reads


@pytest.mark.parametrize("public", [tr.Problem, tr.HostProblem, tr.optimize, tr.replicate, tr.resume, tr.load])
def test_signatures_can_be_read(public):
    signature = inspect.signature(public)
    assert "Union" not in str(signature)
    for parameter in signature.parameters.values():
        assert len(str(parameter)) <= 100, parameter


def test_completion_shows_what_is_public():
    assert set(dir(tr)) == {*tr.__all__, "__doc__", "__version__"}
    assert tr.compiled  # still there for those who know
