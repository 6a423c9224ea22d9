// One stage: the ground, and a robot of capsules seen from the side (or a swimmer from above).

"use strict";

function drawStage(canvas, replay, t) {
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const context = prepare(canvas, width, height);
  const { low, high, size } = replay.view;
  const grounded = replay.ground !== null;
  const floor = grounded ? replay.ground : low;
  // The robot fills a good part of the stage; a high jump makes room for itself up to a point.
  const tall = Math.max(size * 1.35, Math.min(high - floor, 3 * size) * 1.2);
  const scale = Math.min((height * (grounded ? 0.86 : 0.96)) / tall, width / (size * 1.5));
  const bodies = poseBetween(replay, t);
  const middle = bodies[0];
  const cameraX = middle[0];
  const cameraY = grounded ? floor + (height * 0.86) / scale / 2 : middle[1];
  const toX = (x) => width / 2 + (x - cameraX) * scale;
  const toY = grounded ? (y) => height * 0.86 - (y - floor) * scale : (y) => height / 2 - (y - cameraY) * scale;
  if (grounded) drawGround(context, width, height, cameraX, scale, toX, toY(floor));
  else drawWater(context, width, height, cameraX, cameraY, scale, toX, toY);
  bodies.forEach(([x, y, angle], b) => drawCapsule(context, replay, b, toX(x), toY(y), angle, scale));
  if (t >= replay.frames - 1 && player.time > durationOf(replay) + replay.dt / 2) {
    write(context, "ended", width - 10, 16, { align: "right" });
  }
}

// Between two frames: positions by straight lines, angles the short way round.
function poseBetween(replay, t) {
  const before = Math.floor(t);
  const after = Math.min(replay.frames - 1, before + 1);
  const share = t - before;
  return replay.segments.map((_, b) => {
    const [x0, y0, a0] = pose(replay, before, b);
    const [x1, y1, a1] = pose(replay, after, b);
    const turn = ((a1 - a0 + 3 * Math.PI) % (2 * Math.PI)) - Math.PI;
    return [x0 + share * (x1 - x0), y0 + share * (y1 - y0), a0 + share * turn];
  });
}

function drawCapsule(context, replay, b, x, y, angle, scale) {
  const { halfLength, radius, far } = replay.segments[b];
  const [dx, dy] = [Math.cos(angle) * halfLength * scale, -Math.sin(angle) * halfLength * scale];
  const thick = Math.max(2.5, 2 * radius * scale);
  const colour = runColour(replay.run);
  const stroke = (colour_, width) => {
    context.beginPath();
    context.moveTo(x - dx, y - dy);
    context.lineTo(x + dx + 0.01, y + dy);
    context.strokeStyle = colour_;
    context.lineWidth = width;
    context.stroke();
  };
  context.lineCap = "round";
  stroke(colours.card, thick + 3);
  stroke(far ? mixed(colour, colours.card, 0.5) : b === 0 ? colour : mixed(colour, colours.card, 0.82), thick);
  context.lineCap = "butt";
}

// A share of one colour in another, opaque.
function mixed(colour, other, share) {
  const [a, b] = [colour, other].map((text) => text.match(/[\d.]+/g).map(Number));
  return `rgb(${[0, 1, 2].map((k) => Math.round(share * a[k] + (1 - share) * b[k])).join(", ")})`;
}

function drawGround(context, width, height, cameraX, scale, toX, y) {
  context.fillStyle = colours.ground;
  context.fillRect(0, y, width, height - y);
  context.fillStyle = colours.line;
  context.fillRect(0, Math.round(y), width, 1);
  const half = width / 2 / scale;
  for (const x of ticks(cameraX - half, cameraX + half, width / 80)) {
    context.fillRect(Math.round(toX(x)), y, 1, 6);
    write(context, `${format(x, 3)} m`, toX(x), y + Math.min(16, (height - y) / 2 + 4));
  }
}

// Dots that stand still, so that a swimmer is seen to move.
function drawWater(context, width, height, cameraX, cameraY, scale, toX, toY) {
  context.fillStyle = colours.line;
  const [halfX, halfY] = [width / 2 / scale, height / 2 / scale];
  const step = 10 ** Math.round(Math.log10(halfX / 2));
  for (let x = Math.ceil((cameraX - halfX) / step) * step; x < cameraX + halfX; x += step) {
    for (let y = Math.ceil((cameraY - halfY) / step) * step; y < cameraY + halfY; y += step) context.fillRect(toX(x) - 1, toY(y) - 1, 2, 2);
  }
}
