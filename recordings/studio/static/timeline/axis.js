// The time axis, and the numbers of the turns.

import { clock } from "../format.js";
import { font } from "./ink.js";
import { ticks } from "./viewport.js";

/**
 * @param {CanvasRenderingContext2D} c @param {import("./viewport.js").Viewport} view @param {number} height  Of the axis.
 * @param {number} full  Height of the drawing. @param {Record<string, string>} ink
 */
export function axis(c, view, height, full, ink) {
  const { step, first, parts } = ticks(view);
  const places = step >= 1 ? 0 : Math.min(Math.ceil(-Math.log10(step) - 1e-9), 5);
  c.font = font(10.5);
  c.textAlign = "left";
  for (let n = 0; n < 400; n++) {
    const t = first + n * step;
    if (t > view.end) break;
    const x = Math.round(view.x(t)) + 0.5;
    c.fillStyle = ink.grid;
    c.fillRect(x - 0.5, height, 1, full - height);
    c.fillStyle = ink.line;
    c.fillRect(x - 0.5, height - 9, 1, 9);
    for (let part = 1; part < parts; part++) c.fillRect(Math.round(view.x(t + part * step / parts)), height - 4, 1, 4);
    c.fillStyle = ink.soft;
    c.fillText(clock(t, places), x + 4, height - 10);
  }
  c.fillStyle = ink.line;
  c.fillRect(0, height - 1, view.width, 1);
}

/** Numbers of the turns at their beginnings, where there is room. */
export function turnNumbers(c, view, turns, seconds, rows, ink) {
  c.font = font(10, 650);
  c.textAlign = "left";
  const free = { user: -Infinity, endpoint: -Infinity };
  for (const turn of turns) {
    const from = seconds(turn.start);
    if (from > view.end) break;
    if (seconds(turn.end) < view.start) continue;
    const x = Math.max(view.x(from), 0);
    const text = String(turn.number);
    if (x < free[turn.side]) continue;
    free[turn.side] = x + c.measureText(text).width + 6;
    c.fillStyle = turn.side === "user" ? ink.user : ink.endpoint;
    c.fillText(text, x + 3, rows[turn.side].top + 12);
  }
}

/** How long each reply took, between the waves. */
export function brackets(c, view, found, seconds, { top, height }, ink) {
  const middle = top + height / 2;
  const colours = { wait: ink.soft, cut_in: ink.bad, unanswered: ink.warn };
  c.lineWidth = 1.25;
  c.textAlign = "center";
  let free = -Infinity;
  for (const bracket of found) {
    const [from, to] = [seconds(bracket.start), seconds(bracket.end)].sort((a, b) => a - b);
    if (to < view.start || from > view.end) continue;
    const left = Math.max(view.x(from), -4);
    const right = Math.min(view.x(to), view.width + 4);
    c.strokeStyle = c.fillStyle = colours[bracket.kind];
    c.setLineDash(bracket.kind === "unanswered" ? [4, 3] : []);
    c.beginPath();
    c.moveTo(left, middle - 6); c.lineTo(left, middle + 6);
    c.moveTo(left, middle); c.lineTo(right, middle);
    if (bracket.kind !== "unanswered") { c.moveTo(right, middle - 6); c.lineTo(right, middle + 6); }
    c.stroke();
    c.setLineDash([]);
    c.font = font(11, bracket.kind === "wait" ? 500 : 650);
    const room = c.measureText(bracket.text).width;
    const at = Math.min(Math.max((left + right) / 2, room / 2 + 2), view.width - room / 2 - 2);
    if (at - room / 2 < free || right - left < 3) continue;
    free = at + room / 2 + 8;
    label(c, bracket.text, at, right - left > room + 16 ? middle : middle + 15, room, ink.paper);
  }
}

function label(c, text, x, y, room, paper) {
  const { fillStyle } = c;
  c.fillStyle = paper;
  c.fillRect(x - room / 2 - 4, y - 7, room + 8, 14);
  c.fillStyle = fillStyle;
  c.fillText(text, x, y + 4);
}
