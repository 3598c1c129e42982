// The survey of the table: which columns name people, what each tells of the secrets, and roles to take.

import { change, chosen, roleOf, surveyQuestion, when } from "./chosen.js";
import { complaint, fill, h } from "./elements.js";
import { shown } from "./jobs.js";
import { listed, named, visible } from "./names.js";
import { fixed, share, whole } from "./numbers.js";
import { reopening } from "./opening.js";
import { told } from "./server.js";
import { around, say } from "./words.js";

// Combinations that are shown; the command line has them all.
const SHOWN = 8;

// The last survey, and what it was asked.
const looked = { survey: null, question: "" };

const isPublic = (name) => ["public", "both"].includes(roleOf(name));

export function surveyPanel() {
  const problem = complaint();
  const bar = h("progress", { hidden: true, "aria-label": say("Look through the columns") });
  const look = h("button", { type: "button", class: "quiet", click: run }, say("Look through the columns"));
  const take = h("button", { type: "button", class: "quiet", click: takeSuggestions }, say("Take all suggested roles"));
  const findings = h("div", { class: "survey", "aria-live": "polite" });

  async function run() {
    // Not disabled: it would lose the focus of who pressed it.
    if (look.getAttribute("aria-disabled") === "true") return;
    const question = surveyQuestion();
    problem.tell(null);
    look.setAttribute("aria-disabled", "true");
    bar.removeAttribute("value");
    bar.hidden = false;
    try {
      const { survey } = await told("api/survey", question, (done, total) => {
        bar.max = total;
        bar.value = done;
      });
      // Another table may have been opened meanwhile.
      if (chosen.table && chosen.table.id === question.table) {
        Object.assign(looked, { survey, question: JSON.stringify(question) });
        change("surveyed", {});
      }
    } catch (refusal) {
      problem.tell(refusal.message, reopening(refusal, problem));
    }
    bar.hidden = true;
    look.setAttribute("aria-disabled", "false");
  }

  function show() {
    const found = surveyed();
    take.hidden = !found;
    fill(findings, found && findingsOf(found));
  }

  when("roles surveyed", show);
  show();
  return h("div", {}, h("div", { class: "row" }, look, take, bar), problem.place, findings);
}

// The survey of the table that is open; null where nobody has looked yet.
function surveyed() {
  return chosen.table && looked.survey && JSON.parse(looked.question).table === chosen.table.id ? looked.survey : null;
}

const surveyedColumn = (name) => (surveyed()?.columns || []).find((column) => column.name === name);

// What the survey says of a column, in lines.
export function surveyLines(name) {
  const column = surveyedColumn(name);
  if (!column) return [];
  const naming = column.identifier || (column.free_text ? column.reason : null);
  const line = (text, kind = "") => h("span", { class: `small line ${kind}` }, text);
  return [
    naming ? line(say("Names people: {reason}", { reason: naming }), "secret") : null,
    ...column.tells.map((one) => line(around(one.significant
      ? say("tells {low} to {high} bits of {secret}; guessed right by it: {share}", {
        low: fixed(one.information.low ?? one.information.value, 3), high: fixed(one.information.high ?? one.information.value, 3),
        share: share(one.success),
      }) : say("tells nothing of {secret} beyond chance"), { secret: named(one.secret) }))),
    ["secret", "unit"].includes(column.suggested) || naming ? null
      : line(say("suggested: {role} ({reason})", { role: suggestion(column.suggested), reason: column.reason })),
  ];
}

function suggestion(suggested) {
  const names = {
    "leave out": say("not released"), coarsen: say("in coarser ranges, or not released"),
    background: say("background"), public: say("public"),
  };
  return names[suggested];
}

// To publish a column although it names people; null where nothing shows that it does.
export function acceptance(name) {
  const column = surveyedColumn(name);
  const naming = column ? column.identifier || column.free_text : (shown.job?.naming || []).includes(name);
  if (!isPublic(name) || !(naming || chosen.accept.includes(name))) return null;
  const others = chosen.accept.filter((one) => one !== name);
  return h("label", { class: "accept" }, h("input", {
    type: "checkbox", name: "accept", value: name, checked: chosen.accept.includes(name),
    "aria-label": say("Publish {name} all the same", { name: visible(name) }),
    change: (event) => change("roles", { accept: event.target.checked ? [...others, name] : others }),
  }), h("span", {}, around(say("Publish {name} all the same"), { name: named(name) })));
}

function findingsOf(found) {
  const together = found.combinations.slice(0, SHOWN);
  return [
    looked.question === JSON.stringify(surveyQuestion()) ? null
      : h("p", { class: "warning" }, say("Secrets, unit or ranges have changed since; look through the columns again.")),
    together.length ? h("div", { class: "warning" }, h("p", {}, say("People stand alone in these columns together:")),
      h("ul", {}, together.map((one) => h("li", {}, around(
        say("{columns}: {alone} of {rows} rows; the smallest group has {smallest}", {
          alone: whole(one.alone), rows: whole(found.rows), smallest: whole(one.smallest),
        }), { columns: listed(one.columns) }))))) : h("p", {}, say("No small set of columns singles people out.")),
    found.sampled < found.rows ? h("p", { class: "small" },
      say("What columns tell was counted on {number} rows drawn at random.", { number: whole(found.sampled) })) : null,
  ];
}

// Secrets and the unit stay; what should be coarser is not released until somebody makes it so.
function takeSuggestions() {
  const roles = { ...chosen.roles };
  for (const { name, suggested } of surveyed().columns) {
    if (["background", "public"].includes(suggested)) roles[name] = suggested;
    else if (["leave out", "coarsen"].includes(suggested)) delete roles[name];
  }
  change("roles", { roles, points: {} });
}
