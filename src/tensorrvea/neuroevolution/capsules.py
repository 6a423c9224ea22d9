"""The robot's shape over time, as capsules in its plane of motion, for animations."""

import json
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from tensorrvea.neuroevolution.models import require
from tensorrvea.neuroevolution.task import Task

FORMAT_VERSION = 1
PLANES = {"xz": (0, 2), "xy": (0, 1)}


@dataclass(frozen=True, kw_only=True)
class Capsules:
    """The parts of a robot, frame by frame. Each is a capsule; a ball has coinciding ends."""

    names: tuple[str, ...]
    radii: Float[np.ndarray, " parts"]
    fixed: Bool[np.ndarray, " parts"]  # parts that belong to the surroundings
    ends: Float[np.ndarray, "frames parts 4"]  # x and y of one end, then of the other


@dataclass(frozen=True, kw_only=True)
class Replay(Capsules):
    """An episode of a robot in its plane of motion."""

    task: str
    backend: str
    plane: str
    ground: bool
    seconds: float  # time between two frames
    objectives: tuple[str, ...]
    returns: Float[np.ndarray, " m"] | None  # of the episode; None if it exploded, and the frames end before that

    @property
    def positions(self) -> Float[np.ndarray, "frames parts 2"]:
        """Centres of the parts."""
        return (self.ends[..., :2] + self.ends[..., 2:]) / 2

    @property
    def angles(self) -> Float[np.ndarray, "frames parts"]:
        """Orientations of the parts in the plane, in radians; zero for balls."""
        along = self.ends[..., 2:] - self.ends[..., :2]
        return np.arctan2(along[..., 1], along[..., 0])

    @property
    def lengths(self) -> Float[np.ndarray, "frames parts"]:
        """Distances between the ends, without the caps; constant for planar robots."""
        return np.linalg.norm(self.ends[..., 2:] - self.ends[..., :2], axis=-1)

    def json(self) -> str:
        """Serialise; ``docs/neuroevolution.md`` describes the fields."""
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


def capsules(task: Task, q: Float[np.ndarray, "frames nq"]) -> Capsules:
    """Project the robot's parts onto its plane of motion, by MuJoCo's kinematics for every engine."""
    mujoco = require("mujoco", needed_for="replays")
    model = task.robot.compiled
    data = mujoco.MjData(model)
    capsule, ball = int(mujoco.mjtGeom.mjGEOM_CAPSULE), int(mujoco.mjtGeom.mjGEOM_SPHERE)
    geoms = np.flatnonzero((model.geom_type == capsule) | (model.geom_type == ball))
    half = np.where(model.geom_type[geoms] == capsule, model.geom_size[geoms, 1], 0.0)
    axes = list(PLANES[task.plane])
    ends = np.empty((len(q), len(geoms), 4))
    for frame, position in enumerate(q):
        data.qpos[:] = position
        mujoco.mj_kinematics(model, data)
        along = data.geom_xmat[geoms].reshape(-1, 3, 3)[:, :, 2] * half[:, None]  # a capsule lies along its own z
        centre = data.geom_xpos[geoms]
        ends[frame] = np.concatenate([(centre - along)[:, axes], (centre + along)[:, axes]], axis=1)
    return Capsules(
        names=tuple(model.geom(i).name or model.body(model.geom_bodyid[i]).name for i in geoms),
        radii=np.array(model.geom_size[geoms, 0]),
        fixed=np.array(model.geom_bodyid[geoms] == 0),
        ends=ends,
    )
