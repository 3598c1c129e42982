// Step 4: how much to give up: a point of the curve, or a limit that the job finds a channel for.

import { change, chosen, question, when } from "./chosen.js";
import { channelMap } from "./channel.js";
import { curve } from "./curve.js";
import { complaint, fill, h } from "./elements.js";
import { found, learn } from "./found.js";
import { goal, goalFields, goalWords, MOST_FOR_EPSILON } from "./goals.js";
import { named } from "./names.js";
import { bits, fixed, nats, share, whole } from "./numbers.js";
import { reopening } from "./opening.js";
import { latest } from "./server.js";
import { busy, step, waiting } from "./steps.js";
import { around, say } from "./words.js";

const POINTS = 31;
// More values than this have no curve on the page.
const MOST_LETTERS = 60;

export function chooseStep() {
  const { section, body, line, tell } = step(4, "choose", say("Choose"),
    say("Every point of the curve is a channel that leaks least for what it changes. Drag the handle, or set a limit instead."));
  const ask = latest("api/frontier");
  const problem = complaint();
  const board = h("div", { class: "board" });
  let fields = null;
  let drawn = null;
  let refused = null;

  function show() {
    if (found.failed || !fields) return;
    tell(goalWords());
    fields.show();
    if (drawn) drawn.show();
  }

  function wait(sentence) {
    fields = drawn = refused = null;
    fill(body, waiting(sentence));
    tell("", true);
  }

  async function load() {
    problem.tell(null);
    if (!chosen.table || !chosen.secret) return wait(say("Choose a secret first."));
    fields = goalFields();
    drawn = refused = null;
    fill(board, busy(say("Drawing the curve …")));
    fill(body, fields.element, problem.place, board);
    show();
    try {
      const answer = await ask({ ...question(), points: POINTS });
      if (!answer || found.failed) return undefined;
      learn({ floor: answer.floor ?? null, entropy: answer.entropy });
      drawn = explorer(answer);
      fill(board, drawn.element);
    } catch (refusal) {
      refused = refusal;
      complain();
    }
    return change("goal", {});
  }

  // Too many values are no fault: there are ways on, and which is known once the secret is measured.
  function complain() {
    const many = found.letters > MOST_LETTERS;
    fill(board, many ? waysOut() : null);
    problem.tell(many ? null : refused.message, many ? null : reopening(refused, problem));
  }

  function measured() {
    if (found.failed) return wait(say("What leaks could not be measured; step 3 says why."));
    if (refused) complain();
    return show();
  }

  let soon = null;
  when("table roles", () => {
    clearTimeout(soon);
    soon = setTimeout(load, chosen.secret ? 250 : 0);
  });
  when("goal", show);
  when("measured", measured);
  load();
  return { section, line };
}

function waysOut() {
  const column = chosen.table.columns.find(({ name }) => name === chosen.secret);
  const ranges = ["numbers", "whole numbers"].includes(column.kind);
  const proposed = "quantiles:10";
  const press = () => change("roles", { bins: { ...chosen.bins, [chosen.secret]: proposed }, point: null });
  return h("div", { class: "warning ways" },
    h("p", {}, around(say("{secret} has {number} values, and the curve is drawn for up to {most}.",
      { number: whole(found.letters), most: MOST_LETTERS }), { secret: named(chosen.secret) })),
    h("ul", {}, ranges ? h("li", {}, say("Put it in ranges in step 2, such as width:10, or press:"), " ",
      h("button", { type: "button", class: "quiet", click: press }, say("ten ranges with as many rows each"))) : null,
    h("li", {}, found.letters > MOST_FOR_EPSILON
      ? say("Or set a limit in bits above; with so many values the job may take very long.")
      : say("Or set a limit above instead of choosing a point: bits and ε need no curve."))));
}

function explorer(answer) {
  const points = [...answer.points].sort((one, other) => one.distortion - other.distortion);
  const map = channelMap(answer.inputs, answer.outputs);
  const numbers = numbersOf(answer);
  const note = h("p", { class: "small", role: "status" });
  const drawn = curve({
    points, objective: answer.objective, entropy: answer.entropy, floor: answer.floor,
    // Who drags the handle aims at its point.
    moved: (index) => change("goal", { point: { distortion: points[index].distortion }, goal: "max_distortion" }),
    told: (point) => say("distortion {distortion}: leaks {leakage}, ε {epsilon}, {unchanged} unchanged", {
      distortion: fixed(point.distortion, 3), leakage: bits(point[answer.objective]), epsilon: nats(point.epsilon),
      unchanged: share(point.unchanged),
    }),
  });
  const noted = (sentence) => { if (note.textContent !== sentence) note.textContent = sentence; };

  // The numbers are those of what the job will look for; where only it can find that, there are none.
  function show() {
    const asked = goal();
    const byLeakage = chosen.goal === "max_leakage" && asked !== null;
    const at = byLeakage ? within(points, answer.objective, asked.max_leakage) : nearest(points);
    const known = chosen.goal === "max_distortion" || byLeakage;
    chosen.point = { distortion: points[at].distortion };
    drawn.go(at);
    drawn.drawing.classList.toggle("aside", !known);
    numbers.element.hidden = map.element.hidden = !known;
    if (known) {
      numbers.show(points[at]);
      map.show(points[at].matrix);
    }
    if (byLeakage) noted(say("The point of the curve next to the limit; the job meets the limit itself."));
    else noted(known || !asked ? "" : say("The job finds the channel for this limit; its numbers come with the result."));
  }

  show();
  return {
    show,
    element: [h("div", { class: "trade" },
      h("figure", {}, drawn.drawing,
        h("figcaption", {}, say("Below the curve nothing is possible. The arrow keys move the handle too."))),
      h("div", {}, note, numbers.element)), map.element],
  };
}

// Where the handle was before, or else a middle of the curve that many would look at first.
function nearest(points) {
  const wanted = chosen.point ? chosen.point.distortion : points.at(-1).distortion / 3;
  const away = (point) => Math.abs(point.distortion - wanted);
  return points.reduce((best, point, index) => (away(point) < away(points[best]) ? index : best), 0);
}

// The first point that leaks no more; the last one leaks least of all.
function within(points, objective, limit) {
  const at = points.findIndex((point) => point[objective] <= limit);
  return at < 0 ? points.length - 1 : at;
}

function numbersOf(answer) {
  const line = (term, why) => {
    const value = h("dd");
    return { value, element: h("div", {}, h("dt", {}, term), value, why && h("dd", { class: "small" }, why)) };
  };
  const known = answer.floor !== null && answer.floor !== undefined;
  const leakage = line(say("Leakage"), say("of {entropy} that there are", { entropy: bits(answer.entropy) }));
  const withBackground = known ? line(say("Leakage with background"),
    say("of which {floor} are known anyway", { floor: bits(answer.floor) })) : null;
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
