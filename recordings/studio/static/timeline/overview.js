// The whole call in a strip: what is shown below is framed, and the frame can be dragged.

import { h } from "../dom.js";
import { prepare } from "./ink.js";

const HEIGHT = 40;

export class Overview {
  /** @param {import("./timeline.js").Timeline} line */
  constructor(line) {
    this.line = line;
    this.canvas = h("canvas", { "aria-hidden": "true" });
    this.frame = h("div", { class: "frame" });
    this.dot = h("div", { class: "dot" });
    this.strip = h("div", { class: "strip" }, this.canvas, this.frame, this.dot);
    this.element = h("div", { class: "overview" }, h("div", { class: "gutter-label" }, "Whole call"), this.strip);
    this.drawn = "";
    this.#listen();
  }

  get width() { return this.line.view.width; }

  draw() {
    const { line } = this;
    const { peaks, colours } = line;
    const key = [this.width, line.view.duration, colours.user, colours.paper, ...line.tracks.map((t) => `${t.samples}:${peaks.loudest(t.name)}`)].join();
    if (key !== this.drawn) {
      this.drawn = key;
      this.#paint();
    }
    this.mark();
  }

  #paint() {
    const { line, width } = this;
    const { c } = prepare(this.canvas, width, HEIGHT);
    line.tracks.forEach((track) => {
      if (track.problem) return;
      const { low, high } = line.peaks.columns(track.name, 0, line.view.duration * track.rate, Math.ceil(width));
      const loudest = line.peaks.loudest(track.name) || 1;
      const middle = track.name === "user" ? HEIGHT * 0.27 : HEIGHT * 0.73;
      c.fillStyle = line.colours[track.name];
      for (let x = 0; x < low.length; x++) {
        if (low[x] > high[x]) continue;
        const size = Math.max(high[x] - low[x], 0) / (2 * loudest) * HEIGHT * 0.44;
        c.fillRect(x, middle - size / 2, 1, Math.max(size, 0.5));
      }
    });
  }

  /** Where the view and the playhead are. */
  mark() {
    const { view, playhead } = this.line;
    const left = view.start / view.duration * this.width;
    const width = Math.max(view.span / view.duration * this.width, 3);
    this.frame.style.setProperty("transform", `translateX(${left}px)`);
    this.frame.style.setProperty("width", `${width}px`);
    this.dot.style.setProperty("transform", `translateX(${playhead / view.duration * this.width}px)`);
  }

  #listen() {
    const { strip, line } = this;
    let grip = null;
    const t = (event) => (event.clientX - strip.getBoundingClientRect().left) / this.width * line.view.duration;
    strip.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      strip.setPointerCapture(event.pointerId);
      const { view } = line;
      const at = t(event);
      grip = at >= view.start && at <= view.end ? at - view.start : view.span / 2;
      line.go(view.clamped(at - grip, view.span), grip === view.span / 2);
    });
    strip.addEventListener("pointermove", (event) => { if (grip !== null) line.go(line.view.clamped(t(event) - grip, line.view.span), false); });
    for (const end of ["pointerup", "pointercancel"]) strip.addEventListener(end, () => { grip = null; });
    strip.addEventListener("dblclick", () => line.fit());
    strip.addEventListener("wheel", (event) => {
      event.preventDefault();
      line.zoom(Math.exp(event.deltaY * 0.0022), t(event), false);
    }, { passive: false });
  }
}
