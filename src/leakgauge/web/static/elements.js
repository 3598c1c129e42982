// Elements made from data. Nothing is ever parsed as HTML, so names from a table are only ever text.

import { say } from "./words.js";

const DRAWING = "http://www.w3.org/2000/svg";

export function h(tag, attributes = {}, ...children) {
  return dressed(document.createElement(tag), attributes, children);
}

export function s(tag, attributes = {}, ...children) {
  return dressed(document.createElementNS(DRAWING, tag), attributes, children);
}

function dressed(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

export function fill(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

// A place for one sentence about what went wrong, next to what caused it, and perhaps a way out to press.
export function complaint() {
  const place = h("p", { class: "complaint", role: "alert", hidden: true });
  return {
    place,
    tell(sentence, wayOut = null) {
      fill(place, sentence || "", wayOut && [" ", wayOut]);
      place.hidden = !sentence;
    },
  };
}

// What is wider than a narrow screen scrolls within its frame; there this says so.
export const wide = () => h("p", { class: "small wide" }, say("Scroll sideways to see all of it."));

// A picture from the server as an image: its ids and its text stay inside it.
export function picture(source, told) {
  const box = h("div");
  const lacking = () => fill(box, h("p", { class: "small" }, say("The files of this job do not hold what this picture shows.")));
  const image = h("img", { src: source, alt: told, error: lacking });
  box.append(wide(), h("div", { class: "picture", role: "region", tabindex: "0", "aria-label": told }, image));
  return box;
}

export function pictureOf(svg, told) {
  return picture(`data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`, told);
}
