// Step 4: how much to give up: a point of the curve, or a limit that the job finds a channel for.

import { change, chosen, question, when } from "./chosen.js";
import { channelMap } from "./channel.js";
import { curve } from "./curve.js";
import { complaint, fill, h } from "./elements.js";
import { bits, fixed, nats, share } from "./numbers.js";
import { latest } from "./server.js";
import { busy, step, waiting } from "./steps.js";
import { gradeName, GRADES } from "./grades.js";
import { say } from "./words.js";

const POINTS = 31;

export function chooseStep() {
  const { section, body, line, tell } = step(4, "choose", say("Choose"),
    say("Every point of the curve is a channel that leaks least for what it changes. Drag the handle, or set a limit instead."));
  const ask = latest("/api/frontier");
  const problem = complaint();
  const board = h("div", { class: "board" });

  function show() {
    tell(goalWords());
    for (const input of body.querySelectorAll("input[name=goal]")) input.checked = input.value === chosen.goal;
    board.classList.toggle("aside", chosen.goal !== "max_distortion");
  }

  async function load() {
    problem.tell(null);
    if (!chosen.table || !chosen.secret) {
      fill(body, waiting(say("Choose a secret first.")));
      return tell("", true);
    }
    fill(board, busy(say("Drawing the curve …")));
    fill(body, goals(), problem.place, board);
    show();
    try {
      const found = await ask({ ...question(), points: POINTS });
      if (found) fill(board, explorer(found));
    } catch (refusal) {
      fill(board);
      problem.tell(refusal.message);
    }
    return show();
  }

  let soon = null;
  when("table roles", () => {
    clearTimeout(soon);
    soon = setTimeout(load, chosen.secret ? 250 : 0);
  });
  when("goal", show);
  load();
  return { section, line };
}

// What the job is asked for, as the server wants it; null where it is not set yet.
export function goal() {
  if (chosen.goal === "max_distortion") {
    // Rounded up: a channel that may change a little more leaks a little less than the point shows.
    return chosen.point ? { max_distortion: Math.ceil(chosen.point.distortion * 1e4 - 1e-6) / 1e4 } : null;
  }
  const limit = chosen.limits[chosen.goal];
  if (chosen.goal === "target") return { target: limit };
  return limit !== "" && Number.isFinite(Number(limit)) ? { [chosen.goal]: Number(limit) } : null;
}

export function goalWords() {
  const asked = goal();
  if (!asked) return say("not set yet");
  const told = {
    max_distortion: () => say("distortion ≤ {limit}", { limit: fixed(asked.max_distortion, 4) }),
    max_leakage: () => say("≤ {limit} bits", { limit: asked.max_leakage }),
    local_dp: () => say("local ε ≤ {limit}", { limit: asked.local_dp }),
    target: () => say("grade {grade}", { grade: gradeName(asked.target) }),
  };
  return told[chosen.goal]();
}

function goals() {
  const limit = (kind, value) => change("goal", { goal: kind, limits: { ...chosen.limits, [kind]: value } });
  const choice = (kind, label, field) => {
    const input = h("input", { type: "radio", name: "goal", value: kind, change: () => change("goal", { goal: kind }) });
    return h("div", { class: "goal" }, h("label", {}, input, label), field);
  };
  const amount = (kind, label, placeholder) => h("input", {
    type: "number", name: kind, min: "0", step: "any", inputmode: "decimal", "aria-label": label, placeholder,
    value: chosen.limits[kind], input: (event) => limit(kind, event.target.value),
  });
  const grades = GRADES.map((grade) =>
    h("option", { value: grade, selected: grade === chosen.limits.target }, gradeName(grade)));
  return h("fieldset", { class: "goals" }, h("legend", {}, say("What the job aims at")),
    choice("max_distortion", say("The point chosen on the curve"), null),
    choice("max_leakage", say("Instead: leak at most so many bits"),
      amount("max_leakage", say("Most bits leaked"), "0.5")),
    choice("local_dp", say("Instead: local differential privacy with ε at most"),
      amount("local_dp", say("Largest local ε"), "1")),
    choice("target", say("Instead: the least protection that reaches the grade"), h("select", {
      name: "target", "aria-label": say("Grade to reach"), change: (event) => limit("target", event.target.value),
    }, grades)));
}

function explorer(found) {
  const points = [...found.points].sort((one, other) => one.distortion - other.distortion);
  const map = channelMap(found.inputs, found.outputs);
  const numbers = numbersOf(found);
  function pick(index, moved = true) {
    numbers.show(points[index]);
    map.show(points[index].matrix);
    // Who drags the handle aims at its point; who only sees it where it stands may aim at a limit.
    change("goal", { point: { distortion: points[index].distortion }, ...(moved ? { goal: "max_distortion" } : {}) });
  }
  const drawn = curve({
    points, objective: found.objective, entropy: found.entropy, floor: found.floor, moved: pick,
    told: (point) => say("distortion {distortion}: leaks {leakage}, ε {epsilon}, {unchanged} unchanged", {
      distortion: fixed(point.distortion, 3), leakage: bits(point[found.objective]), epsilon: nats(point.epsilon),
      unchanged: share(point.unchanged),
    }),
  });
  const start = firstPoint(points);
  drawn.go(start);
  pick(start, false);
  return [h("div", { class: "trade" },
    h("figure", {}, drawn.drawing,
      h("figcaption", {}, say("Below the curve nothing is possible. The arrow keys move the handle too."))),
    numbers.element), map.element];
}

// Where the handle was before, or else a middle of the curve that many would look at first.
function firstPoint(points) {
  const wanted = chosen.point ? chosen.point.distortion : points.at(-1).distortion / 3;
  const away = (point) => Math.abs(point.distortion - wanted);
  return points.reduce((best, point, index) => (away(point) < away(points[best]) ? index : best), 0);
}

function numbersOf(found) {
  const line = (term, why) => {
    const value = h("dd");
    return { value, element: h("div", {}, h("dt", {}, term), value, why && h("dd", { class: "small" }, why)) };
  };
  const known = found.floor !== null && found.floor !== undefined;
  const leakage = line(say("Leakage"), say("of {entropy} that there are", { entropy: bits(found.entropy) }));
  const withBackground = known ? line(say("Leakage with background"),
    say("of which {floor} are known anyway", { floor: bits(found.floor) })) : null;
  const epsilon = line(say("Local ε"),
    say("a published value is at most e^ε times as likely under one true value as under another"));
  const unchanged = line(say("Unchanged"), say("values published as they are"));
  const distortion = line(say("Mean distortion"), null);
  const lines = [leakage, withBackground, epsilon, unchanged, distortion].filter(Boolean);
  return {
    element: h("dl", { class: "numbers", "data-numbers": "frontier" }, lines.map((one) => one.element)),
    show(point) {
      leakage.value.textContent = bits(point.leakage);
      if (withBackground) withBackground.value.textContent = bits(point.leakage_with_background);
      epsilon.value.textContent = nats(point.epsilon);
      unchanged.value.textContent = share(point.unchanged);
      distortion.value.textContent = fixed(point.distortion, 4);
    },
  };
}
