// Step 4: what to reach: a protection, a point of the curve, or a limit that the job finds a channel for; and what for.

import { change, chosen, keyOf, question, roleOf, shownSource, when } from "./chosen.js";
import { channelMap } from "./channel.js";
import { curve } from "./curve.js";
import { declaredFields } from "./declared.js";
import { complaint, fill, h } from "./elements.js";
import { found, learn } from "./found.js";
import { choosePoint, goal, goalFields, goalWords, MOST_FOR_EPSILON, pointOf } from "./goals.js";
import { listed } from "./names.js";
import { bits, fixed, nats, share, whole } from "./numbers.js";
import { reopening } from "./opening.js";
import { latest } from "./server.js";
import { sourceChoice } from "./sources.js";
import { busy, step, waiting } from "./steps.js";
import { whatIf } from "./what_if.js";
import { help } from "./terms.js";
import { around, say } from "./words.js";

const POINTS = 31;
// More values than this have no curve on the page.
const MOST_LETTERS = 60;

export function chooseStep() {
  const { section, body, line, tell } = step(4, "choose", say("Choose"),
    say("Say how much protection is required and what the release is for, or drag the handle along the curve. Each point is the channel that reveals least while changing that many values and keeping their shares."));
  const ask = latest("api/frontier");
  const problem = complaint();
  const board = h("div", { class: "board" });
  let fields = [];
  let drawn = null;
  let refused = null;

  function show() {
    if (found.failed || !fields.length) return;
    tell(goalWords());
    for (const one of fields) one.show();
    if (drawn) drawn.show();
  }

  function wait(sentence) {
    fields = [];
    drawn = refused = null;
    fill(body, waiting(sentence));
    tell("", true);
  }

  async function load() {
    problem.tell(null);
    const source = shownSource();
    if (!source) return wait(say("Choose a secret first."));
    fields = [goalFields(), declaredFields()];
    drawn = refused = null;
    fill(board, busy(say("Drawing the curve …")));
    fill(body, fields.map((one) => one.element), sourceChoice(), problem.place, board);
    show();
    if (roleOf(source[0]) === "withheld") {
      return fill(board, waiting(around(say("{secret} is withheld: nothing of it is released, so it has no curve."),
        { secret: listed(source) })));
    }
    try {
      const asked = question();
      // Cross-tables are kept by the job alone; the curve beside them keeps the shares.
      const keep = chosen.keep === "nothing" ? "nothing" : null;
      const curved = { ...asked, points: POINTS, keep, distortion: [chosen.distortion] };
      const answer = await ask(curved);
      // Of other roles by now: the curve of these is about to be asked for.
      if (!answer || found.failed || !shownSource() || JSON.stringify(asked) !== JSON.stringify(question())) return undefined;
      learn({ floor: answer.floor ?? null, entropy: answer.entropy });
      drawn = explorer(answer, source, curved);
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
  when("table roles source", () => {
    drawn = null;
    clearTimeout(soon);
    soon = setTimeout(load, shownSource() ? 250 : 0);
  });
  when("goal", show);
  when("measured", measured);
  load();
  return { section, line };
}

function waysOut() {
  const source = shownSource();
  const [secret] = source;
  const column = chosen.table.columns.find(({ name }) => name === secret);
  const ranges = source.length === 1 && ["numbers", "whole numbers"].includes(column.kind);
  const proposed = "quantiles:10";
  const press = () => change("roles", { bins: { ...chosen.bins, [secret]: proposed }, points: {} });
  return h("div", { class: "warning ways" },
    h("p", {}, around(say("{secret} has {number} values, but the curve is drawn for up to {most}.",
      { number: whole(found.letters), most: MOST_LETTERS }), { secret: listed(source) })),
    h("ul", {}, ranges ? h("li", {}, say("Put it in ranges in step 2, such as width:10, or press:"), " ",
      h("button", { type: "button", class: "quiet", click: press }, say("ten ranges with as many rows each"))) : null,
    h("li", {}, found.letters > MOST_FOR_EPSILON
      ? say("Or ask for a protection above; a limit in bits may take very long with so many values.")
      : say("Or set a limit above instead of choosing a point: protection, bits and ε need no curve."))));
}

function explorer(answer, source, curved) {
  const points = [...answer.points].sort((one, other) => one.distortion - other.distortion);
  const map = channelMap(answer.inputs, answer.outputs);
  const numbers = numbersOf(answer);
  const note = h("p", { class: "small", role: "status" });
  const drawn = curve({
    points, least: chosen.keep === "nothing" ? null : answer.least, objective: answer.objective, entropy: answer.entropy, floor: answer.floor,
    // Who drags the handle aims at its point.
    moved: (index) => choosePoint(source, points[index].distortion),
    told: (point) => say("distortion {distortion}: leaks {leakage}, ε {epsilon}, {unchanged} unchanged", {
      distortion: fixed(point.distortion, 3), leakage: bits(point[answer.objective]), epsilon: nats(point.epsilon),
      unchanged: share(point.unchanged),
    }),
  });
  const other = whatIf(curved, drawn.compare);
  const noted = (sentence) => { if (note.textContent !== sentence) note.textContent = sentence; };

  // The numbers are those of what the job will look for; where only it can find that, there are none.
  function show() {
    const asked = goal();
    const byLeakage = chosen.goal === "max_leakage" && asked !== null;
    const last = points.at(-1).distortion;
    const at = byLeakage ? within(points, answer.objective, asked.max_leakage) : nearest(points, pointOf(source));
    const known = chosen.goal === "max_distortion" || byLeakage;
    if (byLeakage || pointOf(source) === null) chosen.points[keyOf(source)] = points[at].distortion;
    else if (pointOf(source) > last) chosen.points[keyOf(source)] = last;
    drawn.go(at);
    drawn.drawing.classList.toggle("aside", !known);
    numbers.element.hidden = map.element.hidden = !known;
    other.show(known ? at : null);
    if (known) {
      numbers.show(points[at]);
      map.show(points[at].matrix);
    }
    if (byLeakage || (known && Math.abs(pointOf(source) - points[at].distortion) > 1e-4)) noted(say("The point of the curve next to the limit; the job meets the limit itself."));
    else noted(known || !asked ? "" : say("The job finds the channel for this limit; its numbers come with the result."));
  }

  show();
  return {
    show,
    element: [h("div", { class: "trade" },
      h("figure", {}, drawn.drawing,
        h("figcaption", {}, chosen.keep === "nothing"
          ? say("Below the curve nothing is possible. The arrow keys move the handle too.")
          : say("Below the curve no channel keeps the shares; below the dashed line nothing is possible. The arrow keys move the handle too."),
        chosen.keep === "associations" ? [" ", say("A job that keeps cross-tables leaks more than the curve.")] : null)),
      h("div", {}, note, numbers.element)), other.element, map.element],
  };
}

// Where the handle was before, or else a middle of the curve that many would look at first.
function nearest(points, chosenBefore) {
  const wanted = chosenBefore ?? points.at(-1).distortion / 3;
  const away = (point) => Math.abs(point.distortion - wanted);
  return points.reduce((best, point, index) => (away(point) < away(points[best]) ? index : best), 0);
}

// The first point that leaks no more; the last one leaks least of all.
function within(points, objective, limit) {
  const at = points.findIndex((point) => point[objective] <= limit);
  return at < 0 ? points.length - 1 : at;
}

function numbersOf(answer) {
  const line = (term, why, key = null) => {
    const value = h("dd");
    return { value, element: h("div", {}, h("dt", {}, term, key && help(key)), value, why && h("dd", { class: "small" }, why)) };
  };
  const known = answer.floor !== null && answer.floor !== undefined;
  const leakage = line(say("Leakage"), say("of {entropy} that there are", { entropy: bits(answer.entropy) }), "leakage");
  const withBackground = known ? line(say("Leakage with background"),
    say("of which {floor} are already known", { floor: bits(answer.floor) }), "leakageWithBackground") : null;
  const epsilon = line(say("Local ε"),
    say("a published value is at most e^ε times as likely under one true value as under another"));
  const unchanged = line(say("Unchanged"), say("values published unchanged"));
  const distortion = line(say("Mean distortion"), null, "distortion");
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
