// Everything that the lanes show, as a list: for readers of the screen, and to find what happens once in an hour.

import { bdi, h, replace } from "./dom.js";
import { clock, count, length } from "./format.js";
import { Rows } from "./rows.js";

const QUIET = new Set(["user", "endpoint"]);

export class Moments {
  /** @param {{seconds: (ticks: number) => number, go: (from: number, to: number, play: boolean) => void, heard: ((source: any) => void) | null}} links */
  constructor(links) {
    this.links = links;
    this.found = [];
    this.choice = h("select", { "aria-label": "Which moments", on: { change: () => this.#choose() } });
    this.number = h("span", { class: "soft", role: "status" });
    this.list = new Rows({ height: 34, label: "Moments", row: (index) => this.#row(this.found[index]) });
    this.element = h("div", { class: "moments panel-fill" }, h("div", { class: "panel-tools" }, this.choice, this.number), this.list.element);
  }

  /** @param {any} episode */
  show(episode) {
    this.episode = episode;
    const chosen = this.choice.value;
    const lanes = episode.lanes;
    replace(this.choice, h("option", { value: "" }, "All but speech"),
      lanes.map((lane) => h("option", { value: lane.name, disabled: !lane.spans.length }, `${lane.title} (${lane.spans.length})`)));
    this.choice.value = lanes.some((lane) => lane.name === chosen) ? chosen : "";
    this.#choose();
  }

  #choose() {
    const { value } = this.choice;
    this.found = this.episode.lanes
      .filter((lane) => (value ? lane.name === value : !QUIET.has(lane.name)))
      .flatMap((lane) => lane.spans.map((span) => ({ lane, span })))
      .sort((a, b) => a.span.start - b.span.start);
    this.number.textContent = count(this.found.length, "moment");
    this.list.element.scrollTop = 0;
    this.list.renew(this.found.length);
  }

  #row({ lane, span }) {
    const { seconds, go, heard } = this.links;
    const [from, to] = [seconds(span.start), seconds(span.end)];
    return h("div", { class: `row moment lane-${lane.name}`, role: "listitem" },
      h("button", { type: "button", class: "at", "aria-label": `${lane.title}: ${span.text.slice(0, 120)}, at ${clock(from)}`, on: { click: () => go(from, to, false) } },
        h("span", {}, clock(from))),
      h("span", { class: "of" }, lane.title),
      h("span", { class: "what", title: span.detail.map(([name, value]) => `${name}: ${value}`).join("\n") }, bdi(span.text.slice(0, 300))),
      h("span", { class: "soft" }, to > from ? length(to - from) : ""),
      span.source && heard && h("button", { type: "button", class: "quiet", on: { click: () => heard(span.source) } }, "Hear it"));
  }
}
