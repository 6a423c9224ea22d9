"""The built-in tasks: agreement with their models, and rules against hand-computed values."""

import jax
import mujoco
import numpy as np
import pytest

from tensorrvea.neuroevolution.models import builtin_robot, load_model
from tensorrvea.neuroevolution.probe import measure
from tensorrvea.neuroevolution.rollout import judge
from tensorrvea.neuroevolution.state import State
from tensorrvea.neuroevolution.task import Step
from tensorrvea.neuroevolution.tasks import TASKS, find_task


def step_of(task, *, before, after, velocity, action, dt=0.1, control_weight=None):
    weight = TASKS[task].control_weight if control_weight is None else control_weight
    before, after, velocity, action = map(np.array, (before, after, velocity, action))
    return Step(State(before, velocity), State(after, velocity), action, dt=dt, control_weight=weight)


def state_of(task, q, qd):
    """A state with its readings, by MuJoCo."""
    robot = builtin_robot(task.model)
    data = mujoco.MjData(robot.measured)
    data.qpos[:], data.qvel[:] = q, qd
    mujoco.mj_forward(robot.measured, data)
    return State(q, qd, np.array(data.sensordata), robot.layout)


@pytest.mark.parametrize("name", TASKS)
def test_a_task_fits_its_model(name):
    task = TASKS[name]
    model = load_model(task.model)
    position = builtin_robot(task.model).position.copy()
    q, qd = task.start(jax.random.key(0), position, model.nv)
    assert q.shape == (model.nq,)
    assert qd.shape == (model.nv,)
    sizes = measure(task)
    assert sizes.actions == model.nu
    state = state_of(task, np.asarray(q), np.asarray(qd))
    assert task.observation(state).shape == (sizes.observations,)
    assert task.healthy(state)
    assert all(len(point) == len(task.objectives) for point in task.references.values())
    assert np.abs(np.asarray(q) - position).max() <= (0.37 if name == "MoPusher" else 0.2)
    middle, reach = builtin_robot(task.model).control or (np.zeros(model.nu), np.ones(model.nu))
    np.testing.assert_allclose(model.actuator_ctrlrange, np.stack([middle - reach, middle + reach], axis=1))
    assert (middle == 0).all()


@pytest.mark.parametrize("name", TASKS)
def test_observations_are_the_same_in_numpy_and_jax_and_for_any_batch(name):
    task = TASKS[name]
    model = load_model(task.model)
    generator = np.random.default_rng(0)
    q, qd = generator.normal(size=(3, 4, model.nq)), 20 * generator.normal(size=(3, 4, model.nv))
    layout = builtin_robot(task.model).layout
    parts = (q, qd, generator.normal(size=(3, 4, 60)))
    state = State(*parts, layout)
    in_jax = jax.vmap(jax.vmap(lambda *parts: task.observation(State(*parts, layout))))(*parts)
    np.testing.assert_allclose(in_jax, task.observation(state), rtol=1e-4, atol=1e-5)
    healthy = jax.vmap(jax.vmap(lambda *parts: task.healthy(State(*parts, layout))))(*parts)
    np.testing.assert_array_equal(task.healthy(state), healthy)


def test_hopper_with_two_objectives_agrees_with_hand_computed_values():
    # v = (0.7 - 0.5) / 0.1 = 2; height = 0.3 above the start; a² = 0.25 + 1 + 0 = 1.25
    step = step_of(
        "MoHopper-m2", before=[0.5, 0, 0, 0, 0, 0], after=[0.7, 0.3, 0, 0, 0, 0], velocity=[0.0] * 6,
        action=[0.5, -1.0, 0.0],
    )  # fmt: skip
    outcome = judge(TASKS["MoHopper-m2"], step)
    np.testing.assert_allclose(outcome.reward, [2 - 1.25 + 1, 10 * 0.3 - 1.25 + 1])
    light = judge(TASKS["MoHopper-m2"], step._replace(control_weight=0.001))
    np.testing.assert_allclose(light.reward, [2 - 0.00125 + 1, 3 - 0.00125 + 1])
    three = judge(TASKS["MoHopper-m3"], step)
    np.testing.assert_allclose(three.reward, [2 + 1, 3 + 1, -1.25 + 1])


def test_cheetah_and_swimmer_agree_with_hand_computed_values():
    cheetah = step_of("MoHalfCheetah", before=[1.0] * 9, after=[0.8] * 9, velocity=[0.0] * 9, action=[0.5] * 6)
    np.testing.assert_allclose(judge(TASKS["MoHalfCheetah"], cheetah).reward, [-2.0, -0.1 * 6 * 0.25])
    swimmer = step_of("MoSwimmer", before=[0.0] * 5, after=[0.3] * 5, velocity=[0.0] * 5, action=[1.0, -1.0])
    np.testing.assert_allclose(judge(TASKS["MoSwimmer"], swimmer).reward, [3.0, -2e-4])


