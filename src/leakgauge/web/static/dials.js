// The verdict: what is recommended and why, the six dials with the marks of the policy, and every limit of it.

import { h, s } from "./elements.js";
import { listed } from "./names.js";
import { atLeast, atMost, ends, points, share, short } from "./numbers.js";
import { help } from "./terms.js";
import { around, say } from "./words.js";

const DIALS = ["protection", "exposed", "guarantee", "usefulness", "effect", "efficiency"];

export function recommended(recommendation) {
  const words = {
    release: say("may be released"), "release if": say("release if …"), "do not release": say("do not release"),
  };
  return words[recommendation] || recommendation;
}

// found: a headline, or the verdict itself; secret: the columns that decide, where there are several secrets.
export function verdictBox(found, secret, promised) {
  const list = (sentences) => h("ul", {}, sentences.map((one) => h("li", {}, one)));
  const conditions = found.conditions.filter((one) => !found.reasons.includes(one));
  return h("div", { class: "verdict", "data-recommendation": found.recommendation },
    h("p", { class: "recommendation" },
      h("span", { class: "small" }, promised ? say("Recommendation, before anything is released") : say("Recommendation"), help("recommendation")),
      h("strong", {}, recommended(found.recommendation))),
    h("div", { class: "reasons" },
      secret ? h("p", {}, h("strong", {}, around(say("{secret} decides."), { secret: listed(secret) }))) : null,
      list(found.reasons), conditions.length ? list(conditions) : null),
    found.vetoes.length ? h("div", { class: "vetoes" }, h("strong", {}, say("Vetoes")), help("veto"), list(found.vetoes)) : null);
}

function dialWords(use) {
  return {
    protection: [say("protection"), say("Of what an attacker could not tell about an average person before, how much is still hidden afterwards.")],
    exposed: [say("exposed, in %"), say("People whose value becomes nearly certain, in the worst-affected group: each counts from 0 at 90% sure to 1 at certain. Lower is better.")],
    guarantee: [say("guarantee"), say("How strong the proven worst-case limit is, whatever the attacker knows.")],
    usefulness: [say("usefulness"), use === "rows" ? say("How much closer the released values are to the true ones than a single fixed value would be.")
      : say("How well the released values predict the true ones, averaged over shares and cross-tables.")],
    effect: [say("effect"), say("Protection and usefulness together: twice their geometric mean, at most 100.")],
    efficiency: [say("efficiency"), say("What the best channel that changes values as much reveals, relative to this one; it may be less useful.")],
  };
}

// The dials by their names alone.
export const dialNames = () => Object.fromEntries(Object.entries(dialWords("statistics")).map(([name, [label]]) => [name, label]));

export function dialsOf(verdict, key) {
  const dials = verdict.dials[key];
  const words = dialWords(verdict.use);
  const lines = Object.fromEntries(verdict.policy.map((line) => [line.name, line]));
  const row = (name) => {
    const [label, why] = words[name];
    const mark = lines[name === "exposed" ? "max_exposed" : `min_${name}`] || null;
    const told = [say("{name}: {value}", { name: label, value: written(name, dials[name]) }), mark && markWords(name, mark)].filter(Boolean).join("; ");
    const kept = mark && isKept(name, dials[name], mark.limit);
    return h("div", { class: "dial", "data-dial": name, "data-kept": mark && String(kept) },
      h("dt", {}, label), h("dd", { class: "value" }, written(name, dials[name])),
      h("dd", { class: "gauge" }, gauge(dials[name], mark, told)),
      h("dd", { class: "small" }, why, mark ? [" ", h("span", { class: "mark-words" }, markWords(name, mark))] : null));
  };
  return h("div", { class: "dials" }, h("h3", {}, say("The six scores"), help("dial")), h("dl", {}, DIALS.map(row)),
    dials.notes.length ? h("ul", { class: "small notes" }, dials.notes.map((note) => h("li", {}, note))) : null,
    policyOf(verdict));
}

