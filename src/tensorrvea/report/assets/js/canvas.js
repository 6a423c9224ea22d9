// Shared by all drawings: sharp canvases, colours of the theme, round ticks.

"use strict";

const SERIES = 8;
let colours = {};

// Colours are defined in the style sheet; a probe element resolves them for the current theme.
function readColours() {
  const probe = document.createElement("span");
  document.body.append(probe);
  const resolve = (name) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  colours = { series: Array.from({ length: SERIES }, (_, i) => resolve(`series-${i}`)) };
  for (const name of ["ink", "muted", "line", "faint", "card", "accent", "truth", "ground"]) {
    colours[name] = resolve(name);
  }
  probe.remove();
  lineLayer.counts.clear();
}

// "rgb(1, 2, 3)" with an opacity.
const faded = (colour, opacity) => colour.replace("rgb(", "rgba(").replace(")", `, ${opacity})`);

const deviceRatio = () => Math.min(window.devicePixelRatio || 1, 3);

// Resize a canvas to its box in device pixels; return a context in CSS pixels.
function prepare(canvas, width, height) {
  const ratio = deviceRatio();
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

const FONT = '12px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif';
const BOLD = `600 ${FONT}`;

// Round numbers inside [low, high], about `wanted` of them.
function ticks(low, high, wanted = 5) {
  const rough = (high - low) / Math.max(1, wanted);
  if (!(rough > 0) || !Number.isFinite(rough)) return [];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough * 0.999);
  const made = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) made.push(k === 0 ? 0 : k * step);
  return made;
}

// Ticks with their labels.
function labelled(values) {
  const labels = tickLabels(values);
  return values.map((value, k) => [value, labels[k]]);
}

// "cost [€]": the name and unit of an objective, shortened to fit.
function objectiveTitle(j, most = 40) {
  const { name, unit } = data.objectives[j];
  return unit ? `${shorten(name, most)} [${shorten(unit, 16)}]` : shorten(name, most);
}

const directionText = (j) => (data.objectives[j].direction === "max" ? "maximise" : "minimise");

// Isolate the writing direction of text on a canvas.
function write(context, text, x, y, { align = "center", colour = colours.muted, font = FONT, halo = false } = {}) {
  context.font = font;
  context.textAlign = align;
  context.textBaseline = "middle";
  if (halo) {
    context.strokeStyle = colours.card;
    context.lineWidth = 4;
    context.lineJoin = "round";
    context.strokeText(text, x, y);
  }
  context.fillStyle = colour;
  context.fillText(text, x, y);
}
