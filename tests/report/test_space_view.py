"""Robots in space on the page: three in step, turned together, and every kind of solid is drawn."""

import numpy as np
import pytest
from example_runs import make_run

from tensorrvea.report import Part, Replay

pytestmark = pytest.mark.browser


def tumbling(solution, frames=40):
    """A box that moves along x and turns about z, with a ball above it and a rod beside it, and a fixed post."""
    t = 0.05 * np.arange(frames)
    zero, one = np.zeros(frames), np.ones(frames)
    turn = [np.cos(t), zero, zero, np.sin(t)]
    still = [one, zero, zero, zero]
    places = [[t, zero, 0.3 * one, *turn], [t, zero, 1.0 * one, *still], [t, one, 0.5 * one, *still]]
    places.append([2 * one, zero, 0.5 * one, *still])
    parts = [
        Part(name="cart", radius=0.3, kind="box", size=(0.3, 0.2, 0.1)),
        Part(name="ball", radius=0.2, kind="sphere", size=(0.2, 0.2, 0.2)),
        Part(name="rod", radius=0.1, kind="capsule", size=(0.1, 0.1, 0.4)),
        Part(name="post", radius=0.1, kind="cylinder", size=(0.1, 0.1, 0.5), fixed=True),
    ]
    poses = np.moveaxis(np.array(places), 2, 0)
    ends = poses[..., [0, 2, 0, 2]]
    return Replay(solution=solution, seconds=0.05, parts=parts, ends=ends, poses=poses)


def picture(browser, number=0):
    """The pixels of a stage as one text."""
    return browser.run("return document.querySelectorAll('#stages canvas')[arguments[0]].toDataURL()", number)


@pytest.fixture
def stages(show):
    """Three robots, stopped at the beginning."""
    browser = show(make_run(replays=[tumbling(i) for i in (1, 5, 9)]))
    browser.run(
        "const {setPlaying, showStages, drawStages} = report.replays;"
        "setPlaying(false); showStages([1, 5, 9]); report.player.time = 0; drawStages();"
    )
    browser.settle()
    return browser


def test_three_robots_move_in_step_and_turn_together(stages):
    assert stages.run("return document.querySelectorAll('#stages canvas.orbit').length") == 3
    first = [picture(stages, k) for k in range(3)]
    assert len(set(first)) == 1  # the same motion
    stages.run("report.player.time = 1; report.replays.drawStages();")
    assert stages.run("return [...document.querySelectorAll('#stages canvas')].map(c => c.dataset.frame)") == ["20"] * 3
    later = [picture(stages, k) for k in range(3)]
    assert len(set(later)) == 1
    assert later[0] != first[0]
    left, top, width, height = stages.at("#stages canvas")
    start = (left + width / 2, top + height / 2)
    stages.drag(start, (start[0] + 60, start[1] - 20))
    turned = [picture(stages, k) for k in range(3)]
    assert len(set(turned)) == 1
    assert turned[0] != later[0]
    stages.run("document.querySelector('#stages canvas').dispatchEvent(new MouseEvent('dblclick', {bubbles: true}));")
    assert picture(stages) == later[0]


def test_arrow_keys_turn_the_view(stages):
    before = stages.run("document.querySelector('#stages canvas').focus(); return {...report.replays.orbit}")
    stages.key("ArrowLeft")
    stages.key("ArrowUp")
    after = stages.run("return {...report.replays.orbit}")
    assert after["yaw"] == pytest.approx(before["yaw"] + 0.1)
    assert after["pitch"] == pytest.approx(before["pitch"] + 0.1)


def test_projection_agrees_with_a_camera_computed_here(stages):
    """Against a pinhole camera in NumPy, for a view of its own."""
    yaw, pitch, target = 0.7, 0.4, np.array([0.2, -0.1, 0.5])
    points = np.random.default_rng(0).normal(size=(5, 3))
    found = stages.run(
        "const {orbit, makeCamera} = report.replays, {data} = report;"
        "Object.assign(orbit, {yaw: arguments[0], pitch: arguments[1], zoom: 1});"
        "const camera = makeCamera(data.replayOf.get(1), arguments[2], 400, 200);"
        "return [data.replayOf.get(1).view.reach, arguments[3].map(p => camera.project(p))];",
        yaw, pitch, target.tolist(), points.tolist(),
    )  # fmt: skip
    reach, projected = found
    towards = np.array([np.cos(pitch) * np.cos(yaw), np.cos(pitch) * np.sin(yaw), np.sin(pitch)])
    eye = target + 5 * reach * towards
    right = np.cross([0, 0, 1], towards) / np.cos(pitch)
    up = np.cross(towards, right)
    for point, seen in zip(points, projected, strict=True):
        ray = point - eye
        depth = -ray @ towards
        focal = 0.42 * 200 / reach * 5 * reach
        np.testing.assert_allclose(seen["x"], 200 + focal * (ray @ right) / depth, rtol=1e-9)
        np.testing.assert_allclose(seen["y"], 100 - focal * (ray @ up) / depth, rtol=1e-9)


def test_every_solid_is_drawn(stages):
    """Leaving out a part changes the picture."""
    whole = picture(stages)
    for part in range(4):
        stages.run(
            "const r = report.data.replayOf.get(1); window.kept = r.parts[arguments[0]].size;"
            "r.parts[arguments[0]].size = [0, 0, 0]; report.replays.drawStages();",
            part,
        )
        assert picture(stages) != whole
        stages.run(
            "report.data.replayOf.get(1).parts[arguments[0]].size = window.kept; report.replays.drawStages();", part
        )
        assert picture(stages) == whole
