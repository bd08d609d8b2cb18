// What moves over the drawing: the selection, the hand, the playhead; and the words about what is under the hand.

import { clock, length } from "../format.js";
import { h, replace } from "../dom.js";
import { font, prepare } from "./ink.js";
import { places } from "./viewport.js";

/** @param {import("./timeline.js").Timeline} line */
export function overlay(line) {
  const { view, colours, selection, hover } = line;
  const { c } = prepare(line.top, view.width, line.height);
  if (selection) selected(c, line);
  if (hover) {
    c.fillStyle = colours.soft;
    c.globalAlpha = 0.55;
    c.fillRect(Math.round(hover.x), 0, 1, line.height);
    c.globalAlpha = 1;
    flag(c, view, hover.x, clock(view.t(hover.x), places(view)), colours.soft, colours.paper);
  }
  const x = view.x(line.playhead);
  if (x >= -1 && x <= view.width + 1) {
    c.fillStyle = colours.play;
    c.fillRect(Math.round(x) - 0.75, 0, 1.5, line.height);
    c.beginPath();
    c.moveTo(x - 5, 0); c.lineTo(x + 5, 0); c.lineTo(x, 7);
    c.fill();
  }
}

function selected(c, { view, colours, selection, height }) {
  const from = Math.max(view.x(selection.from), -2);
  const to = Math.min(view.x(selection.to), view.width + 2);
  if (to < 0 || from > view.width) return;
  c.fillStyle = colours.select;
  c.fillRect(from, 0, Math.max(to - from, 1), height);
  c.fillStyle = colours.play;
  c.fillRect(from, 0, 1, height);
  c.fillRect(to - 1, 0, 1, height);
  const text = length(selection.to - selection.from);
  c.font = font(10.5, 600);
  if (to - from > c.measureText(text).width + 10) {
    c.textAlign = "center";
    c.fillText(text, (from + to) / 2, height - 5);
  }
}

function flag(c, view, x, text, colour, paper) {
  c.font = font(10.5, 550);
  c.textAlign = "left";
  const room = c.measureText(text).width + 8;
  const left = x + room + 2 > view.width ? x - room : x + 1;
  c.fillStyle = colour;
  c.fillRect(left, 0, room, 15);
  c.fillStyle = paper;
  c.fillText(text, left + 4, 11);
}

/** Words beside the hand about a span, or none. @param {import("./timeline.js").Timeline} line */
export function tell(line, found, x, y) {
  const { tip, stage, view } = line;
  tip.hidden = !found.spans.length;
  if (tip.hidden) return;
  const [span] = found.spans;
  const from = line.seconds(span.start);
  const long = span.end > span.start ? ` · ${length(line.seconds(span.end) - from)}` : "";
  replace(tip, h("strong", {}, span.text.slice(0, 300)), h("p", { class: "soft" }, `${found.lane.title} · ${line.time(from)}${long}`),
    span.detail.length ? h("dl", {}, span.detail.slice(0, 12).map(([name, value]) => [h("dt", {}, name), h("dd", {}, String(value).slice(0, 300))]).flat()) : null,
    found.spans.length > 1 && h("p", { class: "soft" }, `and ${found.spans.length - 1} more here`));
  const box = tip.getBoundingClientRect();
  const left = x + 14 + box.width > view.width ? Math.max(x - box.width - 14, 0) : x + 14;
  const below = stage.getBoundingClientRect().top + y + 18 + box.height < innerHeight;
  tip.style.setProperty("transform", `translate(${left}px, ${below ? y + 18 : Math.max(y - box.height - 12, 0)}px)`);
}
