// What would change a verdict: other settings, each evaluated before anything is drawn, ready to be taken.

import { chosen } from "./chosen.js";
import { DECLARED } from "./declared.js";
import { complaint, h } from "./elements.js";
import { fragment } from "./fragments.js";
import { launch } from "./jobs.js";
import { takeSettings } from "./opening.js";
import { say } from "./words.js";

export function actionsOf(job, actions) {
  if (!actions.length) return null;
  const problem = complaint();
  async function take(asked, next) {
    problem.tell(null);
    try {
      await takeSettings(job, asked);
      // The steps are made anew by now or in a moment.
      setTimeout(next, 400);
    } catch (refusal) {
      problem.tell(refusal.message);
    }
  }
  // One click: the settings are taken, and the job is run.
  async function attempt(asked) {
    problem.tell(null);
    try {
      const { id: table } = await takeSettings(job, asked);
      await launch({ ...asked, table });
      setTimeout(toProtect, 400);
    } catch (refusal) {
      problem.tell(refusal.message);
    }
  }
  const button = (told, click) => h("button", { type: "button", class: "quiet", click }, told);
  const way = ({ asked, declares, options }) => {
    if (asked) {
      return h("div", { class: "row ways-on" }, h("button", { type: "button", click: () => attempt(asked) }, say("Try it")),
        button(say("Use this setting"), () => take(asked, toProtect)));
    }
    if (declares && job.askable) return button(say("Fill it in"), () => take(job.asked, toDeclare));
    return options.length ? h("code", {}, options.join(" ")) : null;
  };
  return h("div", {}, h("h3", {}, say("What would change it")), problem.place,
    h("ul", { class: "actions" }, actions.map((one) => h("li", {}, h("div", {}, fragment(one.told)), way(one)))));
}

function toProtect() {
  const start = document.querySelector("#protect .main");
  start.scrollIntoView({ block: "center" });
  start.focus();
}

// To the first field that is still empty.
function toDeclare() {
  const empty = DECLARED.find((name) => !chosen[name]) || DECLARED[0];
  const input = document.querySelector(`.declared [name=${empty}]`);
  if (!input) return;
  input.scrollIntoView({ block: "center" });
  input.focus();
}
