// The data of the page, decoded once; the runs are concatenated in flat arrays.

"use strict";

const ARRAY_TYPES = { f32: Float32Array, f64: Float64Array, u16: Uint16Array, u32: Uint32Array };

function decodeBytes(base64) {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes.buffer;
}

// {type, shape, data} or, for quantised arrays, {type: "u16", shape, low, high, data} with a range per column.
function decodeArray(packed) {
  const raw = new ARRAY_TYPES[packed.type](decodeBytes(packed.data));
  if (!packed.low) return raw;
  const columns = packed.low.length;
  const values = new Float64Array(raw.length);
  for (let i = 0; i < raw.length; i++) {
    const j = i % columns;
    values[i] = packed.low[j] + (raw[i] / 65535) * (packed.high[j] - packed.low[j]);
  }
  return values;
}

function readData() {
  const page = JSON.parse(byId("data").textContent);
  const m = page.objectives.length;
  const total = page.runs.reduce((sum, run) => sum + run.F.shape[0], 0);
  const data = {
    ...page,
    m,
    total,
    F: new Float64Array(total * m),
    violation: new Float64Array(total),
    runOf: new Uint16Array(total),
    rowOf: new Uint32Array(total),
    signs: page.objectives.map((objective) => (objective.direction === "max" ? -1 : 1)),
    truth: page.trueFront ? decodeArray(page.trueFront) : null,
    replayOf: new Map(),
  };
  let start = 0;
  page.runs.forEach((run, r) => {
    const n = run.F.shape[0];
    // The precision of the numbers.
    run.single = { F: run.F.type === "f32", violation: run.violation?.type === "f32", X: run.X?.type === "f32",
      G: run.G?.type === "f32" };
    run.start = start;
    run.size = n;
    data.F.set(decodeArray(run.F), start * m);
    if (run.violation) data.violation.set(decodeArray(run.violation), start);
    const rows = run.rows ? decodeArray(run.rows) : null;
    for (let i = 0; i < n; i++) {
      data.runOf[start + i] = r;
      data.rowOf[start + i] = rows ? rows[i] : i;
    }
    run.X = run.X ? { values: decodeArray(run.X), width: run.X.shape[1] } : null;
    run.G = run.G ? decodeArray(run.G) : null;
    for (const replay of run.replays) {
      replay.index = start + replay.solution;
      replay.run = r;
      data.replayOf.set(replay.index, replay);
    }
    start += n;
  });
  data.domain = domainOf(data.F, m, data.truth);
  data.hasViolation = data.violation.some((value) => value > 0);
  return data;
}

// The smallest and largest value of every objective, over one or two sets of rows.
function domainOf(F, m, other = null) {
  const low = new Array(m).fill(Infinity);
  const high = new Array(m).fill(-Infinity);
  for (const values of other ? [F, other] : [F]) {
    for (let i = 0; i < values.length; i++) {
      const j = i % m;
      if (values[i] < low[j]) low[j] = values[i];
      if (values[i] > high[j]) high[j] = values[i];
    }
  }
  return low.map((value, j) => [value, high[j]]);
}

// Padding at both ends, and a positive width if all values are equal.
function padded([low, high], share = 0.04) {
  if (!(high >= low)) return [0, 1];
  const same = high - low <= 1e-9 * Math.max(Math.abs(high), Math.abs(low));
  const room = same ? Math.abs(high) * 0.1 || 0.5 : (high - low) * share;
  return [low - room, high + room];
}

const objectivesOf = (index) => Array.from(data.F.subarray(index * data.m, (index + 1) * data.m));

function variablesOf(index) {
  const { X, start } = data.runs[data.runOf[index]];
  return X ? X.values.subarray((index - start) * X.width, (index - start + 1) * X.width) : null;
}

// The value of each constraint, feasible where it is at most 0; −g is the slack.
function constraintsOf(index) {
  const { G, start } = data.runs[data.runOf[index]];
  const c = data.constraints.length;
  return G ? Array.from(G.subarray((index - start) * c, (index - start + 1) * c)) : [];
}

// A limit binds if next to nothing of its slack is left.
const binds = (g, k) => -g <= data.constraints[k].binds;

const runNameOf = (index) => data.runs[data.runOf[index]].label;
