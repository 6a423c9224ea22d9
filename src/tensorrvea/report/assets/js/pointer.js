// Interaction with the front: mouse, touch and keyboard.

"use strict";

const CLICK = 5;  // largest movement of a click, in pixels

function listenToPointer() {
  const marks = byId("marks");
  const place = (event) => {
    const box = marks.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  marks.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const [x, y] = place(event);
    front.drag = { x, y, moved: false, azimuth: state.azimuth, elevation: state.elevation };
    marks.setPointerCapture(event.pointerId);
  });
  marks.addEventListener("pointermove", (event) => {
    const [x, y] = place(event);
    const { drag } = front;
    if (drag && (drag.moved || Math.hypot(x - drag.x, y - drag.y) > CLICK)) {
      drag.moved = true;
      hideTooltip();
      dragTo(x, y);
    } else if (!drag && event.pointerType !== "touch") {
      setHover(nearest(x, y));
      showTooltip(state.hover, x, y);
    }
  });
  marks.addEventListener("pointerup", (event) => {
    const { drag } = front;
    front.drag = null;
    if (!drag) return;
    const [x, y] = place(event);
    if (drag.moved) return finishDrag();
    const index = nearest(x, y);
    if (index >= 0) choosePoint(index, x, y);
    else if (event.pointerType === "touch") setHover(-1);
  });
  marks.addEventListener("pointercancel", () => {
    front.drag = null;
    front.dragBox = null;
    drawMarks();
  });
  marks.addEventListener("pointerleave", () => {
    if (front.drag) return;
    setHover(-1);
    hideTooltip();
  });
  marks.addEventListener("keydown", onKey);
}

function dragTo(x, y) {
  const { drag, geometry } = front;
  if (state.view === "3d") {
    turnTo(drag.azimuth - (x - drag.x) * 0.008, drag.elevation + (y - drag.y) * 0.008);
  } else if (state.view === "2d") {
    const { box } = geometry;
    const inside = (value, low, high) => Math.min(high, Math.max(low, value));
    const [x0, x1] = [drag.x, x].map((value) => inside(value, box.left, box.right)).sort((a, b) => a - b);
    const [y0, y1] = [drag.y, y].map((value) => inside(value, box.top, box.bottom)).sort((a, b) => a - b);
    // A drag along the strip of an axis brushes only that axis.
    const [onX, onY] = [drag.y > box.bottom, drag.x < box.left];
    front.dragBox = [onY ? box.left : x0, onX ? box.top : y0, onY ? box.right : x1, onX ? box.bottom : y1];
    front.dragOn = [!onY, !onX];
    drawMarks();
  }
}

function finishDrag() {
  if (!front.dragBox) return;
  const [x0, y0, x1, y1] = front.dragBox;
  const { x, y } = front.geometry;
  front.dragBox = null;
  if (front.dragOn[0]) state.brushes[state.axes[0]] = [x.invert(x0), x.invert(x1)];
  if (front.dragOn[1]) state.brushes[state.axes[1]] = [y.invert(y1), y.invert(y0)];
  changed("selection");
}

function turnTo(azimuth, elevation) {
  state.azimuth = azimuth;
  state.elevation = Math.min(Math.PI / 2, Math.max(0, elevation));
  changed("view");
}

// A click pins or unpins a solution and plays its episode, if there is one.
function choosePoint(index, x, y) {
  if (pinOf(index)) {
    unpin(index);
    announce(`Solution ${data.rowOf[index]} unpinned`);
    return;
  }
  setHover(index);
  showTooltip(index, x, y);
  pinAndPlay(index);
}

function pinAndPlay(index) {
  if (!pin(index)) return;
  announce(`Pinned as ${pinOf(index).letter}: ${describe(index)}`);
  playFor(index);
}

function onKey(event) {
  const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const arrow = arrows[event.key];
  if (arrow && event.shiftKey && state.view === "3d") {
    turnTo(state.azimuth - arrow[0] * 0.12, state.elevation + arrow[1] * 0.12);
  } else if (arrow && arrow[0] && state.generation === null) walk(arrow[0]);
  else if ((event.key === "Enter" || event.key === " ") && state.hover >= 0) {
    choosePoint(state.hover, ...screenPlace(state.hover));
  }
  else if (event.key === "Escape") clearBrushes();
  else return;
  event.preventDefault();
}

