// Solutions as text: CSV, JSON, Python. Numbers keep all their digits.

"use strict";

// The shortest decimal that reads back as the same number in its precision.
function exact(value, single) {
  if (single) {
    for (let digits = 6; digits <= 9; digits++) {
      const text = String(Number(value.toPrecision(digits)));
      if (Math.fround(Number(text)) === Math.fround(value)) return text;
    }
  }
  return String(value);
}

// Quote commas, quotes and line breaks; escape a leading = + - @, which a spreadsheet reads as a formula.
function csvText(text) {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : String(text);
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const objectiveNames = () => data.objectives.map((objective) => objective.name);

function csvOf(indices) {
  const width = Math.max(0, ...data.runs.map((run) => (run.X ? run.X.width : 0)));
  const header = ["run", "solution", ...objectiveNames(), "violation", ...data.constraints.map((one) => one.name),
    ...data.variables.slice(0, width)];
  const lines = [header.map(csvText).join(",")];
  for (const index of indices) {
    const run = data.runs[data.runOf[index]];
    const x = variablesOf(index) ?? [];
    const cells = [csvText(run.label), String(data.rowOf[index])];
    for (const value of objectivesOf(index)) cells.push(exact(value, run.single.F));
    cells.push(exact(data.violation[index], run.single.violation));
    for (const value of constraintsOf(index)) cells.push(exact(value, run.single.G));
    for (const value of x) cells.push(exact(value, run.single.X));
    lines.push(cells.join(","));
  }
  return lines.join("\r\n") + "\r\n";
}

// File name and label of a CSV made by the page. They say so if it is incomplete: if a filter is set, or if the page
// could not hold everything and a CSV file next to it does.
function describeCsv() {
  const playing = derived.playing.length;
  const filtered = playing < data.total;
  const withX = data.runs.some((run) => run.X);
  const columns = withX ? "objectives, violation and variables" : "objectives and violation, without variables";
  const rest = data.csvFile ? `; everything is in ${shorten(data.csvFile, 80)}, next to this page` : "";
  return {
    name: [data.stem, data.csvFile && "in-page", filtered && "filtered"].filter(Boolean).join("-") + ".csv",
    label: filtered ? "Download filtered CSV" : data.csvFile ? "Download CSV of this page" : "Download CSV",
    about: `${count(playing, "solution")}${filtered ? " in play" : ""} with ${columns}${rest}`,
  };
}

// Use names as keys, even "__proto__"; number equal names.
function keyed(names, values) {
  const entries = Object.create(null);
  names.forEach((name, k) => (entries[Object.hasOwn(entries, name) ? `${name} (${k + 1})` : name] = values[k]));
  return entries;
}

function recordOf(index) {
  const run = data.runs[data.runOf[index]];
  const x = variablesOf(index);
  const record = {
    run: run.label,
    solution: data.rowOf[index],
    objectives: keyed(objectiveNames(), objectivesOf(index).map((value) => Number(exact(value, run.single.F)))),
    violation: Number(exact(data.violation[index], run.single.violation)),
  };
  const g = constraintsOf(index).map((value) => Number(exact(value, run.single.G)));
  if (g.length) record.constraints = keyed(data.constraints.map((one) => one.name), g);
  if (x) record.x = Array.from(x, (value) => Number(exact(value, run.single.X)));
  return record;
}

const jsonOf = (index) => JSON.stringify(recordOf(index), null, 2);

// JSON's strings, numbers, lists and objects are valid Python, so no name can break out of its quotes.
const pythonOf = (index) => `solution = ${jsonOf(index)}\n`;

function download(name, text) {
  const link = element("a", { href: URL.createObjectURL(new Blob([text], { type: "text/csv" })), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

async function copy(text, button) {
  let done = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Fallback for browsers that deny local pages the clipboard API.
    const area = element("textarea", { value: text, class: "visually-hidden" });
    document.body.append(area);
    area.select();
    done = document.execCommand("copy");
    area.remove();
  }
  button.dataset.label ??= button.textContent;  // a second click may come while the label is "Copied"
  button.textContent = done ? "Copied" : "Not copied";
  announce(done ? "Copied" : "The browser does not allow copying");
  setTimeout(() => (button.textContent = button.dataset.label), 1200);
}
