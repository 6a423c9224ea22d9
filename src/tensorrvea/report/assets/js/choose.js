// A filter and a weight for each objective, and the solutions that they recommend.

"use strict";

const STEPS = 1000;  // of a filter's slider
const BINS = 40;

function makeChoose() {
  const holder = byId("objectives");
  data.objectives.forEach((objective, j) => {
    const [low, high] = sliderRange(j);
    const name = shorten(objective.name, 80);
    const end = (which, value) => element("input", {
      type: "range", min: "0", max: String(STEPS), step: "1", value: String(value), class: `end ${which}`,
      "aria-label": `${which === "low" ? "Smallest" : "Largest"} ${name}`, oninput: () => onFilter(row, j),
    });
    const weight = element("input", { type: "range", min: "0", max: "100", step: "1", value: "50", class: "weight",
      "aria-label": `Weight of ${name}`, oninput: () => {
        state.weights[j] = Number(weight.value);
        changed("weights");
      } });
    const row = element("div", { class: "objective", "data-objective": j },
      element("div", { class: "filter" },
        element("p", { class: "objective-name" }, nameElement(objective.name), unitElement(objective),
          element("span", { class: "muted direction", text: directionText(j) })),
        element("canvas", { class: "histogram", "aria-hidden": "true" }),
        element("div", { class: "two-ends" }, end("low", 0), end("high", STEPS)),
        element("div", { class: "ends muted" },
          element("span", { text: format(low) }), element("span", { text: format(high) }))),
      element("label", { class: "weigh" },
        element("span", { class: "muted weight-label" }, "weight ", element("output", { class: "share" })), weight));
    holder.append(row);
  });
  byId("equal-weights").addEventListener("click", () => {
    state.weights.fill(50);
    holder.querySelectorAll(".weight").forEach((slider) => (slider.value = "50"));
    changed("weights");
  });
  byId("clear-filters").addEventListener("click", clearBrushes);
}

// The range of an objective over the solutions, without the true front; its ends mean "no filter".
function sliderRange(j) {
  data.ranges ??= domainOf(data.F, data.m);
  return data.ranges[j];
}

function onFilter(row, j) {
  const [low, high] = sliderRange(j);
  const [lowEnd, highEnd] = [row.querySelector(".low"), row.querySelector(".high")];
  const [a, b] = [Number(lowEnd.value), Number(highEnd.value)].sort((x, y) => x - y);
  const value = (step) => low + (step / STEPS) * (high - low);
  setBrush(j, a === 0 && b === STEPS ? null : [a === 0 ? -Infinity : value(a), b === STEPS ? Infinity : value(b)]);
}

// Move the sliders to the current brushes.
function showFilters() {
  document.querySelectorAll(".objective").forEach((row, j) => {
    const [low, high] = sliderRange(j);
    const brush = state.brushes[j] ?? [-Infinity, Infinity];
    const [a, b] = [Math.max(low, Math.min(high, brush[0])), Math.max(low, Math.min(high, brush[1]))];
    const step = (value) => String(high > low ? Math.round(((value - low) / (high - low)) * STEPS) : 0);
    const [lowEnd, highEnd] = [row.querySelector(".low"), row.querySelector(".high")];
    // Do not move a slider that the user is dragging.
    if (document.activeElement !== lowEnd && document.activeElement !== highEnd) {
      lowEnd.value = brush[0] === -Infinity ? "0" : step(a);
      highEnd.value = brush[1] === Infinity ? String(STEPS) : step(b);
    }
    lowEnd.setAttribute("aria-valuetext", format(a));
    highEnd.setAttribute("aria-valuetext", format(b));
    const [first, last] = row.querySelectorAll(".ends span");
    first.textContent = format(a);
    last.textContent = format(b);
    row.classList.toggle("filtered", Boolean(state.brushes[j]));
    drawHistogram(row.querySelector(".histogram"), j, a, b);
  });
}

// Histogram of an objective: all solutions in grey, those in play in colour.
function drawHistogram(canvas, j, from, to) {
  const [low, high] = sliderRange(j);
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const context = prepare(canvas, width, height);
  const all = new Uint32Array(BINS);
  const playing = new Uint32Array(BINS);
  for (let i = 0; i < data.total; i++) {
    if (!state.runOn[data.runOf[i]]) continue;
    const bin = high > low ? Math.min(BINS - 1, Math.floor(((data.F[i * data.m + j] - low) / (high - low)) * BINS)) : 0;
    all[bin]++;
    if (derived.inPlay[i]) playing[bin]++;
  }
  const most = Math.max(1, ...all);
  const step = width / BINS;
  const bars = (counts, colour) => {
    context.fillStyle = colour;
    counts.forEach((number, k) => {
      const tall = number ? Math.max(1, (number / most) * (height - 2)) : 0;
      context.fillRect(k * step + 0.5, height - tall, step - 1, tall);
    });
  };
  bars(all, faded(colours.muted, 0.25));
  bars(playing, faded(colours.accent, 0.75));
  if (state.brushes[j] && high > low) {
    context.fillStyle = faded(colours.accent, 0.1);
    context.fillRect(((from - low) / (high - low)) * width, 0, ((to - from) / (high - low)) * width, height);
  }
}

function showWeights() {
  const all = state.weights.reduce((sum, weight) => sum + weight, 0);
  document.querySelectorAll(".objective").forEach((row, j) => {
    const share = all > 0 ? state.weights[j] / all : 1 / data.m;
    const text = `${Math.round(100 * share)} %`;
    row.querySelector(".share").textContent = text;
    row.querySelector(".weight").setAttribute("aria-valuetext", text);
  });
}

function showMarked() {
  const table = byId("marked");
  const head = element("tr", {}, element("th", { scope: "col", text: "Best by" }), element("td", {}),
    ...data.objectives.map((objective) => element("th", { scope: "col" }, nameElement(objective.name))));
  table.tHead.replaceChildren(head);
  table.tBodies[0].replaceChildren(...MARKS.map(({ key, name, shape }) => {
    const index = derived.marks[key];
    const row = element("tr", { "data-mark": key }, element("th", { scope: "row" }, signElement(shape), name));
    if (index < 0) {
      row.append(element("td", { colSpan: data.m + 1, class: "muted", text: "nothing is in play" }));
      return row;
    }
    row.dataset.run = data.runOf[index];
    row.dataset.solution = data.rowOf[index];
    const pinned = pinOf(index);
    // Before the numbers, so that it is visible on a phone.
    const pinIt = linkButton("Pin", `Pin the solution that is best by ${name}`, () => pinAndPlay(index));
    const sign = () => element("span", { class: "letter", text: pinned.letter, role: "img",
      "aria-label": `Pinned as ${pinned.letter}` });
    row.append(element("td", {}, pinned ? sign() : pinIt));
    row.append(...objectivesOf(index).map((value) => element("td", { text: format(value) })));
    row.addEventListener("pointerenter", () => setHover(index));
    row.addEventListener("pointerleave", () => setHover(-1));
    return row;
  }));
}
