// Step 3: what there is to leak, and what the background tells already.

import { change, columnsOf, question, shownSource, when } from "./chosen.js";
import { complaint, fill, h, pictureOf } from "./elements.js";
import { forget, learn } from "./found.js";
import { listed } from "./names.js";
import { between, bits, fixed, share, short, valueOf } from "./numbers.js";
import { reopening } from "./opening.js";
import { latest } from "./server.js";
import { sourceChoice } from "./sources.js";
import { busy, step, waiting } from "./steps.js";
import { help } from "./terms.js";
import { around, say } from "./words.js";

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
      fill(body, sourceChoice(), h("ul", { class: "findings" }, findings(found)),
        found.figure && pictureOf(found.figure, say("What there is to learn, and what the background reveals")));
      tell(say("{number:g} bits", { number: fixed(found.entropy, 2) }));
      learn({ letters: found.letters.secret, entropy: valueOf(found.entropy) });
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

function findings(found) {
  const told = [];
  const finding = (value, sentence, sure, key = null) => told.push(h("li", {},
    h("div", {}, h("strong", { class: "value" }, value), key && help(key)), h("span", {}, sentence), sure && h("span", { class: "small" }, sure)));
  const secret = () => listed(shownSource());
  finding(bits(found.entropy), around(found.effective_set
    ? say("is what there is to learn about {secret}: to single out one of {number} equally likely values.",
      { number: fixed(found.effective_set, 1) })
    : say("is what there is to learn about {secret}."), { secret: secret() }), between(found.entropy, bits), "entropy");
  if (found.background_floor) {
    finding(bits(found.background_floor), around(
      say("of it is already known to someone who knows {background}. No protection of {secret} gets below this."),
      { background: listed(columnsOf("background", "both")), secret: secret() }), between(found.background_floor, bits), "floor");
  }
  const [before, after] = [share(found.best_guess), share(found.best_guess_after)];
  // Compared as they are shown: two equal numbers beside each other would look like a mistake.
  if (found.best_guess_after && after !== before) {
    finding(after, say("of the rows are guessed correctly by someone with the background; without it, {before}.", { before }),
      between(found.best_guess_after, share), "guess");
  } else if (found.best_guess) {
    finding(before, found.best_guess_after
      ? say("of the rows are guessed correctly by naming the most frequent value each time; the background does not help to guess.")
      : say("of the rows are guessed correctly by naming the most frequent value each time."),
    between(found.best_guess, share), "guess");
  }
  if (found.zero_leakage) {
    const { p_value: p } = found.zero_leakage;
    finding(p < 1e-4 ? "p < 0.0001" : `p = ${short(p)}`, p < 0.05
      ? say("The association between background and secret is not an accident of the sample.")
      : say("The association between background and secret may be an accident of the sample."));
  }
  if (found.reliable === false) {
    told.push(h("li", { class: "warning" },
      say("The table has few rows for so many values: trust the intervals, not the single numbers.")));
  }
  return told;
}
