"""Frames of a robot in space: parts are drawn from far to near, each as a thick line or as the faces of a box."""

from typing import Any

import numpy as np
from jaxtyping import Float

from tensorrvea.neuroevolution.capsules import Replay
from tensorrvea.neuroevolution.drawing import COLOURS, GROUND, PAPER, SMOOTHING, TICK, finish
from tensorrvea.neuroevolution.models import require

YAW, PITCH = -0.9, 0.3  # of the camera, in radians; as in the report
LIGHT = np.array([0.4, 0.3, 0.87])
FLOOR = 3.0  # half width of the visible floor, in sizes of the robot
Point = tuple[float, float]


class SpaceCamera:
    """A view of a replay in space that moves with the robot."""

    def __init__(self, shown: Replay, width: int):
        assert shown.poses is not None
        assert shown.sizes is not None
        self.shown, self.poses, self.sizes = shown, shown.poses, shown.sizes
        self.image = require("PIL.Image", needed_for="render")
        self.draw = require("PIL.ImageDraw", needed_for="render")
        self.width = width * SMOOTHING
        self.height = round(self.width * 0.75)
        moving = ~shown.fixed
        followed = int(np.argmax(moving))
        centre = self.poses[:, followed, :3]
        away = np.linalg.norm(self.poses[:, moving, :3] - centre[:, None], axis=-1) + self.sizes[moving].max(axis=1)
        self.reach = float(away.max())
        height = np.maximum(0.3 * self.reach, centre[:, 2] - 0.35 * self.reach) if shown.ground else centre[:, 2]
        self.target = np.column_stack([centre[:, :2], height])
        sines, cosines = np.sin([YAW, PITCH]), np.cos([YAW, PITCH])
        self.forward = -np.array([cosines[1] * cosines[0], cosines[1] * sines[0], sines[1]])
        self.right = np.array([-sines[0], cosines[0], 0])
        self.up = np.array([-sines[1] * cosines[0], -sines[1] * sines[0], cosines[1]])
        self.distance = 5 * self.reach
        self.base = 0.42 * self.height / self.reach

    def draw_frame(self, frame: int) -> Any:
        """Draw one frame."""
        image = self.image.new("RGB", (self.width, self.height), PAPER)
        pen = self.draw.Draw(image)
        target, poses = self.target[frame], self.poses[frame]
        if self.shown.ground:
            self._draw_floor(pen, target)
        depths = (poses[:, :3] - target) @ self.forward
        for part in np.argsort(-depths, kind="stable"):
            colour = TICK if self.shown.fixed[part] else COLOURS[part % len(COLOURS)]
            if self.shown.kinds[part] == "box":
                self._draw_box(pen, target, poses[part], self.sizes[part], colour)
            else:
                self._draw_rod(pen, target, poses[part], self.sizes[part], self.shown.kinds[part], colour)
        return finish(image, pen, self.image, f"{self.shown.task}  {frame * self.shown.seconds:.1f} s", colours=128)

    def project(self, points: Float[np.ndarray, "n 3"], target: np.ndarray) -> Float[np.ndarray, "n 3"]:
        """x and y in pixels, and pixels per metre."""
        offset = points - target
        scale = self.base * self.distance / np.maximum(0.1 * self.distance, self.distance + offset @ self.forward)
        x, y = self.width / 2 + offset @ self.right * scale, self.height / 2 - offset @ self.up * scale
        return np.column_stack([x, y, scale])

    def _draw_floor(self, pen: Any, target: np.ndarray) -> None:
        half = FLOOR * self.reach
        corners = np.array([[-half, -half, 0], [half, -half, 0], [half, half, 0], [-half, half, 0]])
        middle = np.array([target[0], target[1], 0])
        pen.polygon(self._pixels(self.project(corners + middle, target)), fill=GROUND)
        step = 10 ** round(np.log10(half / 4))
        for axis in (0, 1):
            for at in np.arange(np.ceil((target[axis] - half) / step), (target[axis] + half) / step) * step:
                ends = np.array([middle, middle])
                ends[:, axis] = at
                ends[:, 1 - axis] += (-half, half)
                pen.line(self._pixels(self.project(ends, target)), fill=PAPER, width=SMOOTHING)

    def _draw_rod(
        self, pen: Any, target: np.ndarray, pose: np.ndarray, size: np.ndarray, kind: str, colour: tuple[int, ...]
    ) -> None:
        half = 0.0 if kind == "sphere" else size[2]
        along = rotation(pose[3:])[:, 2] * half
        ends = self.project(np.stack([pose[:3] - along, pose[:3] + along]), target)
        radii = np.maximum(1.0, size[0] * ends[:, 2])
        for grow, fill in ((SMOOTHING, PAPER), (0, colour)):
            pen.line(self._pixels(ends), fill=fill, width=round(2 * (float(radii.mean()) + grow)))
            if kind != "cylinder":
                for (x, y, _), radius in zip(ends, radii + grow, strict=True):
                    pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=fill)

    def _draw_box(
        self, pen: Any, target: np.ndarray, pose: np.ndarray, size: np.ndarray, colour: tuple[int, ...]
    ) -> None:
        turn, eye = rotation(pose[3:]), target - self.distance * self.forward
        for axis in range(3):
            for side in (-1.0, 1.0):
                normal = side * turn[:, axis]
                middle = pose[:3] + normal * size[axis]
                if normal @ (eye - middle) <= 0:
                    continue
                u, v = (turn[:, k] * size[k] for k in range(3) if k != axis)
                corners = middle + np.stack([-u - v, u - v, u + v, v - u])
                lit = 1 + 0.25 * float(normal @ LIGHT)
                fill = tuple(min(255, round(lit * part)) for part in colour)
                pen.polygon(self._pixels(self.project(corners, target)), fill=fill)

    @staticmethod
    def _pixels(projected: np.ndarray) -> list[Point]:
        return [(float(x), float(y)) for x, y, _ in projected]


def rotation(quaternion: Float[np.ndarray, "4"]) -> Float[np.ndarray, "3 3"]:
    """The rotation matrix of a quaternion (w, x, y, z)."""
    w, x, y, z = quaternion / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
