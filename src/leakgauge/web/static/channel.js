// A channel as a table of probabilities, the darker the likelier. White is 0, or what rounding leaves of it.

import { fill, h } from "./elements.js";
import { named, visible } from "./names.js";
import { share } from "./numbers.js";
import { help } from "./terms.js";
import { say } from "./words.js";

const LIGHT = [226, 236, 247];
const DARK = [13, 54, 102];
const READABLE = 12;

export function channelMap(inputs, outputs) {
  const numbered = Math.max(inputs.length, outputs.length) <= READABLE;
  const heads = outputs.map((name) => h("th", { scope: "col", title: written(name) }, h("span", {}, named(written(name)))));
  const cells = inputs.map(() => outputs.map(() => h("td")));
  const map = h("table", { class: numbered ? "channel" : "channel small-cells" },
    h("caption", {}, say("Which value is published (columns) for which true value (rows), in percent. White never happens."), help("channel")),
    h("thead", {}, h("tr", {}, h("td", { class: "corner" }, say("true ↓ published →")), heads)),
    h("tbody", {}, inputs.map((name, row) =>
      h("tr", {}, h("th", { scope: "row", title: written(name) }, named(written(name))), cells[row]))));
  return {
    element: h("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": say("Channel") }, map),
    show(matrix) {
      matrix.forEach((row, input) => row.forEach((probability, output) => {
        const drawn = `${written(inputs[input])} → ${written(outputs[output])}`;
        const told = say("{name}: {value}", { name: drawn, value: share(probability) });
        paint(cells[input][output], probability, numbered, told);
      }));
      heads.forEach((head, output) => head.classList.toggle("unused", matrix.every((row) => row[output] < 1e-9)));
    },
  };
}

const written = (name) => (name === "" ? say("(empty)") : visible(name));

function paint(cell, probability, numbered, told) {
  const never = probability < 1e-9;
  const colour = LIGHT.map((light, index) => Math.round(light + (DARK[index] - light) * probability));
  cell.style.backgroundColor = never ? "#fff" : `rgb(${colour.join(" ")})`;
  cell.style.color = luminance(colour) > 0.179 ? "#000" : "#fff";
  cell.title = told;
  if (numbered) fill(cell, never ? "" : probability < 0.005 ? "<1" : String(Math.round(probability * 100)));
}

// Of the sRGB colour; black letters are the more readable above 0.179, white ones below.
function luminance(colour) {
  const [red, green, blue] = colour.map((one) => (one <= 10 ? one / 3295 : ((one / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
