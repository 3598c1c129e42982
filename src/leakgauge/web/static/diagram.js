// The influence diagram: the server's drawing, whose nodes can be pressed, and the same nodes as a list of buttons.

import { fill, h, wide } from "./elements.js";
import { fixed, share, short, signed } from "./numbers.js";
import { text } from "./server.js";
import { language, say } from "./words.js";

// Pixels between a node and the panel that tells of it.
const CLEAR = 16;

export async function diagram(place, job, grade, asking) {
  const nodes = nodesOf(grade);
  const panel = h("div", { class: "evidence", "aria-live": "polite" },
    h("p", { class: "small" }, say("Press a node to see what it rests on.")));
  const buttons = new Map();
  let drawn = new Map();
  function pick(key) {
    fill(panel, evidence(nodes.get(key)));
    for (const [one, button] of buttons) button.setAttribute("aria-pressed", String(one === key));
    for (const [one, marks] of drawn) for (const mark of marks) mark.classList.toggle("picked", one === key);
  }
  // The panel stays in sight; the node that was pressed is moved from under it.
  function press(key) {
    pick(key);
    const [node, cover] = [drawn.get(key)[0].getBoundingClientRect(), panel.getBoundingClientRect()];
    const hidden = node.bottom + CLEAR - cover.top;
    if (hidden > 0 && node.top < cover.bottom) scrollBy(0, hidden);
  }
  const list = h("ul", { class: "nodes" });
  for (const [key, node] of nodes) {
    const button = h("button", {
      type: "button", class: "plain", "aria-pressed": "false", "data-node": key, click: () => pick(key),
    }, h("span", {}, `${key} ${node.name}`), h("span", { class: "small" }, fixed(node.state, 0)));
    buttons.set(key, button);
    list.append(h("li", { class: node.leaf ? "leaf" : "inner" }, button));
  }
  const board = h("div", {
    class: "picture diagram", tabindex: "0", role: "region", "aria-label": say("Influence diagram"),
  });
  fill(place, h("h3", {}, say("What the grade rests on")), wide(), board,
    h("details", {}, h("summary", {}, say("Nodes as a list")), list), panel);
  const svg = await text(`api/jobs/${encodeURIComponent(job.id)}/figures/influence.svg${asking}`);
  const drawing = document.importNode(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement, true);
  drawn = marks(drawing, nodes);
  for (const [key, some] of drawn) for (const mark of some) mark.addEventListener("click", () => press(key));
  const there = [...nodes.values()].filter(({ key }) => drawn.has(key));
  pressable(there.map(({ key, name }) => [key, name, drawn.get(key)[0]]), press);
  board.append(drawing);
}

// One stop for the Tab key; from there the arrow keys go from node to node.
function pressable(nodes, pick) {
  nodes.forEach(([key, name, box], at) => {
    const attributes = { tabindex: at ? "-1" : "0", role: "button", "aria-label": `${key} ${name}` };
    for (const [attribute, value] of Object.entries(attributes)) box.setAttribute(attribute, value);
    box.addEventListener("keydown", (event) => {
      const last = nodes.length - 1;
      const ways = { ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: last };
      const pressed = event.key === "Enter" || event.key === " ";
      if (!pressed && !(event.key in ways)) return;
      event.preventDefault();
      if (pressed) pick(key);
      else nodes[Math.min(last, Math.max(0, ways[event.key]))][2].focus();
    });
  });
}

// Inner nodes after the leaves, the value last, as they stand in the drawing.
function nodesOf(grade) {
  const found = new Map();
  const named = (key, one) => grade.names[key] || (language === "zh" && one.chinese) || one.name;
  for (const leaf of grade.leaves) {
    const { leaf: key, states } = leaf;
    found.set(key, { ...leaf, key, leaf: true, name: named(key, leaf), state: expected(states) });
  }
  for (const [key, node] of Object.entries(grade.nodes)) {
    const { states } = node;
    if (!found.has(key)) found.set(key, { key, leaf: false, name: named(key, node), states, state: expected(states) });
  }
  return found;
}

// States go from very low to very high; their middle of 0 to 100.
function expected(states) {
  if (!states || !states.length) return null;
  const sum = states.reduce((all, one) => all + one, 0);
  return sum > 0 ? states.reduce((all, one, index) => all + one * index, 0) / sum / (states.length - 1) * 100 : null;
}

// The marks of each node. What is told of arcs and titles would only be in a listener's way.
function marks(drawing, nodes) {
  const found = new Map();
  for (const mark of drawing.querySelectorAll("[aria-label], [aria-roledescription]")) {
    const key = keyOf(mark.getAttribute("aria-label") || "", nodes);
    if (key !== null) found.set(key, [...(found.get(key) || []), mark]);
    for (const name of ["aria-label", "aria-roledescription", "role"]) mark.removeAttribute(name);
  }
  return found;
}

// A mark is told by the key of its node, a colon and the rest.
function keyOf(label, nodes) {
  const told = label.match(/^([^:\s]+): /);
  return told && nodes.has(told[1]) ? told[1] : null;
}

function evidence(node) {
  const line = (term, value) => (value ? h("div", {}, h("dt", {}, term), h("dd", {}, value)) : null);
  const lines = node.leaf ? leafLines(node, line) : [
    line(say("Standing"), say("follows from what leads to it")),
    line(say("State"), node.state === null ? say("not known") : `${fixed(node.state, 1)} / 100`),
  ];
  return [h("h4", {}, `${node.key} ${node.name}`),
    h("div", { class: "told" }, h("dl", { class: "evidence-lines" }, lines), node.state === null ? null : states(node.states))];
}

function leafLines(leaf, line) {
  const known = leaf.value !== null;
  return [
    line(say("Standing"), standing(leaf.standing)),
    line(say("Value"), known ? `${short(leaf.value)} ${leaf.unit || ""}` : say("not known")),
    line(say("Anchors"), leaf.null === null ? null : say("{null} where nothing is told, {raw} in the raw data",
      { null: short(leaf.null), raw: short(leaf.raw) })),
    line(say("Position"), leaf.position === null ? null : `${fixed(leaf.position * 100, 1)} / 100`),
    line(say("Sensitivity"), leaf.sensitivity === null ? null
      : say("{number} points of score from one end to the other", { number: signed(leaf.sensitivity) })),
    line(say("Source"), leaf.source),
  ];
}

function states(shares) {
  const levels = [say("very low"), say("low"), say("middling"), say("high"), say("very high")];
  const small = (text) => h("span", { class: "small" }, text);
  return h("ul", { class: "states", "aria-label": say("How sure each state is") }, shares.map((sure, index) =>
    h("li", {}, small(levels[index]), h("meter", { min: "0", max: "1", value: String(sure) }), small(share(sure, 0)))));
}

function standing(word) {
  const words = {
    measured: say("measured"), declared: say("declared"), missing: say("missing"), asked: say("asked of people"),
  };
  return words[word] || word;
}