def test_walker_ant_and_reacher_agree_with_hand_computed_values():
    walker = step_of("MoWalker2d", before=[0.0] * 9, after=[0.1] * 9, velocity=[0.0] * 9, action=[0.5] * 6)
    np.testing.assert_allclose(judge(TASKS["MoWalker2d"], walker).reward, [1 + 1, -1.5 + 1])
    ant = step_of("MoAnt", before=[0.0] * 15, after=[0.2] * 15, velocity=[0.0] * 14, action=[0.5] * 8)
    np.testing.assert_allclose(judge(TASKS["MoAnt"], ant).reward, [2 + 1, -0.5 * 2 + 1])
    # Shoulder up, elbow to the right: the tip is at (0.11, 0.1); the target is 0.03 and 0.04 away.
    arm = step_of(
        "MoReacher", before=[0.0] * 4, after=[np.pi / 2, -np.pi / 2, 0.08, 0.06], velocity=[0.0] * 4, action=[0.5, 0.5],
    )  # fmt: skip
    np.testing.assert_allclose(judge(TASKS["MoReacher"], arm).reward, [-0.05, -0.5], rtol=1e-12)


def test_humanoids_and_pendulum_agree_with_hand_computed_values():
    walking = step_of("MoHumanoid", before=[0.0] * 24, after=[0.2] * 24, velocity=[0.0] * 23, action=[0.5] * 17)
    np.testing.assert_allclose(judge(TASKS["MoHumanoid"], walking).reward, [2 + 1, -0.016 * 17 / 4 + 1])
    # Brax charges 0.1 for the squares of forces in (-0.4, 0.4): the same.
    assert TASKS["MoHumanoid"].control_weight == pytest.approx(0.1 * 0.4**2)
    rising = step_of("MoHumanoidStandup", before=[0.0] * 24, after=[0.6] * 24, velocity=[0.0] * 23, action=[1.0] * 17)
    np.testing.assert_allclose(judge(TASKS["MoHumanoidStandup"], rising).reward, [0.6 / 0.1, -0.0016 * 17])
    # The first pole lies along x, the second points up: the tip is at (0.3 + 0.6, 0.6).
    bent = step_of(
        "MoInvertedDoublePendulum", before=[0.0] * 3, after=[0.3, np.pi / 2, -np.pi / 2], velocity=[0.0, 2.0, -3.0],
        action=[0.5],
    )  # fmt: skip
    lost = 0.01 * 0.9**2 + 1.4**2 + 0.001 * 4 + 0.005 * 9
    np.testing.assert_allclose(judge(TASKS["MoInvertedDoublePendulum"], bent).reward, [10 - lost, 0.75])


def test_the_pusher_agrees_with_hand_computed_values():
    task = TASKS["MoPusher"]
    robot = builtin_robot("pusher")
    # The object 0.3 from its goal along y and x; the arm at rest, its wrist at (0.821, -0.6, 0).
    q = np.zeros(11)
    q[7:9] = 0.3, -0.4
    state = state_of(task, q, np.zeros(11))
    np.testing.assert_allclose(state.body("object"), [0.45 - 0.4, -0.05 + 0.3, -0.275])
    np.testing.assert_allclose(state.body("goal"), [0.45, -0.05, -0.323])
    step = Step(state, state, np.full(7, 0.5), dt=0.05, control_weight=task.control_weight)
    away = np.sqrt(0.3**2 + 0.4**2 + 0.048**2)
    reach = np.sqrt((0.821 - 0.05) ** 2 + (0.6 + 0.25) ** 2 + 0.275**2)
    np.testing.assert_allclose(judge(task, step).reward, [-away - reach / 2, -0.4 * 7 / 4], rtol=1e-6)
    assert robot.control[1].tolist() == [2.0] * 7  # Brax charges 0.1 for the squares of forces in (-2, 2)


def test_reference_points_are_those_of_the_paper():
    assert TASKS["MoHalfCheetah"].references == {"neuroevolution": (0, -599.78643799)}
    assert TASKS["MoHopper-m2"].references == {
        "neuroevolution": (0, -865.70227051),
        "extensibility": (0, -1127.1895752),
    }
    assert TASKS["MoHopper-m3"].references == {
        "neuroevolution": (0, 0, -1942.84301758),
        "extensibility": (80.86401367, 0, -1905.52331543),
    }
    assert TASKS["MoSwimmer"].references == {"neuroevolution": (0, -0.19898804)}


