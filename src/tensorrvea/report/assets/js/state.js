// The state of the page, and the listeners to its changes.

"use strict";

const MOST_PINS = 8;
const PIN_LETTERS = "ABCDEFGH";

const state = {
  view: "2d",
  axes: [0, 1, 2],
  runOn: [],
  truthOn: true,
  brushes: [],
  weights: [],
  pins: [],  // {index, letter}
  hover: -1,
  generation: null,  // null: the final front, the only one to choose from
  azimuth: (36 * Math.PI) / 180,
  elevation: (22 * Math.PI) / 180,
  theme: "auto",
};

// Derived: which solutions are in play, and which of those are marked.
const derived = { inPlay: null, candidates: null, scaled: null, marks: { sum: -1, tchebycheff: -1, knee: -1 } };

const listeners = {};

function when(events, listener) {
  for (const event of events.split(" ")) (listeners[event] ??= []).push(listener);
}

function changed(event) {
  if (event === "selection") findInPlay();
  if (event === "selection" || event === "weights") findMarks();
  for (const listener of listeners[event] ?? []) listener();
}

// Several changes before the next animation frame are drawn once.
function atNextFrame(draw) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      draw();
    });
  };
}

function findInPlay() {
  const { F, m, total, runOf, violation } = data;
  const inPlay = derived.inPlay ?? new Uint8Array(total);
  const brushes = state.brushes.map((brush, j) => [j, brush]).filter(([, brush]) => brush);
  const rows = [];
  let feasible = 0;
  for (let i = 0; i < total; i++) {
    let inside = state.runOn[runOf[i]] ? 1 : 0;
    for (let b = 0; inside && b < brushes.length; b++) {
      const [j, [low, high]] = brushes[b];
      const value = F[i * m + j];
      if (value < low || value > high) inside = 0;
    }
    inPlay[i] = inside;
    if (inside) {
      rows.push(i);
      if (!(violation[i] > 0)) feasible++;
    }
  }
  derived.inPlay = inPlay;
  derived.playing = rows;
  // Recommend only feasible solutions, if there are any.
  derived.candidates = feasible && feasible < rows.length ? rows.filter((i) => !(violation[i] > 0)) : rows;
  derived.scaled = normalise(F, m, data.signs, derived.candidates);
}

function findMarks() {
  const { candidates, scaled } = derived;
  const at = (position) => (position < 0 ? -1 : candidates[position]);
  const weighted = state.weights.some((weight) => weight > 0) ? state.weights : state.weights.map(() => 1);
  derived.marks = {
    sum: at(bestByWeights(scaled, data.m, weighted, "sum")),
    tchebycheff: at(bestByWeights(scaled, data.m, weighted, "tchebycheff")),
    knee: at(knee(scaled, data.m)),
  };
}

function setBrush(j, range) {
  state.brushes[j] = range && range[0] <= range[1] ? range : null;
  changed("selection");
}

function clearBrushes() {
  state.brushes.fill(null);
  changed("selection");
}

function setHover(index) {
  if (index === state.hover) return;
  state.hover = index;
  changed("hover");
}

const pinOf = (index) => state.pins.find((pin) => pin.index === index);

function pin(index) {
  if (pinOf(index)) return true;
  if (state.pins.length === MOST_PINS) {
    byId("pinned-note").textContent = "Eight solutions are pinned: unpin one first.";
    announce("Eight solutions are pinned: unpin one first.");
    return false;
  }
  const letter = [...PIN_LETTERS].find((candidate) => !state.pins.some((pinned) => pinned.letter === candidate));
  state.pins.push({ index, letter });
  changed("pins");
  return true;
}

function unpin(index) {
  state.pins = state.pins.filter((pinned) => pinned.index !== index);
  changed("pins");
}
