"""MJX: the same models as the C engine, so the same episodes until rounding grows."""

import jax
import numpy as np
import pytest
from oracle_rewards import PAPER, returns_of
from sizes import QUICKLY

from tensorrvea.neuroevolution import RobotProblem


@pytest.mark.slow
@pytest.mark.usefixtures("quick_records")
@pytest.mark.parametrize("task", PAPER)
def test_returns_agree_with_the_c_engine_and_with_a_recorded_episode(task):
    jaxs = RobotProblem(task=task, backend="mjx", steps=8, lanes=2)
    cs = RobotProblem(task=task, backend="mujoco", steps=8)
    x = 3 * jaxs.sample(jax.random.key(3), 3)
    key = jax.random.key(0)
    f, _ = jax.jit(jaxs.evaluate, compiler_options=QUICKLY)(key, x)
    g, _ = cs.evaluate_host(key, np.asarray(x, np.float64))
    np.testing.assert_allclose(f, g, rtol=2e-2, atol=2e-2)
    trajectory = jaxs.record_from(x[0], jaxs.start_states(key), steps=8)
    np.testing.assert_allclose(-f[0], returns_of(task, trajectory, jaxs.control_weight), rtol=2e-3, atol=2e-3)
