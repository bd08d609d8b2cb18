// Rows of one height, of which only those in sight exist: ten thousand cost what fifty do.

import { h } from "./dom.js";

const SPARE = 8;

export class Rows {
  /**
   * @param {{height: number, row: (index: number) => HTMLElement, label: string, role?: string, head?: HTMLElement}} form
   *   `row` makes a row; it is placed here. `head` stays on top.
   */
  constructor({ height, row, label, role = "list", head }) {
    this.height = height;
    this.make = row;
    this.count = 0;
    this.head = head;
    /** @type {Map<number, HTMLElement>} */
    this.shown = new Map();
    this.space = h("div", { class: "rows-space", role: role === "list" ? "list" : "rowgroup", "aria-label": role === "list" ? label : undefined });
    this.element = h("div", { class: "rows", tabindex: role === "list" ? 0 : undefined, role: role === "list" ? undefined : role, "aria-label": label }, head, this.space);
    this.element.addEventListener("scroll", () => this.#schedule(), { passive: true });
    this.sizes = new ResizeObserver(() => this.#schedule());
    this.sizes.observe(this.element);
  }

  /** There are so many rows now, and all are made anew. @param {number} count */
  renew(count = this.count) {
    this.count = count;
    this.space.style.setProperty("height", `${count * this.height}px`);
    for (const row of this.shown.values()) row.remove();
    this.shown.clear();
    this.#draw();
  }

  /** Bring a row into sight. @param {number} index */
  reveal(index) {
    const { element } = this;
    const top = index * this.height;
    const room = element.clientHeight - (this.head?.offsetHeight ?? 0);
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + this.height > element.scrollTop + room) element.scrollTop = top + this.height - room;
    this.#draw();
    return this.shown.get(index);
  }

  /** The part of the rows that is in sight. */
  range() {
    const first = Math.max(Math.floor(this.element.scrollTop / this.height) - SPARE, 0);
    const last = Math.min(Math.ceil((this.element.scrollTop + this.element.clientHeight) / this.height) + SPARE, this.count);
    return { first, last };
  }

  close() { this.sizes.disconnect(); }

  #schedule() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => { this.frame = 0; this.#draw(); });
  }

  #draw() {
    const { first, last } = this.range();
    for (const [index, row] of this.shown) {
      if (index >= first && index < last) continue;
      if (row.contains(document.activeElement)) this.element.focus?.({ preventScroll: true });
      row.remove();
      this.shown.delete(index);
    }
    for (let index = first; index < last; index++) {
      if (this.shown.has(index)) continue;
      const row = this.make(index);
      row.style.setProperty("transform", `translateY(${index * this.height}px)`);
      row.style.setProperty("height", `${this.height}px`);
      this.shown.set(index, row);
      this.space.append(row);
    }
  }
}
