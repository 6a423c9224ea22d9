// Progress of the runs: one chart per indicator, one line and band per algorithm.

"use strict";

const SVG = "http://www.w3.org/2000/svg";

function svgElement(tag, attributes = {}, text = null) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== null) made.textContent = text;
  return made;
}

let progressAxis = "generations";

function makeProgress() {
  if (!data.progress.length) return;
  byId("progress").hidden = false;
  const timed = data.progress.some((chart) => chart.curves.some((curve) => curve.seconds));
  if (timed) {
    segmented(byId("progress-tabs"), [["generations", "Generations"], ["seconds", "Time"]], progressAxis, (axis) => {
      progressAxis = axis;
      drawProgress();
    });
  }
  const bands = data.progress.some((chart) => chart.curves.some((curve) => curve.runs > 1));
  const reading = bands ? "Lines are means over the runs of an algorithm, bands their 95 % confidence intervals." : "";
  byId("progress-note").textContent = [reading, data.progressNote].join(" ");
}

function drawProgress() {
  if (!data.progress.length) return;
  byId("charts").replaceChildren(...data.progress.map(drawChart).filter((chart) => chart));
}

function drawChart(chart) {
  const curves = chart.curves.filter((curve) => curve[progressAxis] && curve[progressAxis].length > 0)
    .map((curve) => ({ ...curve, x: curve[progressAxis] }));
  if (!curves.length) return null;
  const [width, height] = [300, 170];
  const box = { left: 46, right: width - 10, top: 10, bottom: height - 24 };
  const flat = (name) => curves.flatMap((curve) => curve[name] ?? []);
  const positive = Math.min(...flat("middle")) > 0;
  // Curves that fall by orders of magnitude get a logarithmic scale; rising ones do not.
  const falls = curves.some((curve) => curve.middle.at(-1) < curve.middle[0]);
  const log = positive && falls && Math.max(...flat("middle")) / Math.min(...flat("middle")) > 30;
  const floor = Math.min(...flat("middle")) / 3;  // a band may reach below zero
  const level = (value) => (log ? Math.log10(Math.max(value, floor)) : value);
  const x = linear(padded([Math.min(...flat("x")), Math.max(...flat("x"))], 0), box.left, box.right);
  const y = linear(padded(heights(flat, level), 0.05), box.bottom, box.top);
  const summary = chartSummary(chart, curves);
  const svg = svgElement("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": summary });
  chartAxes(svg, box, x, y, log);
  for (const curve of curves) {
    const series = `series-${curve.group % SERIES}`;
    const inFrame = (p) => Math.min(box.bottom, Math.max(box.top, p));
    const along = (name) => curve.x.map((value, k) =>
      [x(value), inFrame(y(level(curve[name][k])))].map((p) => p.toFixed(1)));
    if (curve.low) {
      const outline = [...along("high"), ...along("low").reverse()].join(" ");
      svg.append(svgElement("polygon", { points: outline, class: `band ${series}` }));
    }
    const points = along("middle");
    if (points.length > 1) svg.append(svgElement("polyline", { points: points.join(" "), class: `curve ${series}` }));
    else svg.append(svgElement("circle", { cx: points[0][0], cy: points[0][1], r: 3, class: `point ${series}` }));
  }
  const reading = element("p", { class: "reading muted" });
  const where = element("span", { class: "muted where" });
  const read = (steps) => showReading(reading, where, curves, steps);
  const lastValues = () => read(curves.map((curve) => curve.x.length - 1));
  lastValues();
  svg.addEventListener("pointermove", (event) => {
    const bounds = svg.getBoundingClientRect();
    const value = x.invert(((event.clientX - bounds.left) / bounds.width) * width);
    const cursor = Math.min(box.right, Math.max(box.left, x(value)));
    svg.querySelector(".cursor").setAttribute("transform", `translate(${cursor} 0)`);
    svg.classList.add("read");
    read(curves.map((curve) => {
      let near = 0;
      curve.x.forEach((candidate, k) => { if (Math.abs(candidate - value) < Math.abs(curve.x[near] - value)) near = k; });
      return near;
    }));
  });
  svg.addEventListener("pointerleave", () => {
    svg.classList.remove("read");
    lastValues();
  });
  const scale = element("span", { class: "muted", text: log ? " log scale" : "" });
  const caption = element("figcaption", {}, nameElement(chart.name), scale, where);
  return element("figure", { class: "chart" }, caption, svg, reading);
}

// The vertical range. With few runs, bands can be far wider than the lines: they are clipped beyond the range of the
// lines on either side, and below zero if the lines are positive.
function heights(flat, level) {
  const lines = flat("middle").map(level);
  const [low, high] = [Math.min(...lines), Math.max(...lines)];
  const bands = [...flat("low"), ...flat("high")].map(level);
  const room = high > low ? high - low : Infinity;
  const floor = Math.min(...flat("middle")) >= 0 ? level(0) : -Infinity;
  return [
    Math.max(Math.min(low, ...bands), low - room, Math.min(low, floor)),
    Math.min(Math.max(high, ...bands), high + room),
  ];
}

function chartAxes(svg, box, x, y, log) {
  const values = log
    ? ticks(...y.domain, 3).filter(Number.isInteger).map((power) => [power, format(10 ** power)])
    : labelled(ticks(...y.domain, 4));
  for (const [value, text] of values) {
    svg.append(svgElement("line", { x1: box.left, x2: box.right, y1: y(value), y2: y(value), class: "grid" }),
      svgElement("text", { x: box.left - 5, y: y(value) + 3.5, class: "tick end" }, text));
  }
  for (const [value, text] of labelled(ticks(...x.domain, 4))) {
    const shown = progressAxis === "seconds" ? `${text} s` : text;
    svg.append(svgElement("text", { x: x(value), y: box.bottom + 15, class: "tick" }, shown));
  }
  svg.append(svgElement("line", { x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom, class: "axis" }),
    svgElement("line", { x1: 0, x2: 0, y1: box.top, y2: box.bottom, class: "cursor" }));
}

// Values of the curves at the pointer; their step is shown once if all share it, otherwise with each value.
function showReading(reading, where, curves, steps) {
  const places = curves.map((curve, c) => {
    const value = curve.x[steps[c]];
    return progressAxis === "seconds" ? `${format(value, 3)} s` : `generation ${format(value)}`;
  });
  const shared = new Set(places).size === 1;
  where.textContent = shared ? places[0] : "";
  reading.replaceChildren(...curves.map((curve, c) => {
    const k = steps[c];
    const spread = curve.low ? ` ± ${format((curve.high[k] - curve.low[k]) / 2, 2)}` : "";
    return element("span", { class: "reading-item" }, element("span", { class: `swatch series-${curve.group % SERIES}` }),
      curves.length > 1 ? nameElement(data.groups[curve.group]) : "",
      ` ${format(curve.middle[k])}${spread}${shared ? "" : ` at ${places[c]}`}`);
  }));
}

function chartSummary(chart, curves) {
  const ends = curves.map((curve) => `${shorten(data.groups[curve.group], 40)} ends at ${format(curve.middle.at(-1))}`);
  return `${shorten(chart.name, 80)} over ${progressAxis}: ${ends.join(", ")}`;
}