// At the unfavourable end, where decisions are taken.
function isKept(name, quantity, limit) {
  const [low, high] = ends(quantity);
  return name === "exposed" ? high <= limit + 1e-9 : low >= limit - 1e-9;
}

function markWords(name, { limit, given }) {
  const number = { limit: short(limit, 6) };
  if (name === "exposed") return given ? say("You allow at most {limit}.", number) : say("The default policy allows at most {limit}.", number);
  return given ? say("You ask for at least {limit}.", number) : say("The default policy asks for at least {limit}.", number);
}

// A dial with its interval, where it has one; of what may be anything nothing is known.
function written(name, quantity) {
  const [low, high] = ends(quantity);
  if (low === 0 && high === 100) return say("not known");
  const value = dialPoints(name, quantity);
  return low === high ? value : `${value} (${points(atLeast(low))} – ${points(atMost(high))})`;
}

// The points of a dial, rounded to its unfavourable side.
export const dialPoints = (name, quantity) => points(name === "exposed" ? atMost(quantity) : atLeast(quantity));

function gauge(quantity, mark, told) {
  const [low, high] = ends(quantity);
  const percent = (number) => `${Math.min(100, Math.max(0, number))}%`;
  const upright = (name, at, y1, y2) => s("line", { class: name, x1: percent(at), x2: percent(at), y1, y2 });
  const unknown = low === 0 && high === 100;
  return s("svg", { role: "img", "aria-label": told, width: "100%", height: "24" },
    s("rect", { class: "track", x: "0", y: "6", width: "100%", height: "12", rx: "3" }),
    unknown ? null : s("rect", { class: "level", x: "0", y: "6", width: percent(quantity.value), height: "12", rx: "3" }),
    low === high ? null : [s("line", { class: "interval", x1: percent(low), x2: percent(high), y1: "12", y2: "12" }),
      upright("interval", low, "8", "16"), upright("interval", high, "8", "16")],
    mark ? upright("mark", mark.limit, "0", "24") : null);
}

// Every limit, those that have no dial too.
function policyOf(verdict) {
  const names = {
    min_protection: say("protection, at least"), max_exposed: say("exposed in %, at most"), min_guarantee: say("guarantee, at least"),
    min_usefulness: say("usefulness, at least"), min_effect: say("effect, at least"), min_efficiency: say("efficiency, at least"),
    max_lost: say("rows whose value can never appear in the release, at most"), max_alone: say("unique rows in the published columns, at most"),
    min_k: say("rows of the smallest group in the published columns, at least"), max_epsilon: say("ε, at most"),
    max_delta: say("δ, at most"), max_leakage_bits: say("bits revealed, at most"),
    max_attack_advantage: say("gain of the best attack, of that from the raw data, at most"),
  };
  const shares = ["max_lost", "max_alone", "max_attack_advantage"];
  const number = (name, value) => (value === null ? say("not known") : shares.includes(name) ? share(value) : points(value));
  const row = ({ name, limit, found, holds, given, of }) => h("tr", { class: holds ? null : "missed" },
    h("th", { scope: "row" }, names[name] || name, of ? ` (${of})` : null),
    [number(name, limit), number(name, found), holds ? say("met") : say("not met"), given ? say("given") : say("by default")]
      .map((value) => h("td", {}, value)));
  const head = [say("Limit"), say("Asked"), say("Found"), say("Met"), say("Whose")];
  return h("details", {}, h("summary", {}, say("Every limit of the policy")),
    h("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": say("Every limit of the policy") },
      h("table", { class: "limits" }, h("thead", {}, h("tr", {}, head.map((one) => h("th", { scope: "col" }, one)))),
        h("tbody", {}, verdict.policy.map(row)))),
    h("p", { class: "small" }, say("Only limits that you set stop the job; default limits decide the recommendation.")));
}
