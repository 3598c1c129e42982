// Questions to the server. An answer that is no carries one sentence, which is what callers show.

import { say } from "./words.js";

export class Refusal extends Error {
  constructor(sentence, status) {
    super(sentence);
    this.status = status;
  }
}

async function ask(address, options = {}) {
  let answer;
  try {
    answer = await fetch(address, options);
  } catch (problem) {
    if (problem.name === "AbortError") throw problem;
    throw new Refusal(say("The server does not answer; is leakgauge serve still running?"), 0);
  }
  if (answer.ok) return answer;
  let sentence = say("The server answered with {status} and no reason.", { status: answer.status });
  try {
    sentence = (await answer.json()).error || sentence;
  } catch {
    // No reason given: the sentence above says so.
  }
  throw new Refusal(sentence, answer.status);
}

export const get = async (address) => (await ask(address)).json();

export async function post(address, question = {}, signal = undefined) {
  const answer = await ask(address, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question), signal,
  });
  return answer.json();
}

// An answer told line by line: how much is done of how much, and at last the answer itself.
export async function told(address, question, progress) {
  const answer = await ask(address, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question),
  });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let last = {};
  for (;;) {
    const { done, value = "" } = await reader.read();
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      last = JSON.parse(line);
      if (last.total) progress(last.done, last.total);
    }
    if (done) break;
  }
  if (last.error) throw new Refusal(last.error, 400);
  return last;
}

export async function remove(address) {
  return (await ask(address, { method: "DELETE" })).json();
}

// A file on its way: what comes of it, and a way to call it back. fetch() does not tell how far a body is.
export function drop(file, told) {
  const request = new XMLHttpRequest();
  const answer = new Promise((resolve, reject) => {
    const refuse = (sentence) => reject(new Refusal(sentence, request.status));
    request.upload.onprogress = ({ loaded, total }) => told(loaded, total);
    request.onerror = () => refuse(say("The server does not answer; is leakgauge serve still running?"));
    request.onabort = () => reject(new DOMException("", "AbortError"));
    request.onload = () => {
      const answered = request.response || {};
      if (request.status === 200) resolve(answered);
      else refuse(answered.error || say("The server answered with {status} and no reason.", { status: request.status }));
    };
    request.open("PUT", `api/drop?name=${encodeURIComponent(file.name)}`);
    request.responseType = "json";
    request.send(file);
  });
  return { answer, cancel: () => request.abort() };
}

// The answer to the last question asked; earlier ones that are still open are given up.
export function latest(address) {
  let open = null;
  return async (question) => {
    if (open) open.abort();
    const mine = new AbortController();
    open = mine;
    try {
      return await post(address, question, mine.signal);
    } catch (problem) {
      if (problem.name === "AbortError") return null;
      throw problem;
    }
  };
}
