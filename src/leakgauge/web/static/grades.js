// Grades, from the worst to the best, and the names of what a job goes through.

import { say } from "./words.js";

export const GRADES = ["poor", "medium", "good", "very-good"];

const ALL = ["very-poor", ...GRADES];

// The grade of a score from 0 to 100: cut at 20, 40, 60 and 80, each cut belonging to the better grade.
export const gradeOf = (score) => ALL[Math.min(ALL.length - 1, Math.max(0, Math.floor(score / 20)))];

export const worse = (one, other) => ALL.indexOf(one) < ALL.indexOf(other);

export function gradeName(grade) {
  const names = {
    "very-poor": say("very poor"), poor: say("poor"), medium: say("medium"), good: say("good"),
    "very-good": say("very good"),
  };
  return names[grade] || grade || "—";
}

export function stageName(stage) {
  const names = {
    survey: say("Look through the columns"), measure: say("Measure what leaks"), design: say("Design the channel"), release: say("Make the release"),
    audit: say("Attack it"), assess: say("Grade it"), report: say("Write the report"),
  };
  return names[stage] || stage;
}

export function stageState(state) {
  const states = {
    waiting: say("waiting"), running: say("running"), done: say("done"), kept: say("kept from before"),
    skipped: say("left out"),
  };
  return states[state] || state;
}

export function jobState(state) {
  const states = {
    running: say("Running"), done: say("Done"), refused: say("The answer is no"), failed: say("Failed"),
    stopped: say("Stopped"),
  };
  return states[state] || state;
}
