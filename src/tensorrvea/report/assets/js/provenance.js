// Provenance of the runs, and the command that repeats them.

"use strict";

function makeProvenance() {
  const holder = byId("provenance");
  data.runs.forEach((run, r) => {
    const list = element("dl", { class: "facts" });
    const fact = (name, value) => list.append(element("dt", { text: shorten(name, 60) }), element("dd", {}, value));
    const command = run.provenance.command;
    for (const [name, value] of Object.entries(run.provenance)) {
      if (name !== "command") fact(name, factElement(value));
    }
    const body = [list];
    if (command) {
      const text = String(command);
      const button = linkButton("Copy", "Copy the command that repeats this run", () => copy(text, button));
      body.push(element("p", { class: "muted hint" }, "Command that repeats this run ", button));
      body.push(element("pre", { lines: clipped(text), tabIndex: 0 }));
    }
    if (data.runs.length === 1) return holder.append(...body);
    const open = r === 0 && data.runs.length <= 3;
    holder.append(element("details", { open }, element("summary", {}, nameElement(run.label)), ...body));
  });
  const made = `Page made by tensorrvea ${data.version}. It contains all of its data and makes no network requests.`;
  holder.append(element("p", { class: "muted hint", text: made }));
}

const clipped = (text) => (text.length > 20000 ? `${text.slice(0, 20000)}…` : text);

// Short values on one line, nested ones as indented JSON.
function factElement(value) {
  if (value !== null && typeof value === "object") {
    const entries = Object.entries(value);
    const simple = entries.every(([, inner]) => typeof inner !== "object" && String(inner).length <= 60);
    if (simple && !Array.isArray(value) && entries.length <= 12) {
      return element("span", { class: "pairs" }, ...entries.map(([name, inner]) =>
        element("span", { class: "pair" },
          element("span", { class: "muted", text: `${shorten(name, 60)} ` }), nameElement(String(inner)))));
    }
    return element("pre", { lines: clipped(JSON.stringify(value, null, 2)), tabIndex: 0 });
  }
  return nameElement(typeof value === "number" ? format(value, 6) : String(value), "fact");
}
