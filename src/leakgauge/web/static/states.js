// What a job goes through and how it ends, in words.

import { say } from "./words.js";

export function stageName(stage) {
  const names = {
    survey: say("Survey the columns"), measure: say("Measure what leaks"), design: say("Design the channel"), release: say("Make the release"),
    audit: say("Attack it"), assess: say("Assess it"), report: say("Write the report"),
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