// Move to the next solution along the first axis.
function walk(step) {
  const j = state.view === "parallel" ? 0 : state.axes[0];
  const rows = Array.from(derived.playing).sort((a, b) => data.F[a * data.m + j] - data.F[b * data.m + j] || a - b);
  if (!rows.length) return;
  const now = rows.indexOf(state.hover);
  const next = rows[now < 0 ? (step > 0 ? 0 : rows.length - 1) : (now + step + rows.length) % rows.length];
  setHover(next);
  showTooltip(next, ...screenPlace(next));
  announce(describe(next));
}

function describe(index) {
  const values = objectivesOf(index).map((value, j) => `${shorten(data.objectives[j].name, 40)} ${format(value)}`);
  return `Solution ${data.rowOf[index]}, ${values.join(", ")}`;
}

function showTooltip(index, x, y) {
  const tooltip = byId("tooltip");
  if (index < 0) return hideTooltip();
  const head = element("p", { class: "tooltip-head" }, data.runs.length > 1 ? nameElement(runNameOf(index)) : "",
    element("span", { class: "muted", text: ` solution ${data.rowOf[index]}` }));
  const list = element("dl", {});
  objectivesOf(index).slice(0, 12).forEach((value, j) => {
    const { unit } = data.objectives[j];
    list.append(element("dt", {}, nameElement(data.objectives[j].name)),
      element("dd", { text: format(value) + (unit ? ` ${shorten(unit, 12)}` : "") }));
  });
  if (data.hasViolation) {
    list.append(element("dt", { text: "violation" }), element("dd", { text: format(data.violation[index]) }));
  }
  const tight = constraintsOf(index).flatMap((g, k) => (binds(g, k) ? [shorten(data.constraints[k].name, 40)] : []));
  if (tight.length) list.append(element("dt", { text: "binds" }), element("dd", { text: tight.join(", ") }));
  tooltip.replaceChildren(head, list);
  if (data.replayOf.has(index)) tooltip.append(element("p", { class: "muted", text: "Click to pin and play" }));
  tooltip.hidden = false;
  const [width, height] = stageSize();
  const left = x + 18 + tooltip.offsetWidth > width ? x - 18 - tooltip.offsetWidth : x + 18;
  tooltip.style.left = `${Math.max(4, Math.min(left, width - tooltip.offsetWidth - 4))}px`;
  tooltip.style.top = `${Math.max(4, Math.min(y + 14, height - tooltip.offsetHeight - 4))}px`;
}

function hideTooltip() {
  byId("tooltip").hidden = true;
}

// Transparent strips over the axes of the parallel view: a drag brushes the axis, a click clears it.
function makeStrips() {
  const strips = byId("axis-strips");
  strips.replaceChildren();
  if (state.view !== "parallel" || !front.geometry) return;
  const { at, scales, box } = front.geometry;
  at.forEach((x, j) => {
    const title = shorten(data.objectives[j].name, 400);
    const strip = element("div", { class: "axis-strip", "data-objective": j, title });
    const [top, height] = [box.top - 6, box.bottom - box.top + 12];
    Object.assign(strip.style, { left: `${x - 12}px`, top: `${top}px`, height: `${height}px` });
    let from = null;
    const y = (event) => {
      const below = event.clientY - byId("stage").getBoundingClientRect().top;
      return Math.min(box.bottom, Math.max(box.top, below));
    };
    strip.addEventListener("pointerdown", (event) => {
      from = y(event);
      strip.setPointerCapture(event.pointerId);
    });
    strip.addEventListener("pointermove", (event) => {
      if (from === null || Math.abs(y(event) - from) < CLICK) return;
      setBrush(j, [scales[j].invert(from), scales[j].invert(y(event))].sort((a, b) => a - b));
    });
    strip.addEventListener("pointerup", (event) => {
      if (from !== null && Math.abs(y(event) - from) < CLICK) setBrush(j, null);
      from = null;
    });
    strips.append(strip);
  });
}
