// Step 6: what came out: the grade and the numbers that matter, its evidence, pictures and files.

import { when } from "./chosen.js";
import { complaint, fill, h, picture, wide } from "./elements.js";
import { diagram } from "./diagram.js";
import { downloads, reports } from "./downloads.js";
import { gradeName, gradeOf, jobState, worse } from "./grades.js";
import { about, follow, shown } from "./jobs.js";
import { isolated, listed } from "./names.js";
import { bits, fixed, nats, share, short, signed, valueOf, whole } from "./numbers.js";
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
    const drawings = h("div");
    fill(body, jobsBefore(), heading, problem.place, verdict(job), secretsOf(job), warnings(job), reports(job),
      secretChoice(job, look), evidence, drawings, downloads(job));
    return look(deciding(job));

    // The diagram and the pictures of one secret.
    async function look(place) {
      const files = place < 0 ? job.files : job.secrets[place].files;
      fill(drawings, pictures(job, place, files));
      fill(evidence);
      if (!files.includes("assessment.json")) return;
      try {
        const grade = await get(`api/jobs/${encodeURIComponent(job.id)}/grade${asking(place)}`);
        if (shown.job.id !== job.id) return;
        if (place === deciding(job)) refine(body, grade);
        await diagram(evidence, job, grade, asking(place));
      } catch (refusal) {
        problem.tell(refusal.message);
      }
    }
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

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

const asking = (place) => (place < 0 ? "" : `?secret=${place}`);

// The place of the secret that decides the grade; -1 where the job names none.
function deciding(job) {
  const at = job.secrets.findIndex(({ secret }) => job.headline && same(secret, job.headline.secret));
  return at < 0 && job.secrets.length ? 0 : at;
}

function secretChoice(job, look) {
  const graded = job.secrets.map((one, place) => [one, place]).filter(([one]) => one.files.includes("assessment.json"));
  if (graded.length < 2) return null;
  const list = h("select", { id: "secret", change: (event) => look(Number(event.target.value)) }, graded.map(([one, place]) =>
    h("option", { value: place, selected: place === deciding(job) }, one.secret.map(isolated).join(", "))));
  return h("p", { class: "row" }, h("label", { for: "secret" }, say("Evidence and pictures of")), list);
}

// Bits that are told: counted, or between what was shown and what is possible.
function toldBits(quantity, exact) {
  if (!quantity || exact) return bits(quantity);
  return say("at least {low}, at most {high} bits",
    { low: fixed(quantity.low ?? 0, 3), high: fixed(quantity.high ?? quantity.value, 3) });
}

