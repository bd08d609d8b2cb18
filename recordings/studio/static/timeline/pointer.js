// The hand on the timeline: a click seeks, a drag selects, the wheel zooms, with Shift it moves.

import { tell } from "./overlay.js";

const DRAG = 4;

/** @param {import("./timeline.js").Timeline} line */
export function pointer(line) {
  const { stage, view } = line;
  /** @type {{x: number, t: number, mode: string, selection: any, start: number} | null} */
  let drag = null;
  const place = (event) => {
    const box = stage.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };

  stage.addEventListener("pointerdown", (event) => {
    if (event.button > 1) return;
    const { x } = place(event);
    stage.setPointerCapture(event.pointerId);
    const moving = event.button === 1 || event.altKey;
    const edge = moving ? null : edgeAt(line, x);
    drag = { x, t: edge ?? view.t(x), mode: moving ? "move" : edge === null ? "press" : "select", selection: line.selection, start: view.start };
    if (event.button === 1) event.preventDefault();
  });

  stage.addEventListener("pointermove", (event) => {
    const { x, y } = place(event);
    if (!drag) return hover(line, x, y);
    if (drag.mode === "press" && Math.abs(x - drag.x) > DRAG) drag.mode = "select";
    if (drag.mode === "select") {
      const t = Math.min(Math.max(view.t(x), 0), view.duration);
      line.tip.hidden = true;
      line.select({ from: Math.min(drag.t, t), to: Math.max(drag.t, t) });
    } else if (drag.mode === "move") {
      line.go(view.clamped(drag.start - (x - drag.x) * view.perPixel, view.span), false);
    }
  });

  stage.addEventListener("pointerup", (event) => {
    if (!drag) return;
    const { x, y } = place(event);
    if (drag.mode === "press") press(line, x, y);
    else if (drag.mode === "select" && line.selection) seek(line, line.selection.from);
    drag = null;
  });
  stage.addEventListener("pointercancel", () => { drag = null; });
  stage.addEventListener("pointerleave", () => { line.hover = null; line.tip.hidden = true; line.paintOverlay(); });

  stage.addEventListener("dblclick", (event) => {
    const { x, y } = place(event);
    const [span] = line.at(x, y).spans;
    const turn = line.episode.turns.find((one) => line.seconds(one.start) <= view.t(x) && line.seconds(one.end) >= view.t(x));
    const found = span?.end > span?.start ? span : turn;
    if (found) line.go(view.around(line.seconds(found.start), line.seconds(found.end)));
  });

  stage.addEventListener("wheel", (event) => {
    event.preventDefault();
    const unit = event.deltaMode === 1 ? 16 : 1;
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      line.go(view.clamped(view.start + sideways * unit * view.perPixel, view.span), false);
    } else {
      line.zoom(Math.exp(Math.max(Math.min(event.deltaY * unit, 240), -240) * 0.0022), view.t(place(event).x), false);
    }
  }, { passive: false });
}

function edgeAt(line, x) {
  const { selection, view } = line;
  if (!selection) return null;
  if (Math.abs(view.x(selection.from) - x) < 4) return selection.to;
  if (Math.abs(view.x(selection.to) - x) < 4) return selection.from;
  return null;
}

function hover(line, x, y) {
  const found = line.at(x, y);
  line.hover = { x, span: found.spans[0] ?? null };
  line.stage.classList.toggle("grab", edgeAt(line, x) !== null);
  line.stage.classList.toggle("point", found.spans.length > 0);
  line.paintOverlay();
  tell(line, found, x, y);
}

function press(line, x, y) {
  const [span] = line.at(x, y).spans;
  if (span) {
    const [from, to] = [line.seconds(span.start), line.seconds(span.end)];
    line.select(to > from ? { from, to } : null);
    seek(line, from);
  } else {
    const t = line.view.t(x);
    if (line.selection && (t < line.selection.from || t > line.selection.to)) line.select(null);
    seek(line, t);
  }
}

function seek(line, t) { line.dispatchEvent(new CustomEvent("seek", { detail: Math.min(Math.max(t, 0), line.view.duration) })); }
