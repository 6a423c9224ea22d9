// Parallel coordinates: one line per solution, one vertical axis per objective, the best values at the bottom.

"use strict";

function parallelGeometry(width, height, domain) {
  const m = data.m;
  const margin = Math.min(70, width * 0.11);
  const box = { left: margin, right: width - margin, top: 58, bottom: height - 26 };
  const at = Array.from({ length: m }, (_, j) => box.left + (m > 1 ? (j / (m - 1)) * (box.right - box.left) : 0));
  const scales = Array.from({ length: m }, (_, j) => {
    const range = padded(domain[j], 0.02);
    return data.signs[j] > 0 ? linear(range, box.bottom, box.top) : linear(range, box.top, box.bottom);
  });
  return { kind: "parallel", box, at, scales };
}

function drawParallelAxes(context, { box, at, scales }) {
  const room = at.length > 1 ? at[1] - at[0] : box.right - box.left;
  at.forEach((x, j) => {
    context.strokeStyle = colours.line;
    context.lineWidth = 1;
    line(context, x, box.top, x, box.bottom);
    for (const [value, text] of labelled(ticks(...scales[j].domain, 4))) {
      const y = scales[j](value);
      line(context, x - 3, y, x, y);
      if (room > 44) write(context, text, x - 6, y, { align: "right", halo: true });
    }
    context.font = BOLD;
    const outer = j === 0 || j === at.length - 1;
    const free = Math.min(room - 10, outer ? 2 * box.left - 6 : Infinity);
    write(context, fit(context, objectiveTitle(j), free), x, 18, { colour: colours.ink, font: BOLD });
    if (free > 55) write(context, directionText(j), x, 36);
  });
}

// Highlight the line of one solution.
function drawLine(context, { at, scales }, index, colour, thickness) {
  context.strokeStyle = colour;
  context.lineWidth = thickness;
  context.lineJoin = "round";
  context.beginPath();
  at.forEach((x, j) => {
    const y = scales[j](data.F[index * data.m + j]);
    if (j) context.lineTo(x, y);
    else context.moveTo(x, y);
  });
  context.stroke();
}

// The line nearest to the pointer, between the two adjacent axes.
function nearestLine({ at, scales }, F, m, rows, x, y, reach) {
  let j = 0;
  while (j < m - 2 && x > at[j + 1]) j++;
  const share = Math.min(1, Math.max(0, (x - at[j]) / (at[j + 1] - at[j])));
  let best = -1;
  let nearest = reach;
  for (const i of rows) {
    const height = (1 - share) * scales[j](F[i * m + j]) + share * scales[j + 1](F[i * m + j + 1]);
    const distance = Math.abs(height - y);
    if (distance < nearest) [best, nearest] = [i, distance];
  }
  return best;
}
