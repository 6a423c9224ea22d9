// One stage: the ground, and a robot of capsules seen from the side (or a swimmer from above).

"use strict";

const FLOOR = 0.86;  // height of the ground, from the top of the stage

function drawStage(canvas, replay, t) {
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const context = prepare(canvas, width, height);
  const { high, wide, tall } = replay.view;
  const grounded = replay.ground;
  const capsules = endsBetween(replay, t);
  const [x0, y0, x1, y1] = capsules[replay.followed];
  const [cameraX, followed] = [(x0 + x1) / 2, (y0 + y1) / 2];
  // The robot fills most of the stage. A jump zooms out up to a limit, then the camera rises.
  const shown = grounded ? Math.max(tall, Math.min(high, 2 * tall)) * 1.12 : tall * 1.4;
  const scale = Math.min((height * FLOOR) / shown, width / (wide * 1.35));
  const top = Math.max(...capsules.filter((_, p) => !replay.parts[p].fixed).map((ends) => Math.max(ends[1], ends[3])));
  const cameraY = grounded ? Math.max(0, top - (0.9 * height * FLOOR) / scale) : followed;
  const toX = (x) => width / 2 + (x - cameraX) * scale;
  const toY = (y) => (grounded ? height * FLOOR : height / 2) - (y - cameraY) * scale;
  if (grounded) drawGround(context, width, height, cameraX, scale, toX, toY(0));
  else drawWater(context, width, height, cameraX, cameraY, scale, toX, toY);
  capsules.forEach(([ax, ay, bx, by], p) => {
    drawCapsule(context, replay, p, toX(ax), toY(ay), toX(bx), toY(by), scale);
  });
  writeEnded(context, replay, t, width);
}

function writeEnded(context, replay, t, width) {
  if (t >= replay.frames - 1 && player.time > durationOf(replay) + replay.seconds / 2) {
    write(context, "ended", width - 10, 16, { align: "right" });
  }
}

// Linear interpolation between two frames.
function endsBetween(replay, t) {
  const before = Math.floor(t);
  const after = Math.min(replay.frames - 1, before + 1);
  const share = t - before;
  return replay.parts.map((_, p) => {
    const [now, next] = [endsOf(replay, before, p), endsOf(replay, after, p)];
    return Array.from(now, (value, k) => value + share * (next[k] - value));
  });
}

function drawCapsule(context, replay, p, x0, y0, x1, y1, scale) {
  const { radius, fixed, far } = replay.parts[p];
  const thick = Math.max(2.5, 2 * radius * scale);
  const own = fixed ? colours.muted : runColour(replay.run);
  const stroke = (colour, width) => {
    context.beginPath();
    context.moveTo(x0, y0);
    context.lineTo(x1 + 0.01, y1);  // a line of zero length would not be drawn
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.stroke();
  };
  context.lineCap = "round";
  stroke(colours.card, thick + 3);
  stroke(mixed(own, colours.card, far ? 0.5 : p === replay.followed ? 1 : 0.82), thick);
  context.lineCap = "butt";
}

// Mix two colours into an opaque one.
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
    if (toX(x) < 24 || toX(x) > width - 24) continue;  // a clipped number would be misread
    write(context, `${format(x, 3)} m`, toX(x), y + Math.min(16, (height - y) / 2 + 4));
  }
}

// Fixed dots, so that the motion of a swimmer is visible.
function drawWater(context, width, height, cameraX, cameraY, scale, toX, toY) {
  context.fillStyle = colours.line;
  const [halfX, halfY] = [width / 2 / scale, height / 2 / scale];
  const step = 10 ** Math.round(Math.log10(halfX / 2));
  for (let x = Math.ceil((cameraX - halfX) / step) * step; x < cameraX + halfX; x += step) {
    for (let y = Math.ceil((cameraY - halfY) / step) * step; y < cameraY + halfY; y += step) {
      context.fillRect(toX(x) - 1, toY(y) - 1, 2, 2);
    }
  }
}
