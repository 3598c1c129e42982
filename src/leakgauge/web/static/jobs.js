// The job that the page shows: followed while it runs, and found again after a reload.

import { change, chosen } from "./chosen.js";

export const shown = { job: null, all: [], lost: false };
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
  stream = new EventSource(`/api/jobs/${encodeURIComponent(id)}/events`);
  stream.onmessage = (event) => {
    shown.lost = false;
    const job = JSON.parse(event.data);
    if (job.state !== "running") {
      stream.close();
      stream = null;
    }
    arrived(job);
  };
  // The browser tries again by itself.
  stream.onerror = () => {
    shown.lost = true;
    change("progress", {});
  };
  return undefined;
}

function arrived(job) {
  const before = shown.job;
  shown.job = job;
  shown.all = [job, ...shown.all.filter((one) => one.id !== job.id)];
  const other = !before || before.id !== job.id || before.state !== job.state;
  change(other ? "job" : "progress", { job: job.id });
}
