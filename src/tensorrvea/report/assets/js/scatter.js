// Scatter plots: two objectives on a plane, three in a rotating box.

"use strict";

// A scale from values to pixels, and back.
function linear([low, high], from, to) {
  const scale = (value) => from + ((value - low) / (high - low)) * (to - from);
  scale.invert = (pixel) => low + ((pixel - from) / (to - from)) * (high - low);
  scale.domain = [low, high];
  return scale;
}

function planeGeometry(width, height, domain) {
  const [jx, jy] = state.axes;
  const box = { right: width - 18, top: 18, bottom: height - 50 };
  const y = linear(padded(domain[jy]), box.bottom, box.top);
  // Room for the title and the longest number, at about 7 pixels per character.
  box.left = 32 + 7 * Math.max(...upTicks(y, box).map(([, text]) => text.length), 3);
  return {
    kind: "2d",
    box,
    x: linear(padded(domain[jx]), box.left, box.right),
    y,
    project(F, m, i, out) {
      out[0] = this.x(F[i * m + jx]);
      out[1] = this.y(F[i * m + jy]);
      out[2] = 0.5;
    },
  };
}

const upTicks = (y, box) => labelled(ticks(...y.domain, (box.bottom - box.top) / 60));

function drawPlaneAxes(context, geometry) {
  const { box, x, y } = geometry;
  const [jx, jy] = state.axes;
  context.lineWidth = 1;
  context.strokeStyle = colours.faint;
  for (const [value, text] of labelled(ticks(...x.domain, (box.right - box.left) / 90))) {
    line(context, x(value), box.top, x(value), box.bottom);
    write(context, text, x(value), box.bottom + 14);
  }
  for (const [value, text] of upTicks(y, box)) {
    line(context, box.left, y(value), box.right, y(value));
    write(context, text, box.left - 8, y(value), { align: "right" });
  }
  context.strokeStyle = colours.line;
  line(context, box.left, box.bottom, box.right, box.bottom);
  line(context, box.left, box.top, box.left, box.bottom);
  const middle = (box.left + box.right) / 2;
  axisTitle(context, jx, middle, box.bottom + 36, box.right - box.left);
  context.save();
  context.translate(13, (box.top + box.bottom) / 2);
  context.rotate(-Math.PI / 2);
  axisTitle(context, jy, 0, 0, box.bottom - box.top);
  context.restore();
}

function axisTitle(context, j, x, y, width) {
  context.font = BOLD;
  const direction = ` · ${directionText(j)}`;
  const name = fit(context, objectiveTitle(j, 60), Math.max(40, width - context.measureText(direction).width));
  write(context, name + direction, x, y, { colour: colours.ink, font: BOLD });
}

function line(context, x0, y0, x1, y1) {
  context.beginPath();
  context.moveTo(Math.round(x0) + 0.5, Math.round(y0) + 0.5);
  context.lineTo(Math.round(x1) + 0.5, Math.round(y1) + 0.5);
  context.stroke();
}

// An orthographic view of the unit cube: `place` maps a corner to the screen, the third entry is the depth.
function spaceGeometry(width, height, domain) {
  const { axes, azimuth, elevation } = state;
  const ranges = axes.map((j) => padded(domain[j], 0.02));
  const [sinA, cosA, sinE, cosE] = [Math.sin(azimuth), Math.cos(azimuth), Math.sin(elevation), Math.cos(elevation)];
  const scale = Math.min((width - 90) / 1.46, (height - 70) / 1.55);
  const [centreX, centreY] = [width / 2, height / 2 - 4];
  const place = (u, v, w, out) => {
    const [a, b, c] = [u - 0.5, v - 0.5, w - 0.5];
    const across = b * cosA - a * sinA;
    const along = a * cosA + b * sinA;  // towards the viewer
    out[0] = centreX + scale * across;
    out[1] = centreY - scale * (c * cosE - along * sinE);
    out[2] = along * cosE + c * sinE;
    return out;
  };
  return {
    kind: "3d",
    place,
    ranges,
    centre: [centreX, centreY],
    project(F, m, i, out) {
      const unit = (k) => (F[i * m + axes[k]] - ranges[k][0]) / (ranges[k][1] - ranges[k][0]);
      place(unit(0), unit(1), unit(2), out);
    },
  };
}

