"""Environments of MuJoCo Playground, if it is installed."""

import jax
import numpy as np
import pytest
from sizes import QUICKLY

from tensorrvea.adapters import Playground

pytest.importorskip("mujoco_playground", exc_type=ImportError)
pytestmark = pytest.mark.filterwarnings("ignore")
TERMS = ("reward/upright", "reward/small_control")


def test_returns_agree_with_the_environment_stepped_by_hand():
    problem = Playground("CartpoleBalance", rewards=TERMS, steps=6, hidden=(4,), lanes=2)
    assert (problem.variables, problem.objective_names) == (5 * 4 + 4 + 4 + 1, ("upright", "small_control"))
    x = 5 * problem.sample(jax.random.key(1), 3)
    f, _ = jax.jit(problem.evaluate, compiler_options=QUICKLY)(jax.random.key(0), x)
    step = jax.jit(problem.env.step, compiler_options=QUICKLY)
    state = problem.env.reset(jax.random.fold_in(jax.random.key(0), 0))
    act, total = problem.policy.load(np.asarray(x[2], float)), np.zeros(2)
    for _ in range(6):
        state = step(state, act(np.asarray(state.obs, float)).astype(np.float32))
        total += [float(state.metrics[name]) for name in TERMS]
    np.testing.assert_allclose(-f[2], total, rtol=1e-4)


def test_wrong_names_are_rejected():
    with pytest.raises(ValueError, match=r"rewards must be names of 'reward', .* did you mean 'reward/upright'"):
        Playground("CartpoleBalance", rewards=("reward/uprigt", "reward"))
    with pytest.raises(ValueError, match=r"environment must be one of .* did you mean 'CartpoleBalance'"):
        Playground("CartpoleBalanc", rewards=TERMS)
