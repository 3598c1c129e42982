// Tables opened by their path: at first, again, and with the settings of an earlier job.

import { adopt, change, chosen, keyOf, nothing } from "./chosen.js";
import { DECIDED, DECLARED } from "./declared.js";
import { aimOf } from "./goals.js";
import { h } from "./elements.js";
import { isolated } from "./names.js";
import { get, post, Refusal } from "./server.js";
import { say } from "./words.js";

export const tableAt = (path) => post("api/tables", { path });

// The way out of a refusal that the table is another one by now, or not open any more; null where there is none.
export function reopening(refusal, problem) {
  const { path } = chosen.table;
  if (!path || ![404, 409].includes(refusal.status)) return null;
  async function reopen() {
    try {
      adopt(await tableAt(path));
    } catch (again) {
      problem.tell(again.message);
    }
  }
  return h("button", { type: "button", class: "quiet", click: reopen }, say("Open it again"));
}

// The table of a job, opened where it is not.
async function tableOf(job) {
  if (job.path) return tableAt(job.path);
  const { tables } = await get("api/state");
  const table = tables.find((one) => one.name === job.asked.table);
  if (table) return table;
  throw new Refusal(say("{name} is not open any more; drop it again.", { name: isolated(job.asked.table || "") }), 404);
}

// The table of a job, which is opened for it, with its settings or those that it was advised.
export async function takeSettings(job, asked = job.asked) {
  const table = await tableOf(job);
  const { secret = [], withhold = [], background = [], public: open = [], unit = null, bins = [], missing = [] } = asked;
  const roles = Object.fromEntries([
    ...open.map((name) => [name, background.includes(name) ? "both" : "public"]),
    ...background.filter((name) => !open.includes(name)).map((name) => [name, "background"]),
    ...secret.map((name) => [name, "secret"]), ...withhold.map((name) => [name, "withheld"]),
    ...(unit === null ? [] : [[unit, "unit"]]),
  ]);
  const known = new Set(table.columns.map((column) => column.name));
  const lacking = Object.keys(roles).find((name) => !known.has(name));
  if (lacking !== undefined) {
    throw new Refusal(say("The table has no column {name} any more.", { name: isolated(lacking) }), 404);
  }
  const fields = nothing();
  fields.goal = aimOf(asked) || fields.goal;
  const limit = asked[fields.goal] ?? null;
  const together = Boolean(asked.together);
  const each = together ? [keyOf(secret)] : secret;
  if (fields.goal === "max_distortion") fields.points = typeof limit === "object" ? limit : Object.fromEntries(each.map((key) => [key, limit]));
  else if (limit !== null) fields.limits[fields.goal] = typeof limit === "object" ? limit : String(limit);
  for (const name of ["use", "min_usefulness", ...DECIDED, ...DECLARED]) fields[name] = String(asked[name] ?? fields[name]);
  change("table", {
    table, ...fields, roles, together, keep_order: Boolean(asked.keep_order), order_by: asked.order_by ?? "",
    rows_per_unit: String(asked.rows_per_unit ?? ""),
    accept: asked.accept_unique || [], shares: asked.public_distortion || {}, missing: missing.join(" "),
    bins: Object.fromEntries(bins.map((text) => [text.slice(0, text.lastIndexOf("=")), text.slice(text.lastIndexOf("=") + 1)])),
  });
  return table;
}
