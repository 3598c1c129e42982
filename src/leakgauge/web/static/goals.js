// What a job aims at: a protection that it finds the most useful release for, a point of the curve, or another limit.

import { change, chosen, groups, keyOf } from "./chosen.js";
import { complaint, h } from "./elements.js";
import { found } from "./found.js";
import { isolated, named, visible } from "./names.js";
import { help } from "./terms.js";
import { say } from "./words.js";

export const KINDS = ["min_protection", "max_distortion", "max_leakage", "local_dp", "within"];
const EXPLAINED = { min_protection: "protection", max_distortion: "distortion", max_leakage: "leakage", local_dp: "epsilon", within: "distortion" };
// Ratios of all pairs are kept, and there is room for about two million.
export const MOST_FOR_EPSILON = 1400;

// What the job is asked for, as the server wants it; null where it is not set yet, or not as it can be.
export function goal() {
  if (chosen.goal === "max_distortion") {
    const all = groups();
    const limits = all.map(pointOf);
    if (!all.length || limits.some((one) => !(one >= 0 && one < Infinity))) return null;
    const same = new Set(limits).size === 1;
    return { max_distortion: same ? limits[0] : Object.fromEntries(all.map(([name], at) => [name, limits[at]])) };
  }
  const limit = chosen.limits[chosen.goal];
  if (limit === "" || limitProblem(chosen.goal)) return null;
  // One for each secret comes from a job, or from what it was advised.
  return { [chosen.goal]: typeof limit === "object" ? limit : Number(limit) };
}

// The distortion chosen for a group; where it has none of its own, the first one chosen for another.
export function pointOf(group) {
  return [group, ...groups()].map((one) => chosen.points[keyOf(one)]).find((one) => one !== undefined) ?? null;
}

export const choosePoint = (group, distortion) =>
  change("goal", { goal: "max_distortion", points: { ...chosen.points, [keyOf(group)]: distortion } });

// What is wrong with the limit that is set, in one sentence; null where nothing is.
function limitProblem(kind) {
  const given = chosen.limits[kind];
  const together = chosen.together && groups().some((group) => group.length > 1);
  if (together && ["min_protection", "within"].includes(kind)) {
    return say("This is searched for one secret at a time; protect each secret by itself, or choose another aim.");
  }
  if (kind === "local_dp" && found.letters > MOST_FOR_EPSILON) {
    return say("The secret has {number} values, too many for a limit on ε; put it in ranges, or choose another aim.",
      { number: found.words.letters });
  }
  if (given === "" || given === undefined || typeof given === "object") return null;
  const limit = Number(given);
  if (kind === "min_protection") return pointsProblem(given);
  if (!Number.isFinite(limit) || limit < 0) return say("A limit is a number of at least 0; give one.");
  if (kind === "local_dp" && limit === 0) return say("With ε = 0 nothing useful can be released; give more than 0.");
  if (kind === "within" && limit === 0) return say("With an error of 0 nothing is protected; give more than 0.");
  if (kind !== "max_leakage") return null;
  if (found.floor !== null && limit < found.floor) return found.words.floor;
  return found.entropy !== null && limit > found.entropy && groups().length === 1 ? found.words.entropy : null;
}

// Why the aim that is chosen cannot be asked for; null where it can, or nothing is given yet.
export const goalProblem = () => (chosen.goal === "max_distortion" ? null : limitProblem(chosen.goal));

// What is wrong with points of a score; null where nothing is.
export function pointsProblem(given) {
  const points = Number(given);
  return given === "" || (points >= 0 && points <= 100) ? null : say("A score runs from 0 to 100; give a number such as 60.");
}

export function goalWords() {
  const asked = goal();
  return asked ? aimWords(asked) : say("not set yet");
}

// What a job is asked for beside a least protection says how it is released, so that it comes first.
export const aimOf = (asked) => [...KINDS].reverse().find((one) => (asked[one] ?? null) !== null);