@pytest.mark.parametrize(
    ("task", "where", "value", "healthy"),
    [
        ("MoHopper-m2", 1, 0.71 - 1.25, True),
        ("MoHopper-m2", 1, 0.69 - 1.25, False),
        ("MoHopper-m2", 2, 0.19, True),
        ("MoHopper-m2", 2, -0.21, False),
        ("MoHopper-m2", 4, 101.0, False),
        ("MoHopper-m2", 0, 500.0, True),
        ("MoWalker2d", 1, 0.81 - 1.25, True),
        ("MoWalker2d", 1, 2.01 - 1.25, False),
        ("MoWalker2d", 2, 0.99, True),
        ("MoWalker2d", 2, 1.01, False),
        ("MoAnt", 2, 0.21, True),
        ("MoAnt", 2, 0.19, False),
        ("MoAnt", 2, 1.01, False),
        ("MoHumanoid", 2, 1.01, True),
        ("MoHumanoid", 2, 0.99, False),
        ("MoHumanoid", 2, 2.01, False),
        ("MoInvertedDoublePendulum", 1, 0.5, True),
        ("MoInvertedDoublePendulum", 1, 0.6, False),
        ("MoHumanoidStandup", 2, 0.05, True),
        ("MoHalfCheetah", 1, -3.0, True),
    ],
)
def test_falling_ends_an_episode(task, where, value, healthy):
    model = load_model(TASKS[task].model)
    q = builtin_robot(TASKS[task].model).position.copy()
    q[where] = value
    assert bool(TASKS[task].healthy(State(q, np.zeros(model.nv)))) == healthy


def test_fast_joints_end_a_hoppers_episode():
    qd = np.zeros(6)
    qd[4] = -101
    assert not TASKS["MoHopper-m3"].healthy(State(np.zeros(6), qd))


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e3])
def test_exploding_steps_are_detected(bad):
    task = TASKS["MoHalfCheetah"]
    still = step_of("MoHalfCheetah", before=[0.0] * 9, after=[0.0] * 9, velocity=[0.0] * 9, action=[1.0] * 6)
    assert not judge(task, still).exploded
    assert judge(task, still._replace(after=State(np.array([bad] + [0.0] * 8), np.zeros(9)))).exploded
    if not np.isfinite(bad):
        assert judge(task, still._replace(after=State(np.zeros(9), np.array([0.0] * 8 + [bad])))).exploded


def test_a_large_control_weight_is_not_an_explosion():
    step = step_of(
        "MoHopper-m3", before=[0.0] * 6, after=[0.0] * 6, velocity=[0.0] * 6, action=[1.0] * 3, control_weight=1e4
    )
    assert not judge(TASKS["MoHopper-m3"], step).exploded


def test_start_states_have_brax_scales():
    def draw(task, position):
        keys = jax.random.split(jax.random.key(1), 2000)
        start = TASKS[task].start
        return jax.jit(jax.vmap(lambda key: start(key, position, load_model(TASKS[task].model).nv)))(keys)

    q, qd = draw("MoHopper-m2", np.zeros(6))
    for part in (q, qd):
        np.testing.assert_allclose(np.abs(part).max(), 5e-3, rtol=0.02)
        np.testing.assert_allclose(np.std(part), 5e-3 / np.sqrt(3), rtol=0.05)
    q, qd = draw("MoHalfCheetah", np.zeros(9))
    np.testing.assert_allclose(np.abs(q).max(), 0.1, rtol=0.02)
    np.testing.assert_allclose(np.std(qd), 0.1, rtol=0.05)
    q, _ = draw("MoAnt", builtin_robot("ant").position.copy())
    np.testing.assert_allclose(np.linalg.norm(q[:, 3:7], axis=1), 1, rtol=1e-5)
    q, qd = draw("MoPusher", builtin_robot("pusher").position.copy())
    assert np.linalg.norm(q[:, 7:9], axis=1).min() >= 0.17 - 1e-6
    assert (q[:, 7].min() < -0.25, q[:, 7].max() <= 0) == (True, True)
    assert np.abs(q[:, 9:]).max() == 0
    assert (qd[:, 7:] == 0).all()
    q, qd = draw("MoReacher", builtin_robot("reacher").position.copy())
    assert np.linalg.norm(q[:, 2:4], axis=1).max() <= 0.2
    assert (qd[:, 2:] == 0).all()


def test_the_cheetahs_mass_is_that_of_its_file():
    assert load_model("half_cheetah").body_mass.sum() == pytest.approx(14)


def test_an_unknown_name_gets_a_suggestion():
    with pytest.raises(ValueError, match=r"task must be one of .* got 'MoHoper-m2'; did you mean 'MoHopper-m2'\?"):
        find_task("MoHoper-m2")
