// Assembles the page.

"use strict";

const data = readData();

function start() {
  state.runOn = data.runs.map(() => true);
  state.brushes = new Array(data.m).fill(null);
  state.weights = new Array(data.m).fill(50);
  readColours();
  showHeader();
  makeViews();
  makeLegend();
  makeChoose();
  makeGenerations();
  makeProgress();
  makeProvenance();
  listenToPointer();

  const drawFront = atNextFrame(() => {
    drawPoints();
    makeStrips();
    showStatus();
  });
  const drawFilters = atNextFrame(showFilters);
  const drawAll = () => {
    drawFront();
    drawFilters();
  };
  when("selection", () => {
    chooseDrawn();
    drawAll();
    showMarked();
    describeDownload();
  });
  when("weights", showWeights);
  when("weights", showMarked);
  when("weights hover", atNextFrame(drawMarks));
  when("view", () => {
    chooseDrawn();
    drawFront();
  });
  when("pins", () => {
    showPinned();
    showMarked();
    if (data.replayOf.size && player.shown.length) showStages(player.shown);
  });
  when("pins", showStatus);
  when("pins", atNextFrame(drawMarks));
  const repaint = () => {
    readColours();
    paintSwatches();
    drawAll();
    if (player.shown.length) drawStages();
  };
  when("theme", repaint);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  new ResizeObserver(() => {
    drawAll();
    if (player.shown.length) drawStages();
  }).observe(byId("stage"));

  byId("theme").addEventListener("click", nextTheme);
  byId("download-all").addEventListener("click", () => download(describeCsv().name, csvOf(derived.playing)));
  byId("download-pinned").addEventListener("click", () => {
    download(`${data.stem}-pinned.csv`, csvOf(state.pins.map((pinned) => pinned.index)));
  });
  byId("to-compare").addEventListener("click", () => byId("compare").scrollIntoView({ block: "start" }));
  byId("unpin-all").addEventListener("click", () => {
    state.pins = [];
    changed("pins");
  });

  changed("selection");
  showWeights();
  makeReplays();
  showPinned();
  drawProgress();
  paintSwatches();
  // For scripts and tests.
  const replays = { setPlaying, showStages, drawStages, orbit, makeCamera };
  window.report = { state, derived, data, player, replays, screenPlace, csvOf, jsonOf, pythonOf };
}

function showHeader() {
  byId("title").replaceChildren(nameElement(data.title, "title-name"));
  document.title = shorten(data.title, 120);
  const parts = [
    count(data.total, "solution"), count(data.m, "objective"), count(data.variables.length, "variable"),
    data.runs.length > 1 ? count(data.runs.length, "run") : "",
    data.replayOf.size ? count(data.replayOf.size, "episode") : "",
  ].filter((part) => part);
  byId("subtitle").textContent = parts.join(" · ");
  byId("notices").replaceChildren(...data.notes.map((note) => element("p", { class: "notice", text: note })));
}

function describeDownload() {
  const { label, about } = describeCsv();
  const button = byId("download-all");
  button.textContent = label;
  button.title = about;
  button.setAttribute("aria-label", `${label}: ${about}`);
}

function nextTheme() {
  state.theme = { auto: "light", light: "dark", dark: "auto" }[state.theme];
  document.documentElement.dataset.theme = state.theme;
  byId("theme").textContent = `Theme: ${state.theme}`;
  byId("theme").setAttribute("aria-label", `Colour theme: ${state.theme === "auto" ? "automatic" : state.theme}`);
  changed("theme");
}

start();
