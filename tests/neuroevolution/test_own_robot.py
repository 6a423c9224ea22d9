"""A user's own robot: the guide's example, its returns against MuJoCo stepped by hand, and wrong names."""

import re
from dataclasses import replace
from pathlib import Path

import jax
import mujoco
import numpy as np
import pytest
from PIL import Image
from sizes import QUICKLY

from tensorrvea import SPEA2, TensorRVEA, optimize, resume
from tensorrvea.neuroevolution import Objective, RobotProblem, State, Task
from tensorrvea.neuroevolution.backends.brax import Brax
from tensorrvea.runs import SpecDiffersError

GUIDE = Path(__file__).parents[2] / "docs" / "own_robot.md"
EXAMPLE = re.search(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL).group(1)


def run_guide(budget="optimize(problem, TensorRVEA(population=12), generations=2, seed=1)"):
    """Run the guide's example with a small budget; return its names."""
    code, count = re.subn(r"optimize\(problem, .*\)", budget, EXAMPLE)
    assert count == 1
    names = {"__name__": "guide"}
    exec(compile(code, str(GUIDE), "exec"), names)
    return names


@pytest.fixture(scope="module")
def guide(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("guide"))
        return run_guide() | {"directory": Path.cwd()}


def test_the_guide_has_sixty_lines_at_most_and_ends_with_policies_to_watch(guide):
    assert EXAMPLE.count("\n") <= 60
    with Image.open(guide["directory"] / "two_poles.gif") as picture:
        assert picture.n_frames > 1
    assert "two poles" in (guide["directory"] / "two_poles.html").read_text()
    assert guide["result"].F.shape[1] == 2


def returns_by_hand(xml, trajectory):
    """The guide's two returns, from the recorded states alone, with MuJoCo's own sites and forces."""
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    total = np.zeros(2)
    for q, qd, action in zip(trajectory.q[1:], trajectory.qd[1:], trajectory.actions, strict=True):
        data.qpos[:], data.qvel[:], data.ctrl[:] = q, qd, 10 * action
        mujoco.mj_forward(model, data)
        total += 2 - abs(data.site("tip").xpos[0]), 2 - (data.actuator("push").force[0] / 5) ** 2
    return total


@pytest.mark.parametrize("row", range(3))
def test_returns_agree_with_a_recomputation_from_the_recorded_states(guide, row):
    problem = guide["problem"]
    x = 10 * np.asarray(problem.sample(jax.random.key(row), 3), np.float64)
    starts = problem.start_states(jax.random.key(0))
    played = problem.play(starts, x)
    trajectory = problem.record_from(x[row], starts, steps=problem.steps)
    assert played.returns.shape == (3, 4, 2)
    assert played.lengths[row, 0] == len(trajectory.actions) > 5
    np.testing.assert_allclose(played.returns[row, 0], returns_by_hand(guide["XML"], trajectory), rtol=1e-6)


def test_an_evaluation_is_the_mean_of_the_recomputed_returns_of_all_its_episodes(guide):
    problem = guide["problem"]
    x = 10 * np.asarray(problem.sample(jax.random.key(8), 2), np.float64)
    f, _ = problem.evaluate_host(jax.random.key(0), x)
    q, qd = problem.start_states(jax.random.key(0))
    for row in range(2):
        returns = []
        for episode in range(4):
            start = q[episode : episode + 1], qd[episode : episode + 1]
            returns.append(returns_by_hand(guide["XML"], problem.record_from(x[row], start, steps=problem.steps)))
        assert len(np.unique(returns, axis=0)) == 4
        np.testing.assert_allclose(-f[row], np.mean(returns, axis=0), rtol=1e-6)


def test_episodes_agree_with_mujoco_stepped_by_hand(guide):
    """The held action, the range of the actuator, the keyframe and the observation."""
    problem = guide["problem"]
    x = 10 * np.asarray(problem.sample(jax.random.key(5), 1)[0], np.float64)
    trajectory = problem.record(x, steps=20)
    model = mujoco.MjModel.from_xml_string(guide["XML"])
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = trajectory.q[0], trajectory.qd[0]
    assert abs(data.qpos[0] - 1) <= 0.02
    act = problem.policy.load(x)
    for step, action in enumerate(trajectory.actions):
        cart, poles, speeds = data.qpos[:1], np.sin(data.qpos[1:]), data.qvel
        np.testing.assert_allclose(act(np.concatenate([cart, poles, speeds])), action, atol=1e-7)
        data.ctrl[:] = 10 * action
        for _ in range(2):
            mujoco.mj_step(model, data)
        np.testing.assert_allclose(data.qpos, trajectory.q[step + 1], atol=1e-7)


