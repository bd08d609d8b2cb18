// Waveforms: filled outlines from afar, a line through the samples from near by.

import { font } from "./ink.js";

/** @typedef {{name: string, step: number, rate: number, samples: number}} Track */

/**
 * @param {CanvasRenderingContext2D} c
 * @param {import("./viewport.js").Viewport} view
 * @param {import("./peaks.js").Peaks} peaks
 * @param {Track} track
 * @param {{top: number, height: number, colour: string, line: string, soft: string, gain: number}} look
 */
export function wave(c, view, peaks, track, look) {
  const middle = look.top + look.height / 2;
  const scale = (look.height / 2 - 3) * look.gain / 32768;
  const y = (value) => Math.min(Math.max(middle - value * scale, look.top + 1), look.top + look.height - 1);
  c.fillStyle = look.line;
  c.fillRect(0, middle - 0.5, view.width, 1);
  const first = view.start * track.rate;
  const last = view.end * track.rate;
  c.fillStyle = c.strokeStyle = look.colour;
  if ((last - first) / view.width < 0.7 && dots(c, view, peaks, track, y, first, last)) return;
  outline(c, view, peaks, track, y, first, last);
}

function outline(c, view, peaks, track, y, first, last) {
  const sharp = Math.min(devicePixelRatio || 1, 2);
  const columns = Math.ceil(view.width * sharp);
  const { low, high } = peaks.columns(track.name, first, last, columns);
  c.beginPath();
  for (let column = 0; column < columns; column++) {
    if (low[column] > high[column]) continue;
    const above = y(high[column]);
    const below = y(low[column]);
    // digital silence is a hairline, so that it can be told from what is not there
    c.rect(column / sharp, above, 1 / sharp, Math.max(below - above, 1 / sharp));
  }
  c.fill();
}

function dots(c, view, peaks, track, y, first, last) {
  const from = Math.max(Math.floor(first) - 1, 0);
  const samples = peaks.samples(track.name, from, Math.min(Math.ceil(last) + 2, track.samples));
  if (!samples) return false;
  const x = (i) => view.x((from + i) / track.rate);
  c.lineWidth = 1.25;
  c.beginPath();
  samples.forEach((value, i) => (i ? c.lineTo(x(i), y(value)) : c.moveTo(x(i), y(value))));
  c.stroke();
  const apart = view.width / (last - first);
  if (apart < 4) return true;
  const size = Math.min(apart / 5, 2.5);
  c.beginPath();
  samples.forEach((value, i) => { c.moveTo(x(i) + size, y(value)); c.arc(x(i), y(value), size, 0, 2 * Math.PI); });
  c.fill();
  return true;
}

/** Where a side is audible, behind its wave. */
export function wash(c, view, spans, seconds, { top, height, colour }) {
  c.fillStyle = colour;
  for (const span of spans) {
    const from = seconds(span.start);
    const to = seconds(span.end);
    if (to < view.start || from > view.end) continue;
    const x = Math.max(view.x(from), -2);
    c.fillRect(x, top, Math.max(Math.min(view.x(to), view.width + 2) - x, 1), height);
  }
}

/** Say in a row why there is no wave. */
export function problem(c, view, text, { top, height, colour }) {
  c.fillStyle = colour;
  c.font = font(12);
  c.textAlign = "left";
  c.fillText(text, 12, top + height / 2 + 4);
}
