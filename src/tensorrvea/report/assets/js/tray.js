// The comparison tray: pinned solutions, one column per solution.

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
      linkButton("×", `Unpin ${letter}`, () => unpin(index)))))),
    element("tbody", {}));
  if (data.runs.length > 1) {
    row("run", pins.map(({ index }) => element("td", { class: "text" }, nameElement(runNameOf(index)))));
  }
  row("solution", pins.map(({ index }) => element("td", { text: String(data.rowOf[index]) })));
  data.objectives.forEach((objective, j) => {
    const values = pins.map(({ index }) => data.F[index * data.m + j]);
    const best = Math.min(...values.map((value) => value * data.signs[j]));
    const [low, high] = sliderRange(j);
    const label = element("span", { class: "row-name" }, nameElement(objective.name), unitElement(objective),
      element("span", { class: "muted", text: data.signs[j] > 0 ? "↓" : "↑", title: directionText(j) }));
    row(label, values.map((value) => {
      // The bar shows the distance from the best value of the whole front.
      const bar = element("span", { class: "bar", "aria-hidden": "true" }, element("span", {}));
      const share = high > low ? (data.signs[j] > 0 ? value - low : high - value) / (high - low) : 0;
      bar.firstChild.style.width = `${Math.round(100 * share)}%`;
      const isBest = pins.length > 1 && value * data.signs[j] === best;
      return element("td", { class: isBest ? "best" : "" }, format(value, 5), bar);
    }));
  });
  row("violation", pins.map(({ index }) => element("td", { text: format(data.violation[index]) })));
  if (data.constraints.length) row("slack", pins.map(() => element("td", {})), "heading");
  data.constraints.forEach((one, k) => {
    row(element("span", { class: "row-name" }, nameElement(one.name)), pins.map(({ index }) => {
      const g = constraintsOf(index)[k];
      return element("td", {}, g === undefined ? "–" : format(-g, 5),
        g !== undefined && binds(g, k) ? element("span", { class: "muted", text: " binds" }) : "");
    }), k ? "variable" : "variable first");
  });
  const vectors = pins.map(({ index }) => variablesOf(index));
  if (vectors.some((x) => x)) {
    const width = Math.max(...vectors.map((x) => (x ? x.length : 0)));
    for (let k = 0; k < Math.min(width, FIRST_VARIABLES); k++) {
      const values = vectors.map((x) => element("td", { text: x ? format(x[k], 5) : "–" }));
      row(nameElement(data.variables[k]), values, k ? "variable" : "variable first");
    }
    if (width > FIRST_VARIABLES) {
      const rest = element("span", { class: "muted", text: `+ ${width - FIRST_VARIABLES} more` });
      row(rest, pins.map(() => element("td", { text: "…" })));
    }
  } else if (data.csvFile) {
    row("variables", pins.map(({ index }) => {
      const place = `in ${shorten(data.csvFile, 40)}, solution ${data.rowOf[index]}`;
      return element("td", { class: "muted text", text: place, title: place });
    }));
  }
  row("", pins.map(({ index, letter }) => element("td", { class: "copy" },
    linkButton("JSON", `Copy ${letter} as JSON`, (event) => copy(jsonOf(index), event.target)),
    linkButton("Python", `Copy ${letter} as Python`, (event) => copy(pythonOf(index), event.target)),
    data.replayOf.size ? playButton(index, letter) : null)));
  return table;
}

function playButton(index, letter) {
  const own = data.replayOf.has(index);
  const label = own ? `Play the episode of ${letter}` : `Play the nearest stored episode to ${letter}`;
  return linkButton(own ? "Play" : "Play nearest", label, () => playFor(index, true));
}
