"""Replays, animations and scores on unseen start states."""

import json

import jax
import numpy as np
import pytest
from PIL import Image

from tensorrvea.neuroevolution import Objective, RobotProblem, Scores, Task, record, render, replay, rescore
from tensorrvea.neuroevolution.backends.mujoco import MuJoCo
from tensorrvea.neuroevolution.capsules import capsules
from tensorrvea.neuroevolution.space_camera import SpaceCamera, rotation
from tensorrvea.neuroevolution.tasks import TASKS
from tensorrvea.report.from_result import replay_from_episode


def problem_of(task="MoHopper-m2", **settings):
    return RobotProblem(task=task, backend="mujoco", **({"steps": 40} | settings))


def policies(problem, n=3):
    return np.asarray(problem.sample(jax.random.key(0), n), np.float64)


def test_capsules_of_the_standing_hopper():
    """As in the model's file: torso from 1.05 to 1.45, thigh below it, and the foot along x."""
    parts = capsules(TASKS["MoHopper-m2"], np.zeros((1, 6)))
    assert parts.names == ("torso_geom", "thigh_geom", "leg_geom", "foot_geom")
    np.testing.assert_allclose(parts.radii, [0.05, 0.05, 0.04, 0.06])
    ends = dict(zip(parts.names, parts.ends[0], strict=True))
    np.testing.assert_allclose(ends["torso_geom"], [0, 1.05, 0, 1.45], atol=1e-6)
    np.testing.assert_allclose(ends["thigh_geom"], [0, 0.6, 0, 1.05], atol=1e-6)
    np.testing.assert_allclose(np.sort(ends["foot_geom"][[0, 2]]), [-0.13, 0.26], atol=1e-6)
    np.testing.assert_allclose(ends["foot_geom"][[1, 3]], 0.1, atol=1e-6)
    assert not parts.fixed.any()


def test_capsules_of_a_moved_and_rotated_hopper():
    q = np.array([[2.0, 0.5, np.pi / 2, 0, 0, 0]])
    torso = capsules(TASKS["MoHopper-m2"], q).ends[0, 0]
    np.testing.assert_allclose(torso, [1.8, 1.75, 2.2, 1.75], atol=1e-6)  # about +y: up becomes +x


def test_the_reachers_walls_are_fixed():
    parts = capsules(TASKS["MoReacher"], np.zeros((1, 4)))
    moving = [name for name, fixed in zip(parts.names, parts.fixed, strict=True) if not fixed]
    assert moving == ["link0", "link1", "fingertip", "target"]


@pytest.mark.parametrize("task", TASKS)
def test_a_replay_is_a_small_json_file(task):
    problem = problem_of(task)
    shown = replay(problem.load(policies(problem)[0]), seed=3)
    data = json.loads(shown.json())
    assert (data["format"], data["version"], data["task"], data["backend"]) == ("tensorrvea-replay", 1, task, "mujoco")
    frames = np.array(data["frames"])
    assert frames.shape == (len(shown.ends), len(data["parts"]), 4)
    np.testing.assert_allclose(frames, shown.ends, atol=5.1e-4)
    assert len(data["returns"]) == len(data["objectives"]) == problem.objectives
    np.testing.assert_allclose(shown.positions[..., 0], (shown.ends[..., 0] + shown.ends[..., 2]) / 2)
    if shown.poses is None:  # planar robots keep their lengths
        np.testing.assert_allclose(shown.lengths, np.broadcast_to(shown.lengths[0], shown.lengths.shape), atol=1e-6)
    assert shown.angles.shape == shown.lengths.shape
    assert len(shown.json()) < (60_000 if shown.poses is None else 120_000)


@pytest.mark.parametrize("bad", [np.nan, 1e9])
def test_a_replay_ends_before_the_simulation_explodes(bad, monkeypatch, tmp_path):
    problem = problem_of(task="MoHalfCheetah")
    policy = problem.load(policies(problem)[0])
    whole = replay(policy)
    original, steps = MuJoCo.step, []

    def step(self, q, qd, action):
        steps.append(1)
        return original(self, q, np.full_like(qd, bad) if len(steps) % 11 == 0 else qd, action)

    monkeypatch.setattr(MuJoCo, "step", step)
    shown = replay(policy, frames_per_second=1000)
    assert len(shown.ends) == 11  # the start and ten steps
    np.testing.assert_array_equal(shown.ends[0], whole.ends[0])
    assert np.abs(shown.ends).max() < 3
    assert shown.returns is None
    assert json.loads(shown.json(), parse_constant=pytest.fail)["returns"] is None
    assert replay_from_episode(shown, 0).returns is None  # as a report has it
    render(shown, tmp_path / "robot.gif", width=64)


