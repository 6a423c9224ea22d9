"""The C engine: agreement with MuJoCo stepped by hand, independence of lanes, and exploding simulations."""

from pathlib import Path

import jax
import mujoco
import numpy as np
import pytest
from oracle_rewards import NEW, brax_model, first_fall, observation_of, returns_of

from tensorrvea.neuroevolution import TASKS, RobotProblem, State
from tensorrvea.neuroevolution.backends.mujoco import MuJoCo, run_on_host
from tensorrvea.neuroevolution.models import load_model
from tensorrvea.neuroevolution.rules import walker_observation


def problem_of(task, **settings):
    return RobotProblem(task=task, backend="mujoco", **({"steps": 40} | settings))


def policies(problem, n, scale=3.0):
    return scale * np.asarray(problem.sample(jax.random.key(3), n), np.float64)


@pytest.mark.parametrize("task", TASKS)
def test_returns_agree_with_the_oracle_on_recorded_episodes(task):
    problem = problem_of(task, episodes=2)
    x = policies(problem, 6)
    starts = problem.start_states(jax.random.key(0))
    played = problem.play(starts, x)
    for row in range(len(x)):
        for episode in range(2):
            start = tuple(np.asarray(part)[episode : episode + 1] for part in starts)
            trajectory = problem.record_from(x[row], start, steps=40)
            wanted = returns_of(task, trajectory, problem.control_weight)
            np.testing.assert_allclose(played.returns[row, episode], wanted, rtol=1e-9, atol=1e-9)
            assert played.lengths[row, episode] == (first_fall(task, trajectory.q, trajectory.qd) or 40)
    f, g = problem.evaluate_host(jax.random.key(0), x)
    np.testing.assert_allclose(f, -played.returns.mean(axis=1))
    assert g.shape[1] == 0


def test_episodes_agree_with_mujoco_stepped_by_hand():
    problem = problem_of("MoHopper-m3")
    x = policies(problem, 1)[0]
    start = problem.start_states(jax.random.key(0))
    trajectory = problem.record_from(x, start, steps=40)
    model = load_model("hopper")
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = np.asarray(start[0])[0], np.asarray(start[1])[0]
    act = problem.policy.load(x)
    for step in range(len(trajectory.actions)):
        np.testing.assert_allclose(trajectory.q[step], data.qpos, atol=1e-8)
        data.ctrl[:] = act(walker_observation(State(data.qpos.copy(), data.qvel.copy())))
        data.qacc_warmstart[:] = 0  # the batch rollout restarts its solver
        for _ in range(4):
            mujoco.mj_step(model, data)
    assert problem.world.physics.dt == pytest.approx(0.008)


# Brax's: physics steps per step, the time of a step, and the largest control.
TIMING = {
    "MoHumanoid": (5, 0.015, 0.4),
    "MoHumanoidStandup": (5, 0.015, 0.4),
    "MoInvertedDoublePendulum": (2, 0.02, 1.0),
    "MoPusher": (5, 0.05, 2.0),
}


@pytest.mark.parametrize("task", NEW)
def test_new_tasks_agree_with_mujoco_stepped_by_hand(task):
    """Observation, range of the actuators, held actions and the time of a step, with Brax's file as it is."""
    frames, dt, reach = TIMING[task]
    problem = problem_of(task)
    x = policies(problem, 1)[0]
    start = problem.start_states(jax.random.key(0))
    trajectory = problem.record_from(x, start, steps=40)
    model = brax_model(problem.task.model)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = np.asarray(start[0])[0], np.asarray(start[1])[0]
    act = problem.policy.load(x)
    for step, action in enumerate(trajectory.actions):
        mujoco.mj_kinematics(model, data)
        np.testing.assert_allclose(act(observation_of(task, data)), action, atol=1e-7)
        data.ctrl[:] = reach * action
        data.qacc_warmstart[:] = 0  # the batch rollout restarts its solver
        for _ in range(frames):
            mujoco.mj_step(model, data)
        np.testing.assert_allclose(trajectory.q[step + 1], data.qpos, atol=1e-7)
        np.testing.assert_allclose(trajectory.qd[step + 1], data.qvel, atol=1e-5)
    assert len(trajectory.actions) > 5
    assert data.time == pytest.approx(dt * len(trajectory.actions))
    assert problem.world.physics.dt == pytest.approx(dt)


