// Text and small elements. Names from users are only ever set as text, never as markup.

"use strict";

const byId = (id) => document.getElementById(id);

// Spell out direction overrides and control characters, which could disguise a name.
const DECEPTIVE = /[\u0000-\u001f\u007f\u0080-\u009f\u202a-\u202e\u2066-\u2069]/g;

function visible(text) {
  return String(text).replace(DECEPTIVE, (character) =>
    `⟨U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

// The same for several lines of text; line breaks are kept.
const visibleLines = (text) => String(text).split(/\r?\n/).map(visible).join("\n");

// The first `most` characters of a name, without splitting emoji.
function shorten(text, most) {
  const shown = visible(text.length > 20 * most ? text.slice(0, 20 * most) : text);
  const characters = Array.from(shown);
  return characters.length <= most ? shown : characters.slice(0, most - 1).join("") + "…";
}

// As much of a name as fits into `width` pixels of a canvas.
function fit(context, text, width) {
  let most = 60;
  let shown = shorten(text, most);
  while (most > 2 && context.measureText(shown).width > width) {
    most -= most > 20 ? 4 : 1;
    shown = shorten(text, most);
  }
  return shown;
}

// An element with properties and children; strings become text nodes.
function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "class") made.className = value;
    else if (name === "text") made.textContent = visible(value);
    else if (name === "lines") made.textContent = visibleLines(value);
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (/^(data-|aria-|for$|role$|scope$)/.test(name)) made.setAttribute(name, value);
    else made[name] = value;
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

// A name from a user, shortened by CSS and complete on hover, isolated from the direction of its surroundings.
function nameElement(text, className = "name") {
  const shown = shorten(text, 200);
  return element("bdi", { class: className, text: shown, title: shorten(text, 2000) });
}

// An objective's unit, if it has one.
const unitElement = ({ unit }) => (unit ? nameElement(`[${unit}]`, "unit muted") : "");

// A button that looks like a link, with a longer label for screen readers.
function linkButton(text, label, onclick) {
  return element("button", { type: "button", class: "link", text, "aria-label": label, onclick });
}

// A number for reading: four figures, a real minus sign, and powers of ten where they help.
function format(value, figures = 4) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "–" : value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  let text;
  if (size !== 0 && (size >= 1e6 || size < 1e-3)) {
    const [mantissa, exponent] = value.toExponential(figures - 1).split("e");
    text = `${Number(mantissa)}e${Number(exponent)}`;
  } else text = String(Number(value.toPrecision(Math.max(figures, size >= 1 ? Math.ceil(Math.log10(size + 1)) : 1))));
  if (size >= 1e4 && size < 1e6) text = text.replace(/\B(?=(\d{3})+(?!\d|\d*\.))/g, ",");
  return text.replaceAll("-", "−");
}

// Labels of an axis, with as many digits as distinguish them.
function tickLabels(values) {
  for (let figures = 3; figures < 9; figures++) {
    const labels = values.map((value) => format(value, figures));
    if (new Set(labels).size === values.length) return labels;
  }
  return values.map((value) => format(value, 9));
}

function count(number, singular, plural = `${singular}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? singular : plural}`;
}

function announce(text) {
  byId("announce").textContent = visible(text);
}
