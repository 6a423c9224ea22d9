"""MJX: agreement with the C engine, which has the same models, over a few steps."""

import jax
import numpy as np
import pytest
from oracle_rewards import NEW, PAPER, returns_of
from sizes import QUICKLY

from tensorrvea.neuroevolution import RobotProblem


@pytest.mark.slow
@pytest.mark.usefixtures("quick_records")
@pytest.mark.parametrize("task", [*PAPER, *NEW])
def test_returns_agree_with_the_c_engine_and_with_a_recorded_episode(task):
    in_jax = RobotProblem(task=task, backend="mjx", steps=8, lanes=2)
    in_c = RobotProblem(task=task, backend="mujoco", steps=8)
    x = 3 * in_jax.sample(jax.random.key(3), 3)
    key = jax.random.key(0)
    f, _ = jax.jit(in_jax.evaluate, compiler_options=QUICKLY)(key, x)
    g, _ = in_c.evaluate_host(key, np.asarray(x, np.float64))
    np.testing.assert_allclose(f, g, rtol=2e-2, atol=2e-2)
    trajectory = in_jax.record_from(x[0], in_jax.start_states(key), steps=8)
    np.testing.assert_allclose(-f[0], returns_of(task, trajectory, in_jax.control_weight), rtol=2e-3, atol=2e-3)
