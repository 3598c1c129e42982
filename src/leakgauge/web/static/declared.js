// What a release is for: how readers use it, and what is declared of it, which no table holds.

import { change, chosen } from "./chosen.js";
import { complaint, h } from "./elements.js";
import { pointsProblem } from "./goals.js";
import { help } from "./terms.js";
import { say } from "./words.js";

// As the server knows them, learnt with its state.
export const DECLARED = [];

// Beside what is declared: what a channel keeps, what a wrong value costs, and whose limits count.
export const DECIDED = ["keep", "distortion", "releases_per_period", "policy", "ledger"];

// As the server wants it; null where something is not as it can be.
export function declared() {
  if (pointsProblem(chosen.min_usefulness) || timesProblem()) return null;
  const texts = DECLARED.map((name) => [name, chosen[name].trim() || null]);
  const least = chosen.min_usefulness === "" ? null : Number(chosen.min_usefulness);
  return { use: chosen.use, min_usefulness: least, ...decided(), ...Object.fromEntries(texts) };
}

function decided() {
  const times = chosen.releases_per_period;
  return {
    keep: chosen.keep === "shares" ? null : chosen.keep,
    distortion: chosen.distortion === "hamming" ? null : [chosen.distortion],
    releases_per_period: times === "" || Number(times) === 1 ? null : Number(times),
    policy: chosen.policy.trim() || null, ledger: chosen.ledger.trim() || null,
  };
}

const timesProblem = () => (chosen.releases_per_period === "" || Number(chosen.releases_per_period) > 0 ? null
  : say("A release is made more than 0 times in a period; give a number such as 12."));

export function declaredFields() {
  const problem = complaint();
  const given = (name) => (event) => change("goal", { [name]: event.target.value });
  const field = (label, input, key = null) => {
    const labelled = h("label", { class: "field" }, h("span", {}, label), input);
    // Beside the label: within it, the mark would be part of the name.
    return key ? h("div", { class: "helped" }, labelled, help(key)) : labelled;
  };
  const text = (name, placeholder) => h("input", { type: "text", name, placeholder, input: given(name) });
  const uses = { statistics: say("statistics: shares and cross-tables"), rows: say("rows: each value near the true one") };
  const use = h("select", { name: "use", change: given("use") },
    Object.entries(uses).map(([value, told]) => h("option", { value }, told)));
  const element = h("fieldset", { class: "declared" },
    h("legend", {}, say("What the release is for")),
    h("p", { class: "small" }, say("Purpose, recipient and review date are declared: without them the recommendation stays “release if”.")),
    field(say("Readers use it for"), use),
    field(say("At least this much usefulness (0–100), if any"), h("input", {
      type: "number", name: "min_usefulness", min: "0", max: "100", step: "any", inputmode: "decimal", placeholder: "20",
      input: given("min_usefulness"),
    }), "usefulness"),
    field(say("Purpose"), text("purpose", say("such as: planning of wards"))),
    field(say("Who receives it"), text("recipient", say("such as: the health department"))),
    field(say("Review on"), h("input", { type: "date", name: "review", input: given("review") })),
    DECLARED.includes("prepared_by") ? field(say("Prepared by"), text("prepared_by", say("name, as it stands in the report"))) : null,
    DECLARED.includes("contact") ? field(say("Whom recipients ask"), text("contact", say("such as: data@example.org"))) : null,
    DECLARED.includes("terms") ? field(say("What recipients may do with it"), text("terms", say("such as: statistics only; do not try to identify anyone"))) : null,
    optionsOf(field, text, given), problem.place);
  return {
    element,
    show() {
      for (const input of element.querySelectorAll("[name]")) {
        if (document.activeElement !== input) input.value = chosen[input.name];
      }
      const told = pointsProblem(chosen.min_usefulness) || timesProblem();
      if (problem.place.textContent !== (told || "")) problem.tell(told);
    },
  };
}

function optionsOf(field, text, given) {
  const choice = (name, told) => h("select", { name, change: given(name) },
    Object.entries(told).map(([value, words]) => h("option", { value }, words)));
  const curve = (name) => (event) => change("source", { [name]: event.target.value, points: {} });
  const keep = choice("keep", {
    shares: say("the share of every value"), associations: say("cross-tables with the public columns too"), nothing: say("nothing"),
  });
  const distortion = choice("distortion", {
    hamming: say("1, whatever it is instead"), absolute: say("how far off it is"), squared: say("how far off it is, squared"),
  });
  // Another curve: the step is made anew.
  for (const one of [keep, distortion]) one.addEventListener("change", curve(one.name));
  const open = DECIDED.some((name) => !["", "shares", "hamming"].includes(chosen[name]));
  return h("details", { class: "decided", open }, h("summary", {}, say("More that decides the report")),
    h("div", { class: "declared" },
      field(say("The release keeps"), keep), field(say("A wrong value costs"), distortion),
      field(say("Such releases per period"), h("input", {
        type: "number", name: "releases_per_period", min: "0", step: "any", inputmode: "decimal", placeholder: "1", input: given("releases_per_period"),
      })),
      field(say("Policy file in the folder"), text("policy", "policy.toml"), "policy"),
      field(say("Ledger in the folder that counts the release"), text("ledger", "ledger.db"), "ledger")));
}
