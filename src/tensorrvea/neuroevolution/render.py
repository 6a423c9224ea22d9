"""Animations of robots, drawn with Pillow alone, without a display or OpenGL."""

import math
from pathlib import Path
from typing import Any

import numpy as np

from tensorrvea.checks import check_integer, check_path
from tensorrvea.neuroevolution.capsules import Replay
from tensorrvea.neuroevolution.drawing import COLOURS, GROUND, PAPER, SMOOTHING, TICK, finish
from tensorrvea.neuroevolution.models import require
from tensorrvea.neuroevolution.problem import RobotPolicy, replay
from tensorrvea.neuroevolution.space_camera import SpaceCamera
from tensorrvea.optional import import_optional

# Pixels across.
WIDEST = 10_000


def render(
    policy: RobotPolicy | Replay, path: str | Path, *, seed: int = 0, steps: int | None = None, width: int = 480
) -> Path:
    """Draw an episode of a policy as an animated GIF, or as a film; the camera follows the robot.

    Args:
      policy: what ``problem.load(x)`` returns, or a replay of it.
      path: of the file, ending in ``.gif``; or in ``.mp4``, which needs the package ``imageio-ffmpeg``.
      seed: seed of the start state.
      steps: maximum number of steps; the problem's own by default.
      width: of the picture, in pixels.

    Returns:
      The path of the file.

    Raises:
      TypeError: if it is neither a policy nor a replay.
      ValueError: if the path has another ending, or a number is out of range.

    Example::

        render(problem.load(result.X[result.knee()]), "robot.gif")
    """
    target = check_path("path", path)
    if target.suffix.lower() not in (".gif", ".mp4"):
        raise ValueError(f"path must end in .gif or .mp4, got {str(path)!r}")
    check_integer("width", width, minimum=32, maximum=WIDEST)
    shown = policy if isinstance(policy, Replay) else replay(policy, seed=seed, steps=steps)
    camera = Camera(shown, width) if shown.poses is None else SpaceCamera(shown, width)
    frames = [camera.draw_frame(frame) for frame in range(len(shown.ends))]
    if target.suffix.lower() == ".mp4":
        return write_film(target, frames, shown.seconds)
    frames[0].save(
        target, save_all=True, append_images=frames[1:], duration=max(20, round(1000 * shown.seconds)), loop=0,
    )  # fmt: skip
    return target


def write_film(target: Path, frames: list[Any], seconds: float) -> Path:
    """Write frames as MP4 (H.264)."""
    films = import_optional("imageio_ffmpeg", needed_for="render to .mp4", extra="film")
    # The codec needs even sizes.
    width, height = (size // 2 * 2 for size in frames[0].size)
    writer = films.write_frames(str(target), (width, height), fps=1 / seconds, macro_block_size=2)
    writer.send(None)
    for frame in frames:
        writer.send(np.ascontiguousarray(np.asarray(frame.convert("RGB"))[:height, :width]))
    writer.close()
    return target


class Camera:
    """A view of a replay that is wide enough for the robot and moves with it."""

    def __init__(self, shown: Replay, width: int):
        self.shown = shown
        self.image = require("PIL.Image", needed_for="render")
        self.draw = require("PIL.ImageDraw", needed_for="render")
        x, y = shown.ends[..., 0::2], shown.ends[..., 1::2]
        radius = float(shown.radii.max())
        self.centre_x = self._smooth((x.min(axis=(1, 2)) + x.max(axis=(1, 2))) / 2)
        reach = (x.max(axis=(1, 2)) - x.min(axis=(1, 2))).max() / 2 + 2 * radius
        bottom, top = y.min() - 2 * radius, y.max() + 2 * radius
        if shown.ground:
            bottom = min(bottom, -0.25 * reach)
        self.span = max(2 * reach, top - bottom) * 1.15
        self.middle = (bottom + top) / 2
        self.width = width * SMOOTHING
        self.height = round(self.width * 0.75)
        self.scale = self.height / self.span

    def draw_frame(self, frame: int) -> Any:
        """Draw one frame."""
        image = self.image.new("RGB", (self.width, self.height), PAPER)
        pen = self.draw.Draw(image)
        centre = float(self.centre_x[frame])
        self._draw_scenery(pen, centre)
        for part, (x1, y1, x2, y2) in enumerate(self.shown.ends[frame]):
            self._draw_capsule(pen, self._pixel(x1, y1, centre), self._pixel(x2, y2, centre), part)
        return finish(image, pen, self.image, f"{self.shown.task}  {frame * self.shown.seconds:.1f} s")

    def _draw_scenery(self, pen: Any, centre: float) -> None:
        """Draw the ground with ticks, or lines on the water, so that motion is visible."""
        reach = self.width / self.scale / 2
        spacing = 1.0 if self.span > 1 else 0.1
        marks = np.arange(math.floor((centre - reach) / spacing), math.ceil((centre + reach) / spacing) + 1) * spacing
        if self.shown.ground:
            _, floor = self._pixel(0, 0, centre)
            pen.rectangle((0, floor, self.width, self.height), fill=GROUND)
            pen.line((0, floor, self.width, floor), fill=TICK, width=2 * SMOOTHING)
        for mark in marks:
            left, floor = self._pixel(mark, 0, centre)
            if self.shown.ground:
                pen.line((left, floor, left, floor + 10 * SMOOTHING), fill=TICK, width=SMOOTHING)
                label = f"{mark:g}"
                pen.text((left + 3 * SMOOTHING, floor + 6 * SMOOTHING), label, fill=TICK, font_size=11 * SMOOTHING)
            else:
                pen.line((left, 0, left, self.height), fill=GROUND, width=SMOOTHING)

    def _draw_capsule(self, pen: Any, start: tuple[float, float], end: tuple[float, float], part: int) -> None:
        radius = max(1.0, float(self.shown.radii[part]) * self.scale)
        colour = TICK if self.shown.fixed[part] else COLOURS[part % len(COLOURS)]
        pen.line((*start, *end), fill=colour, width=round(2 * radius))
        for x, y in (start, end):
            pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour)

    def _pixel(self, x: float, y: float, centre: float) -> tuple[float, float]:
        return self.width / 2 + (x - centre) * self.scale, self.height / 2 - (y - self.middle) * self.scale

    @staticmethod
    def _smooth(values: np.ndarray, frames: int = 9) -> np.ndarray:
        """Moving mean, so that the camera does not shake."""
        padded = np.pad(values, frames // 2, mode="edge")
        return np.convolve(padded, np.full(frames, 1 / frames), mode="valid")
