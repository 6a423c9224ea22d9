// Controls of the front: view, axes, runs, generation.

"use strict";

// A group of buttons, one of which is pressed.
function segmented(holder, options, chosen, onChoose) {
  const buttons = options.map(([value, label]) => {
    const press = () => {
      buttons.forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.value === value)));
      onChoose(value);
    };
    const pressed = String(value === chosen);
    return element("button", { type: "button", text: label, "data-value": value, "aria-pressed": pressed, onclick: press });
  });
  holder.replaceChildren(...buttons);
}

function makeViews() {
  const views = [["3d", "Space"], ["2d", "Plane"], ["parallel", "Parallel"]].slice(data.m === 2 ? 1 : 0);
  state.view = data.m === 2 ? "2d" : data.m === 3 ? "3d" : "parallel";
  segmented(byId("view-tabs"), views, state.view, (view) => {
    state.view = view;
    makeAxisPickers();
    setHover(-1);
    hideTooltip();
    changed("view");
  });
  makeAxisPickers();
}

// Shown if there are more objectives than axes, or axes to swap.
function makeAxisPickers() {
  const holder = byId("axis-pickers");
  holder.replaceChildren();
  const shown = { "2d": 2, "3d": 3, parallel: 0 }[state.view];
  holder.hidden = data.m < 3 || !shown || (state.view === "3d" && data.m === 3);
  byId("marks").dataset.view = state.view;
  if (holder.hidden) return;
  ["Across", state.view === "3d" ? "Deep" : "Up", "Up"].slice(0, shown).forEach((label, k) => {
    const select = element("select", { onchange: () => {
      const wanted = Number(select.value);
      const other = state.axes.indexOf(wanted);
      if (other >= 0) state.axes[other] = state.axes[k];  // swap, so that no objective is on two axes
      state.axes[k] = wanted;
      makeAxisPickers();
      changed("view");
    } });
    data.objectives.forEach((objective, j) => {
      const selected = state.axes[k] === j;
      select.append(element("option", { value: String(j), text: shorten(objective.name, 40), selected }));
    });
    holder.append(element("label", {}, element("span", { class: "muted", text: label }), select));
  });
}

// Runs share the colour of their algorithm; with only one algorithm, each run has its own.
function runColour(run) {
  const { groups, runs } = data;
  if (groups.length > 1) return colours.series[runs[run].group % SERIES];
  return runs.length <= SERIES ? colours.series[run] : colours.series[0];
}

function makeLegend() {
  const legend = byId("legend");
  const several = data.groups.length > 1;
  const rows = [];
  const swatch = (run) => {
    const made = element("span", { class: "swatch" });
    made.dataset.run = run;
    return made;
  };
  const toggle = (runs, label, extra = "") => {
    const box = element("input", { type: "checkbox", checked: true, onchange: () => {
      runs.forEach((run) => (state.runOn[run] = box.checked));
      legend.querySelectorAll("input[data-run]").forEach((other) => (other.checked = state.runOn[other.dataset.run]));
      changed("selection");
    } });
    if (runs.length === 1) box.dataset.run = runs[0];
    return element("label", { class: "legend-item" }, box, swatch(runs[0]), nameElement(label),
      element("span", { class: "muted", text: extra }));
  };
  data.groups.forEach((group, g) => {
    const runs = data.runs.map((_, r) => r).filter((r) => data.runs[r].group === g);
    const singles = runs.map((r) => toggle([r], data.runs[r].label));
    if (runs.length > 1 && (several || runs.length > SERIES)) {
      rows.push(toggle(runs, group, ` ${count(runs.length, "run")}`));
      rows.push(element("details", {}, element("summary", { text: "single runs" }), ...singles));
    } else rows.push(...singles);
  });
  if (data.truth) {
    const box = element("input", { type: "checkbox", checked: true, id: "truth", onchange: () => {
      state.truthOn = box.checked;
      changed("view");
    } });
    rows.push(element("label", { class: "legend-item" }, box, element("span", { class: "swatch truth" }), "true front"));
  }
  const key = element("ul", { class: "key", "aria-label": "Symbols in the plot" });
  for (const { name, shape } of MARKS) key.append(element("li", {}, signElement(shape), name));
  if (data.replayOf.size) key.append(element("li", {}, signElement("ring"), "has an episode"));
  if (data.hasViolation) key.append(element("li", {}, signElement("hollow"), "violates a constraint"));
  legend.replaceChildren(element("div", { class: "legend-runs" }, ...rows), key);
}

