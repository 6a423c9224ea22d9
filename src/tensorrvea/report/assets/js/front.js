// The front: points on one canvas, marks on another above it.

"use strict";

const MOST_DRAWN = 20000;
const MOST_LINES = 4000;
const MOST_FADED = 2000;
const REACH = 16;  // pixels within which a pointer finds a solution

const front = { geometry: null, drawn: [], dropped: [], screen: null, drag: null, dragBox: null };

// A uniform sample of rows, for drawing only.
function thin(rows, most) {
  if (rows.length <= most) return rows;
  const step = rows.length / most;
  return Array.from({ length: most }, (_, k) => rows[Math.floor(k * step)]);
}

function chooseDrawn() {
  const most = state.view === "parallel" ? MOST_LINES : MOST_DRAWN;
  const out = [];
  if (derived.playing.length < data.total) {
    for (let i = 0; i < data.total; i++) if (!derived.inPlay[i] && state.runOn[data.runOf[i]]) out.push(i);
  }
  front.drawn = thin(derived.playing, most);
  front.dropped = thin(out, MOST_FADED);
}

function stageSize() {
  const stage = byId("stage");
  return [stage.clientWidth, stage.clientHeight];
}

// At an earlier generation the axes cover the front of that generation and the final one.
function shownDomain(frames) {
  if (!frames) return data.domain;
  return frames.reduce((domain, { values }) => {
    const other = domainOf(values, data.m);
    return domain.map(([low, high], j) => [Math.min(low, other[j][0]), Math.max(high, other[j][1])]);
  }, data.domain);
}

function geometryFor(width, height, domain) {
  if (state.view === "parallel") return parallelGeometry(width, height, domain);
  return state.view === "3d" ? spaceGeometry(width, height, domain) : planeGeometry(width, height, domain);
}

function drawPoints() {
  const [width, height] = stageSize();
  const context = prepare(byId("points"), width, height);
  const frames = state.generation === null ? null : framesAt(state.generation);
  front.geometry = geometryFor(width, height, shownDomain(frames));
  if (state.view === "parallel") drawParallelPoints(context, frames);
  else drawScatterPoints(context, frames);
  drawMarks();
}

function drawParallelPoints(context, frames) {
  const { geometry } = front;
  const [width, height] = stageSize();
  beginLines(width, height);
  if (data.truth && state.truthOn) {
    const rows = thin(Array.from({ length: data.truth.length / data.m }, (_, i) => i), 400);
    countLines(geometry, data.truth, data.m, rows, colours.truth);
  }
  if (!frames) countLines(geometry, data.F, data.m, front.dropped, colours.truth);
  const sets = frames ?? byRun(front.drawn).map((rows, run) => ({ values: data.F, rows, run }));
  for (const { values, rows, run } of sets) countLines(geometry, values, data.m, rows, runColour(run));
  const lines = sets.reduce((sum, { rows }) => sum + rows.length, 0);
  endLines(context, width, height, Math.min(0.7, Math.max(0.04, 200 / (lines + 250))), colours.truth);
  drawParallelAxes(context, geometry);
}

function byRun(rows) {
  const groups = data.runs.map(() => []);
  for (const i of rows) groups[data.runOf[i]].push(i);
  return groups;
}

function drawScatterPoints(context, frames) {
  const { geometry } = front;
  if (geometry.kind === "2d") drawPlaneAxes(context, geometry);
  else drawSpaceAxes(context, geometry);
  const [width, height] = stageSize();
  beginDots(width, height);
  if (data.truth && state.truthOn) {
    const points = data.truth.length / data.m;
    const rows = thin(Array.from({ length: points }, (_, i) => i), 3000);
    const grey = dot(colours.truth, 1.1, geometry.kind === "3d" ? 0.55 : 0.9);
    paintRows(data.truth, rows, () => grey);
  }
  if (frames) {
    for (const { values, rows, run } of frames) {
      const brush = dot(runColour(run), radiusFor(rows.length), 0.8);
      paintRows(values, rows, () => brush);
    }
  } else paintFront(geometry);
  endDots(context, width, height);
}

