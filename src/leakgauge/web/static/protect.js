// Step 5: the job, with its progress, which goes on without the page and is found again by it.

import { goal, goalWords } from "./choose.js";
import { chosen, question, when } from "./chosen.js";
import { complaint, fill, h } from "./elements.js";
import { jobState, stageName, stageState } from "./grades.js";
import { follow, shown } from "./jobs.js";
import { whole } from "./numbers.js";
import { post } from "./server.js";
import { step, waiting } from "./steps.js";
import { say } from "./words.js";

export function protectStep() {
  const { section, body, line, tell } = step(5, "protect", say("Protect"),
    say("The job designs the channel, makes the release, attacks it, grades it and writes the report. It goes on if this page is closed."));
  const problem = complaint();
  const plan = h("div", { class: "fact" });
  const start = h("button", { type: "button", class: "main", click: run }, say("Protect"));
  const stop = h("button", { type: "button", class: "quiet", hidden: true, click: halt }, say("Stop"));
  const stages = h("ol", { class: "stages" });
  const status = h("p", { class: "status", role: "status", "aria-live": "polite" });

  const onward = h("a", { href: "#result", hidden: true }, say("To the result"));

  async function run() {
    // Not disabled: it would lose the focus of who pressed it.
    if (start.getAttribute("aria-disabled") === "true") return;
    problem.tell(null);
    start.setAttribute("aria-disabled", "true");
    try {
      const job = await post("/api/jobs", { ...question(), public: chosen.public, ...goal() });
      follow(job.id);
    } catch (refusal) {
      problem.tell(refusal.message);
    }
    show();
  }

  async function halt() {
    problem.tell(null);
    try {
      await post(`/api/jobs/${encodeURIComponent(shown.job.id)}/stop`);
    } catch (refusal) {
      problem.tell(refusal.message);
    }
  }

  function show() {
    const { job } = shown;
    const running = job !== null && job.state === "running";
    const ready = chosen.table && chosen.secret && goal();
    fill(plan, ready ? planned() : waiting(say("Choose a table, a secret and how much to give up first.")));
    start.setAttribute("aria-disabled", String(!ready || running));
    stop.hidden = !running;
    tell(job ? jobState(job.state) : "", !ready && !job);
    progress();
  }

  function progress() {
    const { job } = shown;
    stages.hidden = job === null;
    if (job === null) return;
    fill(stages, job.stages.map(stage));
    const now = statusWords(job);
    // Said once a stage: a sentence for every percent would drown a listener.
    if (status.textContent !== now) status.textContent = now;
    status.className = `status ${job.state}`;
    onward.hidden = job.state === "running";
  }

  body.append(plan, h("div", { class: "row" }, start, stop), problem.place, stages, status, onward);
  when("table roles goal job", show);
  when("progress", progress);
  show();
  return { section, line };
}

function planned() {
  const open = [...chosen.background, ...chosen.public];
  const words = { secret: chosen.secret, goal: goalWords(), open: open.join(", ") };
  return open.length
    ? say("{secret} is published protected ({goal}); as in the table: {open}; nothing else leaves the house.", words)
    : say("{secret} is published protected ({goal}); nothing else leaves the house.", words);
}

function stage({ name, state, done, total }) {
  const known = state === "running" && total > 0;
  const bar = state === "running"
    ? h("progress", { max: known ? total : null, value: known ? done : null, "aria-label": stageName(name) }) : null;
  return h("li", { class: state, "aria-current": state === "running" ? "step" : null },
    h("span", { class: "name" }, stageName(name)), bar,
    h("span", { class: "small" }, known ? `${whole(done)} / ${whole(total)}` : stageState(state)));
}

function statusWords(job) {
  const running = job.state === "running";
  if (shown.lost && running) return say("The server does not answer; trying again. The job is not lost.");
  if (!running) return [jobState(job.state), job.message].filter(Boolean).join(": ");
  const place = job.stages.findIndex((one) => one.state === "running");
  if (place < 0) return say("Starting …");
  const fields = { number: place + 1, all: job.stages.length, stage: stageName(job.stages[place].name) };
  return say("Step {number} of {all}: {stage}", fields);
}
