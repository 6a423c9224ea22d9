"""HostProblem in this process: values, constraints, failures and errors."""

import datetime

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tensorrvea.host import HostProblem

KEY = jax.random.key(0)


def schaffer(x):
    return x[0] ** 2, (x[0] - 2) ** 2


def batched_schaffer(x):
    return np.stack([x[:, 0] ** 2, (x[:, 0] - 2) ** 2], axis=1)


def make(function=schaffer, **arguments):
    return HostProblem(function, **({"lower": [-3.0], "upper": [3.0], "objectives": 2} | arguments))


X = np.array([[-1.0], [0.5], [3.0]])
F = np.array([[1.0, 9.0], [0.25, 2.25], [9.0, 1.0]])


def test_values_agree_with_hand_computed_ones():
    for problem in (make(), make(batched_schaffer, batched=True)):
        f, g = problem.evaluate_host(KEY, X)
        np.testing.assert_array_equal(f, F)
        assert g.shape == (len(X), 0)
        assert f.dtype == g.dtype == np.float64


def test_maximised_objectives_are_negated():
    f, _ = make(directions=("max", "min")).evaluate_host(KEY, X)
    np.testing.assert_array_equal(f, F * [-1, 1])


@pytest.mark.parametrize("batched", [False, True])
def test_each_constraint_has_a_column(batched):
    def limits(x):
        return np.stack([x[..., 0], -x[..., 0] - 0.5], axis=-1)

    function = batched_schaffer if batched else schaffer
    problem = make(function, constraints=limits, batched=batched)
    _, g = problem.evaluate_host(KEY, X)
    np.testing.assert_array_equal(g, limits(X))
    assert problem.constraint_names == ("g1", "g2")


@pytest.mark.parametrize("batched", [False, True])
def test_the_function_may_return_constraints_after_the_objectives(batched):
    def simulate(x):
        x = x[..., 0]
        return np.stack([x**2, (x - 2) ** 2, x, -x - 0.5], axis=-1)

    f, g = make(simulate, constraints=2, batched=batched).evaluate_host(KEY, X)
    np.testing.assert_array_equal(f, F)
    np.testing.assert_array_equal(g, np.column_stack([X, -X - 0.5]))
    with pytest.raises(ValueError, match=r"function must give shape \((3, )?3,?\) .* got shape \((3, )?4,?\)"):
        make(simulate, constraints=1, batched=batched).evaluate_host(KEY, X)
    assert make(simulate, constraints=1) != make(simulate, constraints=2)


def test_a_single_constraint_may_be_a_number():
    _, g = make(constraints=lambda x: x[0]).evaluate_host(KEY, X)
    np.testing.assert_array_equal(g, X)


def test_the_function_receives_float64_inside_the_users_bounds():
    seen = []

    def observe(x):
        seen.append(x.copy())
        return x[0], -x[0]

    problem = make(observe, lower=[0.1, 1, 1e-7], upper=[0.7, 5, 10.0], integer=[False, True, False],
                   log=[False, False, True])  # fmt: skip
    lower, upper = problem.box
    # float32(0.1) is above 0.1 and float32(0.7) below: the corners of the search space must still be inside.
    f, g = problem.evaluate(KEY, jnp.stack([lower, upper, problem.sample(KEY, 1)[0]]))
    seen = np.stack(seen)
    assert seen.dtype == np.float64
    assert (seen >= problem.lower).all()
    assert (seen <= problem.upper).all()
    np.testing.assert_array_equal(seen[:, 1], np.round(seen[:, 1]))
    np.testing.assert_allclose(seen[:2, 2], [1e-7, 10], rtol=1e-5)
    assert f.shape == (3, 2)
    assert g.shape == (3, 0)


def test_an_in_place_function_does_not_change_the_population():
    def in_place(x):
        x *= 2
        return x[0], 1 - x[0]

    x = X.copy()
    make(in_place, constraints=lambda x: x[0] - 10).evaluate_host(KEY, x)
    np.testing.assert_array_equal(x, X)


