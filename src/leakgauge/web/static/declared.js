// What a release is for: how readers use it, and what is declared of it, which no table holds.

import { change, chosen } from "./chosen.js";
import { complaint, h } from "./elements.js";
import { pointsProblem } from "./goals.js";
import { say } from "./words.js";

export const DECLARED = ["purpose", "recipient", "review"];

// As the server wants it; null where something is not as it can be.
export function declared() {
  if (pointsProblem(chosen.min_usefulness)) return null;
  const texts = DECLARED.map((name) => [name, chosen[name].trim() || null]);
  const least = chosen.min_usefulness === "" ? null : Number(chosen.min_usefulness);
  return { use: chosen.use, min_usefulness: least, ...Object.fromEntries(texts) };
}

export function declaredFields() {
  const problem = complaint();
  const given = (name) => (event) => change("goal", { [name]: event.target.value });
  const field = (label, input) => h("label", { class: "field" }, h("span", {}, label), input);
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
    })),
    field(say("Purpose"), text("purpose", say("such as: planning of wards"))),
    field(say("Who receives it"), text("recipient", say("such as: the health department"))),
    field(say("Review on"), h("input", { type: "date", name: "review", input: given("review") })), problem.place);
  return {
    element,
    show() {
      for (const input of element.querySelectorAll("[name]")) {
        if (document.activeElement !== input) input.value = chosen[input.name];
      }
      const told = pointsProblem(chosen.min_usefulness);
      if (problem.place.textContent !== (told || "")) problem.tell(told);
    },
  };
}
