// Step 4: what to reach: a protection, a point of the curve, or a limit that the job finds a channel for; and what for.

import { change, chosen, keyOf, question, roleOf, shownSource, when } from "./chosen.js";
import { channelMap } from "./channel.js";
import { curve } from "./curve.js";
import { declaredFields } from "./declared.js";
import { complaint, fill, h } from "./elements.js";
import { found, learn } from "./found.js";
import { fragment } from "./fragments.js";
import { choosePoint, goal, goalFields, goalWords, MOST_FOR_EPSILON, pointOf } from "./goals.js";
import { listed } from "./names.js";
import { reopening } from "./opening.js";
import { latest } from "./server.js";
import { sourceChoice } from "./sources.js";
import { busy, step, waiting } from "./steps.js";
import { whatIf } from "./what_if.js";
import { explained } from "./terms.js";
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
      learn({ floor: answer.floor ?? null, entropy: answer.entropy, words: answer.words });
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
      { number: found.words.letters, most: MOST_LETTERS }), { secret: listed(source) })),
    h("ul", {}, ranges ? h("li", {}, say("Put it in ranges in step 2, such as width:10, or press:"), " ",
      h("button", { type: "button", class: "quiet", click: press }, say("ten ranges with as many rows each"))) : null,
    h("li", {}, found.letters > MOST_FOR_EPSILON
      ? say("Or ask for a protection above; a limit in bits may take very long with so many values.")
      : say("Or set a limit above instead of choosing a point: protection, bits and ε need no curve."))));
}

function explorer(answer, source, curved) {
  const { points } = answer;
  const map = channelMap(answer.inputs, answer.outputs, Boolean(points[0].cells));
  const numbers = h("dl", { class: "numbers", "data-numbers": "frontier" });
  const note = h("p", { class: "small", role: "status" });
  // Who drags the handle aims at its point.
  const drawn = curve(answer, chosen.keep === "nothing" ? null : answer.least, (index) => choosePoint(source, points[index].limit));
  const other = whatIf(curved, drawn.compare);
  const explanations = h("p", { class: "row small" }, ["leakage", ...(answer.words.floor ? ["leakageWithBackground"] : []), "distortion"].map((key) => h("span", {}, explained(key))));
  const noted = (sentence) => { if (note.textContent !== sentence) note.textContent = sentence; };

  // The numbers are those of what the job will look for; where only it can find that, there are none.
  function show() {
    const asked = goal();
    const byLeakage = chosen.goal === "max_leakage" && asked !== null;
    const last = points.at(-1).limit;
    const at = byLeakage ? within(points, answer.objective, asked.max_leakage) : nearest(points, pointOf(source));
    const known = chosen.goal === "max_distortion" || byLeakage;
    if (byLeakage || pointOf(source) === null) chosen.points[keyOf(source)] = points[at].limit;
    else if (pointOf(source) > last) chosen.points[keyOf(source)] = last;
    drawn.go(at);
    drawn.drawing.classList.toggle("aside", !known);
    numbers.hidden = map.element.hidden = explanations.hidden = !known;
    other.show(known ? at : null);
    if (known) {
      fill(numbers, fragment(points[at].numbers));
      map.show(points[at]);
    }
    if (byLeakage || (known && pointOf(source) !== points[at].limit)) noted(say("The point of the curve next to the limit; the job meets the limit itself."));
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
      h("div", {}, note, numbers, explanations)), other.element, map.element],
  };
}

// Where the handle was before, or else a middle of the curve that many would look at first.
function nearest(points, chosenBefore) {
  const wanted = chosenBefore ?? points.at(-1).limit / 3;
  const away = (point) => Math.abs(point.limit - wanted);
  return points.reduce((best, point, index) => (away(point) < away(points[best]) ? index : best), 0);
}

// The first point that leaks no more; the last one leaks least of all.
function within(points, objective, limit) {
  const at = points.findIndex((point) => point[objective] <= limit);
  return at < 0 ? points.length - 1 : at;
}
