// Numbers as they are shown. Pure.

/**
 * A moment of the call: "1:02.35", with as many places as the zoom can tell apart.
 * @param {number} seconds @param {number} [places]
 */
export function clock(seconds, places = 2) {
  const sign = seconds < 0 ? "−" : "";
  const scaled = Math.round(Math.abs(seconds) * 10 ** places);
  const unit = 10 ** places;
  const whole = Math.floor(scaled / unit);
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  const rest = String(whole % 60).padStart(2, "0");
  const fraction = places ? "." + String(scaled % unit).padStart(places, "0") : "";
  const head = hours ? `${hours}:${String(minutes).padStart(2, "0")}` : String(minutes);
  return `${sign}${head}:${rest}${fraction}`;
}

/** A length: "850 ms", "2.4 s", "3 min 20 s". @param {number} seconds */
export function length(seconds) {
  const size = Math.abs(seconds);
  if (size < 0.01) return `${trim(seconds * 1000, 2)} ms`;
  if (size < 1) return `${Math.round(seconds * 1000)} ms`;
  if (size < 60) return `${trim(seconds, 1)} s`;
  const whole = Math.round(size);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor(whole / 60) % 60} min`;
}

/** @param {number} value @param {number} places */
export const trim = (value, places) => String(Number(value.toFixed(places))).replace("-", "−");

/** A latency in milliseconds, with its sign where it is negative. @param {number} ms */
export const milliseconds = (ms) => `${String(Math.round(ms)).replace("-", "−")} ms`;

/** "end_of_turn" as "end of turn". @param {string} name */
export const words = (name) => String(name).replaceAll("_", " ");

/** A whole number with its thousands set apart. @param {number} n */
export const thousands = (n) => String(n).replace(/\B(?=(?:\d{3})+$)/g, ",");

/** "1 turn", "3 turns". @param {number} n @param {string} one @param {string} [many] */
export const count = (n, one, many = one + "s") => `${thousands(n)} ${n === 1 ? one : many}`;

/**
 * A value of a table: numbers short, what is missing as a dash.
 * @param {any} value @param {string} [unit]
 */
export function cell(value, unit = "") {
  if (value === null || value === undefined || value === "") return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "number") return words(value);
  if (unit === "ms") return String(Math.round(value)).replace("-", "−");
  if (unit === "s") return value.toFixed(1).replace("-", "−");
  if (unit === "ratio") return `${(100 * value).toFixed(1).replace("-", "−")} %`;
  if (Number.isInteger(value)) return thousands(value).replace("-", "−");
  return (Math.abs(value) < 10 ? value.toFixed(2) : value.toFixed(1)).replace("-", "−");
}
