// What was chosen on the page, kept for a reload of the same tab; those who show it are told when it changes.

const KEPT = "leakgauge";
const heard = new EventTarget();

export const nothing = () => ({
  secret: null, background: [], public: [], bins: {}, missing: "", goal: "max_distortion", point: null,
  limits: { max_leakage: "", local_dp: "", target: "good" },
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

// The question that every step asks of the table, as the server wants it.
export function question() {
  const used = new Set([chosen.secret, ...chosen.background, ...chosen.public]);
  return {
    table: chosen.table.id,
    secret: chosen.secret,
    background: chosen.background,
    bins: Object.entries(chosen.bins).filter(([name, how]) => how && used.has(name)).map((one) => one.join("=")),
    missing: chosen.missing.trim() ? chosen.missing.trim().split(/\s+/) : [],
  };
}
