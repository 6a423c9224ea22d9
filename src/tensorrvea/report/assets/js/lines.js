// Thousands of lines: counted in every pixel that they cross, and coloured once at the end. Many lines are denser than
// few, the order of runs does not matter, and ten thousand lines take as long as a hundred canvas strokes.

"use strict";

const ONE = 65536;  // a line through the centre of a pixel
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

// Count the solutions' lines over all axes for one colour.
function countLines({ at, scales }, F, m, rows, colour) {
  const { ratio, image, counts: all } = lineLayer;
  if (!all.has(colour)) all.set(colour, new Uint32Array(image.width * image.height));
  const counts = all.get(colour);
  const xs = at.map((x) => x * ratio - 0.5);
  const lowest = image.height - 2;
  const height = (j, value) => Math.min(lowest, Math.max(0, scales[j](value) * ratio - 0.5));
  for (let k = 0; k < rows.length; k++) {
    const base = rows[k] * m;
    let before = height(0, F[base]);
    for (let j = 1; j < m; j++) {
      const after = height(j, F[base + j]);
      countSegment(counts, image.width, xs[j - 1], before, xs[j], after);
      before = after;
    }
  }
}

// An antialiased segment: in each column (or row, if it is steep) shared between the two nearest pixels.
// In integer multiples of 1/65536, which is twice as fast.
function countSegment(counts, width, x0, y0, x1, y1) {
  if (Math.abs(y1 - y0) <= x1 - x0) {
    const slope = (y1 - y0) / (x1 - x0);
    const step = Math.round(slope * ONE);
    const start = Math.ceil(x0);
    let y = Math.round((y0 + slope * (start - x0)) * ONE);
    for (let x = start; x < x1; x++, y += step) {
      const at = (y >> 16) * width + x;
      const share = y & 65535;
      counts[at] += ONE - share;
      counts[at + width] += share;
    }
  } else {
    const [top, bottom, above] = y0 < y1 ? [y0, y1, x0] : [y1, y0, x1];
    const slope = (y0 < y1 ? x1 - x0 : x0 - x1) / (bottom - top);
    const step = Math.round(slope * ONE);
    const start = Math.ceil(top);
    let x = Math.round((above + slope * (start - top)) * ONE);
    for (let row = start * width; row < bottom * width; row += width, x += step) {
      const at = row + (x >> 16);
      const share = x & 65535;
      counts[at] += ONE - share;
      counts[at + 1] += share;
    }
  }
}

// n overlapping lines of the given opacity cover 1 - (1 - opacity)ⁿ; grey ones lie behind.
// No helper functions, since this runs once per pixel.
function endLines(context, width, height, opacity, grey) {
  const pixels = lineLayer.image.data;
  const clear = Math.log(1 - opacity) / ONE;
  const paler = Math.log(1 - Math.min(0.12, opacity / 2)) / ONE;
  const rgbOf = (colour) => colour.match(/[\d.]+/g).map(Number);
  const behind = lineLayer.counts.get(grey) ?? new Uint32Array(pixels.length / 4);
  const [greyRed, greyGreen, greyBlue] = rgbOf(grey);
  const inks = [...lineLayer.counts].filter(([colour]) => colour !== grey);
  const counts = inks.map(([, numbers]) => numbers);
  const rgb = inks.map(([colour]) => rgbOf(colour));
  for (let p = 0, at = 0; at < pixels.length; p++, at += 4) {
    let total = 0;
    let red = 0;
    let green = 0;
    let blue = 0;
    for (let k = 0; k < counts.length; k++) {
      const number = counts[k][p];
      if (number === 0) continue;
      total += number;
      red += number * rgb[k][0];
      green += number * rgb[k][1];
      blue += number * rgb[k][2];
    }
    const number = behind[p];
    if (total === 0 && number === 0) {
      pixels[at + 3] = 0;
      continue;
    }
    const above = total === 0 ? 0 : 1 - Math.exp(clear * total);
    const below = number === 0 ? 0 : (1 - Math.exp(paler * number)) * (1 - above);
    const both = above + below;
    const share = total === 0 ? 0 : above / total;
    pixels[at] = (red * share + greyRed * below) / both;
    pixels[at + 1] = (green * share + greyGreen * below) / both;
    pixels[at + 2] = (blue * share + greyBlue * below) / both;
    pixels[at + 3] = 255 * both;
  }
  lineLayer.context.putImageData(lineLayer.image, 0, 0);
  context.drawImage(lineLayer.canvas, 0, 0, width, height);
}
