// Step 2: what each column is: a secret, known to an attacker, published, or not released.

import { change, chosen, columnsOf, roleOf, when } from "./chosen.js";
import { fill, h } from "./elements.js";
import { listed, named, visible } from "./names.js";
import { step, waiting } from "./steps.js";
import { previewPanel } from "./profile.js";
import { acceptance, isWarned, profileLine, suggestionButton, surveyLines, surveyPanel } from "./survey.js";
import { explained } from "./terms.js";
import { around, say } from "./words.js";

// From so many columns on they are found by a filter, and given roles many at a time.
const MANY = 12;
// Names that are written out in a sentence.
const WRITTEN = 20;

const roleNames = () => ({
  none: say("not released"), secret: say("secret"), withheld: say("secret, withheld"), public: say("public"),
  background: say("background"), both: say("background and public"), unit: say("unit (person)"),
});

export function rolesStep() {
  const { section, body, line, tell } = step(2, "roles", say("Roles"),
    say("Secrets are protected, or withheld. Background is what an attacker may know already; public columns are published unchanged, or in their ranges; the unit says whose row it is. Nothing else is published."));
  let rows = [];
  let options = null;
  let many = null;
  const survey = surveyPanel();
  const preview = previewPanel();

  function build() {
    if (!chosen.table) {
      fill(body, waiting(say("Open a table first.")));
      return tell("", true);
    }
    const several = chosen.table.columns.length > MANY;
    rows = chosen.table.columns.map((column) => row(column, several ? () => many.show() : null));
    options = optionsOf();
    many = several ? manyAtOnce(rows) : null;
    fill(body, survey, preview, many && many.element,
      h("p", { class: "row small" }, ["secret", "public", "background", "unit", "identifier"].map((key) => h("span", {}, explained(key)))),
      h("div", { class: "tall", role: "region", tabindex: "0", "aria-label": say("Columns and their roles") },
        h("table", { class: "roles" },
          h("thead", {}, h("tr", {}, [say("Column"), say("Role")].map((name) => h("th", { scope: "col" }, name)))),
          h("tbody", {}, rows.map((one) => one.element)))),
      options.element, h("p", { class: "fate", "aria-live": "polite" }), more());
    return show();
  }

  function show() {
    if (!chosen.table) return;
    for (const one of rows) one.show();
    options.show();
    if (many) many.show();
    const secrets = columnsOf("secret", "withheld");
    const inside = columnsOf("none", "withheld", "background", "unit");
    tell(secrets.length ? listed(secrets) : say("no secret yet"));
    fill(body.querySelector(".fate"), inside.length
      ? around(inside.length > WRITTEN ? say("Columns that are not published: {number}, among them {names}.", { number: inside.length })
        : say("Columns that are not published ({number}): {names}.", { number: inside.length }), { names: listed(inside.slice(0, WRITTEN)) })
      : say("Every column is published."));
  }

  when("table", build);
  when("roles surveyed job", show);
  build();
  return { section, line };
}

function row({ name, kind }, picked) {
  const pick = picked && h("input", { type: "checkbox", "aria-label": say("Select {name}", { name: visible(name) }), change: picked });
  const role = h("select", {
    name: "role", "data-column": name, "aria-label": say("Role of {name}", { name: visible(name) }),
    change: () => give(name, role.value),
  }, Object.entries(roleNames()).map(([value, told]) => h("option", { value }, told)));
  const fate = h("span", { class: "small" });
  const found = h("div", { class: "surveyed" });
  const taking = h("div");
  const ranges = h("input", {
    type: "text", placeholder: "width:10", spellcheck: "false",
    change: () => change("roles", { bins: { ...chosen.bins, [name]: ranges.value.trim() } }),
  });
  const bins = kind === "text" ? null : h("label", { class: "bins", hidden: true }, say("in ranges"), ranges);
  const share = h("input", {
    type: "number", min: "0", max: "1", step: "any", inputmode: "decimal", placeholder: "0",
    change: () => change("roles", { shares: { ...chosen.shares, [name]: share.value } }),
  });
  const through = h("label", { class: "bins", hidden: true }, say("share of values that may be changed, to reveal less"), share);
  return {
    name, pick,
    element: h("tr", {}, h("th", { scope: "row" }, h("span", { class: "name" }, pick, named(name)), fate, found, bins, through),
      h("td", {}, role, taking)),
    show() {
      role.value = roleOf(name);
      fate.textContent = `${kindOf(kind)} · ${fates(Boolean(chosen.bins[name]), Boolean(Number(chosen.shares[name] || 0)))[role.value]}`;
      fate.className = `small ${role.value}`;
      const pressed = found.contains(document.activeElement) && document.activeElement.name;
      fill(found, profileLine(name), surveyLines(name), acceptance(name));
      // Who took a suggestion goes on from the role.
      if (taking.contains(document.activeElement)) role.focus();
      fill(taking, suggestionButton(name));
      if (pressed) found.querySelector(`[name=${pressed}]`)?.focus();
      if (bins) bins.hidden = ["none", "unit"].includes(role.value);
      ranges.value = chosen.bins[name] || "";
      through.hidden = role.value !== "public";
      share.value = chosen.shares[name] ?? "";
    },
  };
}

