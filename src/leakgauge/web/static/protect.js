// Step 5: the job, with its progress, which goes on without the page and is found again by it.

import { asked, chosen, columnsOf, groups, when } from "./chosen.js";
import { complaint, fill, h } from "./elements.js";
import { found } from "./found.js";
import { DECIDED, DECLARED, declared } from "./declared.js";
import { goal, goalProblem, goalWords, KINDS } from "./goals.js";
import { about, launch, shown } from "./jobs.js";
import { listed, named } from "./names.js";
import { reopening, takeSettings } from "./opening.js";
import { latest, post } from "./server.js";
import { jobState, stageName, stageState } from "./states.js";
import { step, waiting } from "./steps.js";
import { acceptance } from "./survey.js";
import { help } from "./terms.js";
import { around, say } from "./words.js";

export function protectStep() {
  const { section, body, line, tell } = step(5, "protect", say("Protect"),
    say("The job designs the channel, makes the release, attacks it, judges it and writes the report. It keeps running if this page is closed."));
  const problem = complaint();
  const plan = h("div", { class: "fact" });
  const start = h("button", { type: "button", class: "main", click: run }, say("Protect"));
  const stop = h("button", { type: "button", class: "quiet", hidden: true, click: halt }, say("Stop"));
  const onwards = h("button", { type: "button", class: "quiet", click: goOn }, say("Continue this job"));
  const take = h("button", { type: "button", class: "quiet", click: takeUp }, say("Take its settings"));
  const before = h("div", { class: "row" }, onwards, take);
  const heading = h("div", { class: "about" });
  const time = h("span", { class: "small line" });
  const askTime = latest("api/expected");
  const stages = h("ol", { class: "stages" });
  const status = h("p", { class: "status", role: "status", "aria-live": "polite" });
  const clock = h("p", { class: "small" });
  const naming = h("div", { class: "naming" });
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
    attempt(() => launch({ ...asked(), ...goal(), ...declared() }));
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
    attempt(async () => {
      const { id: table } = await takeSettings(job);
      await launch({ ...job.asked, table });
    });
  }

  // What to expect of a job on this table.
  async function estimate() {
    try {
      const answer = chosen.table && groups().length ? await askTime(asked()) : { told: "" };
      if (answer) time.textContent = answer.told;
    } catch {
      time.textContent = "";
    }
  }

  function show() {
    const { job } = shown;
    const running = job !== null && job.state === "running";
    const ready = groups().length && !found.failed && goal() && declared();
    fill(plan, ready ? [planned(), time] : waiting(found.failed ? say("What leaks could not be measured; step 3 says why.")
      : !groups().length ? say("Choose a table and a secret that is released first.") : goalProblem() || say("Choose what the job aims at first.")));
    start.setAttribute("aria-disabled", String(!ready || running));
    if (!running && document.activeElement === stop) start.focus();
    stop.hidden = !running;
    const known = job !== null && job.askable;
    onwards.hidden = !known || !["stopped", "failed"].includes(job.state);
    take.hidden = !known || running || !differences(job).length;
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
    clock.textContent = [job.passed, job.passed && chosen.table?.name === job.asked.table && time.textContent].filter(Boolean).join(" · ");
    const now = statusWords(job);
    // Said once a stage: a sentence for every percent would drown a listener.
    if (status.textContent !== now) status.textContent = now;
    status.className = `status ${job.state}`;
    onward.hidden = job.state === "running";
    // Columns that name people, by which the job was refused.
    fill(naming, job.naming.map(acceptance));
  }

  body.append(plan, h("div", { class: "row" }, start, stop, help("job")), problem.place, heading, before, stages, clock, status, naming, onward);
  when("table roles goal measured surveyed job", show);
  when("progress", progress);
  when("table roles surveyed job", estimate);
  estimate();
  show();
  return { section, line };
}

// Which job this is about, and in what it differs from what is chosen on the page now.
export function jobHead(job) {
  const told = about(job, named).flatMap((one, at) => (at ? [say(", "), one] : [one]));
  const other = groups().length ? differences(job) : [];
  return [
    h("p", { class: "job-head" }, h("strong", {}, around(say("Job: {job}"), { job: told }))),
    job.started_here === false
      ? h("p", { class: "small" }, say("Found in the results folder; this server did not start it.")) : null,
    other.length ? h("p", { class: "small other" },
      say("Not what is chosen above, which has another {what}.", { what: other.join(say(", ")) })) : null,
  ];
}

function differences(job) {
  const sorted = (names) => [...(names || [])].sort();
  const now = chosen.table ? { ...asked(), ...goal(), ...declared(), table: chosen.table.name } : {};
  const limits = (one) => (typeof one === "object" && one !== null
    ? Object.entries(one).sort().map(([name, limit]) => [name, String(limit)]) : String(one ?? ""));
  const shape = (one) => [
    [say("table"), one.table],
    [say("set of secrets"), sorted(one.secret), sorted(one.withhold), Boolean(one.together)],
    [say("background"), sorted(one.background)],
    [say("set of public columns"), sorted(one.public), sorted(one.accept_unique), limits(one.public_distortion)],
    [say("unit"), one.unit ?? null, one.rows_per_unit ?? null],
    [say("order of rows"), Boolean(one.keep_order), one.order_by ?? null],
    [say("set of ranges"), sorted(one.bins)],
    [say("text for missing"), sorted(one.missing)],
    [say("aim"), KINDS.map((kind) => limits(one[kind])), limits(one.min_usefulness)],
    [say("use"), one.use ?? "statistics"],
    [say("set of options"), DECIDED.map((name) => limits(one[name]))],
    [say("declaration"), DECLARED.map((name) => one[name] ?? "")],
  ];
  const other = shape(job.asked);
  return shape(now).filter((one, at) => JSON.stringify(one) !== JSON.stringify(other[at])).map(([name]) => name);
}

function planned() {
  const open = columnsOf("public", "both");
  const names = { secret: listed(columnsOf("secret")), open: listed(open) };
  const words = { goal: goalWords() };
  return around(open.length
    ? say("Published protected: {secret} ({goal}); as public columns: {open}. Nothing else is published.", words)
    : say("Published protected: {secret} ({goal}). Nothing else is published.", words), names);
}

function stage({ name, state, done, total, amounts, told }) {
  const known = state === "running" && total > 0;
  const bar = state === "running"
    ? h("progress", { max: known ? total : null, value: known ? done : null, "aria-label": stageName(name) }) : null;
  return h("li", { class: state, "aria-current": state === "running" ? "step" : null },
    h("span", { class: "name" }, stageName(name)), bar,
    h("span", { class: "small" }, [amounts || stageState(state), told].filter(Boolean).join(" · ")));
}

function statusWords(job) {
  const running = job.state === "running";
  if (shown.lost === "restarted" && running) {
    return say("The server was started again; open the new address that it printed. The job can be continued there.");
  }
  if (shown.lost && running) return say("The server does not answer; trying again. The job is not lost.");
  if (!running) {
    const state = jobState(job.state);
    return job.message ? say("{name}: {value}", { name: state, value: job.message }) : state;
  }
  const place = job.stages.findIndex((one) => one.state === "running");
  if (place < 0) return say("Starting …");
  const fields = { number: place + 1, all: job.stages.length, stage: stageName(job.stages[place].name) };
  return say("Step {number} of {all}: {stage}", fields);
}
