// The comparison tray: what is pinned, one column a solution.

"use strict";

const FIRST_VARIABLES = 12;

function showPinned() {
  const { pins } = state;
  byId("pinned").hidden = byId("download-pinned").hidden = byId("unpin-all").hidden = pins.length === 0;
  byId("pinned-empty").hidden = pins.length > 0;
  byId("pinned").replaceChildren(pins.length ? pinnedTable(pins) : "");
}

function pinnedTable(pins) {
  const table = element("table", { class: "numbers pinned" });
  const row = (label, cells, className = "") => table.tBodies[0].append(
    element("tr", { class: className }, element("th", { scope: "row" }, label), ...cells));
  table.append(element("thead", {}, element("tr", {}, element("td", {}), ...pins.map(({ index, letter }) =>
    element("th", { scope: "col", "data-run": data.runOf[index], "data-solution": data.rowOf[index] },
      element("span", { class: "letter", text: letter }),
      element("button", { type: "button", class: "link", text: "×", "aria-label": `Unpin ${letter}`, onclick: () => unpin(index) }))))),
    element("tbody", {}));
  if (data.runs.length > 1) {
    row("run", pins.map(({ index }) => element("td", { class: "text" }, nameElement(runNameOf(index)))));
  }
  row("solution", pins.map(({ index }) => element("td", { text: data.rowOf[index].toLocaleString("en") })));
  data.objectives.forEach((objective, j) => {
    const values = pins.map(({ index }) => data.F[index * data.m + j]);
    const best = Math.min(...values.map((value) => value * data.signs[j]));
    const [low, high] = sliderRange(j);
    const label = element("span", { class: "row-name" }, nameElement(objective.name), objective.unit ? nameElement(`[${objective.unit}]`, "unit muted") : "",
      element("span", { class: "muted", text: data.signs[j] > 0 ? "↓" : "↑", title: directionText(j) }));
    row(label, values.map((value) => {
      // The bar is how far the value is from the best of the whole front.
      const bar = element("span", { class: "bar", "aria-hidden": "true" }, element("span", {}));
      const share = high > low ? (data.signs[j] > 0 ? value - low : high - value) / (high - low) : 0;
      bar.firstChild.style.width = `${Math.round(100 * share)}%`;
      const isBest = pins.length > 1 && value * data.signs[j] === best;
      return element("td", { class: isBest ? "best" : "" }, format(value, 5), bar);
    }));
  });
  row("violation", pins.map(({ index }) => element("td", { text: format(data.violation[index]) })));
  const vectors = pins.map(({ index }) => variablesOf(index));
  if (vectors.some((x) => x)) {
    const width = Math.max(...vectors.map((x) => (x ? x.length : 0)));
    for (let k = 0; k < Math.min(width, FIRST_VARIABLES); k++) {
      row(nameElement(data.variables[k]), vectors.map((x) => element("td", { text: x ? format(x[k], 5) : "–" })), k ? "variable" : "variable first");
    }
    if (width > FIRST_VARIABLES) {
      row(element("span", { class: "muted", text: `and ${count(width - FIRST_VARIABLES, "more variable")}` }), pins.map(() => element("td", { text: "…" })));
    }
  } else if (data.csvBeside) {
    row("variables", pins.map(({ index }) => element("td", { class: "muted text", text: `in ${shorten(data.csvBeside, 40)}, row ${index + 1}` })));
  }
  row("", pins.map(({ index, letter }) => element("td", { class: "copy" },
    element("button", { type: "button", class: "link", text: "JSON", "aria-label": `Copy ${letter} as JSON`, onclick: (event) => copy(jsonOf(index), event.target) }),
    element("button", { type: "button", class: "link", text: "Python", "aria-label": `Copy ${letter} as Python`, onclick: (event) => copy(pythonOf(index), event.target) }),
    data.replayOf.size ? playButton(index, letter) : null)));
  return table;
}

function playButton(index, letter) {
  const own = data.replayOf.has(index);
  return element("button", { type: "button", class: "link", text: own ? "Play" : "Play nearest", onclick: () => playFor(index, true),
    "aria-label": own ? `Play the episode of ${letter}` : `Play the nearest stored episode to ${letter}` });
}