// A filter of the columns, and roles for all that are selected.
function manyAtOnce(rows) {
  const text = h("input", { type: "text", name: "filter", spellcheck: "false", placeholder: say("part of a name"), input: narrow });
  const kind = h("select", { name: "narrow", change: narrow }, [["all", say("all columns")], ["warned", say("those with a warning")],
    ["given", say("those with a role")], ["none", say("those not released")]].map(([value, told]) => h("option", { value }, told)));
  const role = h("select", { name: "bulk", "aria-label": say("Role of the selected columns") },
    Object.entries(roleNames()).filter(([value]) => value !== "unit").map(([value, told]) => h("option", { value }, told)));
  const every = h("input", { type: "checkbox", name: "every", change: () => {
    for (const one of rows) if (!one.element.hidden) one.pick.checked = every.checked;
    show();
  } });
  const counted = h("span", { class: "small", role: "status" });
  const selected = () => rows.filter((one) => one.pick.checked && !one.element.hidden);
  const give = h("button", { type: "button", class: "quiet", name: "give", click: () => {
    const roles = { ...chosen.roles, ...Object.fromEntries(selected().map((one) => [one.name, role.value])) };
    for (const one of rows) one.pick.checked = false;
    change("roles", { roles, points: {} });
  } }, say("Give them this role"));

  function narrow() {
    const wanted = text.value.trim().toLowerCase();
    const fits = { all: () => true, warned: isWarned, given: (name) => roleOf(name) !== "none", none: (name) => roleOf(name) === "none" }[kind.value];
    for (const one of rows) one.element.hidden = !one.name.toLowerCase().includes(wanted) || !fits(one.name);
    show();
  }

  function show() {
    const shownRows = rows.filter((one) => !one.element.hidden);
    every.checked = shownRows.length > 0 && shownRows.every((one) => one.pick.checked);
    give.disabled = !selected().length;
    const now = say("{shown} of {all} columns shown, {number} selected",
      { shown: shownRows.length, all: rows.length, number: selected().length });
    if (counted.textContent !== now) counted.textContent = now;
  }

  return {
    show,
    element: h("div", { class: "many" },
      h("div", { class: "row" }, h("label", { class: "row" }, say("Filter"), text), h("label", { class: "row" }, say("Show"), kind), counted),
      h("div", { class: "row" }, h("label", { class: "row" }, every, say("Select all shown")), role, give)),
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
  withheld: say("not published; other columns may reveal it"),
  both: binned ? say("published in ranges, known to the attacker") : say("published unchanged, known to the attacker"),
  background: say("known to the attacker, not published"),
  public: changed ? say("published with some values changed") : binned ? say("published in ranges") : say("published unchanged"),
  unit: say("says whose row it is, not published"),
  none: say("not published"),
});

// The order of the rows, and what is asked only where there are several secrets, or a unit.
function optionsOf() {
  const together = h("input", {
    type: "checkbox", id: "together", change: () => change("roles", { together: together.checked, points: {} }),
  });
  const perUnit = h("input", {
    type: "number", id: "rows-per-unit", min: "1", step: "1", inputmode: "numeric",
    change: () => change("roles", { rows_per_unit: perUnit.value }),
  });
  const kept = h("input", {
    type: "checkbox", id: "keep-order", change: () => change("roles", { keep_order: kept.checked }),
  });
  const order = h("label", { class: "row", for: "keep-order" }, kept,
    say("Keep the rows in the table's order, which may reveal what their values do not"));
  // A column orders the rows for whoever sees them only where it is published, or the order is kept.
  const orders = h("select", { id: "order-by", change: () => change("roles", { order_by: orders.value }) });
  const by = h("label", { class: "row", for: "order-by" }, say("Column that orders the rows, such as a time"), orders);
  const joint = h("label", { class: "row", for: "together" }, together, say("Protect the secrets together, as one"));
  const most = h("label", { class: "row", for: "rows-per-unit" }, say("Rows per person at most, as publicly known"), perUnit);
  return {
    element: h("div", { class: "options" }, joint, most, order, by),
    show() {
      joint.hidden = columnsOf("secret").length < 2;
      most.hidden = !columnsOf("unit").length;
      together.checked = chosen.together;
      kept.checked = chosen.keep_order;
      const able = chosen.keep_order ? chosen.table.columns.map(({ name }) => name) : columnsOf("public", "both");
      by.hidden = !able.length;
      orders.replaceChildren(h("option", { value: "" }, say("none")), ...able.map((name) => h("option", { value: name }, name)));
      orders.value = able.includes(chosen.order_by) ? chosen.order_by : "";
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