function paintFront(geometry) {
  const radius = radiusFor(front.drawn.length);
  const faint = dot(colours.muted, Math.max(1.2, radius - 0.8), 0.18);
  paintRows(data.F, front.dropped, () => faint);
  const solid = data.runs.map((_, run) => [0.45, 0.6, 0.75, 0.9].map((opacity) => dot(runColour(run), radius, opacity)));
  const hollow = data.runs.map((_, run) => dot(runColour(run), radius, 0.9, true));
  const flat = geometry.kind === "2d";
  front.screen = paintRows(data.F, front.drawn, (i, depth) => {
    if (data.violation[i] > 0) return hollow[data.runOf[i]];
    // In 3-D, points further away are paler.
    return solid[data.runOf[i]][flat ? 2 : Math.min(3, Math.max(0, Math.floor((depth + 0.87) * 2.3)))];
  });
}

const radiusFor = (points) => (points > 8000 ? 1.8 : points > 2500 ? 2.4 : points > 600 ? 3.1 : 4);

// Paint rows from far to near; return their screen positions as x, y pairs in the order of `rows`.
function paintRows(F, rows, brushFor) {
  const { geometry } = front;
  const n = rows.length;
  const places = new Float32Array(2 * n);
  const depths = new Float32Array(n);
  const point = [0, 0, 0];
  for (let k = 0; k < n; k++) {
    geometry.project(F, data.m, rows[k], point);
    places[2 * k] = point[0];
    places[2 * k + 1] = point[1];
    depths[k] = point[2];
  }
  const order = geometry.kind === "3d" ? farToNear(depths) : null;
  for (let k = 0; k < n; k++) {
    const p = order ? order[k] : k;
    paintDot(brushFor(rows[p], depths[p]), places[2 * p], places[2 * p + 1]);
  }
  return places;
}

// A counting sort by depth into 256 layers, more than the eye distinguishes.
function farToNear(depths) {
  const layers = new Uint32Array(257);
  const layerOf = (depth) => Math.min(255, Math.max(0, Math.floor((depth + 0.9) * 142)));
  for (const depth of depths) layers[layerOf(depth) + 1]++;
  for (let k = 1; k < 257; k++) layers[k] += layers[k - 1];
  const order = new Uint32Array(depths.length);
  for (let k = 0; k < depths.length; k++) order[layers[layerOf(depths[k])]++] = k;
  return order;
}

// The screen position of a solution: its point, or where its line meets an axis in parallel coordinates.
function screenPlace(index, j = 1) {
  const { geometry } = front;
  if (geometry.kind === "parallel") {
    return [geometry.at[j], geometry.scales[j](data.F[index * data.m + j])];
  }
  const point = [0, 0, 0];
  geometry.project(data.F, data.m, index, point);
  return [point[0], point[1]];
}

function nearest(x, y) {
  if (state.generation !== null) return -1;
  if (state.view === "parallel") return nearestLine(front.geometry, data.F, data.m, front.drawn, x, y, REACH);
  let best = -1;
  let distance = REACH * REACH;
  // Marked and pinned solutions are easier to hit than their neighbours.
  for (const index of [...state.pins.map((pin) => pin.index), ...markedReplays()]) {
    const [px, py] = screenPlace(index);
    const squared = (px - x) ** 2 + (py - y) ** 2;
    if (squared < distance && squared < 64) [best, distance] = [index, squared];
  }
  if (best >= 0) return best;
  for (let k = 0; k < front.drawn.length; k++) {
    const squared = (front.screen[2 * k] - x) ** 2 + (front.screen[2 * k + 1] - y) ** 2;
    if (squared < distance) [best, distance] = [front.drawn[k], squared];
  }
  return best;
}

const markedReplays = () => [...data.replayOf.keys()].filter((index) => derived.inPlay[index]);
