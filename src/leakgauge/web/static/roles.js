// Step 2: which column is the secret, what an attacker knows, what else is published.

import { change, chosen, when } from "./chosen.js";
import { fill, h } from "./elements.js";
import { listed, named, visible } from "./names.js";
import { whole } from "./numbers.js";
import { step, waiting } from "./steps.js";
import { around, say } from "./words.js";

export function rolesStep() {
  const { section, body, line, tell } = step(2, "roles", say("Roles"),
    say("One column is the secret. Background is what an attacker may know already; it is published as it is, as public columns are. All others stay at home."));
  let rows = [];

  function build() {
    if (!chosen.table) {
      fill(body, waiting(say("Open a table first.")));
      return tell("", true);
    }
    rows = chosen.table.columns.map(row);
    fill(body,
      h("div", { class: "tall", role: "region", tabindex: "0", "aria-label": say("Roles") },
        h("table", { class: "roles" },
          h("thead", {}, h("tr", {}, [say("Column"), say("Secret"), say("Background"), say("Public")]
            .map((name) => h("th", { scope: "col" }, name)))),
          h("tbody", {}, rows.map((one) => one.element)))),
      h("p", { class: "fate", "aria-live": "polite" }), more());
    return show();
  }

  function show() {
    for (const one of rows) one.show();
    const home = chosen.table.columns.map((column) => column.name).filter((name) => fateOf(name) === "home");
    tell(chosen.secret ? named(chosen.secret) : say("no secret yet"));
    fill(body.querySelector(".fate"), home.length
      ? around(say("Columns that stay at home ({number}): {names}.", { number: whole(home.length) }), { names: listed(home) })
      : say("No column stays at home."));
  }

  when("table", build);
  when("roles", show);
  build();
  return { section, line };
}

export function fateOf(name) {
  if (chosen.secret === name) return "secret";
  if (chosen.background.includes(name)) return "background";
  return chosen.public.includes(name) ? "public" : "home";
}

function row({ name, kind }, place) {
  const id = `column-${place}`;
  const shown = { name: visible(name) };
  const secret = h("input", {
    type: "radio", name: "secret", value: name, "aria-label": say("{name} is the secret", shown),
    change: () => give(name, "secret"),
  });
  const box = (role, told) => h("input", {
    type: "checkbox", name: role, value: name, "aria-label": told,
    change: (event) => give(name, event.target.checked ? role : "home"),
  });
  const background = box("background", say("{name} is background", shown));
  const open = box("public", say("{name} is public", shown));
  const fate = h("span", { class: "small" });
  const ranges = h("input", {
    type: "text", placeholder: "width:10", spellcheck: "false",
    change: () => change("roles", { bins: { ...chosen.bins, [name]: ranges.value.trim() } }),
  });
  const bins = kind === "text" ? null : h("label", { class: "bins", hidden: true }, say("in ranges"), ranges);
  return {
    element: h("tr", {}, h("th", { scope: "row", id }, h("span", { class: "name" }, named(name)), fate, bins),
      [secret, background, open].map((input) => h("td", {}, h("label", {}, input)))),
    show() {
      const role = fateOf(name);
      secret.checked = role === "secret";
      background.checked = role === "background";
      open.checked = role === "public";
      background.disabled = open.disabled = role === "secret";
      fate.textContent = `${kindOf(kind)} · ${fates()[role]}`;
      fate.className = `small ${role}`;
      if (bins) bins.hidden = role === "home";
      ranges.value = chosen.bins[name] || "";
    },
  };
}

function give(name, role) {
  const without = (names) => names.filter((one) => one !== name);
  const fields = { background: without(chosen.background), public: without(chosen.public) };
  if (role === "secret") fields.secret = name;
  else if (role !== "home") fields[role] = [...fields[role], name];
  // Another secret or background is another curve.
  if (role === "secret" || fields.background.join() !== chosen.background.join()) fields.point = null;
  change("roles", fields);
}

const fates = () => ({
  secret: say("published protected"),
  background: say("published as it is, known to the attacker"),
  public: say("published as it is"),
  home: say("stays at home"),
});

function kindOf(kind) {
  const kinds = {
    text: say("text"), "whole numbers": say("whole numbers"), numbers: say("numbers"),
    "true or false": say("true or false"), dates: say("dates"), timestamps: say("points in time"),
    "values of another kind": say("values of another kind"),
  };
  return kinds[kind] || kind;
}

function more() {
  const missing = h("input", {
    id: "missing", type: "text", value: chosen.missing, placeholder: "? NA", spellcheck: "false",
    change: (event) => change("roles", { missing: event.target.value, point: null }),
  });
  return h("details", {}, h("summary", {}, say("Numbers in ranges, and what means missing")),
    h("p", {}, say("Columns of numbers with many values are put in ranges: width:10, quantiles:5, edges:0,18,65. The field appears beside such a column once it has a role.")),
    h("label", { for: "missing" }, say("Texts that mean missing, with spaces between")), missing);
}
