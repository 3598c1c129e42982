// The job that the page shows: followed while it runs, and found again after a reload.

import { change, chosen } from "./chosen.js";
import { aimWords } from "./goals.js";
import { visible } from "./names.js";
import { get, post } from "./server.js";
import { jobState } from "./states.js";

// lost: null, "silent" while the server does not answer, "restarted" where another one does.
export const shown = { job: null, all: [], lost: null };
const AGAIN = 3000;
let stream = null;

export function begin(state) {
  shown.all = state.jobs;
  if (chosen.job) follow(chosen.job);
}

export function follow(id) {
  if (stream) stream.close();
  stream = null;
  const known = shown.all.find((job) => job.id === id);
  if (known && known.state !== "running") return arrived(known);
  const mine = new EventSource(`api/jobs/${encodeURIComponent(id)}/events`);
  stream = mine;
  mine.onmessage = (event) => {
    shown.lost = null;
    const job = JSON.parse(event.data);
    if (job.state !== "running") {
      mine.close();
      if (stream === mine) stream = null;
    }
    arrived(job);
  };
  mine.onerror = () => {
    if (stream !== mine) return;
    // Silence the browser tries again by itself; after an answer that is no it gives up.
    if (mine.readyState === EventSource.CLOSED) recover(mine, id);
    else lose("silent");
  };
  return undefined;
}

function lose(how) {
  shown.lost = how;
  change("progress", {});
}

async function recover(mine, id) {
  try {
    const { jobs } = await get("api/state");
    if (stream !== mine) return;
    shown.all = jobs;
    if (jobs.some((job) => job.id === id)) setTimeout(() => { if (stream === mine) follow(id); }, AGAIN);
    else lose("silent");
  } catch (refusal) {
    lose(refusal.status === 403 ? "restarted" : "silent");
  }
}

// Run a job and follow it; where another one runs already, that one is followed and the refusal told.
export async function launch(asked) {
  try {
    const job = await post("api/jobs", asked);
    // It may be an earlier one that goes on.
    shown.all = shown.all.filter((one) => one.id !== job.id);
    follow(job.id);
  } catch (refusal) {
    if (refusal.status === 409) {
      const { jobs } = await get("api/state");
      const running = jobs.find((job) => job.state === "running");
      if (running) {
        shown.all = jobs;
        follow(running.id);
      }
    }
    throw refusal;
  }
}

function arrived(job) {
  const before = shown.job;
  shown.job = job;
  // In its place: who goes through the list by keys must not have it turned under them.
  const known = shown.all.some((one) => one.id === job.id);
  shown.all = known ? shown.all.map((one) => (one.id === job.id ? job : one)) : [job, ...shown.all];
  const other = !before || before.id !== job.id || before.state !== job.state;
  change(other ? "job" : "progress", { job: job.id });
}

// What is recommended, or how the job ended.
export const outcomeOf = (job) => job.outcome || jobState(job.state);

// What a job is about: its table, secret, aim and hour; names written by the given function.
export function about({ asked, started }, write = visible) {
  const names = [asked.table, ...(asked.secret || []), ...(asked.withhold || [])].filter(Boolean).map(write);
  return [...names, ...[aimWords(asked), started].filter(Boolean)];
}
