// Which secret steps 3 and 4 show, where there are several.

import { change, keyOf, shownSource, sources } from "./chosen.js";
import { h } from "./elements.js";
import { isolated } from "./names.js";
import { say } from "./words.js";

export function sourceChoice() {
  if (sources().length < 2) return null;
  const shown = keyOf(shownSource());
  return h("label", { class: "row" }, say("Secret shown here"),
    h("select", { class: "source", change: (event) => change("source", { source: event.target.value }) },
      sources().map((one) =>
        h("option", { value: keyOf(one), selected: keyOf(one) === shown }, one.map(isolated).join(say(", "))))));
}
