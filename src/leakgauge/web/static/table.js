// Step 1: a table from the folder that is served, or dropped from anywhere.

import { change, chosen, nothing } from "./chosen.js";
import { complaint, fill, h } from "./elements.js";
import { short, whole } from "./numbers.js";
import { drop, get, post } from "./server.js";
import { busy, step } from "./steps.js";
import { say } from "./words.js";

const MANY = 12;

export function tableStep(state) {
  const { section, body, line, tell } = step(1, "table", say("Table"),
    say("Open a file of the folder that is served here, or drop one. Nothing leaves this machine."));
  const problem = complaint();
  const outcome = h("div", { "aria-live": "polite" });
  const path = h("input", {
    id: "path", type: "text", list: "files", autocomplete: "off", spellcheck: "false", placeholder: "people.csv",
  });
  const names = h("datalist", { id: "files" });
  const files = h("ul", { class: "files" });

  async function open(name, how) {
    problem.tell(null);
    fill(outcome, busy(say("Opening {name} …", { name })));
    try {
      const table = await how();
      change("table", { table, ...nothing() });
      show();
    } catch (refusal) {
      show();
      problem.tell(refusal.message);
    }
  }

  function openPath(name) {
    path.value = name;
    open(name, () => post("/api/tables", { path: name }));
  }

  function openDropped(file) {
    if (!file) return;
    if (state.limit_bytes && file.size > state.limit_bytes) {
      problem.tell(say("{name} has {size} MiB, more than the {limit} MiB that may be dropped; open it by its path.",
        { name: file.name, size: whole(file.size / 2 ** 20), limit: short(state.limit_bytes / 2 ** 20) }));
      return;
    }
    open(file.name, () => drop(file));
  }

  function show() {
    const { table } = chosen;
    tell(table ? table.name : say("none yet"));
    fill(outcome, table && h("p", { class: "fact" }, h("strong", {}, table.name), " — ",
      say("{rows} rows, {columns} columns", { rows: whole(table.rows), columns: whole(table.columns.length) })));
  }

  async function list() {
    const found = (await get("/api/files")).files;
    fill(names, found.map((name) => h("option", { value: name })));
    fill(files, found.slice(0, MANY).map((name) =>
      h("li", {}, h("button", { type: "button", class: "plain", click: () => openPath(name) }, name))));
  }

  body.append(
    h("div", { class: "two" },
      h("form", { submit: (event) => { event.preventDefault(); if (path.value.trim()) openPath(path.value.trim()); } },
        h("label", { for: "path" }, say("Path in {folder}", { folder: state.folder })),
        h("div", { class: "row" }, path, h("button", { type: "submit" }, say("Open"))), names, files),
      dropZone(openDropped)),
    problem.place, outcome);
  show();
  list().catch((refusal) => problem.tell(refusal.message));
  return { section, line };
}

function dropZone(openDropped) {
  const input = h("input", { type: "file", hidden: true, change: () => openDropped(input.files[0]) });
  // Emptied first: the same file again is a choice too.
  const choose = () => {
    input.value = "";
    input.click();
  };
  const zone = h("button", { type: "button", class: "drop", click: choose },
    h("strong", {}, say("Drop a table here")),
    h("span", {}, say("or press to choose one: CSV, TSV, Parquet, JSON lines")));
  // A file that misses the zone must not replace the page.
  for (const event of ["dragover", "drop"]) document.addEventListener(event, (one) => one.preventDefault());
  for (const event of ["dragenter", "dragover"]) zone.addEventListener(event, () => zone.classList.add("over"));
  for (const event of ["dragleave", "drop"]) zone.addEventListener(event, () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => openDropped(event.dataTransfer.files[0]));
  return h("div", {}, zone, input);
}
