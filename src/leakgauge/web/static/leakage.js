// Step 3: what there is to leak, and what the background tells already.

import { change, question, shownSource, when } from "./chosen.js";
import { complaint, fill, h, pictureOf } from "./elements.js";
import { forget, learn } from "./found.js";
import { findings } from "./fragments.js";
import { reopening } from "./opening.js";
import { latest } from "./server.js";
import { sourceChoice } from "./sources.js";
import { busy, step, waiting } from "./steps.js";
import { explained } from "./terms.js";
import { say } from "./words.js";

const WORDS = ["entropy", "floor", "guess"];

export function leakageStep() {
  const { section, body, line, tell } = step(3, "leakage", say("Leakage"),
    say("What there is to learn about the secret, and what someone with the background knows before anything is published."));
  const ask = latest("api/measure");
  const problem = complaint();

  async function measure() {
    problem.tell(null);
    forget();
    if (!shownSource()) {
      fill(body, waiting(say("Choose a secret first.")));
      return tell("", true);
    }
    fill(body, sourceChoice(), busy(say("Measuring …")));
    tell("…");
    try {
      const found = await ask(question());
      if (!found) return undefined;
      fill(body, sourceChoice(), h("p", { class: "row small" }, WORDS.map((key) => h("span", {}, explained(key)))), findings(found.told),
        found.figure && pictureOf(found.figure, say("What there is to learn, and what the background reveals")));
      tell(found.note);
      learn({ letters: found.letters.secret, entropy: found.entropy.value, words: found.words });
    } catch (refusal) {
      fill(body, sourceChoice(), problem.place);
      problem.tell(refusal.message, reopening(refusal, problem));
      tell(say("not measured"));
      learn({ failed: true });
    }
    return change("measured", {});
  }

  let soon = null;
  when("table roles source", () => {
    clearTimeout(soon);
    // Several boxes ticked in a row are one question.
    soon = setTimeout(measure, shownSource() ? 250 : 0);
  });
  measure();
  return { section, line };
}
