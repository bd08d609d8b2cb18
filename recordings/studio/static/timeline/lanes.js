// Lanes below the waves: a row each, with what happened when.

import { font } from "./ink.js";

export const LANE = 19;
const BAR = 13;

/** Lanes whose spans say more than that they are there. */
const WORDED = new Set(["utterances", "barge_ins", "cut_ins", "turn_ends", "server_hears", "responses", "flushes", "unheard", "marks", "tools", "keys",
  "conditions", "connection", "notices"]);

/** Colour by lane, then by kind where kinds matter. @param {Record<string, string>} ink */
function colour(ink, lane, kind) {
  const own = {
    user: ink.user, endpoint: ink.endpoint, utterances: ink.user, overlaps: ink.warn, dead_air: ink.soft,
    barge_ins: ink.violet, cut_ins: ink.bad, pauses: ink.soft, turn_ends: ink.ink, server_hears: ink.endpoint,
    responses: ink.endpoint, flushes: ink.bad, unheard: ink.endpoint, marks: ink.violet, tools: ink.violet, keys: ink.user,
    conditions: ink.soft, thinking: ink.soft, connection: ink.warn, ticks: ink.bad, notices: ink.warn,
  };
  const kinds = { error: ink.bad, warning: ink.warn, note: ink.soft, backchannel: ink.good, aside: ink.violet, tic: ink.soft,
    barge_in: ink.violet, cut_in: ink.bad, cancelled: ink.warn, talk_over: ink.warn };
  return kinds[kind] ?? own[lane.name] ?? ink.soft;
}

/**
 * @param {CanvasRenderingContext2D} c @param {import("./viewport.js").Viewport} view
 * @param {any} lane @param {number} top @param {(ticks: number) => number} seconds @param {Record<string, string>} ink
 */
export function drawLane(c, view, lane, top, seconds, ink) {
  c.fillStyle = ink.grid;
  c.fillRect(0, top + LANE - 1, view.width, 1);
  const y = top + (LANE - BAR) / 2 - 0.5;
  c.font = font(10, 500);
  c.textAlign = "left";
  const worded = WORDED.has(lane.name);
  let drawn = -Infinity;
  lane.spans.forEach((span, i) => {
    const from = seconds(span.start);
    const to = seconds(span.end);
    if (from > view.end || to < view.start) return;
    const left = Math.max(view.x(from), -3);
    const right = Math.min(view.x(to), view.width + 3);
    // what falls on the same pixel as the last needs no ink
    if (right - drawn < 0.5) return;
    drawn = right;
    const paint = colour(ink, lane, span.kind);
    if (span.end > span.start) bar(c, left, right, y, paint, lane.name);
    else if (lane.name === "ticks") { c.fillStyle = paint; c.fillRect(left - 0.5, y, 1, BAR); }
    else diamond(c, left, y + BAR / 2, paint);
    if (!worded) return;
    const next = lane.spans[i + 1];
    const until = next ? Math.min(view.x(seconds(next.start)) - 6, view.width) : view.width;
    words(c, span, left, right, y, until, ink);
  });
}

function bar(c, left, right, y, paint, lane) {
  const width = Math.max(right - left, 1.5);
  c.fillStyle = paint;
  c.globalAlpha = lane === "dead_air" || lane === "thinking" || lane === "conditions" ? 0.22 : 0.34;
  c.beginPath();
  c.roundRect(left, y, width, BAR, Math.min(3, width / 2));
  c.fill();
  c.globalAlpha = 1;
  if (lane === "unheard") hatch(c, left, y, width, paint);
  c.fillRect(left, y, Math.min(1.5, width), BAR);
}

function hatch(c, left, y, width, paint) {
  c.save();
  c.beginPath();
  c.rect(left, y, width, BAR);
  c.clip();
  c.strokeStyle = paint;
  c.globalAlpha = 0.4;
  c.lineWidth = 1;
  c.beginPath();
  for (let x = left - BAR; x < left + width; x += 5) { c.moveTo(x, y + BAR); c.lineTo(x + BAR, y); }
  c.stroke();
  c.restore();
}

function diamond(c, x, y, paint) {
  c.fillStyle = paint;
  c.beginPath();
  c.moveTo(x, y - 5); c.lineTo(x + 4, y); c.lineTo(x, y + 5); c.lineTo(x - 4, y);
  c.fill();
}

function words(c, span, left, right, y, until, ink) {
  const inside = span.end > span.start;
  const x = inside ? Math.max(left, 0) + 5 : right + 8;
  const room = (inside ? Math.min(right, until) - 3 : Math.min(until, x + 220)) - x;
  if (room < 22) return;
  // one word that says it beats the beginning of a sentence
  const kind = span.kind.replaceAll("_", " ");
  const text = width(c, span.text.slice(0, MOST)) <= room || width(c, kind) > room ? shortened(c, span.text.slice(0, MOST), room) : kind;
  c.fillStyle = ink.ink;
  c.globalAlpha = 0.86;
  c.fillText(text, x, y + BAR - 3);
  c.globalAlpha = 1;
}

const MOST = 80;
const KNOWN = new Map();

/** How wide a text is; measured once. */
function width(c, text) {
  if (!KNOWN.has(text)) {
    if (KNOWN.size > 5000) KNOWN.clear();
    KNOWN.set(text, c.measureText(text).width);
  }
  return KNOWN.get(text);
}

/** As much of a text as there is room for. */
function shortened(c, text, room) {
  const full = width(c, text);
  if (full <= room) return text;
  const fitting = Math.floor(text.length * room / full) - 1;
  return fitting < 7 ? "" : text.slice(0, fitting) + "…";
}

/** The spans of a lane that lie under a pixel, the nearest first. */
export function under(lane, view, x, seconds) {
  const near = 5 * view.perPixel;
  const t = view.t(x);
  return lane.spans
    .filter((span) => seconds(span.start) - near <= t && seconds(span.end) + near >= t)
    .sort((a, b) => Math.abs(seconds(a.start) - t) - Math.abs(seconds(b.start) - t));
}
