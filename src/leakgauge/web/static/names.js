// Names from a table, such that they cannot rewrite what stands around them.

import { h } from "./elements.js";
import { say } from "./words.js";

// Controls, and marks that turn the direction of writing or have no width; joiners within words are left alone.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

// The name with what cannot be seen written as escapes.
export function visible(text) {
  return String(text).replace(UNSEEN, (mark) => `\\u${mark.codePointAt(0).toString(16).padStart(4, "0")}`);
}

// The name as an element of its own: letters that run from right to left stay inside it.
export const named = (text) => h("bdi", {}, visible(text));

export const listed = (names) => names.flatMap((name, at) => (at ? [say(", "), named(name)] : [named(name)]));

// The same where only text can stand.
export const isolated = (text) => `\u2068${visible(text)}\u2069`;
