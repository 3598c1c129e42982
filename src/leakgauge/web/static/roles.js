// Step 2: what each column is: a secret, known to an attacker, published, or not released.

import { change, chosen, columnsOf, roleOf, when } from "./chosen.js";
import { fill, h } from "./elements.js";
import { listed, named, visible } from "./names.js";
import { whole } from "./numbers.js";
import { step, waiting } from "./steps.js";
import { acceptance, surveyLines, surveyPanel } from "./survey.js";
import { around, say } from "./words.js";

const roleNames = () => ({
  none: say("not released"), secret: say("secret"), withheld: say("secret, withheld"), public: say("public"),
  background: say("background"), both: say("background and public"), unit: say("unit (person)"),
});

export function rolesStep() {
  const { section, body, line, tell } = step(2, "roles", say("Roles"),
    say("Secrets are protected, or withheld. Background is what an attacker may know already; public columns are published as they are, or in their ranges; the unit says which rows are of one person. Nothing else is published."));
  let rows = [];
  let options = null;

  function build() {
    if (!chosen.table) {
      fill(body, waiting(say("Open a table first.")));
      return tell("", true);
    }
    rows = chosen.table.columns.map(row);
    options = optionsOf();
    fill(body,
      h("div", { class: "tall", role: "region", tabindex: "0", "aria-label": say("Roles") },
        h("table", { class: "roles" },
          h("thead", {}, h("tr", {}, [say("Column"), say("Role")].map((name) => h("th", { scope: "col" }, name)))),
          h("tbody", {}, rows.map((one) => one.element)))),
      options.element, surveyPanel(), h("p", { class: "fate", "aria-live": "polite" }), more());
    return show();
  }

  function show() {
    if (!chosen.table) return;
    for (const one of rows) one.show();
    options.show();
    const secrets = columnsOf("secret", "withheld");
    const inside = columnsOf("none", "withheld", "background", "unit");
    tell(secrets.length ? listed(secrets) : say("no secret yet"));
    fill(body.querySelector(".fate"), inside.length
      ? around(say("Columns that are not published ({number}): {names}.", { number: whole(inside.length) }), { names: listed(inside) })
      : say("Every column is published."));
  }

  when("table", build);
  when("roles surveyed job", show);
  build();
  return { section, line };
}

function row({ name, kind }) {
  const role = h("select", {
    name: "role", "data-column": name, "aria-label": say("Role of {name}", { name: visible(name) }),
    change: () => give(name, role.value),
  }, Object.entries(roleNames()).map(([value, told]) => h("option", { value }, told)));
  const fate = h("span", { class: "small" });
  const found = h("div", { class: "surveyed" });
  const ranges = h("input", {
    type: "text", placeholder: "width:10", spellcheck: "false",
    change: () => change("roles", { bins: { ...chosen.bins, [name]: ranges.value.trim() } }),
  });
  const bins = kind === "text" ? null : h("label", { class: "bins", hidden: true }, say("in ranges"), ranges);
  const share = h("input", {
    type: "number", min: "0", max: "1", step: "any", inputmode: "decimal", placeholder: "0",
    change: () => change("roles", { shares: { ...chosen.shares, [name]: share.value } }),
  });
  const through = h("label", { class: "bins", hidden: true }, say("share of values that may be changed, to tell less"), share);
  return {
    element: h("tr", {}, h("th", { scope: "row" }, h("span", { class: "name" }, named(name)), fate, found, bins, through),
      h("td", {}, role)),
    show() {
      role.value = roleOf(name);
      fate.textContent = `${kindOf(kind)} · ${fates(Boolean(chosen.bins[name]), Boolean(Number(chosen.shares[name] || 0)))[role.value]}`;
      fate.className = `small ${role.value}`;
      const pressed = found.contains(document.activeElement) && document.activeElement.name;
      fill(found, surveyLines(name), acceptance(name));
      if (pressed) found.querySelector(`[name=${pressed}]`)?.focus();
      if (bins) bins.hidden = ["none", "unit"].includes(role.value);
      ranges.value = chosen.bins[name] || "";
      through.hidden = role.value !== "public";
      share.value = chosen.shares[name] ?? "";
    },
  };
}

// Another background is another curve, and there is one unit.
function give(name, role) {
  const roles = { ...chosen.roles, [name]: role };
  if (role === "unit") for (const other of columnsOf("unit")) if (other !== name) delete roles[other];
  const known = [roleOf(name), role].some((one) => ["background", "both"].includes(one));
  change("roles", { roles, ...(known ? { points: {} } : {}) });
}

const fates = (binned, changed) => ({
  secret: say("published protected"),
  withheld: say("not published; other columns may tell on it"),
  both: binned ? say("published in ranges, known to the attacker") : say("published as it is, known to the attacker"),
  background: say("known to the attacker, not published"),
  public: changed ? say("published with some values changed") : binned ? say("published in ranges") : say("published as it is"),
  unit: say("says which rows are of one person, not published"),
  none: say("not published"),
});

// What is asked only where there are several secrets, or a unit.
function optionsOf() {
  const together = h("input", {
    type: "checkbox", id: "together", change: () => change("roles", { together: together.checked, points: {} }),
  });
  const perUnit = h("input", {
    type: "number", id: "rows-per-unit", min: "1", step: "1", inputmode: "numeric",
    change: () => change("roles", { rows_per_unit: perUnit.value }),
  });
  const joint = h("label", { class: "row", for: "together" }, together, say("Protect the secrets together, as one"));
  const most = h("label", { class: "row", for: "rows-per-unit" }, say("Rows per person at most, as publicly known"), perUnit);
  return {
    element: h("div", { class: "options" }, joint, most),
    show() {
      joint.hidden = columnsOf("secret").length < 2;
      most.hidden = !columnsOf("unit").length;
      together.checked = chosen.together;
      if (document.activeElement !== perUnit) perUnit.value = chosen.rows_per_unit;
    },
  };
}

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
    change: (event) => change("roles", { missing: event.target.value, points: {} }),
  });
  return h("details", {}, h("summary", {}, say("Numbers in ranges, and what means missing")),
    h("p", {}, say("Columns of numbers with many values are put in ranges: width:10, quantiles:5, edges:0,18,65. The field appears beside such a column once it has a role.")),
    h("label", { for: "missing" }, say("Texts that mean missing, with spaces between")), missing);
}