function drawSpaceAxes(context, geometry) {
  const { place, ranges, centre } = geometry;
  const at = (u, v, w) => place(u, v, w, [0, 0, 0]);
  const segment = (a, b) => {
    const [p, q] = [at(...a), at(...b)];
    context.beginPath();
    context.moveTo(p[0], p[1]);
    context.lineTo(q[0], q[1]);
    context.stroke();
  };
  // The three back faces carry the grid.
  const far = [0, 1, 2].map((k) => {
    const low = [0.5, 0.5, 0.5];
    const high = [0.5, 0.5, 0.5];
    low[k] = 0;
    high[k] = 1;
    return at(...low)[2] < at(...high)[2] ? 0 : 1;
  });
  context.lineWidth = 1;
  for (let k = 0; k < 3; k++) {
    const [p, q] = [0, 1, 2].filter((other) => other !== k);
    const unit = (value) => (value - ranges[k][0]) / (ranges[k][1] - ranges[k][0]);
    const values = ticks(...ranges[k], 4);
    for (const value of [...values.map(unit), 0, 1]) {
      context.strokeStyle = value === 0 || value === 1 ? colours.line : colours.faint;
      for (const [wall, sweep] of [[p, q], [q, p]]) {
        const [a, b] = [[0, 0, 0], [0, 0, 0]];
        a[k] = b[k] = value;
        a[wall] = b[wall] = far[wall];
        b[sweep] = 1;
        segment(a, b);
      }
    }
    labelEdge(context, geometry, k, far, values, unit, centre);
  }
}

// Ticks and name of axis k, along an edge on the outline of the box.
function labelEdge(context, { place }, k, far, values, unit, centre) {
  const at = (u, v, w) => place(u, v, w, [0, 0, 0]);
  let edges;
  if (k === 2) {
    // The leftmost vertical edge.
    edges = [[0, 0], [0, 1], [1, 0], [1, 1]].map(([u, v]) => [u, v, null]);
    edges.sort((a, b) => at(a[0], a[1], 0.5)[0] - at(b[0], b[1], 0.5)[0]);
  } else {
    const near = 1 - far[1 - k];
    edges = [k === 0 ? [null, near, far[2]] : [near, null, far[2]]];
  }
  const on = (value) => at(...edges[0].map((coordinate) => (coordinate === null ? value : coordinate)));
  const [start, end] = [on(0), on(1)];
  const middle = [(start[0] + end[0]) / 2, (start[1] + end[1]) / 2];
  // Perpendicular to the edge, away from the centre.
  let [nx, ny] = [-(end[1] - start[1]), end[0] - start[0]];
  const length = Math.hypot(nx, ny);
  if (length < 40) return;  // the axis points at the viewer
  const outward = nx * (middle[0] - centre[0]) + ny * (middle[1] - centre[1]) < 0 ? -1 : 1;
  [nx, ny] = [(nx / length) * outward, (ny / length) * outward];
  const align = nx < -0.4 ? "right" : nx > 0.4 ? "left" : "center";
  for (const [value, text] of labelled(values)) {
    const p = on(unit(value));
    write(context, text, p[0] + nx * 12, p[1] + ny * 12, { align });
  }
  let angle = Math.atan2(end[1] - start[1], end[0] - start[0]);
  if (angle > Math.PI / 2 || angle <= -Math.PI / 2) angle += Math.PI;
  if (k === 2) angle = -Math.PI / 2;
  context.save();
  context.translate(middle[0] + nx * (k === 2 ? 46 : 38), middle[1] + ny * (k === 2 ? 46 : 38));
  context.rotate(angle);
  axisTitle(context, state.axes[k], 0, 0, length * 0.95);
  context.restore();
}
