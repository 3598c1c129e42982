// Every job in the results folder, and two of them side by side.

import { fill, h, wide } from "./elements.js";
import { about, follow, outcomeOf, shown } from "./jobs.js";
import { isolated, listed, named } from "./names.js";
import { aimWords } from "./goals.js";
import { say } from "./words.js";

const secretsOf = ({ asked }) => [...(asked.secret || []), ...(asked.withhold || [])];

const scrolled = (name, table) => [wide(), h("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": name }, table)];

// A column without a name, of buttons or above the names of rows, is no head of anything.
const headed = (cells) => h("thead", {}, h("tr", {}, cells.map((name) => (name ? h("th", { scope: "col" }, name) : h("td")))));

// All jobs, the last one first; each can be shown.
export function history() {
  if (shown.all.length < 2) return null;
  const show = (job) => h("button", {
    type: "button", class: "plain", "aria-label": say("Show {name}", { name: about(job, isolated).join(say(", ")) || job.id }), click: () => follow(job.id),
  }, say("Show"));
  const line = (job) => h("tr", { class: shown.job?.id === job.id ? "here" : null },
    h("th", { scope: "row" }, job.started || job.id), h("td", {}, job.asked.table ? named(job.asked.table) : "—"),
    h("td", {}, listed(secretsOf(job))), h("td", {}, aimWords(job.asked) || "—"), h("td", {}, outcomeOf(job)), h("td", {}, show(job)));
  return h("details", { class: "history" }, h("summary", {}, say("History")), scrolled(say("History"),
    h("table", { class: "secrets" }, headed([say("When"), say("Table"), say("Secret"), say("Aim"), say("Recommendation"), ""]),
      h("tbody", {}, shown.all.map(line)))));
}

// The job beside another one that ended with numbers.
export function comparison(job) {
  const others = shown.all.filter((one) => one.id !== job.id && one.in_short.length);
  if (!job.in_short.length || !others.length) return null;
  const place = h("div", { id: "comparison", "aria-live": "polite" });
  const list = h("select", { id: "other", change: () => fill(place, beside(job, others.find((one) => one.id === list.value))) },
    h("option", { value: "" }, say("choose …")),
    others.map((one) => h("option", { value: one.id }, [about(one, isolated).join(say(", ")) || one.id, outcomeOf(one)].join(" · "))));
  return h("div", {}, h("h3", {}, say("Compare")),
    h("p", { class: "row" }, h("label", { for: "other" }, say("This result beside")), list), place);
}

function beside(job, other) {
  if (!other) return null;
  const both = (read) => [job, other].map(read);
  const lines = [
    [say("Recommendation"), both(outcomeOf)],
    [say("Table"), both((one) => named(one.asked.table || "—"))],
    [say("Secret"), both((one) => listed(secretsOf(one)))],
    [say("Aim"), both((one) => aimWords(one.asked) || "—")],
    [say("Public columns"), both((one) => (one.asked.public?.length ? listed(one.asked.public) : "—"))],
    [say("Background"), both((one) => (one.asked.background?.length ? listed(one.asked.background) : "—"))],
    ...job.in_short.map(([name], at) => [name, both((one) => one.in_short[at][1])]),
  ];
  const text = (cells) => cells.map((cell) => [cell].flat().map((part) => part.textContent ?? part).join(""));
  return scrolled(say("Compare"), h("table", { class: "secrets" },
    headed(["", ...both((one) => (one.started || one.id))]),
    h("tbody", {}, lines.map(([name, cells]) => h("tr", { class: text(cells)[0] === text(cells)[1] ? null : "differs" },
      h("th", { scope: "row" }, name), cells.map((cell) => h("td", {}, cell)))))));
}
