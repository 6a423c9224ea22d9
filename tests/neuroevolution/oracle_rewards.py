"""The tasks' rules, implemented independently in NumPy: objectives of a recorded episode, observations and falls."""

from importlib.util import find_spec
from pathlib import Path

import mujoco
import numpy as np

PAPER = ("MoHalfCheetah", "MoHopper-m2", "MoHopper-m3", "MoSwimmer")
NEW = ("MoHumanoid", "MoHumanoidStandup", "MoInvertedDoublePendulum", "MoPusher")
HEIGHT = 1.25


def returns_of(task, trajectory, control_weight):
    """Returns of an episode, computed from its states and actions."""
    q, actions, dt = trajectory.q.astype(float), trajectory.actions.astype(float), trajectory.dt
    steps = len(actions)
    assert len(q) == steps + 1
    forward = (q[-1, 0] - q[0, 0]) / dt  # the sum of the steps' velocities telescopes
    control = control_weight * np.sum(actions**2)
    alive = float(steps)
    if task == "MoHopper-m2":
        climbed = 10 * np.sum((q[1:, 1] + HEIGHT) - HEIGHT)
        return np.array([forward - control + alive, climbed - control + alive])
    if task == "MoHopper-m3":
        return np.array([forward + alive, 10 * np.sum(q[1:, 1]) + alive, alive - control])
    if task in ("MoHalfCheetah", "MoSwimmer"):
        return np.array([forward, -control])
    if task in ("MoWalker2d", "MoAnt", "MoHumanoid"):
        return np.array([forward + alive, alive - control])
    if task == "MoHumanoidStandup":
        torso = places("humanoidstandup", q[1:], lambda data: data.body("torso").xpos)
        return np.array([torso[:, 2].sum() / 0.015, -control])
    if task == "MoInvertedDoublePendulum":
        tip = places("inverted_double_pendulum", q[1:], lambda data: data.site("tip").xpos)
        hinges = trajectory.qd[1:, 1:].astype(float) ** 2 @ [0.001, 0.005]
        lost = 0.01 * tip[:, 0] ** 2 + (tip[:, 2] - 2) ** 2 + hinges
        return np.array([10 * alive - lost.sum(), alive - control])
    if task == "MoPusher":
        goal, block, tips = (
            places("pusher", q[1:], lambda data, name=name: data.body(name).xpos)
            for name in ("goal", "object", "tips_arm")
        )
        far = np.linalg.norm(block - goal, axis=1) + np.linalg.norm(block - tips, axis=1) / 2
        return np.array([-far.sum(), -control])
    shoulder, elbow = q[1:, 0], q[1:, 0] + q[1:, 1]
    tip = 0.1 * np.exp(1j * shoulder) + 0.11 * np.exp(1j * elbow)
    return np.array([-np.abs(tip - (q[1:, 2] + 1j * q[1:, 3])).sum(), -control])


def brax_model(name):
    """One of Brax's files, compiled by MuJoCo as it is."""
    return mujoco.MjModel.from_xml_path(str(Path(find_spec("brax").origin).parent / "envs/assets" / f"{name}.xml"))


def observation_of(task, data):
    """What the policy of a new task sees, from MuJoCo's data after ``mj_kinematics``."""
    q, qd = data.qpos, data.qvel
    if task in ("MoHumanoid", "MoHumanoidStandup"):
        return np.concatenate([q[2:], qd])
    if task == "MoInvertedDoublePendulum":
        (first, second), speeds = q[1:], np.minimum(np.maximum(qd, -10), 10)
        return np.array([q[0], np.sin(first), np.sin(second), np.cos(first), np.cos(second), *speeds])
    return np.concatenate([q[:7], qd[:7], *(data.body(name).xpos for name in ("tips_arm", "object", "goal"))])


def places(model, q, find):
    """A position in each state, by MuJoCo's own kinematics of Brax's file."""
    compiled = brax_model(model)
    data = mujoco.MjData(compiled)
    found = []
    for position in q:
        data.qpos[:] = position
        mujoco.mj_kinematics(compiled, data)
        found.append(np.array(find(data)))
    return np.array(found)


def first_fall(task, q, qd):
    """The first step after which the robot is unhealthy; None if it never falls."""
    for step in range(1, len(q)):
        height, lean = q[step, 1] + HEIGHT, q[step, 2]
        if task.startswith("MoHopper"):
            calm = max(np.abs(q[step, 2:]).max(), np.abs(qd[step]).max()) < 100
            fallen = not (calm and height > 0.7 and -0.2 < lean < 0.2)
        elif task == "MoWalker2d":
            fallen = not (0.8 < height < 2 and -1 < lean < 1)
        elif task == "MoAnt":
            fallen = not 0.2 <= q[step, 2] <= 1
        elif task == "MoHumanoid":
            fallen = not 1 <= q[step, 2] <= 2
        elif task == "MoInvertedDoublePendulum":
            fallen = (
                places("inverted_double_pendulum", q[step : step + 1], lambda data: data.site("tip").xpos)[0, 2] <= 1
            )
        else:
            fallen = False
        if fallen:
            return step
    return None
