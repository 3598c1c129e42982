// A channel as a table of probabilities, the darker the likelier. White is 0, or what rounding leaves of it.

import { fill, h } from "./elements.js";
import { named, visible } from "./names.js";
import { help } from "./terms.js";
import { say } from "./words.js";

const LIGHT = [226, 236, 247];
const DARK = [13, 54, 102];

export function channelMap(inputs, outputs, numbered) {
  const heads = outputs.map((name) => h("th", { scope: "col", title: spoken(name) }, h("span", {}, named(spoken(name)))));
  const cells = inputs.map(() => outputs.map(() => h("td")));
  const map = h("table", { class: numbered ? "channel" : "channel small-cells" },
    h("caption", {}, say("Which value is published (columns) for which true value (rows), in percent. White never happens."), help("channel")),
    h("thead", {}, h("tr", {}, h("td", { class: "corner" }, say("true ↓ published →")), heads)),
    h("tbody", {}, inputs.map((name, row) =>
      h("tr", {}, h("th", { scope: "row", title: spoken(name) }, named(spoken(name))), cells[row]))));
  return {
    element: h("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": say("Channel") }, map),
    show({ matrix, told, cells: written }) {
      matrix.forEach((row, input) => row.forEach((probability, output) => {
        const cell = cells[input][output];
        const name = `${spoken(inputs[input])} → ${spoken(outputs[output])}`;
        paint(cell, probability);
        cell.title = say("{name}: {value}", { name, value: told[input][output] });
        if (written) fill(cell, written[input][output]);
      }));
      heads.forEach((head, output) => head.classList.toggle("unused", matrix.every((row) => row[output] < 1e-9)));
    },
  };
}

const spoken = (name) => (name === "" ? say("(empty)") : visible(name));

function paint(cell, probability) {
  const never = probability < 1e-9;
  const colour = LIGHT.map((light, index) => light + (DARK[index] - light) * probability);
  cell.style.backgroundColor = never ? "#fff" : `rgb(${colour.join(" ")})`;
  cell.style.color = luminance(colour) > 0.179 ? "#000" : "#fff";
}

// Of the sRGB colour; black letters are the more readable above 0.179, white ones below.
function luminance(colour) {
  const [red, green, blue] = colour.map((one) => (one <= 10 ? one / 3295 : ((one / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
