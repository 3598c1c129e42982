// The least leakage over the distortion, with a handle that runs along it by mouse, finger or arrow keys.

import { fill, s } from "./elements.js";
import { say } from "./words.js";

const MARGIN = { top: 16, right: 18, bottom: 48, left: 52 };
const FAR = 5;

// As the server sends it, points from the least distortion to the most; least: the same where the shares are not kept, null where the points keep none. moved(index): what to do.
export function curve({ points, objective, floor, most, highest, marks, words }, least, moved) {
  let at = 0;
  let size = null;
  let beside = null;
  const drawing = s("svg", { class: "curve", role: "group", "aria-label": say("Least leakage over distortion") });
  const still = s("g", { "aria-hidden": "true" });
  const guides = s("path", { class: "guide", "aria-hidden": "true" });
  const handle = s("g", {
    class: "handle", role: "slider", tabindex: "0", "aria-orientation": "horizontal",
    "aria-label": say("Point on the curve"), keydown: pressed, pointerdown: taken,
    "aria-valuemin": points[0].distortion, "aria-valuemax": points.at(-1).distortion,
  }, [["reach", 24], ["ring", 13], ["knob", 8]].map(([name, r]) => s("circle", { class: name, r })));
  // A finger on the handle moves it and not the page; elsewhere on the drawing it scrolls as ever.
  handle.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
  drawing.append(still, guides, handle);
  drawing.addEventListener("click", (event) => go(nearest(event)));

  const top = highest * 1.06;
  const x = (distortion) => MARGIN.left + (distortion / most) * (size.width - MARGIN.left - MARGIN.right);
  const y = (leakage) => size.height - MARGIN.bottom - (leakage / top) * (size.height - MARGIN.top - MARGIN.bottom);

  function nearest(event) {
    const box = drawing.getBoundingClientRect();
    const [left, top] = [event.clientX - box.left, event.clientY - box.top];
    const away = (point) => Math.hypot(x(point.distortion) - left, y(point[objective]) - top);
    return points.reduce((best, point, index) => (away(point) < away(points[best]) ? index : best), 0);
  }

  function taken(event) {
    event.preventDefault();
    handle.focus();
    handle.setPointerCapture(event.pointerId);
    const follow = (one) => go(nearest(one));
    handle.addEventListener("pointermove", follow);
    for (const end of ["pointerup", "pointercancel"]) {
      handle.addEventListener(end, () => handle.removeEventListener("pointermove", follow), { once: true });
    }
  }

  // The handle goes where the arrow points: right and down to more distortion, left and up to less.
  function pressed(event) {
    const ways = {
      ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, PageDown: FAR, PageUp: -FAR, Home: -Infinity, End: Infinity,
    };
    if (!(event.key in ways)) return;
    event.preventDefault();
    go(at + ways[event.key]);
  }

  function go(index) {
    const next = Math.min(points.length - 1, Math.max(0, index));
    if (next === at) return;
    at = next;
    place();
    moved(at);
  }

  // A key may come before the drawing has its size: draw() places the handle then.
  function place() {
    if (!size) return;
    const point = points[at];
    const [left, top] = [x(point.distortion), y(point[objective])];
    handle.setAttribute("transform", `translate(${left} ${top})`);
    handle.setAttribute("aria-valuenow", point.distortion);
    handle.setAttribute("aria-valuetext", point.words);
    guides.setAttribute("d", `M${MARGIN.left} ${top}H${left}V${size.height - MARGIN.bottom}`);
  }

  function draw() {
    const width = Math.max(260, drawing.clientWidth);
    size = { width, height: Math.round(Math.min(400, Math.max(280, width * 0.62))) };
    drawing.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
    drawing.setAttribute("height", size.height);
    const through = (some) => `M${some.map((point) => `${x(point.distortion)} ${y(point[objective])}`).join("L")}`;
    const below = least || points;
    const [line, lower] = [through(points), through(below)];
    // Where the handle seldom is, and there is room below.
    const named = below[Math.floor((below.length * 2) / 3)];
    const [left, right, bottom] = [MARGIN.left, size.width - MARGIN.right, size.height - MARGIN.bottom];
    fill(still,
      s("path", { class: "never", d: `${lower}V${bottom}H${x(below[0].distortion)}Z` }),
      marks.leakage.map(([value, text]) => [
        s("path", { class: "grid", d: `M${left} ${y(value)}H${right}` }),
        s("text", { x: left - 8, y: y(value) + 4, "text-anchor": "end" }, text),
      ]).flat(),
      marks.distortion.map(([value, text]) => [
        s("path", { class: "grid", d: `M${x(value)} ${bottom}v5` }),
        s("text", { x: x(value), y: bottom + 20, "text-anchor": "middle" }, text),
      ]).flat(),
      s("path", { class: "axis", d: `M${left} ${MARGIN.top}V${bottom}H${right}` }),
      s("text", { x: right, y: size.height - 8, "text-anchor": "end" }, say("mean distortion: more is changed →")),
      s("text", { x: left + 8, y: MARGIN.top + 4, "dominant-baseline": "hanging" }, say("↑ bits leaked")),
      floor ? [
        s("path", { class: "floor", d: `M${left} ${y(floor)}H${right}` }),
        s("text", { class: "floor-word", x: left + 8, y: y(floor) - 6 }, words.line),
      ] : [],
      least ? [s("path", { class: "least", d: lower }),
        s("text", { class: "least-word", x: x(named.distortion) - 8, y: y(named[objective]) + 14, "text-anchor": "end" },
          say("shares not kept"))] : [],
      s("path", { class: "line", d: line }),
      beside ? s("path", { class: "beside", d: `M${beside.map((point) => `${x(point.distortion)} ${y(point.leakage)}`).join("L")}` }) : null,
      points.map((point) => s("circle", { class: "stop", cx: x(point.distortion), cy: y(point[objective]), r: 2 })));
    place();
  }

  new ResizeObserver(() => { if (drawing.isConnected) draw(); }).observe(drawing);
  return {
    drawing,
    go(index) {
      at = index;
      place();
    },
    // Another leakage of the same points, such as that to an attacker with other knowledge; null for none.
    compare(others) {
      beside = others;
      if (size) draw();
    },
  };
}
