"""Constraints: each value in the row, how violations compare, equalities, and slips in a user's function."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tensorrvea as tr
from tensorrvea.constraints import Limits, total_violation
from tensorrvea.decision import binding
from tensorrvea.evolution import Clock
from tensorrvea.population import Offspring


def design(x):
    return jnp.stack([x[0], 1 - x[0] + x[1]])


def make(**settings) -> tr.Problem:
    return tr.Problem(design, **({"lower": [0.0, 0.0], "upper": [1.0, 1.0], "objectives": 2} | settings))


# The sum of violations


def test_violations_are_relative_to_the_largest_of_each_constraint():
    g = np.array([[1e6, 0.0], [5e5, 0.25], [-1.0, 0.5], [-3.0, -1.0]])
    largest = np.array([1e6, 0.5])
    for namespace in (np.asarray, jnp.asarray):
        np.testing.assert_allclose(total_violation(namespace(g), namespace(largest)), [1.0, 1.0, 1.0, 0.0], rtol=1e-6)
        np.testing.assert_allclose(total_violation(namespace(g)), [1e6, 5e5 + 0.25, 0.5, 0.0], rtol=1e-6)


def test_a_violation_is_zero_only_where_all_constraints_are_kept():
    # Divided by the largest, the first would round to zero.
    g = jnp.array([[1e-30, -1.0], [0.0, -1.0]], jnp.float32)
    violation = total_violation(g, jnp.array([1e30, 1.0], jnp.float32))
    assert violation[0] > 0
    assert violation[1] == 0
    assert np.isfinite(total_violation(jnp.full((1, 3), 3e38, jnp.float32))).all()


def test_the_largest_violation_is_that_of_all_living_individuals_so_far():
    rule = tr.ConstraintRule()
    limits = rule.start(2, 0, jnp.float32)
    for g, alive in (([[4.0, -1.0], [9.0, 8.0]], [True, False]), ([[1.0, 2.0], [3.0, -5.0]], [True, True])):
        limits = rule.observe(limits, jnp.array(g), jnp.array(alive), jnp.array(False))
    np.testing.assert_array_equal(limits.largest, [4.0, 2.0])
    assert limits.level == ()
    assert rule.start(0, 0, jnp.float32) == ()


def survivor(rule: tr.ConstraintRule) -> list[float]:
    """Return the constraint values of the better of two infeasible individuals: by a limit in pascal, and in metres."""
    problem = make(constraints=lambda x: jnp.stack([x[0], x[1]]))
    algorithm = tr.NSGA2(population=2, constraint_rule=rule)
    state, offspring = algorithm.init(jax.random.key(0), problem)
    first = jnp.array([[1e6, -1.0], [-1.0, 1.0]])
    state = algorithm.tell(jax.random.key(0), state, offspring, jnp.zeros((2, 2)), first, Clock(0.0, 0.0))
    rows, f, g = Offspring(jnp.zeros((2, 2))), jnp.zeros((2, 2)), jnp.array([[1e3, -1.0], [-1.0, 0.5]])
    state = algorithm.tell(jax.random.key(1), state, rows, f, g, Clock(0.1, 0.0))
    return np.asarray(state.population.g)[np.argmin(state.score)].tolist()


def test_a_limit_in_pascal_does_not_drown_one_in_metres():
    # A thousandth of the largest violation is better than half of it; the plain sum compares 1000 with 0.5.
    with jax.disable_jit():
        assert survivor(tr.ConstraintRule()) == [1e3, -1.0]
        assert survivor(tr.ConstraintRule(relative=False)) == [-1.0, 0.5]


# The ε rule


def test_the_level_is_the_violation_at_a_share_of_the_first_population():
    rule = tr.ConstraintRule(epsilon=0.5, until=0.8, power=2.0)
    limits = rule.start(1, 0, jnp.float32)
    g = jnp.array([[4.0], [1.0], [-1.0], [2.0], [8.0]])
    limits = rule.observe(limits, g, jnp.array([True, True, True, True, False]), jnp.array(True))
    # Of four living rows, the second smallest: 1 of the largest, 4.
    assert float(limits.level) == 0.25
    again = rule.observe(limits, g / 2, jnp.ones(5, bool), jnp.array(False))
    assert float(again.level) == 0.25


def test_the_level_shrinks_to_zero():
    rule = tr.ConstraintRule(epsilon=0.5, until=0.8, power=2.0)
    limits = Limits(jnp.ones(1), jnp.array(0.4))
    violation = jnp.array([0.0, 0.1, 0.2, 0.5])
    # ε(t) = 0.4 (1 − t / 0.8)²: 0.4, 0.1 and 0.
    for progress, kept in ((0.0, [0, 0, 0, 0.5]), (0.4, [0, 0, 0.2, 0.5]), (0.8, [0, 0.1, 0.2, 0.5])):
        np.testing.assert_allclose(rule.relax(limits, violation, jnp.array(progress)), kept, rtol=1e-6)


def test_equalities_are_relaxed_at_first_unless_the_rule_says_otherwise():
    for rule, equalities, relaxed in (
        (tr.ConstraintRule(), 0, False), (tr.ConstraintRule(), 1, True), (tr.ConstraintRule(epsilon=0.1), 0, True)
    ):  # fmt: skip
        assert isinstance(rule.start(2, equalities, jnp.float32).level, tuple) != relaxed


def test_wrong_rules_are_rejected():
    for wrong in ({"epsilon": 1.5}, {"until": 0.0}, {"power": -1.0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            tr.ConstraintRule(**wrong)
    with pytest.raises(TypeError, match="relative takes True or False"):
        tr.ConstraintRule(relative=1)
    with pytest.raises(TypeError, match=r"constraint_rule takes a ConstraintRule, got 0\.1"):
        tr.NSGA2(population=4, constraint_rule=0.1)


def test_an_equality_ends_in_a_front_and_not_in_a_point():
    problem = tr.Problem(
        lambda x: jnp.stack([x[0], 1 - x[0] + x[2] ** 2]), lower=[0.0] * 3, upper=[1.0] * 3, objectives=2,
        equalities=lambda x: x[0] + x[1] - 1,
    )  # fmt: skip
    result = tr.optimize(problem, tr.NSGA2(population=60), generations=150, seed=1)
    assert len(result.F) > 20
    np.testing.assert_array_less(np.abs(result.X[:, 0] + result.X[:, 1] - 1), 1.1e-4)
    assert np.ptp(result.F[:, 0]) > 0.4
    assert (result.G <= 0).all()
    assert problem.constraint_names == ("h1",)


# What a run shows


@pytest.fixture(scope="module")
def result() -> tr.Result:
    problem = make(
        constraints=lambda x: jnp.stack([x[0] - 0.5, 0.1 - x[1]]), constraint_names=["width", "height"],
        objective_names=["a", "b"], variable_names=["w", "h"],
    )  # fmt: skip
    return tr.optimize(problem, tr.NSGA2(population=20), generations=60, seed=2, archive=10, history="populations")


def test_a_result_has_the_value_of_each_constraint(result):
    for found in (result, result.population, result.archive, result.history.populations[3]):
        expected = np.column_stack([found.X[:, 0] - 0.5, 0.1 - found.X[:, 1]])
        np.testing.assert_allclose(found.G, expected, atol=1e-6)
        np.testing.assert_allclose(found.violation, np.maximum(expected, 0).sum(axis=1), atol=1e-6)
    assert (result.G <= 0).all()
    # The second limit binds all along the front: less height is better.
    assert result.binding(0.05)[:, 1].mean() > 0.9
    assert not result.binding(0.05)[:, 0].all()


def test_a_table_has_a_column_per_constraint(result):
    pytest.importorskip("pandas")
    table = result.to_dataframe()
    assert list(table.columns) == ["w", "h", "a", "b", "width", "height", "violation"]
    np.testing.assert_array_equal(table[["width", "height"]], result.G)


def test_binding_is_relative_to_the_largest_slack():
    g = [[-10.0, -3.0, -np.inf], [-0.05, -2.0, -1.0], [0.2, -1.0, -1.0]]
    np.testing.assert_array_equal(binding(g)[:, :2], [[False, False], [True, False], [True, False]])


def test_a_limit_with_slack_left_does_not_bind_however_wildly_others_violated_it():
    # The second limit, 1 / h ≤ 1000, is kept with 90 % of slack by all of the front. A design at the bound violates it
    # by a factor of 1000, and binding relative to that would mean nothing.
    problem = tr.Problem(
        lambda x: jnp.stack([x[0] + x[1], 1 - x[0] + x[1]]), lower=[0.0, 1e-6], upper=[1.0, 1.0], objectives=2,
        constraints=lambda x: jnp.stack([0.01 - x[1], 1 / x[1] - 1000]),
    )  # fmt: skip
    designs = np.array([[0.2, 0.01], [0.8, 0.0101]])
    np.testing.assert_array_equal(
        binding(problem(designs).G, scale=problem.constraint_scale), [[True, False], [True, False]]
    )
    # The median of uniform designs: h = 1/2.
    np.testing.assert_allclose(problem.constraint_scale, [0.49, 998], rtol=0.1)


def test_names_of_constraints_are_checked():
    with pytest.raises(ValueError, match="constraint_names takes 1 strings, one per constraint, got"):
        make(constraints=lambda x: x[0], constraint_names=["a", "b"])
    with pytest.raises(ValueError, match="must all differ"):
        make(constraints=lambda x: x[0], constraint_names=["x1"])
    algorithm = tr.NSGA2(population=2)
    state, offspring = algorithm.init(jax.random.key(0), make())
    with pytest.raises(ValueError, match="g must have 0 columns, one for each constraint of the problem, got 1"):
        algorithm.tell(jax.random.key(0), state, offspring, jnp.zeros((2, 2)), jnp.zeros(2), Clock(0.0, 0.0))


# A design, evaluated


def both_kinds(**settings) -> list[tr.Problem]:
    known = {
        "lower": [0.1, 1.0], "upper": [10.0, 5.0], "objectives": 2, "directions": ("max", "min"),
        "log": [True, False], "integer": [False, True],
    }  # fmt: skip

    def values(x):
        return x[0] * x[1], x[0] + x[1]

    def limits(x):
        return x[0] - 2

    def equal(x):
        return x[1] - 3 * x[0], x[0] - 1

    host = tr.HostProblem(values, constraints=limits, equalities=equal, equality_tolerance=0.5, **known, **settings)
    device = tr.Problem(
        lambda x: jnp.stack(values(x)), constraints=limits, equalities=lambda x: jnp.stack(equal(x)),
        equality_tolerance=0.5, **known, **settings,
    )  # fmt: skip
    return [host, device]


@pytest.mark.parametrize("problem", both_kinds(), ids=["host", "device"])
def test_calling_a_problem_evaluates_designs_in_the_users_values(problem):
    F, G, feasible = problem([[1.25, 4.0], [3.0, 1.0]])
    np.testing.assert_allclose(F, [[5.0, 5.25], [3.0, 4.0]], rtol=1e-6)
    np.testing.assert_allclose(G, [[-0.75, -0.25, -0.25], [1.0, 7.5, 1.5]], rtol=1e-5)
    assert feasible.tolist() == [True, False]
    one = problem([1.25, 4.0])
    assert (one.F.shape, one.G.shape, bool(one.feasible)) == ((2,), (3,), True)
    assert problem.constraint_names == ("g1", "h1", "h2")
    assert (problem.num_constraints, problem.num_equalities) == (3, 2)
    with pytest.raises(ValueError, match=r"x must be within the bounds, got 11.0 outside \[0.1, 10.0\] for variable 0"):
        problem([11.0, 1.0])
    with pytest.raises(ValueError, match="x must have 2 values, one per variable, got 3"):
        problem([1.0, 1.0, 1.0])


def test_problems_with_other_equalities_differ():
    one, two = (make(equalities=lambda x, a=a: x[0] - a) for a in (0.1, 0.2))
    assert one != two
    assert make(equalities=design, equality_tolerance=1e-3) != make(equalities=design, equality_tolerance=1e-4)


def test_a_host_function_of_constraints_is_called_once_to_count_them():
    calls = []

    def limits(x):
        calls.append(x)
        return x[0] - 1, x[0] - 2

    problem = tr.HostProblem(lambda x: (x[0], 1.0), lower=[0.0], upper=[4.0], objectives=2, constraints=limits)
    assert not calls
    assert problem.num_constraints == 2
    assert [x.tolist() for x in calls] == [[2.0]]
    named = tr.HostProblem(
        lambda x: (x[0], 1.0), lower=[0.0], upper=[4.0], objectives=2, constraints=limits, constraint_names=["a", "b"]
    )
    assert named.num_constraints == 2
    assert len(calls) == 1
    broken = tr.HostProblem(lambda x: (x[0], 1.0), lower=[0.0], upper=[4.0], objectives=2, constraints=lambda _: 1 / 0)
    with pytest.raises(ValueError, match=r"could not be counted .*ZeroDivisionError.*give constraint_names"):
        _ = broken.num_constraints


# Slips in a user's function

SLIPS = {
    "an index": lambda x: jnp.stack([x[0], x[7]]),
    "a negative index": lambda x: jnp.stack([x[0], x[-3]]),
    "an array of indices": lambda x: x[jnp.array([0, 2])],
    "a NumPy array of indices": lambda x: x[np.array([0, 2])],
    "a range": lambda x: x[jnp.arange(3)][:2],
    "compiled": jax.jit(lambda x: jnp.stack([x[0], x[2]])),
    "an update": lambda x: x.at[2].set(1.0),
    "another type": lambda x: jnp.stack([x[0], x.astype(jnp.float16)[2]]),
}


@pytest.mark.parametrize("function", SLIPS.values(), ids=SLIPS)
def test_an_index_beyond_the_variables_is_found_when_the_problem_is_made(function):
    message = r"function uses x beyond its variables.* is out of range for 2 variables \(test_constraints.py, line \d+"
    with pytest.raises(ValueError, match=message):
        tr.Problem(function, lower=[0.0, 0.0], upper=[1.0, 1.0], objectives=2)


def test_slips_are_found_in_constraints_and_in_batched_and_stochastic_functions():
    with pytest.raises(ValueError, match=r"constraints uses x beyond its variables.*index 2 "):
        make(constraints=lambda x: x[2] - 1)
    with pytest.raises(ValueError, match=r"equalities uses x beyond its variables.*index -4 "):
        make(equalities=lambda x: x[-4])
    bounds = {"lower": [0.0, 0.0], "upper": [1.0, 1.0], "objectives": 2}
    with pytest.raises(ValueError, match="index 3 is out of range"):
        tr.Problem(lambda x: jnp.stack([x[:, 0], x[:, 3]], 1), batched=True, **bounds)
    with pytest.raises(ValueError, match="index 4 is out of range"):
        tr.Problem(lambda key, x: jnp.stack([x[0], x[4]]) + jax.random.normal(key), stochastic=True, **bounds)


def test_indices_within_range_are_accepted():
    for function in (
        lambda x: jnp.stack([x[-2], x[1]]),
        lambda x: x[1:5].repeat(2),
        lambda x: x[jnp.array([1, -1])],
        lambda x: jnp.where(x[::-1] > 0, x.at[1].get(), jnp.arange(9.0)[7]),
    ):
        tr.Problem(function, lower=[0.0, 0.0], upper=[1.0, 1.0], objectives=2)


def test_a_name_error_is_told_as_such_with_its_line():
    with pytest.raises(TypeError, match=r"function raised NameError: .*undefined.* \(test_constraints.py, line \d+\)"):
        tr.Problem(lambda x: undefined(x), lower=[0.0], upper=[1.0], objectives=2)
    with pytest.raises(TypeError, match=r"\(test_constraints.py, line \d+\); if it is not .* use HostProblem"):
        tr.Problem(lambda x: (float(x[0]), 1.0), lower=[0.0], upper=[1.0], objectives=2)


def test_shapes_that_do_not_match_are_told_with_their_line():
    with pytest.raises(TypeError, match=r"shapes=\[\(2,\), \(3,\).* \(test_constraints.py, line \d+\)"):
        tr.Problem(lambda x: jnp.where(x > 0, jnp.ones(3), x), lower=[0.0] * 2, upper=[1.0] * 2, objectives=2)
