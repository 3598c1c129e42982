// Step 6: what came out: the recommendation, the dials, what would change it, what explains it, pictures and files.

import { actionsOf } from "./actions.js";
import { when } from "./chosen.js";
import { criteriaOf } from "./criteria.js";
import { dialPoints, dialsOf, recommended, verdictBox } from "./dials.js";
import { downloads, reports } from "./downloads.js";
import { complaint, fill, h, picture, wide } from "./elements.js";
import { comparison, history } from "./history.js";
import { about, follow, shown } from "./jobs.js";
import { isolated, listed } from "./names.js";
import { atLeast, atMost, bits, nats, points, share, signed, valueOf, whole } from "./numbers.js";
import { jobHead } from "./protect.js";
import { get } from "./server.js";
import { jobState } from "./states.js";
import { step, waiting } from "./steps.js";
import { help } from "./terms.js";
import { around, say } from "./words.js";

// The verdict on a release, or on what would have been released.
const JUDGED = ["verdict.json", "promise.json"];

export function resultStep() {
  const { section, body, line, tell } = step(6, "result", say("Result"),
    say("What to do with the release and why, the report, and the files."));
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
      return fill(body, jobsBefore(), history(), waiting(nothingYet(job)));
    }
    tell(job.headline ? recommended(job.headline.recommendation) : jobState(job.state));
    heading = h("div", { class: "about" }, jobHead(job));
    const [judged, dials, criteria, drawings] = [h("div"), h("div"), h("div"), h("div")];
    fill(body, jobsBefore(), history(), heading, problem.place, outcome(job), judged, secretChoice(job, look), dials, tiles(job),
      secretsOf(job), warnings(job), reports(job), criteria, drawings, comparison(job), downloads(job));
    let verdict = null;
    let seen = null;
    look(deciding(job));
    if (!JUDGED.some((file) => job.files.includes(file))) return undefined;
    try {
      verdict = await get(`api/jobs/${encodeURIComponent(job.id)}/verdict`);
      if (shown.job.id !== job.id) return undefined;
      fill(judged, job.headline ? null : verdictBox(verdict, job.secrets.length > 1 ? [verdict.deciding] : null, true),
        actionsOf(job, verdict));
      look(seen);
    } catch (refusal) {
      problem.tell(refusal.message);
    }
    return undefined;

    // The dials, the criteria and the pictures of one secret.
    function look(place) {
      const key = place < 0 ? verdict?.deciding : job.secrets[place].secret.join(", ");
      const known = verdict !== null && key in verdict.dials;
      fill(dials, known ? dialsOf(verdict, key) : null);
      fill(criteria, known ? criteriaOf(verdict, key) : null);
      // A picture that was chosen meanwhile stays.
      if (place !== seen) fill(drawings, pictures(job, place, place < 0 ? job.files : job.secrets[place].files));
      seen = place;
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
    return [what.length ? what.join(say(", ")) : job.id, jobState(job.state), job.headline && recommended(job.headline.recommendation)]
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

// The place of the secret that decides; -1 where the job names none.
function deciding(job) {
  const at = job.secrets.findIndex(({ secret }) => job.headline && same(secret, job.headline.secret));
  return at < 0 && job.secrets.length ? 0 : at;
}

function secretChoice(job, look) {
  if (job.secrets.length < 2) return null;
  const list = h("select", { id: "secret", change: (event) => look(Number(event.target.value)) }, job.secrets.map((one, place) =>
    h("option", { value: place, selected: place === deciding(job) }, one.secret.map(isolated).join(say(", ")))));
  return h("p", { class: "row" }, h("label", { for: "secret" }, say("Scores, criteria and pictures of")), list);
}

// Bits that are told: counted, or between what was shown and what is possible.
function toldBits(quantity, exact) {
  if (!quantity || exact) return bits(quantity);
  return say("at least {low}, at most {high} bits",
    { low: points(atLeast(quantity.low ?? 0)), high: points(atMost(quantity.high ?? quantity.value)) });
}

function secretsOf(job) {
  const told = job.secrets.filter((one) => one.leakage_after);
  if (told.length < 2) return null;
  const cells = [say("Secret"), say("Before"), say("After"), say("Already known"), say("Guessed correctly"), say("Protection"), say("Usefulness")];
  const line = (one) => h("tr", {},
    h("th", { scope: "row" }, listed(one.secret), one.withheld ? h("span", { class: "small" }, " ", say("(withheld)")) : null),
    [bits(one.leakage_before), toldBits(one.leakage_after, one.exact), one.floor ? toldBits(one.floor, one.exact) : "—",
      one.success ? say("{share}; without the release {before}", { share: share(one.success), before: share(one.baseline) }) : "—",
      one.dials ? dialPoints("protection", one.dials.protection) : "—",
      one.dials && !one.withheld ? dialPoints("usefulness", one.dials.usefulness) : "—"].map((value) => h("td", {}, value)));
  return h("div", {}, h("h3", {}, say("Each secret")), wide(),
    h("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": say("Each secret") },
      h("table", { class: "secrets" }, h("thead", {}, h("tr", {}, cells.map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", {}, told.map(line)))),
    job.total ? h("p", {}, say("All secrets at once: {bits} are revealed by everything released or known.",
      { bits: toldBits(job.total.information, job.total.exact) })) : null);
}

// What the survey found and was published all the same, and what a spreadsheet program would run.
function warnings(job) {
  const accepted = job.headline ? job.asked.accept_unique || [] : [];
  const told = [
    job.alone && around(say("{alone} of {rows} rows are unique in the public columns {columns}.",
      { alone: whole(job.alone.alone), rows: whole(job.alone.rows) }), { columns: listed(job.alone.columns) }),
    accepted.length && around(say("Published although they identify people: {columns}."), { columns: listed(accepted) }),
    ...job.cautions,
  ].filter(Boolean);
  return told.length ? h("ul", { class: "warning" }, told.map((one) => h("li", {}, one))) : null;
}

function outcome(job) {
  const found = job.headline;
  const no = job.state !== "done" && h("div", { class: "verdict no" }, h("strong", {}, jobState(job.state)), h("p", {}, job.message || ""));
  const several = job.secrets.length > 1;
  const old = job.state === "done" && !found;
  return h("div", {}, no || null,
    old ? h("p", { class: "warning" }, say("This job has no verdict: an earlier version made it. Run it again to have it judged.")) : null,
    found ? verdictBox(found, several ? found.secret : null, false) : null);
}

function tiles(job) {
  const found = job.headline;
  if (!found) return null;
  const tile = (name, value, why, key = null) =>
    h("div", {}, h("dt", {}, name, key && help(key)), h("dd", { class: "value" }, value), h("dd", { class: "small" }, why));
  const floor = valueOf(found.floor);
  const open = job.asked.public || [];
  const advantage = valueOf(found.advantage);
  const before = { before: bits(found.leakage_before), floor: toldBits(found.floor, found.exact) };
  return h("dl", { class: "tiles" },
    tile(say("Leakage after"), toldBits(found.leakage_after, found.exact), floor
      ? say("before: {before}; the background alone reveals {floor}", before) : say("before: {before}", before), "leakage"),
    tile(say("Local ε"), nats(found.epsilon), open.length
      ? around(say("covers the protected columns only; released without protection: {columns}"), { columns: listed(open) })
      : say("the smaller, the less one published value can reveal")),
    tile(say("Best attack"), advantage === null ? "—" : say("{number:g} points", { number: signed(advantage * 100) }),
      say("correct guesses beyond what is already known, in percentage points"), "attack"),
    tile(say("Unchanged"), share(found.unchanged), say("values published unchanged")));
}

function pictures(job, at, files) {
  const needed = {
    frontier: [["frontier.json"], say("Least leakage over distortion, and this release")],
    decomposition: [["measurement.json"], say("What there is to learn and what is revealed")],
    channel: [["channel.json"], say("The channel")],
    shares: [["utility.json", "channel.json"], say("Shares before and after")],
    levels: [["release.json"], say("The same guarantee in other notions of privacy")],
    attacks: [["audit.json"], say("Attacks compared with what is already known")],
    dials: [["verdict.json"], say("Scores")],
    criteria: [["verdict.json"], say("The criteria")],
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
    h("button", { type: "button", class: "plain", "data-picture": name, click: (event) => show(name, told, event.currentTarget) }, told));
  buttons[0].click();
  return h("div", {}, h("h3", {}, say("Pictures")), h("div", { class: "row pictures" }, buttons), place);
}
