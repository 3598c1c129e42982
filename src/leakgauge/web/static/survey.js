// The survey of the table, begun as it is opened: which columns name people, what each tells, and roles to take.

import { change, chosen, columnsOf, roleOf, surveyQuestion, when } from "./chosen.js";
import { complaint, fill, h } from "./elements.js";
import { shown } from "./jobs.js";
import { listed, named, visible } from "./names.js";
import { fixed, share, whole } from "./numbers.js";
import { reopening } from "./opening.js";
import { bars, lookAtShapes, profileOf } from "./profile.js";
import { told } from "./server.js";
import { help } from "./terms.js";
import { around, say } from "./words.js";

// Combinations that are shown; the command line has them all.
const SHOWN = 4;
// A table with more columns is looked through again only when somebody asks for it.
const MOST_AGAIN = 60;
// As many as ranges often are.
const RANGES = 10;
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
  const findings = h("div", { class: "survey", "aria-live": "polite" });
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
    fill(findings, found && findingsOf(found, isOld()));
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
  return h("div", {}, h("div", { class: "row" }, take, look, bar), problem.place, findings);
}

// The survey of the table that is open; null where nobody has looked yet.
function surveyed() {
  return chosen.table && looked.survey && looked.table === chosen.table.id ? looked.survey : null;
}

const surveyedColumn = (name) => {
  if (surveyed() && looked.byName?.of !== looked.survey) {
    looked.byName = { of: looked.survey, columns: new Map(looked.survey.columns.map((one) => [one.name, one])) };
  }
  return surveyed() ? looked.byName.columns.get(name) : undefined;
};

// How many different values a column has, or its ranges; undefined before the survey.
export const valuesOf = (name) => (chosen.bins[name] ? RANGES : surveyedColumn(name)?.distinct);

// What a column holds, in bars and counts.
export function profileLine(name) {
  const [profile, column] = [profileOf(name), surveyedColumn(name)];
  if (!profile && !column) return null;
  const missing = column ? column.missing : profile.missing;
  return h("span", { class: "profile" }, profile && bars(profile), h("span", { class: "small" }, [
    column && say("{number} different values", { number: whole(column.distinct) }),
    missing ? say("{number} missing", { number: whole(missing) }) : null].filter(Boolean).join(" · ")));
}

// Whether a column should be looked at twice before it is published.
export function isWarned(name) {
  const column = surveyedColumn(name);
  return Boolean(column && (column.identifier || column.free_text || column.suggested === "coarsen"));
}

// What the survey says of a column, in lines.
export function surveyLines(name) {
  const column = surveyedColumn(name);
  if (!column) return [];
  const naming = column.identifier || (column.free_text ? column.reason : null);
  const line = (text, kind = "") => h("span", { class: `small line ${kind}` }, text);
  return [
    naming ? line(say("Identifies people: {reason}", { reason: naming }), "secret") : null,
    ...column.tells.map((one) => line(around(one.significant
      ? say("reveals {low} to {high} bits of {secret}; guessed correctly from it: {share}", {
        low: fixed(one.information.low ?? one.information.value, 3), high: fixed(one.information.high ?? one.information.value, 3),
        share: share(one.success),
      }) : say("reveals no more about {secret} than chance"), { secret: named(one.secret) }))),
    suggestedRole(column) === null || naming ? null
      : line(say("suggested: {role} ({reason})", { role: suggestion(column.suggested), reason: column.reason })),
  ];
}

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
  const naming = column ? column.identifier || column.free_text : (shown.job?.naming || []).includes(name);
  if (!isPublic(name) || !(naming || chosen.accept.includes(name))) return null;
  const others = chosen.accept.filter((one) => one !== name);
  return h("label", { class: "accept" }, h("input", {
    type: "checkbox", name: "accept", value: name, checked: chosen.accept.includes(name),
    "aria-label": say("Publish {name} all the same", { name: visible(name) }),
    change: (event) => change("roles", { accept: event.target.checked ? [...others, name] : others }),
  }), h("span", {}, around(say("Publish {name} all the same"), { name: named(name) })));
}

function findingsOf(found, old) {
  const together = found.combinations.slice(0, SHOWN);
  const warned = found.columns.filter((one) => one.identifier || one.free_text).map((one) => one.name);
  return [
    old ? h("p", { class: "small" }, say("Secrets, unit or ranges have changed since; this is the earlier result.")) : null,
    warned.length ? h("p", { class: "warning" }, around(say("These columns identify people, or may: {columns}. Better not publish them."),
      { columns: listed(warned.slice(0, 20)) })) : null,
    columnsOf("secret", "withheld").length ? null
      : h("p", {}, say("Give the column that must not become known the role “secret”: then every other column shows what it reveals about it.")),
    together.length ? h("div", { class: "warning" }, h("p", {}, say("These columns together single people out:"), help("alone")),
      h("ul", {}, together.map((one) => h("li", {}, around(
        say("{columns}: {alone} of {rows} rows; the smallest group has {smallest}", {
          alone: whole(one.alone), rows: whole(found.rows), smallest: whole(one.smallest),
        }), { columns: listed(one.columns) }))))) : h("p", {}, say("No small set of columns singles people out.")),
    found.sampled < found.rows ? h("p", { class: "small" },
      say("What the columns reveal was measured on {number} rows chosen at random.", { number: whole(found.sampled) })) : null,
  ];
}

// The columns whose suggested role is not the one they have.
function waitingSuggestions() {
  return surveyed().columns.filter((one) => suggestedRole(one) !== null && suggestedRole(one) !== roleOf(one.name)
    && !["secret", "withheld", "unit"].includes(roleOf(one.name)));
}

// Secrets and the unit stay; what should be coarser is not released until somebody makes it so.
function takeSuggestions() {
  const roles = { ...chosen.roles };
  for (const one of waitingSuggestions()) roles[one.name] = suggestedRole(one);
  change("roles", { roles, points: {} });
}
