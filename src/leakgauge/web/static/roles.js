// Step 2: which column is the secret, what an attacker knows, what else is published.

import { change, chosen, when } from "./chosen.js";
import { fill, h } from "./elements.js";
import { listed, named, visible } from "./names.js";
import { whole } from "./numbers.js";
import { step, waiting } from "./steps.js";
import { around, say } from "./words.js";

export function rolesStep() {
  const { section, body, line, tell } = step(2, "roles", say("Roles"),
    say("One column is the secret. Background is what an attacker may know already; public columns are published as they are, or in their ranges. A column may be both. Nothing else is published."));
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
    const home = chosen.table.columns.map((column) => column.name).filter((name) => !["secret", "public", "both"].includes(fateOf(name)));
    tell(chosen.secret ? named(chosen.secret) : say("no secret yet"));
    fill(body.querySelector(".fate"), home.length
      ? around(say("Columns that are not published ({number}): {names}.", { number: whole(home.length) }), { names: listed(home) })
      : say("Every column is published."));
  }

  when("table", build);
  when("roles", show);
  build();
  return { section, line };
}

export function fateOf(name) {
  if (chosen.secret === name) return "secret";
  const open = chosen.public.includes(name);
  if (chosen.background.includes(name)) return open ? "both" : "background";
  return open ? "public" : "none";
}

function row({ name, kind }, place) {
  const id = `column-${place}`;
  const shown = { name: visible(name) };
  const secret = h("input", {
    type: "radio", name: "secret", value: name, "aria-label": say("{name} is the secret", shown),
    change: () => keepSecret(name),
  });
  const box = (role, told) => h("input", {
    type: "checkbox", name: role, value: name, "aria-label": told,
    change: (event) => give(name, role, event.target.checked),
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
      background.checked = ["background", "both"].includes(role);
      open.checked = ["public", "both"].includes(role);
      background.disabled = open.disabled = role === "secret";
      fate.textContent = `${kindOf(kind)} · ${fates(Boolean(chosen.bins[name]))[role]}`;
      fate.className = `small ${role}`;
      if (bins) bins.hidden = role === "none";
      ranges.value = chosen.bins[name] || "";
    },
  };
}

const without = (names, name) => names.filter((one) => one !== name);

// Another secret or background is another curve.
function keepSecret(name) {
  const others = { background: without(chosen.background, name), public: without(chosen.public, name) };
  change("roles", { ...others, secret: name, point: null });
}

function give(name, role, has) {
  const names = [...without(chosen[role], name), ...(has ? [name] : [])];
  change("roles", { [role]: names, ...(role === "background" ? { point: null } : {}) });
}

const fates = (binned) => ({
  secret: say("published protected"),
  both: binned ? say("published in ranges, known to the attacker") : say("published as it is, known to the attacker"),
  background: say("known to the attacker, not published"),
  public: binned ? say("published in ranges") : say("published as it is"),
  none: say("not published"),
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
