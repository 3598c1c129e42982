// Names from a table, such that they cannot rewrite what stands around them.

import { h } from "./elements.js";
import { say } from "./words.js";

// Controls, and marks that turn the direction of writing or have no width: the same as in visible.py.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}\ud800-\udfff\ufffe\uffff]/gu;

// The name with what cannot be seen written as escapes.
export function visible(text) {
  return String(text).replace(UNSEEN, (mark) => {
    const code = mark.codePointAt(0).toString(16);
    return code.length <= 2 ? `\\x${code.padStart(2, "0")}` : code.length <= 4 ? `\\u${code.padStart(4, "0")}` : `\\U${code.padStart(8, "0")}`;
  });
}

// The name as an element of its own: letters that run from right to left stay inside it.
export const named = (text) => h("bdi", {}, visible(text));

export const listed = (names) => names.flatMap((name, at) => (at ? [say(", "), named(name)] : [named(name)]));

// The same where only text can stand.
export const isolated = (text) => `\u2068${visible(text)}\u2069`;