// The aim of a job in words, its limit as it was given; empty where none is known.
export function aimWords(asked) {
  const kind = aimOf(asked);
  if (!kind) return "";
  const limit = limitsOf(asked[kind]);
  const told = {
    min_protection: say("protection ≥ {limit}", { limit }), max_distortion: say("distortion ≤ {limit}", { limit }),
    max_leakage: say("≤ {limit} bits", { limit }), local_dp: say("local ε ≤ {limit}", { limit }), within: say("off by ≤ {limit}", { limit }),
  };
  return told[kind];
}

// A limit for all secrets, or one for each after its name.
function limitsOf(limit) {
  if (typeof limit !== "object") return limit;
  const each = Object.entries(limit);
  const same = each.every(([, one]) => one === each[0][1]);
  return same ? each[0][1] : each.map(([name, one]) => `${isolated(name)} ${one}`).join(say(", "));
}

// The most distortion of each secret, where there are several.
function distortions() {
  return groups().length < 2 ? [] : groups().map((group) => {
    const input = h("input", {
      type: "number", name: "distortion", min: "0", step: "any", inputmode: "decimal",
      "aria-label": say("Most distortion of {name}", { name: visible(group[0]) }),
      input: () => choosePoint(group, input.value === "" ? undefined : Number(input.value)),
    });
    const show = () => {
      // Not under the hands of who is typing.
      if (document.activeElement !== input) input.value = pointOf(group) ?? "";
    };
    return { show, element: h("label", { class: "each" }, named(group[0]), input) };
  });
}

const areNumbers = () => groups().length > 0 && groups().every((group) => group.every((name) =>
  ["numbers", "whole numbers"].includes(chosen.table.columns.find((one) => one.name === name)?.kind)));

export function goalFields() {
  const limit = (kind, value) => change("goal", { goal: kind, limits: { ...chosen.limits, [kind]: value } });
  const each = distortions();
  const problems = new Map();
  const choice = (kind, label, field, why = null) => {
    const problem = complaint();
    problems.set(kind, problem);
    const input = h("input", { type: "radio", name: "goal", value: kind, change: () => change("goal", { goal: kind }) });
    return h("div", { class: why && "first" }, h("div", { class: "goal" }, h("span", { class: "aim" }, h("label", {}, input, label), help(EXPLAINED[kind])), field),
      why && h("p", { class: "small" }, why), problem.place);
  };
  const amount = (kind, label, placeholder) => h("input", {
    type: "number", name: kind, min: "0", max: kind === "min_protection" ? "100" : null, step: "any",
    inputmode: "decimal", "aria-label": label, placeholder, input: (event) => limit(kind, event.target.value),
  });
  const element = h("fieldset", { class: "goals" }, h("legend", {}, say("What the job aims at")),
    choice("min_protection", say("At least this much protection (0–100)"), amount("min_protection", say("Least protection"), "60"),
      say("Recommended: the job finds the most useful release with this protection.")),
    choice("max_distortion", each.length ? say("At most this distortion of each secret, or its point on the curve")
      : say("The point chosen on the curve"), null),
    each.length ? h("div", { class: "row" }, each.map((one) => one.element)) : null,
    choice("max_leakage", say("Instead: leak at most this many bits"),
      amount("max_leakage", say("Most bits leaked"), "0.5")),
    choice("local_dp", say("Instead: local differential privacy with ε at most"),
      amount("local_dp", say("Largest local ε"), "1")),
    areNumbers() ? choice("within", say("Instead: numbers that are off by at most this much on average"),
      amount("within", say("Largest mean error"), "5")) : null);
  return {
    element,
    show() {
      for (const input of element.querySelectorAll("input[name=goal]")) input.checked = input.value === chosen.goal;
      for (const kind of KINDS) {
        const input = element.querySelector(`input[name=${kind}]`);
        const given = chosen.limits[kind];
        if (input && document.activeElement !== input) input.value = typeof given === "object" ? "" : given;
      }
      for (const one of each) one.show();
      for (const [kind, problem] of problems) {
        const told = kind === chosen.goal ? limitProblem(kind) : null;
        // Told once: the same sentence at every key would drown a listener.
        if (problem.place.textContent !== (told || "")) problem.tell(told);
      }
    },
  };
}
