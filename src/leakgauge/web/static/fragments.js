// What the server has written, put into place: findings as HTML in which it escaped every name.

import { h } from "./elements.js";

// The elements of a fragment; never made from what somebody typed.
export function fragment(html) {
  const made = document.createElement("template");
  made.innerHTML = html;
  return [...made.content.childNodes];
}

export const findings = (html, kind = "told") => (html ? h("div", { class: kind }, fragment(html)) : null);
