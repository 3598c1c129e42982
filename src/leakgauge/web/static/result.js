// Step 6: what came out: the recommendation, the scores, what would change it, what explains it, pictures and files.

import { actionsOf } from "./actions.js";
import { when } from "./chosen.js";
import { downloads, reports } from "./downloads.js";
import { complaint, fill, h, picture } from "./elements.js";
import { findings, fragment } from "./fragments.js";
import { comparison, history } from "./history.js";
import { about, follow, outcomeOf, shown } from "./jobs.js";
import { isolated } from "./names.js";
import { jobHead } from "./protect.js";
import { get } from "./server.js";
import { jobState } from "./states.js";
import { step, waiting } from "./steps.js";
import { explained, help } from "./terms.js";
import { say } from "./words.js";

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
    tell(outcomeOf(job));
    heading = h("div", { class: "about" }, jobHead(job));
    const place = h("div");
    fill(body, jobsBefore(), history(), heading, problem.place, ended(job), place, reports(job), comparison(job), downloads(job));
    try {
      const found = await get(`api/jobs/${encodeURIComponent(job.id)}/result`);
      if (shown.job.id === job.id) fill(place, resultOf(job, found));
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
    return [what.length ? what.join(say(", ")) : job.id, jobState(job.state), job.outcome]
      .filter(Boolean).join(" · ");
  };
  const here = (job) => shown.job !== null && job.id === shown.job.id;
  const list = h("select", { id: "job", change: (event) => { if (event.target.value) follow(event.target.value); } },
    shown.job ? null : h("option", { value: "" }, say("choose …")),
    shown.all.map((job) => h("option", { value: job.id, selected: here(job) }, told(job))));
  return h("p", { class: "row" }, h("label", { for: "job" }, say("Job")), list);
}

// How a job ended that is not done, and why.
function ended(job) {
  return job.state === "done" ? null : h("div", { class: "verdict no" }, h("strong", {}, jobState(job.state)), h("p", {}, job.message || ""));
}

// All that was found, and of one secret at a time its scores, what explains them, and its pictures.
function resultOf(job, found) {
  const own = h("div", { class: "own" });
  const look = (place) => fill(own, secretOf(job, found.secrets[place], place));
  const list = h("select", { id: "secret", change: () => look(Number(list.value)) }, found.secrets.map((one, place) =>
    h("option", { value: place, selected: place === found.deciding }, one.name)));
  look(found.deciding);
  return [
    h("div", { class: "verdict", "data-recommendation": found.recommendation },
      found.promised ? h("p", {}, h("strong", {}, say("Recommendation, before anything is released: {recommendation}", { recommendation: found.promised }))) : null,
      findings(found.decision), h("p", { class: "row small" }, ["recommendation", "veto"].map((key) => h("span", {}, explained(key))))),
    actionsOf(job, found.actions),
    found.headline && h("dl", { class: "tiles" }, fragment(found.headline)),
    findings(found.every),
    found.secrets.length > 1 ? h("p", { class: "row" }, h("label", { for: "secret" }, say("Scores, criteria and pictures of")), list) : null,
    own,
    found.policy && h("details", { class: "limits" }, h("summary", {}, say("Every limit of the policy")), findings(found.policy)),
  ];
}

function secretOf(job, { scores, notes, criteria, pictures }, place) {
  return [
    scores && h("div", { class: "scores" }, h("h3", {}, say("The three scores"), help("score")), fragment(scores), findings(notes)),
    criteria && h("details", { class: "criteria" }, h("summary", {}, say("What explains it")), help("criterion"), findings(criteria)),
    picturesOf(job, pictures, place),
  ];
}

function picturesOf(job, known, at) {
  if (!known.length) return null;
  const names = {
    frontier: say("Least leakage over distortion, and this release"), decomposition: say("What there is to learn and what is revealed"),
    channel: say("The channel"), shares: say("Shares before and after"), levels: say("The same guarantee in other notions of privacy"),
    attacks: say("Attacks compared with what is already known"), people: say("People guessed correctly"), waterfall: say("What each column adds"),
    scores: say("The scores"), criteria: say("The criteria"), influence: say("From indicators to scores"), guarantee: say("The guarantee"),
    repeats: say("Repeated releases"), telling: say("What the columns reveal"), tuning: say("Settings that were tried"),
  };
  const place = h("div", { id: "picture", "aria-live": "polite" });
  const show = ({ name, caption }, pressed) => {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button === pressed));
    fill(place, picture(`api/jobs/${encodeURIComponent(job.id)}/figures/${name}.svg?secret=${at}`, names[name]), h("p", { class: "small" }, caption));
  };
  const buttons = known.map((one) =>
    h("button", { type: "button", class: "plain", "data-picture": one.name, click: (event) => show(one, event.currentTarget) }, names[one.name]));
  buttons[0].click();
  return h("div", {}, h("h3", {}, say("Pictures")), h("div", { class: "row pictures" }, buttons), place);
}