def test_a_recorded_episode_starts_at_an_unseen_state():
    problem = problem_of()
    x = policies(problem)[0]
    trajectory = record(problem.load(x), seed=2)
    steps = len(trajectory.actions)
    assert trajectory.q.shape == (steps + 1, 6)
    assert trajectory.rewards.shape == (steps, 2)
    assert not trajectory.failed
    assert not np.array_equal(trajectory.q[0], np.asarray(problem.start_states(jax.random.key(0))[0])[0])
    np.testing.assert_array_equal(record(problem.load(x), seed=2).q, trajectory.q)
    assert len(record(problem.load(x), seed=2, steps=3).actions) == 3


@pytest.mark.parametrize("task", ["MoHopper-m2", "MoSwimmer", "MoReacher"])
def test_an_animation_is_drawn_without_a_display(task, tmp_path, monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    problem = problem_of(task)
    path = render(problem.load(policies(problem)[0]), tmp_path / "robot.gif", steps=20, width=160)
    with Image.open(path) as picture:
        assert picture.size == (160, 120)
        assert picture.n_frames > 3
        assert picture.info["duration"] >= 20
        colours = []
        for frame in (0, picture.n_frames - 1):
            picture.seek(frame)
            colours.append(np.asarray(picture.convert("RGB")))
    assert not np.array_equal(*colours)
    blue = (np.abs(colours[0].astype(int) - (0, 114, 178)).sum(axis=-1) < 40).sum()
    assert blue > 20 or task == "MoReacher"  # the first part of the robot is visible


def test_the_animation_of_a_replay_is_the_same(tmp_path):
    problem = problem_of()
    policy = problem.load(policies(problem)[0])
    one = render(policy, tmp_path / "one.gif", seed=1, width=64)
    other = render(replay(policy, seed=1), tmp_path / "other.gif", width=64)
    assert one.read_bytes() == other.read_bytes()


def test_invalid_arguments_of_render_and_replay_are_rejected(tmp_path):
    problem = problem_of()
    policy = problem.load(policies(problem)[0])
    with pytest.raises(ValueError, match=r"path must end in \.gif or \.mp4, got 'robot.png'"):
        render(policy, "robot.png")
    with pytest.raises(TypeError, match=r"policy takes what problem\.load\(x\) returns"):
        replay(np.zeros(243))
    with pytest.raises(ValueError, match="frames_per_second must be a finite number"):
        replay(policy, frames_per_second=0)


def test_scores_are_means_and_spreads_on_unseen_starts():
    problem = problem_of(episodes=2)
    x = policies(problem)
    scores = rescore(problem, x, episodes=5, seed=4)
    assert scores.returns.shape == (3, 5, 2)
    np.testing.assert_allclose(scores.mean, scores.returns.mean(axis=1))
    np.testing.assert_allclose(scores.spread, scores.returns.std(axis=1))
    assert (scores.spread > 0).all()
    assert (scores.failures == 0).all()
    used = np.asarray(problem.start_states(jax.random.key(0))[0])
    unseen = np.asarray(problem.draw_starts(jax.random.fold_in(jax.random.key(4), 1), 5)[0])
    assert not set(used[:, 0].tolist()) & set(unseen[:, 0].tolist())
    np.testing.assert_array_equal(rescore(problem, x[1:2], episodes=5, seed=4).returns[0], scores.returns[1])


def test_failed_episodes_are_excluded_from_scores_and_counted():
    scores = Scores(
        returns=np.array([[[1.0, 2.0], [np.nan, 9.0], [3.0, 6.0]]]), failed=np.array([[False, True, False]])
    )
    np.testing.assert_allclose(scores.mean, [[2, 4]])
    np.testing.assert_allclose(scores.spread, [[1, 2]])
    assert scores.failures.tolist() == [1]


def test_invalid_arguments_of_rescore_are_rejected():
    problem = problem_of()
    with pytest.raises(ValueError, match="x must have 243 columns"):
        rescore(problem, np.zeros((2, 10)))
    with pytest.raises(TypeError, match="problem takes a RobotProblem"):
        rescore("MoHopper-m2", np.zeros((2, 243)))


def test_solids_of_a_robot_in_space_agree_with_mujoco():
    xml = """<mujoco><asset><mesh name="wedge" vertex="0 0 0  0.4 0 0  0 0.2 0  0 0 0.6"/></asset><worldbody>
      <geom type="plane" size="1 1 1"/><geom name="post" type="box" size="0.1 0.2 0.3" pos="2 0 0.3"/>
      <body name="arm" pos="0 0 1"><joint name="turn" axis="0 1 0"/>
        <geom name="rod" type="capsule" fromto="0 0 0 1 0 0" size="0.05"/>
        <geom name="ball" size="0.1" pos="1 0 0"/><geom name="hidden" size="0.3" group="3"/>
        <geom name="drum" type="cylinder" size="0.1 0.4" pos="0 1 0"/>
        <geom name="part" type="mesh" mesh="wedge" pos="0 0 -0.5"/></body></worldbody>
      <actuator><motor joint="turn"/></actuator></mujoco>"""
    objectives = tuple(Objective(name=name, reward=lambda step: step.after.q[..., 0]) for name in "ab")
    task = Task(name="arm", model=xml, objectives=objectives)
    parts = capsules(task, np.array([[0.0], [np.pi / 2]]))
    assert parts.names == ("post", "rod", "ball", "drum", "part")
    assert parts.kinds == ("box", "capsule", "sphere", "cylinder", "box")
    assert parts.fixed.tolist() == [True, False, False, False, False]
    np.testing.assert_allclose(parts.sizes[:4], [[0.1, 0.2, 0.3], [0.05, 0.05, 0.5], [0.1] * 3, [0.1, 0.1, 0.4]])
    np.testing.assert_allclose(parts.poses[:, 2, :3], [[1, 0, 1], [0, 0, 0]], atol=1e-9)  # about +y: +x becomes down
    np.testing.assert_allclose(parts.ends[0, 1], [1, 1, 0, 1], atol=1e-6)
    # All corners of the mesh are inside its box, and the box is no larger than needed.
    corners = np.array([[0, 0, 0.5], [0.4, 0, 0.5], [0, 0.2, 0.5], [0, 0, 1.1]])
    inside = (corners - parts.poses[0, 4, :3]) @ rotation(parts.poses[0, 4, 3:])
    np.testing.assert_allclose(np.abs(inside).max(axis=0), parts.sizes[4], atol=1e-6)


def test_quaternions_of_consecutive_frames_can_be_interpolated():
    turns = np.linspace(0, 4 * np.pi, 40)
    q = np.tile(TASKS["MoAnt"].robot.position, (40, 1))
    q[:, 3:7] = np.stack([np.cos(turns / 2), 0 * turns, 0 * turns, np.sin(turns / 2)], axis=1)
    quaternions = capsules(TASKS["MoAnt"], q).poses[..., 3:]
    assert ((quaternions[1:] * quaternions[:-1]).sum(axis=-1) > 0.9).all()


@pytest.mark.parametrize("task", ["MoAnt", "MoPusher"])
def test_a_robot_in_space_is_drawn(task, tmp_path):
    problem = problem_of(task)
    shown = replay(problem.load(policies(problem)[0]), steps=20)
    data = json.loads(shown.json())
    assert len(data["solids"]) == len(data["parts"])
    np.testing.assert_allclose(data["poses"], shown.poses, atol=5.1e-5)
    camera = SpaceCamera(shown, 160)
    # The camera looks at its target; a point above it is above it on the picture.
    target = camera.target[0]
    x, y, _ = camera.project(np.stack([target, target + np.array([0, 0, 0.1])]), target).T
    np.testing.assert_allclose([x[0], y[0]], [camera.width / 2, camera.height / 2])
    assert (x[1], y[1] < y[0]) == (pytest.approx(x[0]), True)
    with Image.open(render(shown, tmp_path / "robot.gif", width=160)) as picture:
        colours = np.asarray(picture.convert("RGB")).astype(int)
        assert picture.n_frames == len(shown.poses)
    blue = (np.abs(colours - (0, 114, 178)).sum(axis=-1) < 80).sum()
    assert blue > 20  # the first part is visible
    report = replay_from_episode(shown, 0)
    assert [part.kind for part in report.parts] == list(shown.kinds)
    np.testing.assert_array_equal(report.poses, shown.poses)


@pytest.mark.filterwarnings("ignore:os.fork")  # imageio-ffmpeg starts a program
def test_a_film_is_written(tmp_path):
    films = pytest.importorskip("imageio_ffmpeg")
    problem = problem_of("MoAnt")
    shown = replay(problem.load(policies(problem)[0]), steps=20)
    path = render(shown, tmp_path / "robot.mp4", width=161)
    frames, _ = films.count_frames_and_secs(str(path))
    assert frames == len(shown.poses)
