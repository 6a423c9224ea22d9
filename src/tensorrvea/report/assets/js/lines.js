// Thousands of lines: counted in every pixel that they cross, and coloured once at the end. A crowd is denser than
// a few, runs mix where they cross whatever their order, and ten thousand lines take as long as a hundred strokes.

"use strict";

const lineLayer = { canvas: null, context: null, image: null, ratio: 1, counts: new Map() };

function beginLines(width, height) {
  const ratio = deviceRatio();
  const [w, h] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
  if (!lineLayer.canvas || lineLayer.canvas.width !== w || lineLayer.canvas.height !== h) {
    lineLayer.canvas = document.createElement("canvas");
    [lineLayer.canvas.width, lineLayer.canvas.height] = [w, h];
    lineLayer.context = lineLayer.canvas.getContext("2d");
    lineLayer.image = lineLayer.context.createImageData(w, h);
    lineLayer.counts.clear();
  }
  lineLayer.ratio = ratio;
  for (const counts of lineLayer.counts.values()) counts.fill(0);
}

// The solutions' lines over all axes, counted for a colour.
function countLines({ at, scales }, F, m, rows, colour) {
  const { ratio, image, counts: all } = lineLayer;
  if (!all.has(colour)) all.set(colour, new Float32Array(image.width * image.height));
  const counts = all.get(colour);
  const xs = at.map((x) => x * ratio - 0.5);
  // Each axis as value ↦ slope · value + offset, in device pixels.
  const offsets = scales.map((scale) => scale(0) * ratio - 0.5);
  const slopes = scales.map((scale) => (scale(1) - scale(0)) * ratio);
  for (let k = 0; k < rows.length; k++) {
    const base = rows[k] * m;
    let before = offsets[0] + slopes[0] * F[base];
    for (let j = 1; j < m; j++) {
      const after = offsets[j] + slopes[j] * F[base + j];
      countSegment(counts, image.width, image.height, xs[j - 1], before, xs[j], after);
      before = after;
    }
  }
}

// A smooth segment: in each column (or, where it is steep, each row) shared between the two nearest pixels.
function countSegment(counts, width, height, x0, y0, x1, y1) {
  if (Math.abs(y1 - y0) <= x1 - x0) {
    const slope = (y1 - y0) / (x1 - x0);
    for (let x = Math.ceil(x0); x < x1; x++) {
      const y = y0 + slope * (x - x0);
      const row = Math.floor(y);
      if (row < 0 || row > height - 2) continue;
      counts[row * width + x] += row + 1 - y;
      counts[(row + 1) * width + x] += y - row;
    }
  } else {
    if (y1 < y0) [x0, y0, x1, y1] = [x1, y1, x0, y0];
    const slope = (x1 - x0) / (y1 - y0);
    for (let y = Math.max(0, Math.ceil(y0)); y < Math.min(y1, height); y++) {
      const x = x0 + slope * (y - y0);
      const column = Math.floor(x);
      counts[y * width + column] += column + 1 - x;
      counts[y * width + column + 1] += x - column;
    }
  }
}

// n lines one above another, each of the given opacity, hide 1 - (1 - opacity)ⁿ; the grey ones lie behind.
function endLines(context, width, height, opacity, grey) {
  const pixels = lineLayer.image.data;
  const clear = Math.log(1 - opacity);
  const paler = Math.log(1 - Math.min(0.12, opacity / 2));
  const behind = lineLayer.counts.get(grey);
  const inks = [...lineLayer.counts].filter(([colour]) => colour !== grey).map(([colour, counts]) => ({ counts, rgb: colour.match(/[\d.]+/g).map(Number) }));
  const greyRgb = grey.match(/[\d.]+/g).map(Number);
  for (let p = 0; p < pixels.length / 4; p++) {
    let total = 0;
    let [red, green, blue] = [0, 0, 0];
    for (const { counts, rgb } of inks) {
      const number = counts[p];
      if (number === 0) continue;
      total += number;
      red += number * rgb[0];
      green += number * rgb[1];
      blue += number * rgb[2];
    }
    const number = behind ? behind[p] : 0;
    if (total === 0 && number === 0) {
      pixels[4 * p + 3] = 0;
      continue;
    }
    const above = total ? 1 - Math.exp(clear * total) : 0;
    const below = number ? (1 - Math.exp(paler * number)) * (1 - above) : 0;
    const both = above + below;
    const share = total ? above / total : 0;
    pixels[4 * p] = (red * share + greyRgb[0] * below) / both;
    pixels[4 * p + 1] = (green * share + greyRgb[1] * below) / both;
    pixels[4 * p + 2] = (blue * share + greyRgb[2] * below) / both;
    pixels[4 * p + 3] = 255 * both;
  }
  lineLayer.context.putImageData(lineLayer.image, 0, 0);
  context.drawImage(lineLayer.canvas, 0, 0, width, height);
}
