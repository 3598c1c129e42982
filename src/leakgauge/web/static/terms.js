// The words of the page, each in a sentence: beside where it stands, and all of a step below it. The glossary has more.

import { h } from "./elements.js";
import { say } from "./words.js";

const terms = () => ({
  table: [say("Table"), say("Rows and columns of a file; a row is what it says about one person, unless a unit says otherwise.")],
  dropped: [say("Dropped"), say("Kept in a private temporary folder until the server ends.")],
  secret: [say("secret"), say("What must not become known about a person. It is released through a channel, or withheld.")],
  background: [say("background"), say("What an attacker already knows; it is not released.")],
  public: [say("public"), say("A column that is released unchanged, or coarser. The attacker sees it.")],
  unit: [say("unit (person)"), say("The column whose value says which rows belong to one person; it is never released.")],
  identifier: [say("identifier"), say("A column that identifies people: nearly every value is unique, or its name or format suggests a name or number of a person.")],
  alone: [say("unique rows"), say("Rows that share their values in some columns with no other row.")],
  entropy: [say("entropy"), say("How uncertain the secret is, in bits.")],
  floor: [say("background floor"), say("What the background reveals by itself; no release leaks less together with it.")],
  guess: [say("best guess"), say("How often the most likely value is the right one.")],
  protection: [say("protection"), say("Of what an attacker could not tell about an average person before, how much is still hidden afterwards.")],
  usefulness: [say("usefulness"), say("How well the released values predict the true ones, averaged over shares and cross-tables.")],
  channel: [say("channel"), say("For each secret the probabilities of what is released instead.")],
  leakage: [say("leakage"), say("How many bits of the secret a release reveals.")],
  leakageWithBackground: [say("leakage with background"), say("What release and background reveal together.")],
  distortion: [say("distortion"), say("How far the released value is from the true one, on average.")],
  epsilon: [say("local ε"), say("A published value is at most e^ε times as likely under one true value as under another.")],
  policy: [say("policy"), say("The limits a release is judged by. Default limits decide the recommendation but do not stop the job.")],
  ledger: [say("ledger"), say("Where every use of a privacy budget is entered before any noise is generated.")],
  attacker: [say("attacker"), say("Whoever sees the release and may know the background.")],
  job: [say("job"), say("All stages from survey to report. The job keeps running without the page, which finds it again.")],
  attack: [say("attack"), say("A guess at the secret from what is released and known, on rows that it was not made with.")],
  recommendation: [say("recommendation"), say("Release, release under conditions, or do not release, by the scores and the policy.")],
  score: [say("scores"), say("A number from 0 to 100 with its interval: protection, surest, usefulness.")],
  criterion: [say("criterion"), say("What explains a score: the mean of the leaves that feed it.")],
  veto: [say("veto"), say("A reason that rules a release out, whatever its scores.")],
  external: [say("external edition"), say("The report with only what is public, declared or accounted for.")],
});

const IN_STEP = {
  table: ["table", "dropped"],
  roles: ["secret", "background", "public", "unit", "identifier", "alone"],
  leakage: ["entropy", "floor", "guess"],
  choose: ["protection", "usefulness", "channel", "leakage", "leakageWithBackground", "distortion", "epsilon", "policy", "ledger", "attacker"],
  protect: ["job", "attack"],
  result: ["recommendation", "score", "criterion", "veto", "external"],
};

export function termsOf(step) {
  const known = terms();
  return h("details", { class: "terms" }, h("summary", {}, say("Words in this step")),
    h("dl", {}, IN_STEP[step].map((key) => known[key]).map(([term, meaning]) => h("div", {}, h("dt", {}, term), h("dd", {}, meaning)))));
}

let made = 0;

// A word and the mark that explains it.
export const explained = (key) => [terms()[key][0], help(key)];

// What a word means, for who presses the mark beside it; null where the browser has no popovers.
export function help(key) {
  if (!("popover" in HTMLElement.prototype)) return null;
  const [term, meaning] = terms()[key];
  made += 1;
  const id = `help-${made}`;
  const mark = h("button", { type: "button", class: "quiet mark-help", popovertarget: id, "aria-label": say("Explain: {term}", { term }), click: write });
  const place = h("span", { class: "help" }, mark);

  // Once somebody asks: before, it would be part of what it explains.
  function write() {
    if (place.childElementCount > 1) return;
    const text = h("span", { id, class: "meaning", popover: "", role: "note", toggle: (event) => { if (event.newState === "open") put(text, mark); } },
      h("strong", {}, term), h("span", {}, meaning));
    place.append(text);
  }

  return place;
}

// Below the mark, and within the screen.
function put(text, mark) {
  const [from, own] = [mark.getBoundingClientRect(), text.getBoundingClientRect()];
  const below = from.bottom + 6 + own.height <= innerHeight;
  text.style.left = `${Math.max(8, Math.min(from.left, document.documentElement.clientWidth - own.width - 8))}px`;
  text.style.top = `${below ? from.bottom + 6 : Math.max(8, from.top - own.height - 6)}px`;
}
