// Step 5: the job, with its progress, which goes on without the page and is found again by it.

import { chosen, question, when } from "./chosen.js";
import { complaint, fill, h } from "./elements.js";
import { found } from "./found.js";
import { goal, goalWords, KINDS } from "./goals.js";
import { jobState, stageName, stageState } from "./grades.js";
import { about, launch, shown } from "./jobs.js";
import { listed, named } from "./names.js";
import { whole } from "./numbers.js";
import { reopening, takeSettings } from "./opening.js";
import { post } from "./server.js";
import { step, waiting } from "./steps.js";
import { around, say } from "./words.js";

export function protectStep() {
  const { section, body, line, tell } = step(5, "protect", say("Protect"),
    say("The job designs the channel, makes the release, attacks it, grades it and writes the report. It goes on if this page is closed."));
  const problem = complaint();
  const plan = h("div", { class: "fact" });
  const start = h("button", { type: "button", class: "main", click: run }, say("Protect"));
  const stop = h("button", { type: "button", class: "quiet", hidden: true, click: halt }, say("Stop"));
  const onwards = h("button", { type: "button", class: "quiet", click: goOn }, say("Continue this job"));
  const take = h("button", { type: "button", class: "quiet", click: takeUp }, say("Take its settings"));
  const before = h("div", { class: "row" }, onwards, take);
  const heading = h("div", { class: "about" });
  const stages = h("ol", { class: "stages" });
  const status = h("p", { class: "status", role: "status", "aria-live": "polite" });
  const onward = h("a", { href: "#result", hidden: true }, say("To the result"));

  // What was pressed does its work, and says beside it what went wrong.
  async function attempt(work) {
    problem.tell(null);
    try {
      await work();
    } catch (refusal) {
      const running = shown.job !== null && shown.job.state === "running";
      problem.tell(refusal.message, running || !chosen.table ? null : reopening(refusal, problem));
    }
    show();
  }

  function run() {
    // Not disabled: it would lose the focus of who pressed it.
    if (start.getAttribute("aria-disabled") === "true") return;
    start.setAttribute("aria-disabled", "true");
    attempt(() => launch({ ...question(), public: chosen.public, ...goal() }));
  }

  function halt() {
    attempt(() => post(`api/jobs/${encodeURIComponent(shown.job.id)}/stop`));
  }

  function takeUp() {
    attempt(() => takeSettings(shown.job));
  }

  // The same question again: the job keeps what it has finished.
  function goOn() {
    const { job } = shown;
    const { secret, background = [], public: open = [], bins = [], missing = [] } = job.asked;
    const aim = KINDS.filter((kind) => (job.asked[kind] ?? null) !== null).map((kind) => [kind, job.asked[kind]]);
    attempt(async () => {
      const { id: table } = await takeSettings(job);
      await launch({ table, secret, background, public: open, bins, missing, ...Object.fromEntries(aim) });
    });
  }

  function show() {
    const { job } = shown;
    const running = job !== null && job.state === "running";
    const ready = chosen.table && chosen.secret && !found.failed && goal();
    fill(plan, ready ? planned() : waiting(say("Choose a table, a secret and how much to give up first.")));
    start.setAttribute("aria-disabled", String(!ready || running));
    if (!running && document.activeElement === stop) start.focus();
    stop.hidden = !running;
    const asked = job !== null && Boolean(job.asked.secret);
    onwards.hidden = !asked || !["stopped", "failed"].includes(job.state);
    take.hidden = !asked || running || !differences(job).length;
    before.hidden = onwards.hidden && take.hidden;
    tell(job ? jobState(job.state) : "", !ready && !job);
    progress();
  }

  function progress() {
    const { job } = shown;
    stages.hidden = heading.hidden = job === null;
    if (job === null) return;
    fill(heading, jobHead(job));
    fill(stages, job.stages.map(stage));
    const now = statusWords(job);
    // Said once a stage: a sentence for every percent would drown a listener.
    if (status.textContent !== now) status.textContent = now;
    status.className = `status ${job.state}`;
    onward.hidden = job.state === "running";
  }

  body.append(plan, h("div", { class: "row" }, start, stop), problem.place, heading, before, stages, status, onward);
  when("table roles goal measured job", show);
  when("progress", progress);
  show();
  return { section, line };
}

// Which job this is about, and in what it differs from what is chosen on the page now.
export function jobHead(job) {
  const told = about(job, named).flatMap((one, at) => (at ? [", ", one] : [one]));
  const other = chosen.table && chosen.secret ? differences(job) : [];
  return [
    h("p", { class: "job-head" }, h("strong", {}, around(say("Job: {job}"), { job: told }))),
    job.started_here === false
      ? h("p", { class: "small" }, say("Found in the results folder; this server did not start it.")) : null,
    other.length ? h("p", { class: "small other" },
      say("Not what is chosen above, which has another {what}.", { what: other.join(say(", ")) })) : null,
  ];
}

function differences({ asked }) {
  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
  const sorted = (names) => [...(names || [])].sort();
  const now = chosen.table ? question() : {};
  const aim = (one) => KINDS.filter((kind) => ((one || {})[kind] ?? null) !== null).map((kind) => [kind, String(one[kind])]);
  return [
    [say("table"), chosen.table && chosen.table.name, asked.table],
    [say("secret"), chosen.secret, asked.secret],
    [say("background"), sorted(chosen.background), sorted(asked.background)],
    [say("set of public columns"), sorted(chosen.public), sorted(asked.public)],
    [say("set of ranges"), sorted(now.bins), sorted(asked.bins)],
    [say("text for missing"), sorted(now.missing), sorted(asked.missing)],
    [say("aim"), aim(goal()), aim(asked)],
  ].filter(([, one, other]) => !same(one, other)).map(([name]) => name);
}

function planned() {
  const names = { secret: named(chosen.secret), open: listed(chosen.public) };
  const words = { goal: goalWords() };
  return around(chosen.public.length
    ? say("{secret} is published protected ({goal}), and as public columns {open}; nothing else is published.", words)
    : say("{secret} is published protected ({goal}); nothing else is published.", words), names);
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
  if (shown.lost === "restarted" && running) {
    return say("The server was started again; open the new address that it printed. The job can be continued there.");
  }
  if (shown.lost && running) return say("The server does not answer; trying again. The job is not lost.");
  if (!running) return [jobState(job.state), job.message].filter(Boolean).join(": ");
  const place = job.stages.findIndex((one) => one.state === "running");
  if (place < 0) return say("Starting …");
  const fields = { number: place + 1, all: job.stages.length, stage: stageName(job.stages[place].name) };
  return say("Step {number} of {all}: {stage}", fields);
}