def test_readings_are_those_of_the_state_itself(guide):
    physics = guide["problem"].world.physics
    generator = np.random.default_rng(0)
    q, qd = generator.uniform(-0.3, 0.3, (9, 3)), generator.normal(size=(9, 3))
    model = mujoco.MjModel.from_xml_string(guide["XML"])
    data = mujoco.MjData(model)
    start = State(q, qd, physics.read(q, qd), physics.layout)
    after_q, after_qd, readings, _ = physics.step(q, qd, np.full((9, 1), 0.25))
    after = State(after_q, after_qd, readings, physics.layout)
    for state, force in ((start, 0.0), (after, 2.5)):
        for row in range(9):
            data.qpos[:], data.qvel[:] = state.q[row], state.qd[row]
            mujoco.mj_forward(model, data)
            np.testing.assert_allclose(state.site("tip")[row], data.site("tip").xpos, atol=1e-12)
            np.testing.assert_allclose(state.body("long pole")[row], data.body("long pole").xpos, atol=1e-12)
            assert state.sensor("force")[row] == pytest.approx(force)


def test_a_policy_learns_to_balance(guide):
    """Random policies drop a pole within a second; evolved ones do not."""
    problem = RobotProblem(guide["task"], control_weight=0, steps=100)
    result = optimize(problem, SPEA2(population=48), generations=25, seed=1)
    first = problem.play(problem.start_states(jax.random.key(0)), np.asarray(problem.sample(jax.random.key(0), 48)))
    best = problem.play(problem.start_states(jax.random.key(0)), result.X)
    assert best.lengths.max() == 100 > first.lengths.max()


@pytest.mark.slow
@pytest.mark.usefixtures("quick_records")
def test_mjx_agrees_with_the_c_engine(guide):
    in_c, in_jax = (RobotProblem(guide["task"], backend=backend, steps=12, lanes=3) for backend in ("mujoco", "mjx"))
    x = 10 * in_c.sample(jax.random.key(3), 3)
    f, _ = jax.jit(in_jax.evaluate, compiler_options=QUICKLY)(jax.random.key(0), x)
    g, _ = in_c.evaluate_host(jax.random.key(0), np.asarray(x, np.float64))
    np.testing.assert_allclose(f, g, rtol=1e-3)
    trajectory = in_jax.record_from(x[0], in_jax.start_states(jax.random.key(0)), steps=12)
    np.testing.assert_allclose(-f[0], returns_by_hand(guide["XML"], trajectory), rtol=1e-3)


def bodies_only(task):
    """The same robot without sensors and sites, which Brax does not have."""
    objectives = (
        Objective(name="in the middle", reward=lambda step: 2 - abs(step.after.body("long pole")[..., 0])),
        Objective(name="little force", reward=lambda step: 2 - 4 * step.action[..., 0] ** 2),
    )
    return replace(task, objectives=objectives)


@pytest.mark.slow
@pytest.mark.usefixtures("quick_records")
def test_brax_simulates_what_it_can(guide):
    task = bodies_only(guide["task"])
    problem = RobotProblem(task, backend="brax", steps=12, lanes=3)
    assert isinstance(problem.world.physics, Brax)
    x = 10 * problem.sample(jax.random.key(3), 3)
    f, _ = jax.jit(problem.evaluate, compiler_options=QUICKLY)(jax.random.key(0), x)
    g, _ = RobotProblem(task, backend="mujoco", steps=12).evaluate_host(jax.random.key(0), np.asarray(x, np.float64))
    np.testing.assert_allclose(f, g, rtol=0.02)


