// What was chosen on the page, kept for a reload of the same tab; those who show it are told when it changes.

const KEPT = "leakgauge";
const heard = new EventTarget();

export const nothing = () => ({
  secret: null, background: [], public: [], bins: {}, missing: "", goal: "max_distortion", point: null,
  limits: { max_leakage: "", local_dp: "", target: "good" },
});

export const chosen = { table: null, job: null, ...nothing() };

export function restore(state) {
  let kept = {};
  try {
    kept = JSON.parse(sessionStorage.getItem(KEPT)) || {};
  } catch {
    // Nothing that can be read was kept.
  }
  const table = state.tables.find((one) => one.id === kept.table) || null;
  if (table) Object.assign(chosen, kept, { table });
  const running = state.jobs.find((job) => job.state === "running");
  chosen.job = (running || state.jobs.find((job) => job.id === kept.job) || {}).id || null;
}

export function change(what, fields) {
  Object.assign(chosen, fields);
  keep();
  heard.dispatchEvent(new Event(what));
}

export function keep() {
  sessionStorage.setItem(KEPT, JSON.stringify({ ...chosen, table: chosen.table && chosen.table.id }));
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
