"""Replays: a policy's episode step by step, and the robot's shape over time, for pictures."""

import json
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from tensorrvea.checks import check_integer, check_number
from tensorrvea.neuroevolution.backends.mujoco import Lanes, advance_on_host
from tensorrvea.neuroevolution.models import load_model, require
from tensorrvea.neuroevolution.problem import UNSEEN, RobotPolicy, RobotProblem
from tensorrvea.neuroevolution.rollout import advance
from tensorrvea.neuroevolution.tasks import Task

FORMAT_VERSION = 1
PLANES = {"xz": (0, 2), "xy": (0, 1)}


class Trajectory(NamedTuple):
    """An episode as it went: one row more of states than of actions."""

    q: Float[np.ndarray, "steps+1 nq"]
    qd: Float[np.ndarray, "steps+1 nv"]
    actions: Float[np.ndarray, "steps nu"]
    rewards: Float[np.ndarray, "steps m"]
    dt: float
    failed: bool


@dataclass(frozen=True, kw_only=True)
class Replay:
    """The robot in its plane of motion, frame by frame: each part a capsule, between two points.

    A ball is a capsule whose points coincide. ``json`` is the format that others can draw.
    """

    task: str
    backend: str
    plane: str
    ground: bool
    names: tuple[str, ...]
    radii: Float[np.ndarray, " parts"]
    fixed: Bool[np.ndarray, " parts"]
    """Which parts belong to the surroundings."""
    ends: Float[np.ndarray, "frames parts 4"]
    """x and y of one end, then of the other."""
    seconds: float
    """Between two frames."""
    objectives: tuple[str, ...]
    returns: Float[np.ndarray, " m"] | None
    """What the episode earned; None if its simulation exploded: the frames end before that."""

    @property
    def positions(self) -> Float[np.ndarray, "frames parts 2"]:
        """The parts' centres."""
        return (self.ends[..., :2] + self.ends[..., 2:]) / 2

    @property
    def angles(self) -> Float[np.ndarray, "frames parts"]:
        """The parts' orientations in the plane, in radians; zero for balls."""
        along = self.ends[..., 2:] - self.ends[..., :2]
        return np.arctan2(along[..., 1], along[..., 0])

    @property
    def lengths(self) -> Float[np.ndarray, "frames parts"]:
        """From end to end, without the caps; constant where the robot is planar."""
        return np.linalg.norm(self.ends[..., 2:] - self.ends[..., :2], axis=-1)

    def json(self) -> str:
        """As text: see ``docs/neuroevolution.md`` for the fields."""
        return json.dumps(
            {
                "format": "tensorrvea-replay",
                "version": FORMAT_VERSION,
                "task": self.task,
                "backend": self.backend,
                "plane": self.plane,
                "ground": self.ground,
                "seconds": round(self.seconds, 6),
                "parts": [
                    {"name": name, "radius": round(float(radius), 4), "fixed": bool(fixed)}
                    for name, radius, fixed in zip(self.names, self.radii, self.fixed, strict=True)
                ],
                "frames": np.round(self.ends, 3).tolist(),
                "objectives": list(self.objectives),
                "returns": None if self.returns is None else [round(float(value), 4) for value in self.returns],
            },
            separators=(",", ":"),
            allow_nan=False,
        )


def record(policy: RobotPolicy, *, seed: int = 0, steps: int | None = None) -> Trajectory:
    """One episode of a policy, from a start state that no search has used.

    A robot is chaotic, and another batch width rounds differently: it need not fall at the same step as when it was
    scored.
    """
    problem = _check_policy(policy)
    steps = problem.steps if steps is None else check_integer("steps", steps, minimum=1)
    key = jax.random.fold_in(jax.random.key(check_integer("seed", seed, minimum=0)), UNSEEN)
    return record_from(problem, policy.x, problem.draw_starts(key, 1), steps=steps)


def record_from(problem: RobotProblem, x: Any, starts: tuple[Any, Any], *, steps: int) -> Trajectory:
    """One episode from the first of given start states."""
    trace = _trace_on_host if problem.host else _trace
    states, outcomes = trace(problem, x, starts, steps)
    ended = ~outcomes.healthy | outcomes.exploded
    length = int(np.argmax(ended)) + 1 if ended.any() else steps
    return Trajectory(
        q=np.concatenate([states.before[:1], states.after[:length]]),
        qd=np.concatenate([np.asarray(starts[1])[:1], states.velocity[:length]]),
        actions=states.action[:length],
        rewards=outcomes.reward[:length],
        dt=problem.world.physics.dt,
        failed=bool(outcomes.exploded[length - 1]),
    )


def _trace(problem: RobotProblem, x: Any, starts: tuple[Any, Any], steps: int) -> Any:
    """All steps of an episode, also those after its end."""
    dtype = jnp.result_type(float)
    q, qd = (jnp.asarray(part, dtype)[:1] for part in starts)
    kept, outcome = jax.device_get(_trace_compiled(problem, jnp.asarray(x, dtype)[None], q, qd, steps=steps))
    return _Kept(*(rows[:, 0] for rows in kept)), type(outcome)(*(rows[:, 0] for rows in outcome))


