// The survey of the table, begun as it is opened: which columns name people, what each tells, and roles to take.

import { change, chosen, columnsOf, roleOf, surveyQuestion, when } from "./chosen.js";
import { complaint, fill, h } from "./elements.js";
import { findings, fragment } from "./fragments.js";
import { shown } from "./jobs.js";
import { named, visible } from "./names.js";
import { reopening } from "./opening.js";
import { bars, lookAtShapes, profileOf } from "./profile.js";
import { told } from "./server.js";
import { explained } from "./terms.js";
import { around, say } from "./words.js";

// A table with more columns is looked through again only when somebody asks for it.
const MOST_AGAIN = 60;
// Roles that change in a row are one question, and the curve comes first.
const PATIENCE = 1500;

// The last survey, and what it was asked.
const looked = { survey: null, question: "", table: null };

const isPublic = (name) => ["public", "both"].includes(roleOf(name));

export function surveyPanel() {
  const problem = complaint();
  const bar = h("progress", { hidden: true, "aria-label": say("Survey the columns") });
  const look = h("button", { type: "button", class: "quiet", click: () => run() }, say("Survey the columns"));
  const take = h("button", { type: "button", click: takeSuggestions }, say("Take all suggested roles"));
  const place = h("div", { class: "survey", "aria-live": "polite" });
  let soon = null;
  let at = 0;

  async function run() {
    const question = surveyQuestion();
    const mine = ++at;
    clearTimeout(soon);
    problem.tell(null);
    bar.removeAttribute("value");
    bar.hidden = false;
    try {
      const { survey } = await told("api/survey", question, (done, total) => {
        bar.max = total;
        bar.value = done;
      });
      // Another table may have been opened meanwhile, or other secrets be asked about.
      if (mine === at && chosen.table && chosen.table.id === question.table) {
        Object.assign(looked, { survey, question: JSON.stringify(question), table: question.table });
        change("surveyed", {});
      }
    } catch (refusal) {
      if (mine === at) problem.tell(refusal.message, reopening(refusal, problem));
    }
    if (mine === at) bar.hidden = true;
  }

  const isOld = () => chosen.table !== null && looked.question !== JSON.stringify(surveyQuestion());

  function show() {
    const found = surveyed();
    take.hidden = !found || !waitingSuggestions().length;
    look.hidden = Boolean(found) && !isOld();
    fill(place, found && toldOf(found, isOld()));
  }

  when("surveyed", show);
  when("roles", () => {
    show();
    clearTimeout(soon);
    if (chosen.table && chosen.table.columns.length <= MOST_AGAIN && isOld()) soon = setTimeout(run, PATIENCE);
  });
  // Before anything is chosen: what there is to choose from.
  function begin() {
    clearTimeout(soon);
    at += 1;
    bar.hidden = true;
    problem.tell(null);
    show();
    if (!chosen.table) return;
    lookAtShapes();
    if (isOld()) run();
  }
  when("table", begin);
  begin();
  return h("div", {}, h("div", { class: "row" }, take, look, bar), problem.place, place);
}

// The survey of the table that is open; null where nobody has looked yet.
function surveyed() {
  return chosen.table && looked.survey && looked.table === chosen.table.id ? looked.survey : null;
}

const surveyedColumn = (name) => surveyed()?.columns[name];

// What a column holds, in bars and counts.
export function profileLine(name) {
  const [profile, column] = [profileOf(name), surveyedColumn(name)];
  if (!profile && !column) return null;
  return h("span", { class: "profile" }, profile && bars(profile), h("span", { class: "small" }, column ? column.counts : profile.lacking));
}

// Whether a column should be looked at twice before it is published.
export function isWarned(name) {
  const column = surveyedColumn(name);
  return Boolean(column && (column.naming || column.suggested === "coarsen"));
}

// What the survey says of a column, in lines.
export const surveyLines = (name) => fragment(surveyedColumn(name)?.told ?? "");

// The role that a survey suggests for a column; secrets and the unit are never suggested, and stay.
function suggestedRole(column) {
  // What tells little is not known before there is a secret.
  if (column.suggested === "public" && !looked.survey.secrets.length) return null;
  if (["background", "public"].includes(column.suggested)) return column.suggested;
  return ["leave out", "coarsen"].includes(column.suggested) ? "none" : null;
}

// One click to take what is suggested; null where it is taken, or nothing is.
export function suggestionButton(name) {
  const column = surveyedColumn(name);
  const role = column && suggestedRole(column);
  if (!role || role === roleOf(name) || ["secret", "withheld", "unit"].includes(roleOf(name))) return null;
  return h("button", {
    type: "button", class: "quiet take", name: "take", click: () => change("roles", { roles: { ...chosen.roles, [name]: role }, points: {} }),
    "aria-label": say("Take the suggested role of {name}", { name: visible(name) }),
  }, say("Take: {role}", { role: role === "none" ? say("not released") : suggestion(role) }));
}

function suggestion(suggested) {
  const names = {
    "leave out": say("not released"), coarsen: say("in coarser ranges, or not released"),
    background: say("background"), public: say("public"),
  };
  return names[suggested];
}

// To publish a column although it identifies people; null where nothing suggests that it does.
export function acceptance(name) {
  const column = surveyedColumn(name);
  const naming = column ? column.naming : (shown.job?.naming || []).includes(name);
  if (!isPublic(name) || !(naming || chosen.accept.includes(name))) return null;
  const others = chosen.accept.filter((one) => one !== name);
  return h("label", { class: "accept" }, h("input", {
    type: "checkbox", name: "accept", value: name, checked: chosen.accept.includes(name),
    "aria-label": say("Publish {name} all the same", { name: visible(name) }),
    change: (event) => change("roles", { accept: event.target.checked ? [...others, name] : others }),
  }), h("span", {}, around(say("Publish {name} all the same"), { name: named(name) })));
}

function toldOf(found, old) {
  return [
    old ? h("p", { class: "small" }, say("Secrets, unit or ranges have changed since; this is the earlier result.")) : null,
    columnsOf("secret", "withheld").length ? null
      : h("p", {}, say("Give the column that must not become known the role “secret”: then every other column shows what it reveals about it.")),
    findings(found.told), h("p", { class: "row small" }, explained("alone")),
  ];
}

// The columns whose suggested role is not the one they have.
function waitingSuggestions() {
  const waits = ([name, one]) => suggestedRole(one) !== null && suggestedRole(one) !== roleOf(name)
    && !["secret", "withheld", "unit"].includes(roleOf(name));
  return Object.entries(surveyed().columns).filter(waits);
}

// Secrets and the unit stay; what should be coarser is not released until somebody makes it so.
function takeSuggestions() {
  const roles = { ...chosen.roles };
  for (const [name, one] of waitingSuggestions()) roles[name] = suggestedRole(one);
  change("roles", { roles, points: {} });
}
