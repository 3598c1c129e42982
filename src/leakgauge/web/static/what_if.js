// What if the attacker knew other columns: what they would learn from the channels of the curve, which stay as they are.

import { change, chosen, columnsOf, roleOf } from "./chosen.js";
import { complaint, fill, h } from "./elements.js";
import { named } from "./names.js";
import { bits, share, whole } from "./numbers.js";
import { latest } from "./server.js";
import { help } from "./terms.js";
import { say } from "./words.js";

// Columns to choose from; with more of them, those with a role come first.
const MOST = 12;

const declared = () => columnsOf("background", "both");

// asked: how the curve was asked for; compared(points): draws them beside it, null for nothing. Nothing of this is kept.
export function whatIf(asked, compared) {
  const ask = latest("api/what-if");
  const problem = complaint();
  const outcome = h("dl", { class: "learnt", "aria-live": "polite" });
  const all = columnsOf("both", "background", "public", "none");
  const offered = [...all].sort((one, other) => (roleOf(one) === "none") - (roleOf(other) === "none")).slice(0, MOST);
  const boxes = offered.map((name) => ({
    name, input: h("input", { type: "checkbox", name: "known", value: name, checked: declared().includes(name), change: look }),
  }));
  const take = h("button", { type: "button", class: "quiet", click: adopt }, say("Design against this knowledge"));
  const ways = h("div", { hidden: true }, take);
  let answer = null;
  let at = null;

  const known = () => boxes.filter((one) => one.input.checked).map((one) => one.name);

  async function look() {
    problem.tell(null);
    const now = known();
    const same = JSON.stringify(now) === JSON.stringify(offered.filter((name) => declared().includes(name)));
    ways.hidden = same;
    try {
      const learnt = same ? null : await ask({ ...asked, known: now });
      // Ticked on meanwhile: the answer to that comes next.
      if (JSON.stringify(now) !== JSON.stringify(known())) return;
      learnt?.points.sort((one, other) => one.distortion - other.distortion);
      answer = learnt;
    } catch (refusal) {
      answer = null;
      problem.tell(refusal.message);
    }
    compared(answer && answer.points);
    show(at);
  }

  // With the place of the point that is chosen, null where none is.
  function show(place) {
    at = place;
    const point = answer && at !== null ? answer.points[at] : null;
    const line = (term, value, why = null) => h("div", {}, h("dt", {}, term), h("dd", {}, value), why && h("dd", { class: "small" }, why));
    fill(outcome, answer ? [
      point ? line(say("Leakage to this attacker"), bits(point.leakage), say("of which {floor} are already known", { floor: bits(answer.floor) }))
        : line(say("Already known to this attacker"), bits(answer.floor)),
      line(say("Guessed correctly by this attacker"), share(point ? point.guess : answer.guess),
        point ? say("without the release: {share}", { share: share(answer.guess) }) : say("before anything is released")),
    ] : null);
  }

  // Another background is another curve.
  function adopt() {
    const now = known();
    const open = (name) => ["both", "public"].includes(roleOf(name));
    const role = (name) => (now.includes(name) ? (open(name) ? "both" : "background") : open(name) ? "public" : "none");
    change("roles", { roles: { ...chosen.roles, ...Object.fromEntries(offered.map((name) => [name, role(name)])) }, points: {} });
  }

  const rest = all.length - offered.length;
  return {
    show,
    element: offered.length ? h("fieldset", { class: "what-if" }, h("legend", {}, say("What if the attacker knew these columns")),
      h("p", { class: "small" }, say("The channels stay as they are; the dotted line is what they leak to this attacker. Nothing is released or kept."), help("attacker")),
      h("div", { class: "row" }, boxes.map((one) => h("label", { class: "row" }, one.input, named(one.name)))),
      rest > 0 ? h("p", { class: "small" }, say("{number} more columns are not shown.", { number: whole(rest) })) : null,
      problem.place, outcome, ways) : null,
  };
}
