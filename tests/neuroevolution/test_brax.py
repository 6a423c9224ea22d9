"""Brax: agreement with its own environments, and the patch of its clip."""

import inspect

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from oracle_rewards import NEW, PAPER, first_fall, returns_of
from sizes import QUICKLY
from toy import lanes_of, plain_loop

from tensorrvea import TensorRVEA, optimize
from tensorrvea.neuroevolution import TASKS, RobotProblem, State
from tensorrvea.neuroevolution.backends.brax import import_brax, quiet

# The paper's tasks and the last four with each pipeline, and one other task.
COMBINATIONS = [(name, backend) for name in (*PAPER, *NEW) for backend in TASKS[name].pipelines] + [("MoAnt", "brax")]


def test_the_clip_patch_is_still_needed():
    """If this fails, Brax works with current JAX again: remove the patch in ``import_brax``."""
    import_brax()
    import brax.fluid

    assert "a_min=" in inspect.getsource(brax.fluid), "brax/fluid.py no longer calls clip(a_min=…)"
    with pytest.raises(TypeError):
        jnp.clip(jnp.zeros(2), a_min=1e-12)


def test_the_patched_clip_behaves_like_the_old_one():
    import_brax()
    import brax.fluid

    np.testing.assert_array_equal(brax.fluid.jp.clip(jnp.array([-1.0, 0.5]), a_min=0.25), [0.25, 0.5])
    assert brax.fluid.jp.sqrt is jnp.sqrt
    assert jnp.clip is not brax.fluid.jp.clip  # other modules are unchanged


@pytest.mark.slow
@pytest.mark.usefixtures("quick_records")
@pytest.mark.parametrize(("task", "backend"), COMBINATIONS)
def test_returns_agree_with_the_oracle_on_recorded_episodes(task, backend):
    # The contacts of the ant amplify rounding: after twelve steps, two programs that round differently differ by 5 %.
    steps = 5 if task in ("MoAnt", *NEW) else 12
    problem = RobotProblem(task=task, backend=backend, steps=steps, lanes=3, episodes=2)
    x = 3 * problem.sample(jax.random.key(3), 4)
    f, g = jax.jit(problem.evaluate, compiler_options=QUICKLY)(jax.random.key(0), x)
    assert g.shape[1] == 0
    starts = problem.start_states(jax.random.key(0))
    for row in range(2):
        wanted = []
        for episode in range(2):
            start = tuple(part[episode : episode + 1] for part in starts)
            trajectory = problem.record_from(x[row], start, steps=steps)
            wanted.append(returns_of(task, trajectory, problem.control_weight))
            assert len(trajectory.actions) == (first_fall(task, trajectory.q, trajectory.qd) or steps)
        np.testing.assert_allclose(-f[row], np.mean(wanted, axis=0), rtol=2e-3, atol=2e-3)


# Brax's names for the forward term of its reward.
FORWARD = {"hopper": "reward_forward", "walker2d": "reward_forward", "halfcheetah": "reward_run",
           "swimmer": "reward_fwd", "ant": "reward_forward", "reacher": "reward_dist"}  # fmt: skip


@pytest.mark.slow
@pytest.mark.usefixtures("quick_records")
@pytest.mark.parametrize("task", ["MoHopper-m3", "MoHalfCheetah", "MoSwimmer", "MoReacher"])
def test_steps_agree_with_brax_own_environment(task):
    """Observations, forward rewards and falls agree with ``brax.envs`` for the same actions."""
    problem = RobotProblem(task=task, backend="brax", steps=12)
    environment = problem.world.physics.environment
    x = 3 * problem.sample(jax.random.key(4), 1)[0]
    trajectory = problem.record_from(x, problem.start_states(jax.random.key(0)), steps=12)
    rows = len(trajectory.actions)
    with quiet():
        state = jax.jit(environment.reset, compiler_options=QUICKLY)(jax.random.key(0))
        begin = jax.jit(environment.pipeline_init, compiler_options=QUICKLY)
        step = jax.jit(environment.step, compiler_options=QUICKLY)
        for i in range(rows):
            # Each step begins where ours does, since rounding errors grow from step to step.
            pipeline_state = begin(trajectory.q[i], trajectory.qd[i])
            state = state.replace(pipeline_state=pipeline_state, obs=environment._get_obs(pipeline_state))
            ours = problem.task.observe(State(trajectory.q[i], trajectory.qd[i]))
            # Brax computes the reacher's tip velocity with an offset that it does not rotate; ours is exact.
            same = [j for j in range(len(ours)) if task != "MoReacher" or j not in (6, 7)]
            np.testing.assert_allclose(np.asarray(state.obs)[same], ours[same], rtol=1e-3, atol=2e-3)
            state = step(state, trajectory.actions[i])
            if i + 1 < rows:
                after = problem.task.observe(State(trajectory.q[i + 1], trajectory.qd[i + 1]))
                np.testing.assert_allclose(np.asarray(state.obs)[same], after[same], rtol=1e-3, atol=2e-3)
            alive = problem.task.healthy is not TASKS["MoHalfCheetah"].healthy
            forward = float(state.metrics[FORWARD[problem.task.environment or problem.task.model]])
            np.testing.assert_allclose(trajectory.rewards[i, 0] - alive, forward, rtol=1e-2, atol=2e-2)
            assert bool(state.done) == (rows < 12 and i == rows - 1)


@pytest.mark.slow
def test_lanes_are_bit_identical_to_the_plain_loop():
    """At the same width and in the same lane, since other lanes of a batch may be rounded differently."""
    problem = RobotProblem(task="MoHopper-m2", backend="brax", steps=120, lanes=8)
    x = problem.sample(jax.random.key(1), 30)
    world = problem.world
    starts = jax.jit(jax.vmap(world.physics.init), compiler_options=QUICKLY)(*problem.start_states(jax.random.key(0)))
    same = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf[0], (8, *leaf.shape[1:])), starts)
    play = jax.jit(problem.play, compiler_options=QUICKLY)
    played = jax.device_get(play(problem.start_states(jax.random.key(0)), x))
    plain = jax.jit(lambda x: plain_loop(world, x, same, steps=120), compiler_options=QUICKLY)
    placed = lanes_of(played.lengths[:, 0], 8)
    assert max(turn for _, turn in placed) >= 3
    for which in range(max(turn for _, turn in placed) + 1):
        rows = np.zeros(8, int)
        held = [(job, lane) for job, (lane, turn) in enumerate(placed) if turn == which]
        for job, lane in held:
            rows[lane] = job
        alone = jax.device_get(plain(x[rows]))
        for job, lane in held:
            assert played.lengths[job, 0] == alone.lengths[lane]
            assert played.returns[job, 0].tobytes() == alone.returns[lane].tobytes()


@pytest.mark.slow
def test_optimisation_in_compiled_code():
    problem = RobotProblem(task="MoReacher", backend="brax-spring", steps=10, starts="new")
    result = optimize(problem, TensorRVEA(population=8), generations=2, seed=1)
    assert result.F.shape[1] == 2
    assert np.isfinite(result.F).all()
