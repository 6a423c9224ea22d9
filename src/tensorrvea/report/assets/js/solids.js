// Capsules, cylinders, balls and boxes in space, each drawn over those that are farther away.

"use strict";

const LIGHT = [0.4, 0.3, 0.87];
const FACES = [[0, 1], [0, -1], [1, 1], [1, -1], [2, 1], [2, -1]];  // axis and side

// The axes of a part: columns of the rotation matrix of its quaternion, which need not have length 1.
function axesOf([, , , w, x, y, z]) {
  const s = 2 / (w * w + x * x + y * y + z * z || 1);
  return [
    [1 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y)],
    [s * (x * y - w * z), 1 - s * (x * x + z * z), s * (y * z + w * x)],
    [s * (x * z + w * y), s * (y * z - w * x), 1 - s * (x * x + y * y)],
  ];
}

const dotProduct = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

// The centre of a part, moved along its own axes.
function pointOf(pose, axes, offset) {
  return [0, 1, 2].map((k) => pose[k] + axes[0][k] * offset[0] + axes[1][k] * offset[1] + axes[2][k] * offset[2]);
}

function drawSolid(context, camera, part, pose, colour) {
  if (part.kind === "box") drawBox(context, camera, part, pose, colour);
  else if (part.kind === "sphere") drawRod(context, camera, [pose, pose], part.size[0], colour, "round");
  else drawRod(context, camera, endsOfRod(part, pose), part.size[0], colour, part.kind === "capsule" ? "round" : "butt");
}

function endsOfRod(part, pose) {
  const axes = axesOf(pose);
  return [-1, 1].map((side) => pointOf(pose, axes, [0, 0, side * part.size[2]]));
}

// A capsule or ball as a thick line with an edge, and a narrow lighter line towards the light.
function drawRod(context, camera, ends, radius, colour, cap) {
  const [a, b] = ends.map(camera.project);
  const thick = Math.max(2, radius * (a.scale + b.scale));
  const line = (style, width, shift) => {
    context.beginPath();
    context.moveTo(a.x + shift, a.y - shift);
    context.lineTo(b.x + shift + 0.01, b.y - shift);  // a line of zero length would not be drawn
    context.strokeStyle = style;
    context.lineWidth = width;
    context.stroke();
  };
  context.lineCap = cap;
  line(colours.card, thick + 2, 0);
  line(colour, thick, 0);
  if (thick > 5) line(mixed("rgb(255, 255, 255)", colour, 0.22), 0.3 * thick, 0.16 * thick);
  context.lineCap = "butt";
}

// The faces of a box that are turned to the camera, lighter towards the light.
function drawBox(context, camera, part, pose, colour) {
  const axes = axesOf(pose);
  for (const [axis, side] of FACES) {
    const normal = axes[axis].map((value) => side * value);
    const middle = pointOf(pose, axes, [0, 1, 2].map((k) => (k === axis ? side * part.size[k] : 0)));
    if (!camera.faces(middle, normal)) continue;
    const [u, v] = [0, 1, 2].filter((k) => k !== axis);
    const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([i, j]) => {
      const offset = [0, 0, 0];
      [offset[axis], offset[u], offset[v]] = [side * part.size[axis], i * part.size[u], j * part.size[v]];
      return camera.project(pointOf(pose, axes, offset));
    });
    const lit = dotProduct(normal, LIGHT);
    fillShape(context, corners, mixed(lit > 0 ? "rgb(255, 255, 255)" : "rgb(0, 0, 0)", colour, 0.22 * Math.abs(lit)));
  }
}

// A soft shadow straight below.
function drawShadow(context, camera, part, pose) {
  const flat = (point) => camera.project([point[0], point[1], 0]);
  const [a, b] = part.kind === "box" || part.kind === "sphere" ? [flat(pose), flat(pose)] : endsOfRod(part, pose).map(flat);
  const radius = part.kind === "box" ? Math.min(part.size[0], part.size[1]) : part.size[0];
  context.beginPath();
  context.moveTo(a.x, a.y);
  context.lineTo(b.x + 0.01, b.y);
  context.lineCap = "round";
  context.lineWidth = Math.max(2, 1.6 * radius * a.scale * Math.max(0.25, Math.sin(orbit.pitch)));
  context.strokeStyle = faded(colours.muted, 0.16);
  context.stroke();
  context.lineCap = "butt";
}

function fillShape(context, points, colour) {
  context.beginPath();
  points.forEach(({ x, y }, k) => (k ? context.lineTo(x, y) : context.moveTo(x, y)));
  context.closePath();
  context.fillStyle = colour;
  context.fill();
}