def test_a_file_is_read_with_what_it_includes_and_a_change_of_it_is_noticed(guide, tmp_path):
    body = re.search(r"<body name=\"cart\".*</body>\n  </worldbody>", guide["XML"], re.DOTALL).group(0)
    body = body.removesuffix("</worldbody>")
    (tmp_path / "cart.xml").write_text(f"<mujoco>{body}</mujoco>")
    main = tmp_path / "robot.xml"
    main.write_text(guide["XML"].replace(body, '<include file="cart.xml"/>'))
    settings = {"steps": 20, "control_weight": 0.0}
    run = {"generations": 1, "seed": 1}

    def problem():
        return RobotProblem(replace(guide["task"], model=main), **settings)

    x = 10 * np.asarray(problem().sample(jax.random.key(0), 4), np.float64)
    by_text = RobotProblem(guide["task"], **settings)
    np.testing.assert_array_equal(
        problem().evaluate_host(jax.random.key(0), x)[0], by_text.evaluate_host(jax.random.key(0), x)[0]
    )
    result = optimize(problem(), TensorRVEA(population=6), directory=tmp_path / "run", **run)
    again = resume(tmp_path / "run", problem=problem())
    np.testing.assert_array_equal(again.F, result.F)
    (tmp_path / "cart.xml").write_text(f"<mujoco>{body}</mujoco>".replace('mass="0.2"', 'mass="0.3"'))
    with pytest.raises(SpecDiffersError, match="the source code of problem has changed"):
        resume(tmp_path / "run", problem=problem())


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (
            lambda s: [s.joint("lon")],
            r"joint must be one of 'slide', 'long', 'short', got 'lon'; did you mean 'long'\?",
        ),
        (lambda s: [s.joint_velocity("pole")], "joint must be one of 'slide', 'long', 'short', got 'pole'"),
        (lambda s: [s.sensor("forces")], r"sensor must be one of 'force', got 'forces'; did you mean 'force'\?"),
        (lambda s: [s.site("top")], r"site must be one of 'tip', got 'top'; did you mean 'tip'\?"),
        (lambda s: [s.body("pole")], "body must be one of 'cart', 'long pole', 'short pole', got 'pole'"),
        (lambda s: s.q[0], r"observe must return an array \(7, k\) for 7 states, .* got shape \(3,\)"),
    ],
)
def test_a_wrong_name_or_shape_in_a_rule_is_an_error_when_the_problem_is_made(guide, rule, message):
    with pytest.raises(ValueError, match=message):
        RobotProblem(replace(guide["task"], observe=rule))


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        (
            {"model": "robot.xml"},
            ValueError,
            "model must be the path of an MJCF file, or its text, got 'robot.xml'",
        ),
        ({"model": "hoper"}, ValueError, r"model must be the path of an MJCF file \(.xml\), its text, or one of 'ant'"),
        (
            {"model": "<mujoco><worldbody><bod/></worldbody></mujoco>"},
            ValueError,
            "model must be valid MJCF, got text: XML",
        ),
        ({"model": 3}, TypeError, "model takes the path of an MJCF file, or its text, got 3"),
        ({"keyframe": "asid"}, ValueError, r"keyframe must be one of 'aside', got 'asid'; did you mean 'aside'\?"),
        (
            {"healthy": lambda state: state.q[0] > 0},
            ValueError,
            r"healthy must return one value per state, shape \(7,\) here, got \(3,\)",
        ),
        ({"objectives": ()}, ValueError, "objectives must be two or more Objective"),
        ({"frames": 0}, ValueError, "frames must be at least 1, got 0"),
        ({"plane": "yz"}, ValueError, "plane must be one of 'xz', 'xy', '3d', got 'yz'"),
        ({"limit": 0}, ValueError, "limit must be a positive number, got 0"),
        ({"observe": None}, TypeError, "observe takes a function, got None"),
    ],
)
def test_wrong_fields_of_a_task_are_rejected(guide, changes, error, message):
    with pytest.raises(error, match=message):
        RobotProblem(replace(guide["task"], **changes))


def test_a_start_of_the_wrong_size_is_rejected(guide):
    task = replace(guide["task"], start=lambda _, q, velocities: (q[:2], np.zeros(velocities)))
    with pytest.raises(ValueError, match=r"start must return 3 numbers as q for this model, got shape \(2,\)"):
        RobotProblem(task, steps=5).start_states(jax.random.key(0))


def test_models_with_more_state_or_no_actuator_are_rejected(guide):
    filtered = guide["XML"].replace("<motor ", '<general dyntype="filter" dynprm="0.1" ')
    with pytest.raises(NotImplementedError, match="actuators with dynamics"):
        RobotProblem(replace(guide["task"], model=filtered))
    passive = re.sub(r"<actuator>.*</sensor>", "", guide["XML"], flags=re.DOTALL)
    with pytest.raises(ValueError, match="model must have at least one actuator"):
        RobotProblem(replace(guide["task"], model=passive))


def test_the_noise_on_a_free_joint_leaves_a_unit_quaternion():
    xml = """<mujoco><worldbody><body><freejoint name="root"/><geom size="0.1"/>
      <body pos="0.3 0 0"><joint name="arm"/><geom size="0.1"/></body></body></worldbody>
      <actuator><motor joint="arm"/></actuator></mujoco>"""
    objectives = tuple(Objective(name=name, reward=lambda step: step.after.q[..., 0]) for name in "ab")
    problem = RobotProblem(Task(name="ball", model=xml, objectives=objectives), steps=3)
    assert (problem.policy.inputs, problem.policy.outputs) == (8 + 7, 1)
    q, _ = problem.draw_unseen_starts(0, 50)
    np.testing.assert_allclose(np.linalg.norm(q[:, 3:7], axis=1), 1, rtol=1e-6)
    root = State(np.asarray(q), np.zeros((50, 7)), layout=problem.task.robot.layout)
    assert root.joint("root").shape == (50, 7)
    assert root.joint_velocity("root").shape == (50, 6)
