// How long a job takes: as the last one on the same table did, or by what there is to count.

import { chosen, columnsOf, groups } from "./chosen.js";
import { shown } from "./jobs.js";
import { whole } from "./numbers.js";
import { valuesOf } from "./survey.js";
import { say } from "./words.js";

// Seconds as measured on one core: of every job, of each row, and of each value of a secret.
const [JOB, ROW, VALUE] = [5, 2e-5, 0.14];
// And where columns have too many combinations to count, so that attackers learn from rows, up to so many.
const [LEARNING, LEARNT_CELL, LEARNT_ROWS] = [9, 3e-5, 1e5];
const ROWS_PER_CELL = 5;
// Of a secret with more values ranges are made, which take their own time.
const MOST_VALUES = 200;

export const taken = (job) => job.stages.reduce((all, one) => all + (one.seconds ?? 0), 0);

// Seconds of the last job on the table that ended well; null where none did.
function lastTime(name) {
  const before = shown.all.find((job) => job.state === "done" && job.asked.table === name
    && job.stages.every((one) => one.state === "done" && one.seconds !== null));
  return before ? taken(before) : null;
}

// Seconds of a first job; null before the survey has counted the values.
function firstTime() {
  const values = (names) => names.reduce((all, name) => all * valuesOf(name), 1);
  const seen = values(columnsOf("public", "both", "background"));
  const each = groups().map(values);
  if (!each.length || !Number.isFinite(seen) || !each.every((letters) => letters <= MOST_VALUES)) return null;
  const { rows } = chosen.table;
  const ofSecret = (letters) => letters * VALUE
    + (seen * letters * ROWS_PER_CELL > rows && seen > 1 ? LEARNING + Math.min(rows, LEARNT_ROWS) * letters * LEARNT_CELL : 0);
  return JOB + rows * ROW + each.reduce((all, letters) => all + ofSecret(letters), 0);
}

// One digit that counts from 20 on: more would not be known.
const rounded = (seconds) => whole(seconds < 20 ? Math.max(seconds, 1) : Number(seconds.toPrecision(1)));

// What to expect of a job on the table of this name, in words; null where nothing is known.
export function expected(name) {
  const last = lastTime(name);
  if (last !== null) return say("about {number:g} s, as the last job on this table", { number: rounded(last) });
  const first = chosen.table && chosen.table.name === name ? firstTime() : null;
  return first === null ? null : say("about {number:g} s, by the rows and values of this table", { number: rounded(first) });
}