@partial(jax.jit, static_argnames=("problem", "steps"))
def _trace_compiled(problem: RobotProblem, weights: Float[Array, "1 d"], q: Array, qd: Array, *, steps: int) -> Any:
    def step(state: Any, _: None) -> Any:
        state, outcome, made = advance(problem.world, weights, state)
        return state, (_Kept(made.before, made.after, made.velocity, made.action), outcome)

    return jax.lax.scan(step, jax.vmap(problem.world.physics.init)(q, qd), None, length=steps)[1]


def _trace_on_host(problem: RobotProblem, x: Any, starts: tuple[Any, Any], steps: int) -> Any:
    """The steps of an episode up to its end."""
    weights = np.asarray(x, np.float64)[None]
    q, qd = (np.asarray(part, np.float64)[:1] for part in starts)
    lanes = Lanes(
        job=np.zeros(1, int), q=q, qd=qd, total=np.zeros((1, problem.objectives)), length=np.zeros(1, int),
        layers=problem.policy.unpack(weights),
    )  # fmt: skip
    kept, outcomes = [], []
    for _ in range(steps):
        q, qd, outcome, made = advance_on_host(problem.world, lanes)
        lanes = lanes._replace(q=q, qd=qd)
        kept.append((made.before[0], made.after[0], made.velocity[0], made.action[0]))
        outcomes.append([part[0] for part in outcome])
        if outcome.exploded[0] or not outcome.healthy[0]:
            break
    return _Kept(*map(np.array, zip(*kept, strict=True))), type(outcome)(*map(np.array, zip(*outcomes, strict=True)))


class _Kept(NamedTuple):
    before: Any
    after: Any
    velocity: Any
    action: Any


def replay(policy: RobotPolicy, *, seed: int = 0, steps: int | None = None, frames_per_second: float = 25.0) -> Replay:
    """What a policy does, as the geometry of the robot over time; the states between frames are left out."""
    problem = _check_policy(policy)
    check_number("frames_per_second", frames_per_second, minimum=0.0, open_minimum=True)
    trajectory = record(policy, seed=seed, steps=steps)
    stride = max(1, round(1 / (frames_per_second * trajectory.dt)))
    states = trajectory.q[:-1] if trajectory.failed else trajectory.q  # the last of these is where it exploded
    parts = capsules(problem.task, states[::stride])
    return Replay(
        task=problem.task.name,
        backend=problem.backend,
        plane=problem.task.plane,
        ground=problem.task.ground,
        **parts._asdict(),
        seconds=stride * trajectory.dt,
        objectives=problem.objective_names,
        returns=None if trajectory.failed else trajectory.rewards.sum(axis=0),
    )


class Capsules(NamedTuple):
    """The robot's parts, capsules and balls, as in ``Replay``."""

    names: tuple[str, ...]
    radii: Float[np.ndarray, " parts"]
    fixed: Bool[np.ndarray, " parts"]
    ends: Float[np.ndarray, "frames parts 4"]


def capsules(task: Task, q: Float[np.ndarray, "frames nq"]) -> Capsules:
    """The robot's parts seen in its plane of motion.

    MuJoCo's kinematics place them, whichever engine has moved the robot.
    """
    mujoco = require("mujoco", needed_for="replays")
    model = load_model(task.model)
    data = mujoco.MjData(model)
    capsule, ball = int(mujoco.mjtGeom.mjGEOM_CAPSULE), int(mujoco.mjtGeom.mjGEOM_SPHERE)
    shown = np.flatnonzero((model.geom_type == capsule) | (model.geom_type == ball))
    half = np.where(model.geom_type[shown] == capsule, model.geom_size[shown, 1], 0.0)
    axes = list(PLANES[task.plane])
    ends = np.empty((len(q), len(shown), 4))
    for frame, position in enumerate(q):
        data.qpos[:] = position
        mujoco.mj_kinematics(model, data)
        along = data.geom_xmat[shown].reshape(-1, 3, 3)[:, :, 2] * half[:, None]  # a capsule lies along its own z
        centre = data.geom_xpos[shown]
        ends[frame] = np.concatenate([(centre - along)[:, axes], (centre + along)[:, axes]], axis=1)
    return Capsules(
        names=tuple(model.geom(i).name or model.body(model.geom_bodyid[i]).name for i in shown),
        radii=np.array(model.geom_size[shown, 0]),
        fixed=np.array(model.geom_bodyid[shown] == 0),
        ends=ends,
    )


def _check_policy(policy: RobotPolicy) -> RobotProblem:
    if not isinstance(policy, RobotPolicy):
        raise TypeError(f"policy takes what problem.load(x) gives, got {policy!r:.80}")
    return policy.problem
