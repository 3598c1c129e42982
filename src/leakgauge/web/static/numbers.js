// Numbers as people read them. What the server calls infinity is shown as ∞, what it does not know as a dash.

import { language, say } from "./words.js";

const locale = language === "zh" ? "zh-CN" : "en";
const formats = new Map();

function format(options) {
  const key = JSON.stringify(options);
  if (!formats.has(key)) formats.set(key, new Intl.NumberFormat(locale, options));
  return formats.get(key);
}

// An estimate has a value and an interval; other numbers are themselves.
export function valueOf(quantity) {
  const value = quantity !== null && typeof quantity === "object" ? quantity.value : quantity;
  if (value === "infinity") return Infinity;
  return value === undefined ? null : value;
}

export function fixed(quantity, digits) {
  const value = valueOf(quantity);
  if (value === null || Number.isNaN(value)) return "—";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const smallest = 10 ** -digits;
  // Too little to show is not nothing; what is left of rounding in sums of probabilities is.
  if (value > 1e-9 && value < smallest / 2) return `< ${format({ minimumFractionDigits: digits }).format(smallest)}`;
  const shown = Math.abs(value) < 1e-9 ? 0 : value;
  return format({ minimumFractionDigits: digits, maximumFractionDigits: digits }).format(shown);
}

// In as many digits as count; of what somebody gave, more.
export function short(quantity, digits = 3) {
  const value = valueOf(quantity);
  if (value === null) return "—";
  if (!Number.isFinite(value)) return "∞";
  const size = Math.abs(value);
  // Others would be written out to their last zero.
  if (size > 0 && (size < 1e-4 || size >= 1e9)) return value.toExponential(2).replace("e+", "e");
  return format({ maximumSignificantDigits: digits }).format(value);
}

// Three digits: points of a dial, bits, ε. What is left of rounding in sums of probabilities is nothing.
export const points = (quantity) => {
  const value = valueOf(quantity);
  if (value === null || Number.isNaN(value)) return "—";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size > 1e-9 && size < 5e-4) return `< ${format({}).format(0.001)}`;
  return format({ maximumSignificantDigits: 3 }).format(size < 1e-9 ? 0 : value);
};

// Both ends of what is known; of an exact number the number twice.
export const ends = (quantity) => [quantity.low ?? quantity.value, quantity.high ?? quantity.value];

export const whole = (count) => format({ maximumFractionDigits: 0 }).format(count);

export const share = (quantity) => {
  const value = valueOf(quantity);
  return value === null ? "—" : `${points(value * 100)}\u00a0%`;
};

// A number and its unit stay on one line.
export const bits = (quantity) => say("{number:g} bits", { number: points(quantity) }).replaceAll(" ", "\u00a0");

// The next number up or down that can be shown: a bound is rounded to its unfavourable side, and a limit which is named
// can be given.
function towards(round, value) {
  if (value === null || !(value > 1e-9) || !Number.isFinite(value)) return value;
  const scale = 10 ** (2 - Math.floor(Math.log10(value)));
  return round(value * scale) / scale;
}

export const atMost = (quantity) => towards((value) => Math.ceil(value - 1e-9), valueOf(quantity));

export const atLeast = (quantity) => towards((value) => Math.floor(value + 1e-9), valueOf(quantity));

// 50 ln 2: an answer that is 2^50 times as likely of one person as of another protects neither.
const UNLIMITED = 50 * Math.LN2;

export const nats = (quantity) => {
  const value = valueOf(quantity);
  return Number.isFinite(value) && value >= UNLIMITED ? say("practically unlimited") : points(atMost(value));
};

export function between(quantity, write) {
  if (!quantity || quantity.low === null || quantity.low === undefined) return null;
  return say("{percent}% sure: between {low} and {high}", {
    percent: short(quantity.confidence * 100), low: write(quantity.low), high: write(quantity.high),
  });
}

export const signed = (number) => (number < 0 ? `−${fixed(-number, 1)}` : `+${fixed(number, 1)}`);

// The hour of today, or the day too.
export function moment(iso) {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return "";
  const today = at.toDateString() === new Date().toDateString();
  const day = today ? {} : { year: "numeric", month: "short", day: "numeric" };
  return new Intl.DateTimeFormat(locale, { ...day, hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(at);
}
