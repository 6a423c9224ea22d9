"""The robot's shape over time, for animations: capsules in its plane of motion, or solids in space."""

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from tensorrvea.neuroevolution.models import require
from tensorrvea.neuroevolution.task import Task

FORMAT_VERSION = 1
PLANES = {"xz": (0, 2), "xy": (0, 1), "3d": (0, 2)}
SPACE = "3d"
SHOWN_GROUPS = 3  # geoms of groups 0 to 2 are visible, by MuJoCo's convention


@dataclass(frozen=True, kw_only=True)
class Capsules:
    """The parts of a robot, frame by frame. Each is a capsule; a ball has coinciding ends.

    In space, a part also has a kind, half sizes along its own axes, and a pose per frame. A capsule or cylinder lies
    along its z; its half sizes are its radius twice and half the distance of its ends. Meshes and ellipsoids are shown
    by their bounding boxes.
    """

    names: tuple[str, ...]
    radii: Float[np.ndarray, " parts"]
    fixed: Bool[np.ndarray, " parts"]  # parts that belong to the surroundings
    ends: Float[np.ndarray, "frames parts 4"]  # x and y of one end, then of the other
    kinds: tuple[str, ...] = ()  # "capsule", "cylinder", "sphere" or "box"
    sizes: Float[np.ndarray, "parts 3"] | None = None
    poses: Float[np.ndarray, "frames parts 7"] | None = None  # position, then quaternion (w, x, y, z)


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
                **self._space(),
                "objectives": list(self.objectives),
                "returns": None if self.returns is None else [round(float(value), 4) for value in self.returns],
            },
            separators=(",", ":"),
            allow_nan=False,
        )

    def _space(self) -> dict[str, Any]:
        """The fields of a replay in space."""
        if self.poses is None or self.sizes is None:
            return {}
        sizes = np.round(self.sizes, 4).tolist()
        solids = [{"kind": kind, "size": size} for kind, size in zip(self.kinds, sizes, strict=True)]
        return {"solids": solids, "poses": np.round(self.poses, 4).tolist()}


def capsules(task: Task, q: Float[np.ndarray, "frames nq"]) -> Capsules:
    """Project the robot's parts onto its plane of motion, by MuJoCo's kinematics for every engine."""
    mujoco = require("mujoco", needed_for="replays")
    model = task.robot.compiled
    data = mujoco.MjData(model)
    in_space = task.plane == SPACE
    geoms, kinds, sizes, centres = visible_parts(mujoco, model, in_space=in_space)
    half = np.where(np.isin(kinds, ["capsule", "cylinder"]), sizes[:, 2], 0.0)
    axes = list(PLANES[task.plane])
    ends, poses = np.empty((len(q), len(geoms), 4)), np.empty((len(q), len(geoms), 7))
    for frame, position in enumerate(q):
        data.qpos[:] = position
        mujoco.mj_kinematics(model, data)
        turns = data.geom_xmat[geoms].reshape(-1, 3, 3)
        along = turns[:, :, 2] * half[:, None]  # a capsule lies along its own z
        centre = data.geom_xpos[geoms] + np.einsum("pij,pj->pi", turns, centres)
        ends[frame] = np.concatenate([(centre - along)[:, axes], (centre + along)[:, axes]], axis=1)
        poses[frame, :, :3] = centre
        for part, geom in enumerate(geoms):
            mujoco.mju_mat2Quat(poses[frame, part, 3:], data.geom_xmat[geom])
    return Capsules(
        names=tuple(model.geom(i).name or model.body(model.geom_bodyid[i]).name for i in geoms),
        radii=sizes[:, 0].copy(),
        fixed=np.array(model.geom_bodyid[geoms] == 0),
        ends=ends,
        kinds=tuple(kinds) if in_space else (),
        sizes=sizes if in_space else None,
        poses=smooth_signs(poses) if in_space else None,
    )


def visible_parts(mujoco: Any, model: Any, *, in_space: bool) -> tuple[np.ndarray, list[str], np.ndarray, np.ndarray]:
    """Numbers, kinds, half sizes and centres of the geoms to show; in a plane, capsules and balls alone."""
    shapes = mujoco.mjtGeom
    kinds = {int(shapes.mjGEOM_CAPSULE): "capsule", int(shapes.mjGEOM_SPHERE): "sphere"}
    if in_space:
        kinds |= {int(shapes.mjGEOM_CYLINDER): "cylinder", int(shapes.mjGEOM_BOX): "box"}
        kinds |= {int(shapes.mjGEOM_ELLIPSOID): "box", int(shapes.mjGEOM_MESH): "box"}
    found = np.isin(model.geom_type, list(kinds))
    if in_space:
        found &= (model.geom_rgba[:, 3] > 0) & (model.geom_group < SHOWN_GROUPS)
    geoms = np.flatnonzero(found)
    own = [kinds[int(model.geom_type[geom])] for geom in geoms]
    sizes, centres = np.array(model.geom_size[geoms]), np.zeros((len(geoms), 3))
    for part, geom in enumerate(geoms):
        if own[part] in ("capsule", "cylinder"):
            sizes[part] = sizes[part, [0, 0, 1]]
        elif own[part] == "sphere":
            sizes[part] = sizes[part, 0]
        elif model.geom_type[geom] == shapes.mjGEOM_MESH:
            centres[part], sizes[part] = np.split(model.geom_aabb[geom], 2)
    return geoms, own, sizes, centres


def smooth_signs(poses: Float[np.ndarray, "frames parts 7"]) -> Float[np.ndarray, "frames parts 7"]:
    """Choose the signs of quaternions so that those of consecutive frames can be interpolated."""
    turns = poses[..., 3:]
    flips = np.where((turns[1:] * turns[:-1]).sum(axis=-1) < 0, -1.0, 1.0)
    turns[1:] *= np.cumprod(flips, axis=0)[..., None]
    return poses
