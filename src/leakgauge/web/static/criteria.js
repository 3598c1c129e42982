// What explains a verdict and decides nothing: five criteria that open to their indicators, and the paper's own score.

import { h } from "./elements.js";
import { points, share, short } from "./numbers.js";
import { help } from "./terms.js";
import { say } from "./words.js";

export function criteriaOf(verdict, key) {
  const beside = verdict.beside[key];
  if (!beside) return null;
  const { criteria, needed, audit, beside: told } = beside.criteria;
  return h("div", { class: "criteria" }, h("h3", {}, say("What explains it"), help("criterion")),
    h("p", { class: "small" }, say("The criteria explain the scores and do not affect the decision. Press one for the indicators that it rests on.")),
    [...criteria, needed, audit].filter(Boolean).map(criterion), told ? h("p", {}, told) : null, others(beside));
}

function criterion({ key, name, points: found, said, leaves }) {
  const value = found ? points(found) : said || say("not known");
  return h("details", { "data-criterion": key },
    h("summary", {}, h("span", {}, name), found ? h("meter", { min: "0", max: "100", value: String(found.value), "aria-label": name }) : null,
      h("span", { class: "value" }, value)),
    h("dl", { class: "leaves" }, leaves.map(leaf)));
}

function leaf({ leaf: key, name, value, unit, points: found, standing, weight, source }) {
  const told = [
    value === null ? null : `${short(value)} ${unit || ""}`.trim(),
    found ? say("{points} of 100", { points: points(found) }) : null,
    standingWords(standing), weight > 0 ? say("weight {share}", { share: share(weight) }) : say("shown, not counted"),
  ].filter(Boolean);
  return h("div", { "data-leaf": key }, h("dt", {}, `${key} ${name}`),
    h("dd", {}, told.join(" · ")), source ? h("dd", { class: "small" }, source) : null);
}

function standingWords(word) {
  const words = {
    measured: say("measured"), declared: say("declared"), missing: say("missing"), asked: say("asked of people"),
  };
  return words[word] || word;
}

// Scores that are shown and do not decide, each with why.
function others({ published, over_arcs: arcs, comprehensive }) {
  const told = [
    published && [say("The paper's score: {score} of 100, {grade}", { score: points(published.score), grade: published.grade }), published.why_not],
    arcs && arcs.score !== null && [say("The score over the arcs of the diagram: {score} of 100", { score: points(arcs.score) }), arcs.why_not],
    comprehensive && [say("The comprehensive evaluation: {grade}", { grade: comprehensive.grade }), comprehensive.why_not],
  ].filter(Boolean);
  return told.length ? h("details", {}, h("summary", {}, say("Scores that do not decide")),
    told.map(([score, why]) => h("p", {}, score, h("br"), h("span", { class: "small" }, why)))) : null;
}
