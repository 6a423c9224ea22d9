// Marks above the points: brushes, episodes, recommended solutions, pins, and the solution under the pointer.

"use strict";

const MARKS = [
  { key: "sum", name: "Weighted sum", shape: "diamond" },
  { key: "tchebycheff", name: "Tchebycheff", shape: "square" },
  { key: "knee", name: "Knee", shape: "triangle" },
];

function tracePolygon(context, shape, x, y, r) {
  const corners = {
    diamond: [[0, -1.25], [1.25, 0], [0, 1.25], [-1.25, 0]],
    square: [[-1, -1], [1, -1], [1, 1], [-1, 1]],
    triangle: [[0, -1.25], [1.2, 0.9], [-1.2, 0.9]],
  }[shape];
  context.beginPath();
  corners.forEach(([dx, dy], k) => (k ? context.lineTo(x + r * dx, y + r * dy) : context.moveTo(x + r * dx, y + r * dy)));
  context.closePath();
}

// An outlined shape around a solution, visible on any colour.
function drawShape(context, shape, x, y, r) {
  tracePolygon(context, shape, x, y, r);
  context.lineJoin = "round";
  context.strokeStyle = colours.card;
  context.lineWidth = 5;
  context.stroke();
  context.strokeStyle = colours.ink;
  context.lineWidth = 2;
  context.stroke();
}

function drawMarks() {
  const [width, height] = stageSize();
  const context = prepare(byId("marks"), width, height);
  if (!front.geometry) return;
  drawBrushes(context);
  const parallel = state.view === "parallel";
  const highlight = (index, thickness) => {
    drawLine(context, front.geometry, index, colours.card, thickness + 3);
    drawLine(context, front.geometry, index, runColour(data.runOf[index]), thickness);
  };
  if (state.generation === null) {
    if (!parallel) {
      for (const index of markedReplays()) drawRing(context, ...screenPlace(index), player.shown.includes(index));
    }
    MARKS.forEach(({ key, shape }, k) => {
      const index = derived.marks[key];
      if (index < 0) return;
      // Marks of the same solution are concentric.
      const grown = 2.5 * MARKS.slice(0, k).filter((other) => derived.marks[other.key] === index).length;
      if (!parallel) return drawShape(context, shape, ...screenPlace(index), 7 + grown);
      highlight(index, 2);
      const { at, scales } = front.geometry;
      at.forEach((x, j) => drawShape(context, shape, x, scales[j](data.F[index * data.m + j]), 4.5 + grown));
    });
  }
  if (parallel) for (const { index } of state.pins) highlight(index, 2.5);
  // Spread the letters over the axes, where lines that meet on one axis would hide them.
  state.pins.forEach(({ index, letter }, k) => drawPin(context, ...screenPlace(index, k % data.m), letter));
  if (state.hover >= 0) {
    if (parallel) highlight(state.hover, 3);
    else drawHover(context, ...screenPlace(state.hover));
  }
}

// A ring around a solution with an episode, bolder while it is playing.
function drawRing(context, x, y, shown) {
  context.beginPath();
  context.arc(x, y, shown ? 7.5 : 6.5, 0, 2 * Math.PI);
  context.strokeStyle = colours.card;
  context.lineWidth = 4;
  context.stroke();
  context.strokeStyle = shown ? colours.accent : colours.muted;
  context.lineWidth = shown ? 2.8 : 1.5;
  context.stroke();
}

function drawHover(context, x, y) {
  context.beginPath();
  context.arc(x, y, 8, 0, 2 * Math.PI);
  context.strokeStyle = colours.accent;
  context.lineWidth = 2.5;
  context.stroke();
}

// A letter in a disc next to the solution.
function drawPin(context, x, y, letter) {
  const [px, py] = [x + 13, y - 13];
  context.strokeStyle = colours.ink;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(px, py);
  context.stroke();
  context.beginPath();
  context.arc(px, py, 9, 0, 2 * Math.PI);
  context.fillStyle = colours.ink;
  context.fill();
  context.strokeStyle = colours.card;
  context.stroke();
  write(context, letter, px, py + 0.5, { colour: colours.card, font: BOLD });
}

function drawBrushes(context) {
  const { geometry } = front;
  context.fillStyle = faded(colours.accent, 0.12);
  context.strokeStyle = faded(colours.accent, 0.7);
  context.lineWidth = 1;
  const rectangle = (x0, y0, x1, y1) => {
    context.fillRect(x0, y0, x1 - x0, y1 - y0);
    context.strokeRect(x0 + 0.5, y0 + 0.5, x1 - x0, y1 - y0);
  };
  if (geometry.kind === "parallel") {
    state.brushes.forEach((brush, j) => {
      if (!brush) return;
      const [a, b] = brush.map(geometry.scales[j]);
      rectangle(geometry.at[j] - 9, Math.min(a, b), geometry.at[j] + 9, Math.max(a, b));
    });
  } else if (geometry.kind === "2d") {
    const { box, x, y } = geometry;
    const [bx, by] = [state.brushes[state.axes[0]], state.brushes[state.axes[1]]];
    const clampX = (value) => Math.min(box.right, Math.max(box.left, x(value)));
    const clampY = (value) => Math.min(box.bottom, Math.max(box.top, y(value)));
    if (front.dragBox) rectangle(...front.dragBox);
    else if (bx || by) {
      const [left, right] = bx ? bx.map(clampX) : [box.left, box.right];
      const [bottom, top] = by ? by.map(clampY) : [box.bottom, box.top];
      rectangle(left, top, right, bottom);
    }
  }
}
