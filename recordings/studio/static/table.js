// A table of the catalogue's columns: sorted and filtered here, so that neither asks the server again. Pure.

/** @typedef {{name: string, title: string, topic?: string, kind: string, unit?: string, description?: string, values: any[],
 *   unscored?: Record<string, number[]>}} Column  `unscored`: rows by the cause for which they have no value. */

/** Columns that are shown before anybody has chosen any. */
export const USUAL = ["run", "episode", "endpoint", "outcome", "duration_s", "turns", "response_latency", "unanswered_turns",
  "endpoint_interruptions", "user_wer_heard", "endpoint_wer_heard"];

/** The column that leads to the call. */
export const MAIN = "episode";

/** Columns that can be filtered by a choice. */
export const CHOICES = ["endpoint", "scenario", "outcome", "condition", "user"];

/** How wide a column is drawn, in pixels. @param {Column} column */
export function width(column) {
  const own = { run: 150, title: 250, endpoint: 220, scenario: 150, outcome: 150, episode: 190, pack: 110, duration_s: 84, turns: 74, problem: 260 };
  return own[column.name] ?? (column.kind === "number" || column.kind === "flag" ? 116 : 140);
}

/**
 * Rows that fit, in order.
 * @param {Map<string, Column>} columns @param {number} count
 * @param {{text: string, run: string, only: string, choices: Record<string, string>}} filter
 * @param {{by: string, down: boolean}} sort
 * @returns {Uint32Array}
 */
export function chosen(columns, count, filter, sort) {
  const tests = conditions(columns, filter);
  const found = [];
  for (let row = 0; row < count; row++) if (tests.every((test) => test(row))) found.push(row);
  const column = columns.get(sort.by);
  if (column) {
    const { values } = column;
    const missing = (value) => value === null || value === undefined || value === "";
    const collator = new Intl.Collator("en", { numeric: true });
    const order = sort.down ? -1 : 1;
    // what has no value stands last in both directions
    found.sort((a, b) => {
      const [x, y] = [values[a], values[b]];
      if (missing(x) || missing(y)) return Number(missing(x)) - Number(missing(y)) || a - b;
      return order * (typeof x === "string" ? collator.compare(x, String(y)) : Number(x) - Number(y)) || a - b;
    });
  }
  return Uint32Array.from(found);
}

/** @type {WeakMap<Column, Map<number, string>>} */
const causes = new WeakMap();

/** Why a row has no value; undefined if it has one, or if nobody asked for it. @param {Column} column @param {number} row */
export function cause(column, row) {
  let found = causes.get(column);
  if (!found) causes.set(column, found = new Map(Object.entries(column.unscored ?? {}).flatMap(([why, rows]) => rows.map((one) => [one, why]))));
  return found.get(row);
}

function conditions(columns, filter) {
  const value = (name, row) => columns.get(name)?.values[row];
  const tests = [];
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length) {
    const texts = [...columns.values()].filter((column) => column.kind === "text").map((column) => column.values);
    tests.push((row) => {
      const all = texts.map((values) => values[row] ?? "").join("\u0001").toLowerCase();
      return words.every((word) => all.includes(word));
    });
  }
  if (filter.run) tests.push((row) => value("run_id", row) === filter.run);
  for (const [name, wanted] of Object.entries(filter.choices)) if (wanted) tests.push((row) => String(value(name, row)) === wanted);
  const only = {
    valid: (row) => !value("void", row), void: (row) => value("void", row) === true, failed: (row) => Boolean(value("failed", row)?.length ?? value("failed", row)),
    unscored: (row) => [...columns.values()].some((column) => cause(column, row) !== undefined), unmeasured: (row) => value("scored", row) === false,
    live: (row) => value("live", row) === true, problem: (row) => Boolean(value("problem", row)),
  }[filter.only];
  if (only) tests.push(only);
  return tests;
}

/** Different values of a column, most frequent first. @param {Column | undefined} column */
export function different(column) {
  const counts = new Map();
  for (const value of column?.values ?? []) if (value !== null && value !== "") counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]);
}
