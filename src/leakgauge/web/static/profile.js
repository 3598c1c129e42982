// What columns look like: how many values are missing, their shape in a few bars, and the first rows, masked.

import { change, chosen, when } from "./chosen.js";
import { complaint, fill, h, s } from "./elements.js";
import { named, visible } from "./names.js";
import { post } from "./server.js";
import { say } from "./words.js";

const [WIDTH, HEIGHT] = [96, 26];
const known = { question: "", columns: {} };

const question = () => ({ table: chosen.table.id, missing: chosen.missing.trim() ? chosen.missing.trim().split(/\s+/) : [] });

export const profileOf = (name) =>
  (chosen.table && known.question === JSON.stringify(question()) ? known.columns[name] ?? null : null);

// Asked for with every table; what cannot be read is told by the survey.
export async function lookAtShapes() {
  const asked = question();
  if (known.question === JSON.stringify(asked)) return;
  try {
    const columns = await post("api/profile", asked);
    Object.assign(known, { question: JSON.stringify(asked), columns });
    change("surveyed", {});
  } catch {
    // The columns stand there without their shapes.
  }
}

// The shape of a column in bars; its words are for those who do not see it.
export function bars(profile) {
  if (!profile.bars.length) return null;
  const most = Math.max(...profile.bars);
  const wide = WIDTH / Math.max(profile.bars.length, 4);
  return s("svg", { class: "bars", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, role: "img", "aria-label": profile.shape },
    s("title", {}, profile.shape), profile.bars.map((one, at) => {
      const high = Math.max((one / most) * HEIGHT, one > 0 ? 1 : 0);
      return s("rect", { x: at * wide, y: HEIGHT - high, width: wide - 1, height: high });
    }));
}

// The first rows: how values are written, and what they say only once somebody asks for it.
export function previewPanel() {
  const problem = complaint();
  const place = h("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": say("First rows") });
  const values = h("input", { type: "checkbox", change: () => load() });
  const panel = h("details", { class: "preview", toggle: () => load() }, h("summary", {}, say("First rows")),
    h("label", { class: "row" }, values, say("Show the values; otherwise letters are x and digits are 0")), problem.place, place);

  async function load() {
    if (!panel.open || !chosen.table) return fill(place);
    problem.tell(null);
    const shown = values.checked;
    try {
      const answer = await post("api/preview", { ...question(), values: shown });
      if (shown === values.checked) fill(place, rowsOf(answer));
    } catch (refusal) {
      problem.tell(refusal.message);
    }
    return undefined;
  }

  when("table", () => {
    values.checked = false;
    load();
  });
  return panel;
}

function rowsOf({ columns, rows }) {
  const cell = (value) => (value === null ? h("td", { class: "small" }, say("missing")) : h("td", {}, h("bdi", {}, visible(value))));
  const others = chosen.table.columns.length - columns.length;
  return [h("table", { class: "rows" },
    h("thead", {}, h("tr", {}, columns.map((name) => h("th", { scope: "col" }, named(name))))),
    h("tbody", {}, rows.map((row) => h("tr", {}, row.map(cell))))),
  others > 0 ? h("p", { class: "small" }, say("{number} more columns are not shown.", { number: others })) : null];
}