@pytest.mark.parametrize("lanes", [1, 2, 7, 100])
def test_returns_are_bit_identical_for_any_number_of_lanes(lanes):
    problem = problem_of("MoHopper-m2", steps=100, episodes=2)
    x = policies(problem, 9)
    q, qd = (np.asarray(part, np.float64)[None] for part in problem.start_states(jax.random.key(0)))
    wanted = run_on_host(problem.world, x, (q, qd), lanes=18, steps=100)
    played = run_on_host(problem.world, x, (q, qd), lanes=lanes, steps=100)
    assert len(np.unique(wanted.lengths)) > 3
    for one, other in zip(played, wanted, strict=True):
        assert one.tobytes() == other.tobytes()


@pytest.fixture
def exploding(monkeypatch):
    """Simulations explode when a policy pushes hard."""
    original = MuJoCo.step

    def step(self, q, qd, action):
        thrown = np.abs(action).max(axis=1) > 0.9
        return original(self, q, np.where(thrown[:, None], 1e9, qd), action)

    monkeypatch.setattr(MuJoCo, "step", step)


def test_an_exploding_simulation_fails_its_evaluation_and_leaves_no_log(exploding, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    problem = problem_of("MoHopper-m2", episodes=2)
    x = policies(problem, 30, scale=2.0)
    played = problem.play(problem.start_states(jax.random.key(0)), x)
    f, g = problem.evaluate_host(jax.random.key(0), x)
    failed = played.failed.any(axis=1)
    assert 0 < failed.sum() < 30
    np.testing.assert_array_equal(np.isnan(f).all(axis=1), failed)
    np.testing.assert_array_equal(np.isfinite(f).all(axis=1), ~failed)
    assert g.shape[1] == 0
    assert not list(Path(tmp_path).iterdir())
    assert capfd.readouterr().err == ""


def test_mujoco_does_not_reset_an_exploded_robot():
    physics = problem_of("MoHopper-m2").world.physics
    q, qd = np.zeros((2, 6)), np.zeros((2, 6))
    qd[1] = 1e9
    after, _, _, stopped = physics.step(q, qd, np.zeros((2, 3)))
    np.testing.assert_array_equal(stopped, [False, True])
    assert np.abs(after[1]).max() > 1e6


def test_the_previous_warning_handler_is_restored():
    heard = []
    mujoco.set_mju_user_warning(heard.append)
    try:
        physics = problem_of("MoHopper-m2").world.physics
        physics.step(np.zeros((1, 6)), np.full((1, 6), 1e9), np.zeros((1, 3)))
        assert not heard
        mujoco.get_mju_user_warning()("still mine")
        assert heard == ["still mine"]
    finally:
        mujoco.set_mju_user_warning(None)


def test_blocks_have_their_own_start_states():
    problem = problem_of("MoHopper-m2", starts="new")
    x = policies(problem, 4)
    keys = jax.random.split(jax.random.key(5), 2)
    together, _ = problem.evaluate_host(keys, np.concatenate([x, x]))
    for part in range(2):
        alone, _ = problem.evaluate_host(keys[part], x)
        np.testing.assert_array_equal(together[4 * part : 4 * part + 4], alone)
    assert not np.array_equal(together[:4], together[4:])
    with pytest.raises(ValueError, match="must be a multiple of the 2 keys, got 7"):
        problem.evaluate_host(keys, np.concatenate([x, x])[:7])
