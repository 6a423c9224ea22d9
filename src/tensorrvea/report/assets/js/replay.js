// Behaviour: episodes of robots, up to three side by side on one clock.

"use strict";

const MOST_STAGES = 3;
const player = { shown: [], time: 0, playing: false, last: 0, speed: 1 };

function makeReplays() {
  if (!data.replayOf.size) return;
  byId("behaviour").hidden = false;
  const list = byId("replay-list");
  // Numbered along the first objective.
  const along = (replay) => data.F[replay.index * data.m];
  const replays = [...data.replayOf.values()].sort((a, b) => along(a) - along(b) || a.index - b.index);
  replays.forEach((replay, k) => {
    const text = data.runs.length > 1 ? `${k + 1} · ${shorten(runNameOf(replay.index), 18)}` : String(k + 1);
    list.append(element("button", { type: "button", class: "chip", "aria-pressed": "false", "data-index": replay.index,
      title: describe(replay.index), text,
      "aria-label": `Episode of ${describe(replay.index)}`,
      onclick: () => toggleStage(replay.index),
      onpointerenter: () => setHover(replay.index), onpointerleave: () => setHover(-1) }));
  });
  byId("play").addEventListener("click", () => setPlaying(!player.playing));
  byId("speed").addEventListener("change", (event) => (player.speed = Number(event.target.value)));
  byId("scrub").addEventListener("input", (event) => {
    setPlaying(false);
    player.time = Number(event.target.value) / 100;
    drawStages();
  });
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  showStages([replays[Math.floor(replays.length / 2)].index]);
  setPlaying(!calm);
}

const framesOf = (replay) => (replay.poses ?? replay.ends).shape[0];

// Ends of the capsules as (frames, parts, 4), or poses as (frames, parts, 7); decoded on first use.
function decodeReplay(replay) {
  if (replay.values) return;
  replay.values = decodeArray(replay.poses ?? replay.ends);
  replay.frames = framesOf(replay);
  replay.followed = replay.parts.findIndex((part) => !part.fixed);
  if (replay.poses) measureSpace(replay);
  else measure(replay);
}

// x and y of both ends of a part in a frame.
function endsOf(replay, frame, p) {
  const at = 4 * (frame * replay.parts.length + p);
  return replay.values.subarray(at, at + 4);
}

// The extent that a stage must show: the robot's largest width and height, and how high it gets.
function measure(replay) {
  let [high, wide, tall] = [-Infinity, 0, 0];
  for (let frame = 0; frame < replay.frames; frame++) {
    let [left, right, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
    replay.parts.forEach(({ radius, fixed }, p) => {
      if (fixed) return;
      const [x0, y0, x1, y1] = endsOf(replay, frame, p);
      left = Math.min(left, x0 - radius, x1 - radius);
      right = Math.max(right, x0 + radius, x1 + radius);
      bottom = Math.min(bottom, y0 - radius, y1 - radius);
      top = Math.max(top, y0 + radius, y1 + radius);
    });
    high = Math.max(high, top);
    wide = Math.max(wide, right - left);
    tall = Math.max(tall, top - bottom);
  }
  replay.view = { high, wide, tall };
}

const durationOf = (replay) => (framesOf(replay) - 1) * replay.seconds;

// Play the episode of a chosen solution, or say which episode is nearest.
function playFor(index, evenIfNear = false) {
  if (!data.replayOf.size) return;
  const note = byId("behaviour-note");
  if (data.replayOf.has(index)) {
    note.textContent = "";
    addStage(index);
    return;
  }
  const near = nearestReplay(index);
  if (evenIfNear) addStage(near);
  note.textContent = evenIfNear
    ? `Nearest stored episode: solution ${data.rowOf[near]}` : `No episode stored for solution ${data.rowOf[index]}`;
}

function nearestReplay(index) {
  const { F, m } = data;
  let best = -1;
  let distance = Infinity;
  for (const other of data.replayOf.keys()) {
    let squared = 0;
    for (let j = 0; j < m; j++) {
      const [low, high] = sliderRange(j);
      if (high > low) squared += ((F[index * m + j] - F[other * m + j]) / (high - low)) ** 2;
    }
    if (squared < distance) [best, distance] = [other, squared];
  }
  return best;
}

// The first click replaces the initial episode; later ones add to it and replace the oldest.
function addStage(index) {
  if (player.shown.includes(index)) return restart();
  const kept = player.opened ? player.shown : [];
  player.opened = true;
  showStages([...kept, index].slice(-MOST_STAGES));
  restart();
}

function toggleStage(index) {
  if (player.shown.includes(index) && player.shown.length > 1) {
    player.opened = true;
    showStages(player.shown.filter((shown) => shown !== index));
  } else addStage(index);
}

function restart() {
  player.time = 0;
  setPlaying(true);
}

function showStages(indices) {
  player.shown = indices;
  byId("stages").dataset.count = indices.length;
  byId("stages").replaceChildren(...indices.map((index) => {
    const replay = data.replayOf.get(index);
    decodeReplay(replay);
    const pinned = pinOf(index);
    const caption = element("figcaption", {}, pinned ? element("span", { class: "letter", text: pinned.letter }) : "",
      data.runs.length > 1 ? nameElement(runNameOf(index)) : "",
      element("span", { class: "muted values" }, ...objectivesOf(index).slice(0, 4).flatMap((value, j) =>
        [j ? " · " : "", element("span", { text: `${shorten(data.objectives[j].name, 16)} ${format(value, 3)}` })])));
    const returns = (replay.returns ?? []).slice(0, 4).map((value) => format(value, 3)).join(" · ");
    const canvas = element("canvas", { role: "img", "aria-label": `The robot of ${describe(index)}` });
    if (replay.poses) makeOrbit(canvas);
    return element("figure", { "data-index": index }, canvas, caption,
      element("p", { class: "muted returns", text: `This episode: ${returns}`, hidden: !returns }));
  }));
  byId("replay-list").querySelectorAll("button").forEach((chip) =>
    chip.setAttribute("aria-pressed", String(indices.includes(Number(chip.dataset.index)))));
  const longest = Math.max(...indices.map((index) => durationOf(data.replayOf.get(index))));
  byId("scrub").max = String(Math.max(1, Math.round(longest * 100)));
  player.longest = longest;
  drawStages();
  drawMarks();
}

function setPlaying(playing) {
  if (playing && player.time >= player.longest) player.time = 0;
  const start = playing && !player.playing;
  player.playing = playing;
  byId("play").textContent = playing ? "❚❚" : "▶";
  byId("play").setAttribute("aria-label", playing ? "Pause" : "Play");
  if (start) {
    player.last = performance.now();
    requestAnimationFrame(advance);
  }
}

function advance(now) {
  if (!player.playing) return;
  // The time of a frame may be before that of the click that started the player.
  player.time += (Math.max(0, Math.min(100, now - player.last)) / 1000) * player.speed;
  player.last = now;
  if (player.time >= player.longest) {
    player.time = player.longest;
    setPlaying(false);
  }
  drawStages();
  requestAnimationFrame(advance);
}

function drawStages() {
  byId("scrub").value = String(Math.round(player.time * 100));
  byId("clock").textContent = `${player.time.toFixed(2)} s`;
  byId("stages").querySelectorAll("figure").forEach((figure) => {
    const replay = data.replayOf.get(Number(figure.dataset.index));
    const canvas = figure.querySelector("canvas");
    const t = Math.min(replay.frames - 1, player.time / replay.seconds);
    canvas.dataset.frame = String(Math.floor(t));
    if (replay.poses) drawSpace(canvas, replay, t);
    else drawStage(canvas, replay, t);
  });
}
