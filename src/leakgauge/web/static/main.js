// The page: six steps, top to bottom as the work goes.

import { chooseStep } from "./choose.js";
import { keep, restore } from "./chosen.js";
import { DECLARED } from "./declared.js";
import { fill, h } from "./elements.js";
import { begin } from "./jobs.js";
import { leakageStep } from "./leakage.js";
import { tableAt } from "./opening.js";
import { protectStep } from "./protect.js";
import { resultStep } from "./result.js";
import { rolesStep } from "./roles.js";
import { get } from "./server.js";
import { tableStep } from "./table.js";
import { LANGUAGES, language, learnWords, say, speak } from "./words.js";

function head(version) {
  return h("header", {},
    h("a", { class: "skip", href: "#table" }, say("To the first step")),
    h("div", { class: "brand" }, h("img", { src: "static/icon.svg", alt: "", width: "34", height: "34" }),
      h("h1", {}, "Leakgauge"), h("p", {}, say("How much a release leaks, and the release that leaks least."))),
    h("div", { class: "languages", role: "group", "aria-label": say("Language") }, Object.keys(LANGUAGES).map(switchTo)),
    h("a", { class: "places", href: "places" }, say("Places on a map")),
    version ? h("p", { class: "small version" }, version) : null);
}

function switchTo(code) {
  const pressed = () => {
    keep();
    rememberPlace();
    speak(code);
  };
  const attributes = { type: "button", lang: code, "aria-pressed": String(code === language), click: pressed };
  return h("button", attributes, LANGUAGES[code]);
}

// Another language is a reload: what stands above may be longer or shorter, so the step is what is kept.
function rememberPlace() {
  const begun = (section) => section.getBoundingClientRect().top < innerHeight / 2;
  const seen = [...document.querySelectorAll("main section")].filter(begun).at(-1);
  if (seen && scrollY > 0) sessionStorage.setItem("leakgauge-place", seen.id);
}

function returnToPlace() {
  const place = sessionStorage.getItem("leakgauge-place");
  sessionStorage.removeItem("leakgauge-place");
  if (place) setTimeout(() => document.getElementById(place).scrollIntoView(), 400);
}

async function start() {
  try {
    const [state] = await Promise.all([get("api/state"), learnWords()]);
    DECLARED.push(...state.declared);
    await restore(state, tableAt);
    begin(state);
    const steps = [tableStep(state), rolesStep(), leakageStep(), chooseStep(), protectStep(), resultStep()];
    fill(document.body, head(state.version), h("div", { class: "frame" },
      h("nav", { "aria-label": say("Steps") }, h("ol", {}, steps.map((one) => one.line))),
      h("main", {}, steps.map((one) => one.section))));
    performance.mark("ready");
    returnToPlace();
  } catch (refusal) {
    fill(document.body, head(), h("main", {}, h("p", { class: "complaint", role: "alert" }, refusal.message)));
  }
}

start();
