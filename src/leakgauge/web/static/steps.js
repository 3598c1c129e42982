// The frame of a step: a numbered section, and its line in the list of steps.

import { fill, h } from "./elements.js";
import { termsOf } from "./terms.js";

export function step(number, key, title, lead) {
  const body = h("div", { class: "body" });
  const note = h("span", { class: "note" });
  const line = h("li", {}, h("a", { href: `#${key}` },
    h("span", { class: "count", "aria-hidden": "true" }, String(number)), h("span", {}, title, note)));
  const section = h("section", { id: key, "aria-labelledby": `${key}-title` },
    h("h2", { id: `${key}-title` }, h("span", { class: "count", "aria-hidden": "true" }, String(number)), title),
    h("p", { class: "lead" }, lead), body, termsOf(key));
  return {
    section, body, line,
    // What the list of steps says of this one, a text or an element; a step that waits for another is shown so.
    tell(text, waiting = false) {
      fill(note, text);
      line.classList.toggle("waiting", waiting);
      section.classList.toggle("waiting", waiting);
    },
  };
}

export const waiting = (sentence) => h("p", { class: "waits" }, sentence);

export const busy = (sentence) =>
  h("p", { class: "busy", role: "status" }, h("span", { class: "dot", "aria-hidden": "true" }), sentence);
