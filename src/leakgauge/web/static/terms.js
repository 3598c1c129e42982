// The words of each step in a sentence; the glossary has them all.

import { h } from "./elements.js";
import { say } from "./words.js";

const inStep = () => ({
  table: [
    [say("Table"), say("Rows and columns of a file; a row is what it says about one person, unless a unit says otherwise.")],
    [say("Dropped"), say("Kept in a private temporary folder until the server ends.")],
  ],
  roles: [
    [say("secret"), say("What must not become known about a person. It is released through a channel, or withheld.")],
    [say("background"), say("What an attacker already knows; it is not released.")],
    [say("public"), say("A column that is released unchanged, or coarser. The attacker sees it.")],
    [say("unit (person)"), say("The column whose value says which rows belong to one person; it is never released.")],
    [say("identifier"), say("A column that identifies people: nearly every value is unique, or its name or format suggests a name or number of a person.")],
    [say("unique rows"), say("Rows that share their values in some columns with no other row.")],
  ],
  leakage: [
    [say("entropy"), say("How uncertain the secret is, in bits.")],
    [say("background floor"), say("What the background reveals by itself; no release leaks less together with it.")],
    [say("best guess"), say("How often the likeliest secret is the right one.")],
  ],
  choose: [
    [say("channel"), say("For each secret the probabilities of what is released instead.")],
    [say("leakage"), say("How many bits of the secret a release reveals.")],
    [say("distortion"), say("How far the released value is from the true one, on average.")],
    [say("local ε"), say("A published value is at most e^ε times as likely under one true value as under another.")],
    [say("policy"), say("The limits of the dials that a release is judged by; without one, the default limits only colour the recommendation.")],
    [say("ledger"), say("Where every spend of a privacy budget is written before anything is drawn.")],
  ],
  protect: [
    [say("job"), say("All stages from survey to report. The job keeps running without the page, which finds it again.")],
    [say("attack"), say("A guess at the secret from what is released and known, on rows that it was not made with.")],
  ],
  result: [
    [say("recommendation"), say("Release, release under conditions, or do not release, by the dials and the policy.")],
    [say("dial"), say("A number from 0 to 100 with its interval: protection, exposed, guarantee, usefulness, effect, efficiency.")],
    [say("veto"), say("What rules a release out whatever its dials are.")],
    [say("external edition"), say("The report with only what is public, declared or accounted for.")],
  ],
});

export function termsOf(key) {
  return h("details", { class: "terms" }, h("summary", {}, say("Words in this step")),
    h("dl", {}, inStep()[key].map(([term, meaning]) => h("div", {}, h("dt", {}, term), h("dd", {}, meaning)))));
}
