// What was chosen on the page, kept for a reload of the same tab; those who show it are told when it changes.

const KEPT = "leakgauge";
const heard = new EventTarget();

export const nothing = () => ({
  roles: {}, together: false, keep_order: false, order_by: "", rows_per_unit: "", accept: [], bins: {}, missing: "", source: "",
  shares: {}, goal: "min_protection", points: {}, limits: { min_protection: "60", max_leakage: "", local_dp: "", within: "" },
  use: "statistics", min_usefulness: "", purpose: "", recipient: "", review: "", prepared_by: "", contact: "", terms: "",
  keep: "shares", distortion: "hamming", releases_per_period: "", policy: "", ledger: "",
});

export const chosen = { table: null, job: null, ...nothing() };

// open(path): the table of a path, for one that a new server does not know yet.
export async function restore(state, open) {
  let kept = {};
  try {
    kept = JSON.parse(sessionStorage.getItem(KEPT)) || {};
  } catch {
    // Nothing that can be read was kept.
  }
  const before = kept.table || {};
  const known = state.tables.find((one) => one.id === before.id);
  const table = known || (before.path ? await open(before.path).catch(() => null) : null);
  if (table && sameColumns(table, before)) Object.assign(chosen, kept, { table });
  const running = state.jobs.find((job) => job.state === "running");
  chosen.job = (running || state.jobs.find((job) => job.id === kept.job) || {}).id || null;
}

export function change(what, fields) {
  Object.assign(chosen, fields);
  keep();
  heard.dispatchEvent(new Event(what));
}

// Another table, or the same one again: with the same columns it has the same roles.
export function adopt(table) {
  change("table", { table, ...(chosen.table && sameColumns(table, chosen.table) ? {} : nothing()) });
}

function sameColumns(one, other) {
  const written = ({ columns }) => JSON.stringify((columns || []).map(({ name, kind }) => [name, kind]));
  return written(one) === written(other);
}

export function keep() {
  sessionStorage.setItem(KEPT, JSON.stringify(chosen));
}

export function when(events, listener) {
  for (const event of events.split(" ")) heard.addEventListener(event, listener);
}

// none, secret, withheld, public, background, both (background and public) or unit.
export const roleOf = (name) => chosen.roles[name] || "none";

// The columns with one of these roles, in the order of the table.
export const columnsOf = (...roles) =>
  (chosen.table ? chosen.table.columns : []).map(({ name }) => name).filter((name) => roles.includes(roleOf(name)));

// The released secrets by the channels they go through: each alone, or all together.
export function groups() {
  const secrets = columnsOf("secret");
  return chosen.together && secrets.length > 1 ? [secrets] : secrets.map((name) => [name]);
}

// What is measured: the groups, and each secret that is withheld.
export const sources = () => [...groups(), ...columnsOf("withheld").map((name) => [name])];

export const keyOf = (source) => source.join("\n");

// The source that steps 3 and 4 show; null where no secret is chosen.
export const shownSource = () => sources().find((one) => keyOf(one) === chosen.source) || sources()[0] || null;

function binsAndMissing() {
  const used = ([name, how]) => how && !["none", "unit"].includes(roleOf(name));
  return {
    bins: Object.entries(chosen.bins).filter(used).map((one) => one.join("=")),
    missing: chosen.missing.trim() ? chosen.missing.trim().split(/\s+/) : [],
  };
}

// What steps 3 and 4 ask about the source that is shown, as the server wants it.
export const question = () => ({ ...surveyQuestion(), secret: shownSource(), background: columnsOf("background", "both") });

export const surveyQuestion = () =>
  ({ table: chosen.table.id, secret: columnsOf("secret", "withheld"), unit: columnsOf("unit")[0] ?? null, ...binsAndMissing() });

// The share of values that may be changed of public columns which go through a channel.
const publicShares = () => Object.fromEntries(columnsOf("public").map((name) => [name, chosen.shares[name]])
  .filter(([, share]) => share !== undefined && share !== "").map(([name, share]) => [name, Number(share)]));

// What a job is asked, beside its goal and what it is for.
export function asked() {
  const open = columnsOf("public", "both");
  const counted = columnsOf("unit").length && chosen.rows_per_unit !== "";
  return {
    ...surveyQuestion(),
    secret: columnsOf("secret"),
    withhold: columnsOf("withheld"),
    background: columnsOf("background", "both"),
    public: open,
    public_distortion: Object.keys(publicShares()).length ? publicShares() : null,
    rows_per_unit: counted ? Number(chosen.rows_per_unit) : null,
    together: groups().some((group) => group.length > 1),
    accept_unique: open.filter((name) => chosen.accept.includes(name)),
    keep_order: chosen.keep_order,
    order_by: chosen.order_by && (chosen.keep_order || open.includes(chosen.order_by)) ? chosen.order_by : null,
  };
}
