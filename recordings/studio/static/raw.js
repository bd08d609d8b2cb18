// The events of a call as they were written, fetched a page at a time.

import { h, replace } from "./dom.js";
import { clock, thousands } from "./format.js";
import { Rows } from "./rows.js";

const PAGE = 200;

export class RawEvents {
  /**
   * @param {(offset: number, limit: number, kind: string) => Promise<{total: number, kinds: Record<string, number>, events: any[]}>} source
   * @param {(t: number) => void} go
   */
  constructor(source, go) {
    this.source = source;
    this.go = go;
    this.pages = new Map();
    this.choice = h("select", { "aria-label": "Which events", on: { change: () => this.load() } });
    this.number = h("span", { class: "soft", role: "status" });
    this.whole = h("pre", { class: "whole", tabindex: 0, "aria-label": "The event in full", hidden: true });
    this.list = new Rows({ height: 26, label: "Events", row: (index) => this.#row(index) });
    this.element = h("div", { class: "raw panel-fill" }, h("div", { class: "panel-tools" }, this.choice, this.number), this.list.element, this.whole);
  }

  /** From the first page on. */
  async load() {
    const pages = this.pages = new Map(); // what is still under way goes into the old one
    const { value } = this.choice;
    const first = await this.source(0, PAGE, value);
    if (pages !== this.pages) return;
    pages.set(0, first.events);
    this.number.textContent = `${thousands(first.total)} events`;
    replace(this.choice, h("option", { value: "" }, "All kinds"),
      Object.entries(first.kinds).sort().map(([kind, n]) => h("option", { value: kind }, `${kind} (${n})`)));
    this.choice.value = value;
    this.list.element.scrollTop = 0;
    this.list.renew(first.total);
  }

  #row(index) {
    const page = Math.floor(index / PAGE);
    const event = this.pages.get(page)?.[index % PAGE];
    if (!event) {
      this.#fetch(page);
      return h("div", { class: "row event", role: "listitem" }, h("span", { class: "soft" }, "…"));
    }
    const { n, t, kind, ...rest } = event;
    const text = JSON.stringify(rest);
    return h("div", { class: "row event", role: "listitem" },
      h("button", { type: "button", class: "at", "aria-label": `Event ${n}, ${kind}, at ${t} s`, on: { click: () => this.#show(event) } }, h("span", {}, clock(t, 3))),
      h("span", { class: "of" }, kind), h("code", {}, text.slice(0, 240)));
  }

  #show(event) {
    this.whole.hidden = false;
    replace(this.whole, JSON.stringify(event, null, 2).slice(0, 20000));
    this.go(event.t);
  }

  async #fetch(page) {
    const { pages } = this;
    if (pages.has(page)) return;
    pages.set(page, undefined);
    try {
      pages.set(page, (await this.source(page * PAGE, PAGE, this.choice.value)).events);
      if (pages !== this.pages) return;
      const { scrollTop } = this.list.element;
      this.list.renew();
      this.list.element.scrollTop = scrollTop;
    } catch (error) {
      pages.delete(page);
      this.number.textContent = error.message;
    }
  }
}