@pytest.mark.parametrize("batched", [False, True])
def test_an_exception_fails_only_that_individual(batched):
    def fails_above_two(x):
        if (x > 2).any():
            raise RuntimeError("no convergence")
        return batched_schaffer(x) if batched else schaffer(x)

    problem = make(fails_above_two, batched=batched)
    f, g = problem.evaluate_host(KEY, X)
    np.testing.assert_array_equal(f[:2], F[:2])
    assert np.isnan(f[2]).all()
    assert g.shape == (3, 0)
    ((message, count),) = problem.failures
    assert message.startswith("RuntimeError: no convergence (test_host_problem.py:")
    assert count == 1


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_nan_and_infinite_values_are_failures(value):
    problem = make(lambda x: (x[0], value if x[0] > 0 else 1.0))
    f, _ = problem.evaluate_host(KEY, X)
    np.testing.assert_array_equal(np.isnan(f).all(axis=1), [False, True, True])
    assert problem.failures == [("gave NaN or an infinite number", 2)]


def test_a_nan_constraint_is_a_failure():
    problem = make(constraints=lambda _: np.nan)
    f, g = problem.evaluate_host(KEY, X)
    assert np.isnan(g).all()
    assert np.isnan(f).all()
    assert problem.failures == [("gave NaN or an infinite number", 3)]


def test_distinct_messages_are_counted_up_to_a_limit():
    def always_different(x):
        raise ValueError(f"at {x[0]:.6f}")

    problem = make(always_different)
    problem.evaluate_host(KEY, np.linspace(-3, 3, 150)[:, None])
    assert len(problem.failures) == 101
    assert problem.failures[0][0].startswith("ValueError: at -3.000000")
    assert problem.failures[-1][1] == 50


def test_a_keyboard_interrupt_propagates():
    def interrupted(x):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make(interrupted).evaluate_host(KEY, X)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"function": lambda _: (1.0, 2.0, 3.0)},
            r"function must give shape \(2,\) for x of shape \(1,\), got shape \(3,\)",
        ),
        (
            {"function": lambda x: x, "batched": True},
            r"function must give shape \(3, 2\) for x of shape \(3, 1\), got shape \(3, 1\)",
        ),
        ({"function": lambda _: None}, "function must give numbers, got None"),
        ({"function": lambda _: "ab"}, "function must give real numbers, got 'ab'"),
        ({"function": lambda _: ("1.5", 2.0)}, "function must give real numbers, got "),
        ({"function": lambda _: (b"1.5", 2.0)}, "function must give real numbers, got "),
        ({"function": lambda _: (1.5 + 1j, 2.0)}, "function must give real numbers, got "),
        ({"function": lambda _: (1.5, datetime.date(2024, 1, 2))}, "function must give real numbers, got "),
        (
            {"function": lambda _: np.array(["2024-01-02"] * 2, "datetime64[D]")},
            "function must give real numbers, got ",
        ),
        ({"function": lambda _: np.ma.masked_array([1.0, 2.0], [True, False])}, "real numbers, without a mask, got "),
        ({"constraints": lambda _: 1j}, "constraints must give real numbers, got "),
        (
            {"constraints": lambda _: [[1.0]]},
            r"constraints must give shape \(\) or \(c,\), got shape \(1, 1\)",
        ),
    ],
)
def test_invalid_outputs_are_errors(arguments, message):
    with pytest.raises(ValueError, match=message):
        make(**arguments).evaluate_host(KEY, X)


def test_functions_are_not_called_when_the_problem_is_made():
    def never(x):
        raise AssertionError

    make(never, constraints=never)


def test_problems_made_of_equal_parts_are_equal():
    assert make() == make()
    assert hash(make()) == hash(make())
    assert make() != make(lower=[-4.0])


def test_an_evaluation_cannot_be_compiled():
    problem = make()
    with pytest.raises(TypeError, match="schaffer is evaluated on the host and cannot be compiled"):
        jax.jit(lambda x: problem.evaluate(KEY, x))(jnp.zeros((2, 1)))
