// Step 1: a table from the folder that is served, or dropped from anywhere.

import { adopt, change, chosen, nothing, when } from "./chosen.js";
import { complaint, fill, h } from "./elements.js";
import { named, visible } from "./names.js";
import { tableAt } from "./opening.js";
import { drop, get, remove } from "./server.js";
import { busy, step } from "./steps.js";
import { around, say } from "./words.js";

const MANY = 12;

export function tableStep(state) {
  const { section, body, line, tell } = step(1, "table", say("Table"),
    say("Open a file of the folder that is served here, or drop one. Nothing leaves this machine."));
  const problem = complaint();
  const outcome = h("div", { "aria-live": "polite" });
  const held = h("ul", { class: "held" });
  const path = h("input", {
    id: "path", type: "text", list: "files", autocomplete: "off", spellcheck: "false", placeholder: "people.csv",
  });
  const names = h("datalist", { id: "files" });
  const files = h("ul", { class: "files" });
  let dropped = state.tables.filter((table) => table.dropped);

  async function open(name, answer, shown = busy(around(say("Opening {name} …"), { name: named(name) }))) {
    problem.tell(null);
    fill(outcome, shown);
    try {
      const table = await answer;
      if (table.dropped) dropped = [table, ...dropped.filter((one) => one.id !== table.id)];
      adopt(table);
    } catch (refusal) {
      show();
      // Called back by the person who looks at it: nothing to tell.
      if (refusal.name !== "AbortError") problem.tell(refusal.message);
    }
  }

  function openPath(name) {
    path.value = name;
    open(name, tableAt(name));
  }

  // One after the other; the last one that is a table is looked at, and the others are kept beside it.
  async function openAll(files) {
    for (const file of files) await openDropped(file);
  }

  async function openDropped(file) {
    if (state.limit_bytes && file.size > state.limit_bytes) {
      problem.tell(say("{name} is larger than the {limit} MiB that may be dropped; open it by its path.",
        { name: visible(file.name), limit: state.limit }));
      return;
    }
    const bar = h("progress", { "aria-label": say("How much has arrived") });
    const far = h("span", { class: "small" });
    const { answer, cancel } = drop(file, (loaded, total) => {
      bar.max = total;
      bar.value = loaded;
      far.textContent = loaded < total
        ? say("{done} of {all} bytes", { done: loaded, all: total }) : say("reading it …");
    });
    await open(file.name, answer, h("p", { class: "row busy" },
      h("span", {}, around(say("Opening {name} …"), { name: named(file.name) })), bar, far,
      h("button", { type: "button", class: "quiet", click: cancel }, say("Cancel"))));
  }

  async function forget(table) {
    problem.tell(null);
    try {
      const { tables } = await remove(`api/tables/${encodeURIComponent(table.id)}`);
      dropped = tables.filter((one) => one.dropped);
      if (chosen.table && chosen.table.id === table.id) change("table", { table: null, ...nothing() });
      else show();
      path.focus();
    } catch (refusal) {
      problem.tell(refusal.message);
    }
  }

  const removal = (table) => h("button", {
    type: "button", class: "quiet", click: () => forget(table),
    "aria-label": say("Remove {name} from this machine's temporary files", { name: visible(table.name) }),
  }, say("Remove"));

  function show() {
    const { table } = chosen;
    tell(table ? named(table.name) : say("none yet"));
    fill(outcome, table && h("p", { class: "fact" }, h("strong", {}, named(table.name)), " — ",
      table.size,
      table.dropped ? [" ", removal(table)] : null));
    const others = dropped.filter((one) => !table || one.id !== table.id);
    fill(held, others.map((one) => h("li", { class: "row" }, h("span", { class: "small" }, say("dropped before:")),
      h("button", { type: "button", class: "plain", click: () => adopt(one) }, named(one.name)), removal(one))));
  }

  async function list() {
    const found = (await get("api/files")).files;
    fill(names, found.map((name) => h("option", { value: name })));
    fill(files, found.slice(0, MANY).map((name) =>
      h("li", {}, h("button", { type: "button", class: "plain", click: () => openPath(name) }, named(name)))));
  }

  body.append(
    h("div", { class: "two" },
      h("form", { submit: (event) => { event.preventDefault(); if (path.value.trim()) openPath(path.value.trim()); } },
        h("label", { for: "path" }, say("Path in {folder}", { folder: visible(state.folder) })),
        h("div", { class: "row" }, path, h("button", { type: "submit" }, say("Open"))), names, files),
      dropZone(openAll)),
    problem.place, outcome, held);
  when("table", () => {
    problem.tell(null);
    show();
  });
  show();
  list().catch((refusal) => problem.tell(refusal.message));
  return { section, line };
}

function dropZone(openAll) {
  const input = h("input", { type: "file", hidden: true, multiple: true, change: () => openAll([...input.files]) });
  // Emptied first: the same file again is a choice too.
  const choose = () => {
    input.value = "";
    input.click();
  };
  const zone = h("button", { type: "button", class: "drop", click: choose },
    h("strong", {}, say("Drop a table here")),
    h("span", {}, say("or press to choose: CSV, Excel, Parquet, JSON, SPSS, Stata, SAS; several at once are fine")));
  // A file that misses the zone must not replace the page.
  for (const event of ["dragover", "drop"]) document.addEventListener(event, (one) => one.preventDefault());
  for (const event of ["dragenter", "dragover"]) zone.addEventListener(event, () => zone.classList.add("over"));
  for (const event of ["dragleave", "drop"]) zone.addEventListener(event, () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => openAll([...event.dataTransfer.files]));
  return h("div", {}, zone, input);
}
