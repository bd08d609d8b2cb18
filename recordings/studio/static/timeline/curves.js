// Pitch and loudness of the blueprint, as lines over the call.

import { font } from "./ink.js";

export const CURVES = {
  pitch: { title: "Pitch", unit: "Hz", low: 60, high: 480, marks: [100, 200, 400], scale: Math.log2 },
  loudness: { title: "Loudness", unit: "LUFS", low: -60, high: 0, marks: [-45, -30, -15], scale: (v) => v },
};

/**
 * @param {CanvasRenderingContext2D} c @param {import("./viewport.js").Viewport} view @param {keyof typeof CURVES} name
 * @param {any[]} turns  Of `ShownCurves`. @param {(ticks: number) => number} seconds
 */
export function drawCurve(c, view, name, turns, seconds, { top, height }, ink) {
  const form = CURVES[name];
  const [low, high] = [form.scale(form.low), form.scale(form.high)];
  const y = (value) => {
    const share = (form.scale(Math.min(Math.max(value, form.low), form.high)) - low) / (high - low);
    return top + height - 5 - share * (height - 16);
  };
  c.fillStyle = ink.line;
  c.fillRect(0, top, view.width, 1);
  c.font = font(9.5);
  c.textAlign = "right";
  for (const mark of form.marks) {
    c.fillStyle = ink.grid;
    c.fillRect(0, Math.round(y(mark)), view.width, 1);
    c.fillStyle = ink.soft;
    c.fillText(String(mark).replace("-", "−"), view.width - 4, y(mark) - 2);
  }
  c.lineWidth = 1.6;
  c.lineJoin = "round";
  for (const turn of turns) {
    const curve = turn[name];
    if (!curve || seconds(curve.end) < view.start || seconds(curve.start) > view.end) continue;
    c.strokeStyle = turn.side === "user" ? ink.user : ink.endpoint;
    c.beginPath();
    const step = (seconds(curve.end) - seconds(curve.start)) / Math.max(curve.points.length - 1, 1);
    let drawing = false; // null: nothing to tell there, as where a voice has no pitch
    curve.points.forEach((value, i) => {
      if (value === null) { drawing = false; return; }
      const x = view.x(seconds(curve.start) + i * step);
      if (drawing) c.lineTo(x, y(value)); else c.moveTo(x, y(value));
      drawing = true;
    });
    c.stroke();
  }
}
