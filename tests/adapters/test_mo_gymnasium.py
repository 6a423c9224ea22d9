"""The adapter for MO-Gymnasium."""

import jax
import numpy as np
import pytest

import tensorrvea as tr
from tensorrvea.adapters import MOGymnasium
from tensorrvea.adapters.environments import action_converter, observation_reader

pytest.importorskip("mo_gymnasium")
spaces = pytest.importorskip("gymnasium.spaces")
KEY = jax.random.key(0)


def first(problem, n=6):
    return problem.show(problem.sample(KEY, n))


def test_returns_of_deep_sea_treasure_agree_with_hand_computed_ones():
    # Actions are up, down, left, right. With only a bias for down: the first treasure, 0.7, after one step.
    problem = MOGymnasium("deep-sea-treasure-v0", hidden=(), options={"float_state": True})
    assert (problem.policy.size, problem.objectives, problem.directions) == (2 * 4 + 4, 2, ("max", "max"))
    x = np.zeros((2, 12))
    x[0, 8 + 1] = 1.0
    x[1, 8 + 0] = 1.0  # up: nothing is found in the environment's 100 steps
    f, g = problem.evaluate_host(KEY, x)
    np.testing.assert_allclose(f, [[-0.7, 1.0], [0.0, 100.0]], rtol=1e-6)
    assert g.shape == (len(x), 0)
    f, _ = MOGymnasium("deep-sea-treasure-v0", hidden=(), steps=3, discount=0.5).evaluate_host(KEY, x[1:])
    np.testing.assert_allclose(f, [[0.0, 1.75]])


def test_start_states_are_fixed_unless_stochastic():
    same = MOGymnasium("mo-mountaincarcontinuous-v0", episodes=2, steps=30)
    x = np.repeat(first(same, 1), 3, axis=0) * 20
    f, _ = same.evaluate_host(KEY, x)
    np.testing.assert_array_equal(f, np.repeat(f[:1], 3, axis=0))
    np.testing.assert_array_equal(same.evaluate_host(jax.random.key(1), x)[0], f)
    other = MOGymnasium("mo-mountaincarcontinuous-v0", episodes=2, steps=30, start_seed=5)
    assert (other.evaluate_host(KEY, x)[0] != f).any()
    own = MOGymnasium("mo-mountaincarcontinuous-v0", episodes=2, steps=30, stochastic=True)
    f, _ = own.evaluate_host(KEY, x)
    assert len(np.unique(f, axis=0)) == 3
    np.testing.assert_array_equal(own.evaluate_host(KEY, x)[0], f)


def test_equal_problems_stay_equal_after_an_evaluation():
    one, two = (MOGymnasium("mo-mountaincar-v0", steps=5) for _ in range(2))
    one.evaluate_host(KEY, first(one, 1))
    assert one == two
    assert hash(one) == hash(two)
    assert one != MOGymnasium("mo-mountaincar-v0", steps=6)


def test_outputs_are_converted_to_actions():
    box = spaces.Box(np.array([[0.0, -2.0]]), np.array([[1.0, 4.0]]), dtype=np.float64)
    np.testing.assert_allclose(action_converter(box)(np.array([0.5, -1.0])), [[0.75, -2.0]])
    assert action_converter(spaces.Discrete(3, start=2))(np.array([0.1, -0.5, 0.3])) == 4
    several = spaces.MultiDiscrete([2, 3])
    np.testing.assert_array_equal(action_converter(several)(np.array([0.1, 0.2, 0.0, -0.1, 0.4])), [1, 2])
    np.testing.assert_array_equal(action_converter(spaces.MultiBinary(3))(np.array([0.1, -0.2, 0.3])), [1, 0, 1])


@pytest.mark.parametrize(
    ("space", "observation", "row"),
    [
        # In the precision of the space, as Gymnasium's own flatten does.
        (spaces.Box(-1, 1, (1, 2)), np.array([[0.1, 0.5]]), [np.float32(0.1), 0.5]),
        (spaces.Discrete(3, start=1), 2, [0, 1, 0]),
        (spaces.Dict(a=spaces.Box(-1, 1, (1,)), b=spaces.MultiBinary(2)), {"a": [0.5], "b": [1, 0]}, [0.5, 1, 0]),
    ],
)
def test_observations_are_rows_of_numbers(space, observation, row):
    read = observation_reader(space)(observation)
    assert read.dtype == np.float64
    np.testing.assert_array_equal(read, row)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"environment": "mo-hoper-v5"}, ValueError, "environment takes a registered name, got 'mo-hoper-v5'"),
        (
            {"environment": "CartPole-v1"},
            ValueError,
            "environment must have a vector of rewards, got one number",
        ),
        ({"episodes": 0}, ValueError, "episodes must be at least 1, got 0"),
        ({"steps": 0}, ValueError, "steps must be at least 1, got 0"),
        ({"discount": 2.0}, ValueError, "discount must be a finite number in"),
    ],
)
def test_invalid_arguments_are_rejected(arguments, error, message):
    with pytest.raises(error, match=message):
        MOGymnasium(**({"environment": "deep-sea-treasure-v0"} | arguments))


@pytest.mark.slow
def test_hopper_improves_in_a_few_generations():
    with MOGymnasium("mo-hopper-v5", steps=200, workers=2) as problem:
        assert (problem.variables, problem.objectives) == (11 * 16 + 16 + 16 * 3 + 3, 3)
        result = tr.optimize(problem, tr.TensorRVEA(population=20), generations=4, seed=1)
    assert result.evaluations == 100
    assert np.isfinite(result.F).all()
    assert problem.failures == []
    with MOGymnasium("mo-hopper-v5", steps=200) as problem:
        first_rewards = -problem.evaluate_host(KEY, first(problem, 20))[0]
    assert result.F[:, 0].mean() > first_rewards[:, 0].mean()
