// The bar of buttons: play, loop, sides, speed, zoom, and what else is drawn.

import { h, icon } from "./dom.js";
import { clock } from "./format.js";
import { SPEEDS } from "./player.js";

/**
 * @typedef {object} Actions
 * @property {() => void} toggle
 * @property {(by: number) => void} turn
 * @property {() => void} loop
 * @property {(side: import("./player.js").Side) => void} side
 * @property {(speed: number) => void} speed
 * @property {() => void} middle
 * @property {(what: "spectrogram" | "pitch" | "loudness") => void} show
 * @property {(factor: number) => void} zoom
 * @property {() => void} fit
 */

const SIDES = { both: "Both", user: "User", endpoint: "Endpoint" };
const EXTRAS = { spectrogram: "Spectrum", pitch: "Pitch", loudness: "Loudness" };
const EXTRA_KEYS = { spectrogram: "S", pitch: "P", loudness: "O" };

export class Transport {
  /** @param {Actions} actions @param {number} duration @param {boolean} apart */
  constructor(actions, duration, apart) {
    const button = (name, label, keys, run, extra = {}) =>
      h("button", { type: "button", class: "tool", "aria-label": label, title: `${label}${keys ? ` (${keys})` : ""}`, ...extra, on: { click: run } }, icon(name));
    this.play = button("play", "Play", "Space", actions.toggle, { class: "tool play" });
    this.loop = button("loop", "Loop the selection, or the turn", "L", actions.loop, { "aria-pressed": "false" });
    this.now = h("span", { class: "now" });
    this.all = h("span", { class: "soft" });
    this.sides = h("div", { class: "segmented", role: "radiogroup", "aria-label": "Who is heard" }, Object.entries(SIDES).map(([side, title]) => {
      const input = h("input", { type: "radio", name: "side", value: side, id: `side-${side}`, on: { change: () => actions.side(side) } });
      input.checked = side === "both";
      return [input, h("label", { for: `side-${side}`, class: side, title: `Hear ${title.toLowerCase()}` }, title)];
    }).flat());
    this.speed = h("select", { "aria-label": "Speed", title: "Speed, with the pitch kept (< and >)", on: { change: () => actions.speed(Number(this.speed.value)) } },
      SPEEDS.map((one) => h("option", { value: one }, `${one}×`)));
    this.speed.value = "1";
    this.middle = h("button", { type: "button", class: "tool text", "aria-pressed": "false", hidden: !apart, title: "Both sides in both ears (M)", on: { click: actions.middle } }, "Mono");
    this.extras = Object.fromEntries(Object.entries(EXTRAS).map(([name, title]) => [name,
      h("button", { type: "button", class: "tool text", "aria-pressed": "false", title: `${title} (${EXTRA_KEYS[name]})`, on: { click: () => actions.show(/** @type {any} */ (name)) } }, title)]));
    this.element = h("div", { class: "transport", role: "toolbar", "aria-label": "Listening" },
      h("div", { class: "group" }, button("previous", "Previous turn", "[", () => actions.turn(-1)), this.play, button("next", "Next turn", "]", () => actions.turn(1)), this.loop),
      h("div", { class: "time" }, this.now, this.all),
      this.sides,
      h("div", { class: "group" }, this.speed, this.middle),
      h("div", { class: "grow" }),
      h("div", { class: "group", role: "group", "aria-label": "Also drawn" }, Object.values(this.extras)),
      h("div", { class: "group", role: "group", "aria-label": "Zoom" }, button("wider", "Wider", "−", () => actions.zoom(2)), button("closer", "Closer", "+", () => actions.zoom(0.5)), button("whole", "Whole call", "0", actions.fit)));
    this.length(duration);
    this.time(0);
  }

  /** @param {number} t */
  time(t) {
    const text = clock(t, 2);
    if (this.now.textContent !== text) this.now.textContent = text;
  }

  /** @param {number} duration */
  length(duration) {
    this.all.textContent = ` / ${clock(duration, 1)}`;
    // as wide as it will be at the end, so that nothing moves when an hour is full
    this.now.style.setProperty("min-width", `${clock(duration, 2).length}ch`);
  }

  /** What the player does now. @param {import("./player.js").Player} player */
  state(player) {
    const label = player.playing ? "Pause" : "Play";
    if (this.play.getAttribute("aria-label") !== label) {
      this.play.replaceChildren(icon(player.playing ? "pause" : "play"));
      this.play.setAttribute("aria-label", label);
      this.play.title = `${label} (Space)`;
    }
    this.play.classList.toggle("waiting", player.waiting);
    this.loop.setAttribute("aria-pressed", String(player.looping));
    this.middle.setAttribute("aria-pressed", String(player.middle));
    this.speed.value = String(player.speed);
    for (const input of this.sides.querySelectorAll("input")) input.checked = input.value === player.side;
  }

  /** @param {Record<string, boolean>} shows */
  extra(shows) { for (const [name, button] of Object.entries(this.extras)) button.setAttribute("aria-pressed", String(shows[name])); }
}