// The marks of the canvas, as SVG.
function signElement(shape) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "-8 -8 16 16");
  svg.setAttribute("class", `sign ${shape}`);
  svg.setAttribute("aria-hidden", "true");
  const paths = {
    diamond: "M0-6L6 0L0 6L-6 0Z", square: "M-5-5H5V5H-5Z", triangle: "M0-6L6 4.5H-6Z",
    ring: "M-5.5 0A5.5 5.5 0 1 0 5.5 0A5.5 5.5 0 1 0-5.5 0Z", hollow: "M-3.5 0A3.5 3.5 0 1 0 3.5 0A3.5 3.5 0 1 0-3.5 0Z",
  };
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", paths[shape]);
  svg.append(path);
  return svg;
}

function paintSwatches() {
  for (const swatch of document.querySelectorAll(".swatch[data-run]")) {
    swatch.style.background = runColour(Number(swatch.dataset.run));
  }
}

function showStatus() {
  const playing = derived.playing.length;
  const brushed = state.brushes.some((brush) => brush);
  const on = data.runs.reduce((sum, run, r) => sum + (state.runOn[r] ? run.size : 0), 0);
  let text = brushed ? `${playing.toLocaleString("en")} of ${count(on, "solution")} in play` : count(on, "solution");
  if (state.generation === null && front.drawn.length < playing) {
    text += `; ${front.drawn.length.toLocaleString("en")} of them drawn, all of them considered`;
  }
  byId("in-play").textContent = text;
  byId("clear-filters").hidden = !brushed;
  byId("to-compare").hidden = state.pins.length === 0;
  byId("to-compare").textContent = `Compare ${state.pins.length} pinned`;
  const hints = {
    "2d": "Click pins, drag filters.", "3d": "Click pins, drag turns.", parallel: "Click pins, drag on an axis filters.",
  };
  byId("front-hint").textContent = state.generation === null ? hints[state.view] : "Go to the last generation to choose.";
}

// The slider of recorded fronts: all generations of any run, then the final front.

function makeGenerations() {
  const recorded = new Set();
  data.runs.forEach((run) => run.fronts.forEach((entry) => recorded.add(entry.generation)));
  if (!recorded.size) return;
  data.generations = [...recorded].sort((a, b) => a - b);
  byId("generation-bar").hidden = false;
  const slider = byId("generation");
  slider.max = String(data.generations.length);
  slider.value = slider.max;
  const show = () => {
    const k = Number(slider.value);
    state.generation = k < data.generations.length ? data.generations[k] : null;
    const text = state.generation === null ? "final" : `generation ${state.generation}`;
    byId("generation-label").textContent = text;
    slider.setAttribute("aria-valuetext", text);
    setHover(-1);
    hideTooltip();
    changed("view");
  };
  slider.addEventListener("input", () => {
    stopGenerations();
    show();
  });
  const button = byId("generation-play");
  let timer = null;
  const stopGenerations = () => {
    clearInterval(timer);
    timer = null;
    button.textContent = "▶";
    button.setAttribute("aria-label", "Play the generations");
  };
  button.addEventListener("click", () => {
    if (timer !== null) return stopGenerations();
    if (slider.value === slider.max) slider.value = "0";
    show();
    button.textContent = "❚❚";
    button.setAttribute("aria-label", "Pause the generations");
    timer = setInterval(() => {
      slider.value = String(Number(slider.value) + 1);
      show();
      if (slider.value === slider.max) stopGenerations();
    }, Math.max(40, Math.min(250, 6000 / data.generations.length)));
  });
  byId("generation-label").textContent = "final";
}

// The last recorded front of every visible run up to a generation.
function framesAt(generation) {
  const frames = [];
  data.runs.forEach((run, r) => {
    if (!state.runOn[r]) return;
    const entry = run.fronts.findLast((candidate) => candidate.generation <= generation);
    if (!entry) return;
    entry.values ??= decodeArray(entry.F);
    const inside = (i) => state.brushes.every((brush, j) => {
      const value = entry.values[i * data.m + j];
      return !brush || (value >= brush[0] && value <= brush[1]);
    });
    const rows = [];
    for (let i = 0; i * data.m < entry.values.length; i++) if (inside(i)) rows.push(i);
    frames.push({ values: entry.values, rows, run: r });
  });
  return frames;
}
