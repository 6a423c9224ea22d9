"""A user's own environment: a class or a factory, with rewards from the step, from info or from a function."""

import jax
import numpy as np
import pytest

import tensorrvea as tr
from tensorrvea.adapters import MOGymnasium

gymnasium = pytest.importorskip("gymnasium")
KEY = jax.random.key(0)


class Train(gymnasium.Env):
    """A train on a line: it is pushed, and should get far with little push. Everything is simple to compute by hand."""

    def __init__(self, discrete=False, mass=2.0):
        self.discrete, self.mass = discrete, mass
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (2,), np.float64)
        self.action_space = gymnasium.spaces.Discrete(3) if discrete else gymnasium.spaces.Box(-4.0, 4.0, (1,))

    def reset(self, *, seed=None, options=None):  # noqa: ARG002
        super().reset(seed=seed)
        self.position, self.speed = self.np_random.uniform(-0.1, 0.1), 0.0
        return self._observe(), {}

    def step(self, action):
        push = float(action - 1) if self.discrete else float(action[0])
        self.speed += push / self.mass
        self.position += self.speed
        info = {"progress": self.speed, "cost": -abs(push)}
        return self._observe(), self._reward(info), self.position > 10, False, info

    def _reward(self, info):
        return info["progress"]

    def _observe(self):
        return np.array([self.position, self.speed])


class VectorTrain(Train):
    """The same, which returns both rewards as a vector."""

    def _reward(self, info):
        return np.array([info["progress"], info["cost"]])


def heavy_train():
    return Train(mass=4.0)


def from_states(observation, action, after, info):
    return after[0] - observation[0], -abs(action[0])


def constant_push(problem, push):
    """Policies that push with a share of the full force in every state."""
    x = np.zeros((1, problem.variables))
    x[0, -1] = np.arctanh(push)  # the bias of the only output
    return x


def returns_by_hand(push, mass, steps):
    """Progress is the sum of the speeds until the train has passed 10 m; the start is that of seed 0."""
    position, speed, total = np.random.default_rng(0).uniform(-0.1, 0.1), 0.0, np.zeros(2)
    for _ in range(steps):
        speed += push / mass
        position += speed
        total += speed, -abs(push)
        if position > 10:
            break
    return total


@pytest.mark.parametrize(
    ("environment", "rewards", "mass"),
    [
        (VectorTrain, None, 2.0),
        (Train, ("progress", "cost"), 2.0),
        (Train, ("reward", "cost"), 2.0),
        (Train, from_states, 2.0),
        (heavy_train, from_states, 4.0),
        (lambda: Train(mass=1.0), ("progress", "cost"), 1.0),
    ],
)
def test_returns_agree_with_hand_computed_ones(environment, rewards, mass):
    problem = MOGymnasium(environment, rewards=rewards, hidden=(), steps=7)
    assert (problem.variables, problem.objectives) == (3, 2)
    f, _ = problem.evaluate_host(KEY, constant_push(problem, 0.5))
    np.testing.assert_allclose(-f[0], returns_by_hand(2.0, mass, 7), rtol=1e-6)


def test_names_directions_and_options():
    problem = MOGymnasium(
        Train, rewards=("progress", "cost"), hidden=(5, 4), steps=3, options={"mass": 1.0}, directions=("max", "min")
    )
    assert problem.name == "Train"
    assert problem.objective_names == ("progress", "cost")
    assert problem.variables == 2 * 5 + 5 + 5 * 4 + 4 + 4 + 1
    f, _ = problem.evaluate_host(KEY, constant_push(problem, 0.25))
    np.testing.assert_allclose(f[0] * [-1, 1], returns_by_hand(1.0, 1.0, 3), rtol=1e-6)


def test_a_discrete_action_is_the_argmax():
    problem = MOGymnasium(Train, rewards=("progress", "cost"), hidden=(), steps=4, options={"discrete": True})
    x = np.zeros((1, problem.variables))
    x[0, -3:] = -1.0, 0.0, 1.0
    np.testing.assert_allclose(-problem.evaluate_host(KEY, x)[0][0], returns_by_hand(1.0, 2.0, 4), rtol=1e-6)
    assert problem.load(x[0])(np.zeros(2)) == 2


def test_a_class_without_a_limit_gets_one():
    problem = MOGymnasium(Train, rewards=("progress", "cost"), hidden=())
    f, _ = problem.evaluate_host(KEY, constant_push(problem, -0.25))  # it never arrives
    assert -f[0, 1] == pytest.approx(-1000.0, rel=1e-6)


def test_workers_play_a_class_of_the_test_and_the_run_improves():
    settings = {"rewards": ("progress", "cost"), "hidden": (4,), "steps": 8}
    with MOGymnasium(Train, workers=2, **settings) as problem:
        result = tr.optimize(problem, tr.TensorRVEA(population=16), generations=8, seed=1)
        assert problem.failures == []
    here = MOGymnasium(Train, **settings)
    alone = tr.optimize(here, tr.TensorRVEA(population=16), generations=8, seed=1)
    np.testing.assert_array_equal(result.F, alone.F)
    first = -here.evaluate_host(KEY, here.show(here.sample(KEY, 16)))[0]
    assert result.F[:, 0].max() > first[:, 0].max()


@pytest.mark.slow
def test_ray_plays_a_class_of_the_test():
    pytest.importorskip("ray")
    settings = {"rewards": ("progress", "cost"), "hidden": (), "steps": 8}
    x = np.concatenate([constant_push(MOGymnasium(Train, **settings), push) for push in (0.1, 0.5, -0.3)])
    with MOGymnasium(Train, executor="ray", workers=2, **settings) as problem:
        f, _ = problem.evaluate_host(KEY, x)
    np.testing.assert_array_equal(f, MOGymnasium(Train, **settings).evaluate_host(KEY, x)[0])


def test_a_registered_name_with_rewards_of_a_function():
    problem = MOGymnasium("CartPole-v1", rewards=lambda *step: (1.0, -abs(step[2][0])), steps=20)
    f, _ = problem.evaluate_host(KEY, problem.show(problem.sample(KEY, 2)))
    assert ((-f[:, 0] >= 1) & (-f[:, 0] <= 20)).all()


@pytest.mark.parametrize(
    ("environment", "rewards", "error", "message"),
    [
        (Train, None, ValueError, "environment must have a vector of rewards, got one number; give rewards="),
        (
            Train,
            ("progres", "cost"),
            ValueError,
            "rewards must be names of 'reward', 'progress', 'cost' .*'progress'",
        ),
        (
            Train,
            ("progress",),
            ValueError,
            "rewards must be two or more numbers per step, got an array",
        ),
        (Train(), None, TypeError, "environment takes a registered name, or a class .*; give its class"),
        (
            dict,
            None,
            TypeError,
            "environment must return an environment of Gymnasium, got {}, which has no",
        ),
        (3, None, TypeError, "environment takes a registered name, or a class or function .*, got 3"),
    ],
)
def test_wrong_environments_and_rewards_are_rejected(environment, rewards, error, message):
    with pytest.raises(error, match=message):
        MOGymnasium(environment, rewards=rewards)
