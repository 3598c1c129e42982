// Step 6: what came out: the grade and the numbers that matter, its evidence, pictures and files.

import { when } from "./chosen.js";
import { complaint, fill, h, picture } from "./elements.js";
import { diagram } from "./diagram.js";
import { downloads, reports } from "./downloads.js";
import { gradeName, gradeOf, jobState, worse } from "./grades.js";
import { about, follow, shown } from "./jobs.js";
import { isolated } from "./names.js";
import { bits, fixed, nats, share, short, signed, valueOf } from "./numbers.js";
import { jobHead } from "./protect.js";
import { get } from "./server.js";
import { step, waiting } from "./steps.js";
import { around, say } from "./words.js";

export function resultStep() {
  const { section, body, line, tell } = step(6, "result", say("Result"),
    say("The grade with its evidence, the report, and the files."));
  const problem = complaint();
  let heading = null;

  async function show() {
    const { job } = shown;
    problem.tell(null);
    heading = null;
    // The list of jobs is made anew; who chooses in it by keys stays there.
    if (document.activeElement && document.activeElement.id === "job") setTimeout(() => document.getElementById("job")?.focus());
    if (job === null || job.state === "running") {
      tell("", true);
      return fill(body, jobsBefore(), waiting(nothingYet(job)));
    }
    tell(job.headline ? gradeName(job.headline.grade) : jobState(job.state));
    const evidence = h("div");
    heading = h("div", { class: "about" }, jobHead(job));
    fill(body, jobsBefore(), heading, problem.place, verdict(job), reports(job), evidence, pictures(job), downloads(job));
    if (!job.files.includes("assessment.json")) return undefined;
    try {
      const grade = await get(`api/jobs/${encodeURIComponent(job.id)}/grade`);
      if (shown.job.id !== job.id) return undefined;
      refine(body, grade);
      await diagram(evidence, job, grade);
    } catch (refusal) {
      problem.tell(refusal.message);
    }
    return undefined;
  }

  when("job", show);
  when("table roles goal", () => { if (heading) fill(heading, jobHead(shown.job)); });
  show();
  return { section, line };
}

function nothingYet(job) {
  if (job) return say("The job is still running.");
  return shown.all.length ? say("Choose an earlier job, or run one.") : say("No job has run yet.");
}

function jobsBefore() {
  if (shown.all.length < (shown.job ? 2 : 1)) return null;
  const told = (job) => {
    const what = about(job, isolated);
    return [what.length ? what.join(", ") : job.id, jobState(job.state), job.headline && gradeName(job.headline.grade)]
      .filter(Boolean).join(" · ");
  };
  const here = (job) => shown.job !== null && job.id === shown.job.id;
  const list = h("select", { id: "job", change: (event) => { if (event.target.value) follow(event.target.value); } },
    shown.job ? null : h("option", { value: "" }, say("choose …")),
    shown.all.map((job) => h("option", { value: job.id, selected: here(job) }, told(job))));
  return h("p", { class: "row" }, h("label", { for: "job" }, say("Job")), list);
}

function verdict(job) {
  const found = job.headline;
  if (!found) return h("div", { class: "verdict no" }, h("strong", {}, jobState(job.state)), h("p", {}, job.message || ""));
  const tile = (name, value, why) =>
    h("div", {}, h("dt", {}, name), h("dd", { class: "value" }, value), h("dd", { class: "small" }, why));
  const floor = valueOf(found.floor);
  const advantage = valueOf(found.advantage);
  const { least, why } = deciding(found);
  const scores = Object.fromEntries(["score", "privacy", "utility"].map((name) =>
    [name, h(name === least ? "b" : "span", {}, fixed(found[name], 1))]));
  const before = { before: bits(found.leakage_before), floor: bits(floor) };
  const refused = job.state === "refused"
    && h("div", { class: "verdict no" }, h("strong", {}, jobState(job.state)), h("p", {}, job.message || ""));
  return h("div", {}, refused || null,
    h("div", { class: "verdict", "data-grade": found.grade },
      h("p", { class: "grade" }, h("span", { class: "small" }, say("Grade")), h("strong", {}, gradeName(found.grade))),
      h("p", { class: "scores" }, h("span", { id: "why" }, why), h("br"),
        around(say("score {score}, privacy {privacy}, utility {utility}, each of 100"), scores),
        h("br"), h("span", { class: "small", id: "interval" }))),
    h("dl", { class: "tiles" },
      tile(say("Leakage after"), bits(found.leakage_after), floor
        ? say("before: {before}; the background alone tells {floor}", before) : say("before: {before}", before)),
      tile(say("Local ε"), nats(found.epsilon), say("the smaller, the less one published value can tell")),
      tile(say("Best attack"), advantage === null ? "—" : say("{number:g} points", { number: signed(advantage * 100) }),
        say("percent guessed right beyond what is known anyway")),
      tile(say("Unchanged"), share(found.unchanged), say("values published as they are"))));
}

// Which of the three numbers decides the grade, and the rule in words.
function deciding(found) {
  const names = { score: say("score"), privacy: say("privacy"), utility: say("utility") };
  const known = Object.keys(names).filter((name) => valueOf(found[name]) !== null);
  const least = known.reduce((best, name) => (valueOf(found[name]) < valueOf(found[best]) ? name : best));
  const reached = gradeOf(valueOf(found[least]));
  const told = { grade: gradeName(reached), name: names[least], number: fixed(found[least], 1) };
  const vetoed = worse(found.grade, reached) || (found.vetoes || []).length > 0;
  const why = vetoed
    ? say("A veto stands against the release; without it {name} {number} would make the grade {grade}.", told)
    : say("{grade}, because of {name} {number}: the lowest of score, privacy and utility decides.", told);
  return { least, why };
}

// The interval and what caps the grade: known once the grade is read.
function refine(body, grade) {
  const place = body.querySelector("#interval");
  if (place && grade.interval) {
    const { low, high, confidence } = grade.interval;
    place.textContent = say("{percent} % sure: score between {low} and {high}",
      { percent: short(confidence * 100), low: fixed(low, 1), high: fixed(high, 1) });
  }
  const capped = grade.vetoes.map(({ cap, reason }) =>
    h("li", {}, say("At best {grade}: {reason}", { grade: gradeName(cap), reason })));
  if (place && capped.length) place.closest(".verdict").after(h("ul", { class: "warning" }, capped));
}

function pictures(job) {
  const needed = {
    frontier: [["frontier.json"], say("Least leakage over distortion, and this release")],
    decomposition: [["measurement.json"], say("What the secret holds and what is told of it")],
    channel: [["channel.json"], say("The channel")],
    levels: [["release.json"], say("The same guarantee in other notions of privacy")],
    attacks: [["audit.json"], say("Attacks beside what is known anyway")],
    criteria: [["assessment.json", "before.json"], say("Criteria before and after")],
    tuning: [["improvement.json"], say("Settings that were tried")],
  };
  const shownHere = Object.entries(needed).filter(([, [files]]) => files.every((file) => job.files.includes(file)));
  if (!shownHere.length) return null;
  const place = h("div", { id: "picture", "aria-live": "polite" });
  const show = (name, told, pressed) => {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button === pressed));
    fill(place, picture(`api/jobs/${encodeURIComponent(job.id)}/figures/${name}.svg`, told));
  };
  const buttons = shownHere.map(([name, [, told]]) =>
    h("button", { type: "button", class: "plain", click: (event) => show(name, told, event.currentTarget) }, told));
  buttons[0].click();
  return h("div", {}, h("h3", {}, say("Pictures")), h("div", { class: "row pictures" }, buttons), place);
}