function secretsOf(job) {
  const told = job.secrets.filter((one) => one.leakage_after);
  if (told.length < 2) return null;
  const cells = [say("Secret"), say("Before"), say("After"), say("Known anyway"), say("Guessed right"), say("Grade")];
  const line = (one) => h("tr", {},
    h("th", { scope: "row" }, listed(one.secret), one.withheld ? h("span", { class: "small" }, " ", say("(withheld)")) : null),
    [bits(one.leakage_before), toldBits(one.leakage_after, one.exact), one.floor ? toldBits(one.floor, one.exact) : "—",
      one.success ? say("{share}; without the release {before}", { share: share(one.success), before: share(one.baseline) }) : "—",
      one.grade ? gradeName(one.grade) : "—"].map((value) => h("td", {}, value)));
  return h("div", {}, h("h3", {}, say("Each secret")), wide(),
    h("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": say("Each secret") },
      h("table", { class: "secrets" }, h("thead", {}, h("tr", {}, cells.map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", {}, told.map(line)))),
    job.total ? h("p", {}, say("All secrets at once: {bits} are told by everything that is released or known.",
      { bits: toldBits(job.total.information, job.total.exact) })) : null);
}

// What the survey found, and was published all the same.
function warnings(job) {
  const accepted = job.headline ? job.asked.accept_unique || [] : [];
  const told = [
    job.alone && around(say("{alone} of {rows} rows stand alone in the public columns {columns}.",
      { alone: whole(job.alone.alone), rows: whole(job.alone.rows) }), { columns: listed(job.alone.columns) }),
    accepted.length && around(say("Published although they name people: {columns}."), { columns: listed(accepted) }),
  ].filter(Boolean);
  return told.length ? h("ul", { class: "warning" }, told.map((one) => h("li", {}, one))) : null;
}

function verdict(job) {
  const found = job.headline;
  if (!found) return h("div", { class: "verdict no" }, h("strong", {}, jobState(job.state)), h("p", {}, job.message || ""));
  const tile = (name, value, why) =>
    h("div", {}, h("dt", {}, name), h("dd", { class: "value" }, value), h("dd", { class: "small" }, why));
  const floor = valueOf(found.floor);
  const open = job.asked.public || [];
  const advantage = valueOf(found.advantage);
  const { least, why } = reasonOf(found);
  const scores = Object.fromEntries(["score", "privacy", "utility"].map((name) =>
    [name, h(name === least ? "b" : "span", {}, fixed(found[name], 1))]));
  const before = { before: bits(found.leakage_before), floor: toldBits(found.floor, found.exact) };
  const refused = job.state === "refused"
    && h("div", { class: "verdict no" }, h("strong", {}, jobState(job.state)), h("p", {}, job.message || ""));
  return h("div", {}, refused || null,
    h("div", { class: "verdict", "data-grade": found.grade },
      h("p", { class: "grade" }, h("span", { class: "small" }, say("Grade")), h("strong", {}, gradeName(found.grade))),
      h("p", { class: "scores" }, job.secrets.length > 1
        ? h("strong", {}, around(say("{secret} decides."), { secret: listed(found.secret) }), " ") : null,
      h("span", { id: "why" }, why), h("br"),
        around(say("score {score}, privacy {privacy}, utility {utility}, each of 100"), scores),
        h("br"), h("span", { class: "small", id: "interval" }))),
    h("dl", { class: "tiles" },
      tile(say("Leakage after"), toldBits(found.leakage_after, found.exact), floor
        ? say("before: {before}; the background alone tells {floor}", before) : say("before: {before}", before)),
      tile(say("Local ε"), nats(found.epsilon), open.length
        ? around(say("of the protected columns; these are released unprotected: {columns}"), { columns: listed(open) })
        : say("the smaller, the less one published value can tell")),
      tile(say("Best attack"), advantage === null ? "—" : say("{number:g} points", { number: signed(advantage * 100) }),
        say("percent guessed right beyond what is known anyway")),
      tile(say("Unchanged"), share(found.unchanged), say("values published as they are"))));
}

// Which of the three numbers decides the grade, and the rule in words.
function reasonOf(found) {
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

function pictures(job, at, files) {
  const needed = {
    frontier: [["frontier.json"], say("Least leakage over distortion, and this release")],
    decomposition: [["measurement.json"], say("What the secret holds and what is told of it")],
    channel: [["channel.json"], say("The channel")],
    shares: [["utility.json", "channel.json"], say("Shares before and after")],
    levels: [["release.json"], say("The same guarantee in other notions of privacy")],
    attacks: [["audit.json"], say("Attacks beside what is known anyway")],
    criteria: [["assessment.json", "before.json"], say("Criteria before and after")],
    tuning: [["improvement.json"], say("Settings that were tried")],
  };
  const shownHere = Object.entries(needed).filter(([, [read]]) => read.every((file) => files.includes(file)));
  if (!shownHere.length) return null;
  const place = h("div", { id: "picture", "aria-live": "polite" });
  const show = (name, told, pressed) => {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button === pressed));
    fill(place, picture(`api/jobs/${encodeURIComponent(job.id)}/figures/${name}.svg${asking(at)}`, told));
  };
  const buttons = shownHere.map(([name, [, told]]) =>
    h("button", { type: "button", class: "plain", click: (event) => show(name, told, event.currentTarget) }, told));
  buttons[0].click();
  return h("div", {}, h("h3", {}, say("Pictures")), h("div", { class: "row pictures" }, buttons), place);
}
