// A stage in space: a camera that follows the robot and is turned with the pointer or the arrow keys.

"use strict";

const START_VIEW = { yaw: -0.9, pitch: 0.3, zoom: 1 };
const orbit = { ...START_VIEW };  // shared by all stages, so that policies are compared from one side
const PATCH = 3;  // half width of the visible floor, in sizes of the robot

// The size of the robot: the largest distance of a moving part from the part that is followed; and its heights.
function measureSpace(replay) {
  let [reach, low, high] = [0, Infinity, -Infinity];
  const moving = replay.parts.map((part, p) => [part, p]).filter(([part]) => !part.fixed);
  for (let frame = 0; frame < replay.frames; frame++) {
    const [x0, y0, z0] = poseOf(replay, frame, replay.followed);
    for (const [part, p] of moving) {
      const [x, y, z] = poseOf(replay, frame, p);
      const half = Math.max(...part.size);
      reach = Math.max(reach, Math.hypot(x - x0, y - y0, z - z0) + half);
      low = Math.min(low, z - half);
      high = Math.max(high, z + half);
    }
  }
  replay.view = { reach, low, high };
}

// Position and quaternion of a part in a frame.
function poseOf(replay, frame, p) {
  const at = 7 * (frame * replay.parts.length + p);
  return replay.values.subarray(at, at + 7);
}

// Linear interpolation between two frames; quaternions are normalised where they are used.
function posesBetween(replay, t) {
  const before = Math.floor(t);
  const after = Math.min(replay.frames - 1, before + 1);
  const share = t - before;
  return replay.parts.map((_, p) => {
    const [now, next] = [poseOf(replay, before, p), poseOf(replay, after, p)];
    return Array.from(now, (value, k) => value + share * (next[k] - value));
  });
}

// Project points of the world onto the stage: x and y in pixels, depth away from the camera, and pixels per metre.
function makeCamera(replay, target, width, height) {
  const [sinYaw, cosYaw, sinPitch, cosPitch] =
    [Math.sin(orbit.yaw), Math.cos(orbit.yaw), Math.sin(orbit.pitch), Math.cos(orbit.pitch)];
  const distance = 5 * replay.view.reach;
  const base = (0.42 * orbit.zoom * Math.min(height, width)) / replay.view.reach;
  const forward = [-cosPitch * cosYaw, -cosPitch * sinYaw, -sinPitch];
  const project = ([x, y, z]) => {
    const [dx, dy, dz] = [x - target[0], y - target[1], z - target[2]];
    const depth = dx * forward[0] + dy * forward[1] + dz * forward[2];
    const right = -sinYaw * dx + cosYaw * dy;
    const up = -sinPitch * (cosYaw * dx + sinYaw * dy) + cosPitch * dz;
    const scale = (base * distance) / Math.max(0.1 * distance, distance + depth);
    return { x: width / 2 + right * scale, y: height / 2 - up * scale, depth, scale };
  };
  const eye = forward.map((value, k) => target[k] - distance * value);
  const faces = (point, normal) => dotProduct(normal, [0, 1, 2].map((k) => eye[k] - point[k])) > 0;
  return { project, faces };
}

function drawSpace(canvas, replay, t) {
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const context = prepare(canvas, width, height);
  const poses = posesBetween(replay, t);
  const [x, y, z] = poses[replay.followed];
  const { reach, low } = replay.view;
  // On a floor the camera looks at the middle between the floor and the robot, so that a jump is seen as one.
  const target = [x, y, replay.ground ? Math.max(0.3 * reach, z - 0.35 * reach) : z];
  const camera = makeCamera(replay, target, width, height);
  if (replay.ground) drawFloor(context, camera, target, reach, Math.min(0, low + 0.02 * reach));
  if (replay.ground && orbit.pitch > 0.02) poses.forEach((pose, p) => drawShadow(context, camera, replay.parts[p], pose));
  const seen = poses.map((pose, p) => ({ pose, p, depth: camera.project(pose).depth })).sort((a, b) => b.depth - a.depth);
  const nearest = Math.min(...seen.map(({ depth }) => depth));
  const spread = Math.max(...seen.map(({ depth }) => depth)) - nearest || 1;
  for (const { pose, p, depth } of seen) {
    const own = replay.parts[p].fixed ? colours.muted : runColour(replay.run);
    const shade = 1 - 0.38 * ((depth - nearest) / spread);
    drawSolid(context, camera, replay.parts[p], pose, mixed(own, colours.card, shade));
  }
  write(context, `x ${format(x, 3)} m`, 10, height - 12, { align: "left", halo: true });
  writeEnded(context, replay, t, width);
}

// A square of the floor with lines at round distances, so that motion is visible.
function drawFloor(context, camera, target, reach, z) {
  const half = PATCH * reach;
  const corner = (a, b) => camera.project([target[0] + a * half, target[1] + b * half, z]);
  fillShape(context, [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([a, b]) => corner(a, b)), colours.ground);
  const step = 10 ** Math.round(Math.log10(half / 4));
  context.strokeStyle = colours.line;
  context.lineWidth = 1;
  context.beginPath();
  for (const axis of [0, 1]) {
    const [from, to] = [target[axis] - half, target[axis] + half];
    for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
      const ends = [-half, half].map((other) => camera.project(
        axis === 0 ? [at, target[1] + other, z] : [target[0] + other, at, z]));
      context.moveTo(ends[0].x, ends[0].y);
      context.lineTo(ends[1].x, ends[1].y);
    }
  }
  context.stroke();
}

function makeOrbit(canvas) {
  canvas.classList.add("orbit");
  canvas.tabIndex = 0;
  canvas.title = "Drag, or use the arrow keys, to look from another side; double-click to reset";
  const turn = (yaw, pitch) => {
    orbit.yaw += yaw;
    orbit.pitch = Math.min(1.5, Math.max(-0.2, orbit.pitch + pitch));
    if (!player.playing) drawStages();
  };
  canvas.addEventListener("pointerdown", (event) => canvas.setPointerCapture(event.pointerId));
  canvas.addEventListener("pointermove", (event) => {
    if (event.buttons) turn(-event.movementX / 120, event.movementY / 120);
  });
  canvas.addEventListener("dblclick", () => {
    Object.assign(orbit, START_VIEW);
    drawStages();
  });
  canvas.addEventListener("keydown", (event) => {
    const turns = { ArrowLeft: [0.1, 0], ArrowRight: [-0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[event.key];
    if (!turns) return;
    event.preventDefault();
    turn(...turns);
  });
}
