// All runs: a table of their calls, to filter and sort.

import { api } from "./api.js";
import { announce, bdi, h, replace } from "./dom.js";
import { cell, count, thousands, words } from "./format.js";
import { register } from "./keys.js";
import { setOrder } from "./order.js";
import { Rows } from "./rows.js";
import { recall, remember } from "./store.js";
import { CHOICES, MAIN, USUAL, cause, chosen, different, width } from "./table.js";

const ROW = 30;
const AGAIN_MS = 2000;
const ONLY = { "": "All calls", valid: "All but void", void: "Void", failed: "A check failed", unscored: "Something unscored", unmeasured: "Not measured yet", live: "Going on now", problem: "Cannot be read" };
const CHOSEN = "viva.columns";

/** What was looked for, for the way back from a call. */
const kept = { filter: { text: "", run: "", only: "", choices: {} }, sort: { by: "", down: false }, top: 0, current: -1 };

/** @param {HTMLElement} root */
export async function show(root) {
  replace(root, h("p", { class: "loading", role: "status" }, "Reading the runs …"));
  const catalogue = await api.catalogue();
  if (!root.isConnected) return undefined;
  const page = new Runs(catalogue);
  replace(root, page.element);
  page.begin();
  return () => page.close();
}

class Runs {
  constructor(catalogue) {
    this.found = new Uint32Array();
    this.#take(catalogue);
    this.#build();
  }

  #take(catalogue) {
    this.catalogue = catalogue;
    this.columns = new Map(catalogue.columns.map((column) => [column.name, column]));
    const stored = JSON.parse(recall(CHOSEN) ?? "null");
    this.visible = (stored ?? USUAL).filter((name) => this.columns.has(name));
  }

  /** As long as calls are being measured, their numbers come in. */
  #wait() {
    if (!this.catalogue.measuring) return;
    this.timer = setTimeout(async () => {
      try {
        this.#take(await api.catalogue());
      } catch {
        return; // the studio was ended: what is shown stays
      }
      if (this.closed) return;
      if (!this.chooser.open) {
        const old = this.chooser;
        old.replaceWith(this.#chooser());
      }
      const { scrollTop } = this.rows.element;
      this.#apply(true);
      this.rows.element.scrollTop = scrollTop;
      this.#wait();
    }, AGAIN_MS);
  }

  begin() {
    this.#apply(true);
    this.rows.element.scrollTop = kept.top;
    this.#wait();
    this.keys = register("Runs", [
      { keys: ["/"], text: "look for words", run: () => this.search.focus() },
      { keys: ["ArrowDown", "j"], text: "next call", run: () => this.#move(1) },
      { keys: ["ArrowUp", "k"], text: "previous call", run: () => this.#move(-1) },
      { keys: ["Enter"], text: "open the call", run: () => this.#open(kept.current) },
      { keys: ["Escape"], text: "leave the field; all calls", run: () => this.#clear(), always: true },
    ]);
  }

  close() { this.closed = true; clearTimeout(this.timer); kept.top = this.rows.element.scrollTop; this.keys(); this.rows.close(); }

  #build() {
    const { runs } = this.catalogue;
    this.search = h("input", { type: "search", placeholder: "Look for words", "aria-label": "Look for words", value: kept.filter.text, on: { input: () => { kept.filter.text = this.search.value; this.#apply(); } } });
    this.only = this.#select("Which calls", Object.entries(ONLY), kept.filter.only, (value) => { kept.filter.only = value; });
    const choices = CHOICES.filter((name) => different(this.columns.get(name)).length > 1).map((name) => {
      const values = different(this.columns.get(name)).map(([value, n]) => [String(value), `${words(value)} (${thousands(n)})`]);
      const title = this.columns.get(name).title;
      return this.#select(title, [["", `Any ${title.toLowerCase()}`], ...values], kept.filter.choices[name] ?? "", (value) => { kept.filter.choices[name] = value; });
    });
    this.number = h("span", { class: "soft", role: "status" });
    this.head = h("div", { class: "row table-head", role: "row" });
    this.rows = new Rows({ height: ROW, label: "Calls", role: "grid", row: (index) => this.#row(index), head: this.head });
    this.rows.element.tabIndex = 0;
    this.element = h("div", { class: "runs" },
      h("h1", { class: "unseen" }, "Runs"),
      h("nav", { class: "side scrolls", "aria-label": "Runs" }, h("h2", {}, count(runs.length, "run")), this.list = h("ul", {})),
      h("section", { class: "calls", "aria-label": "Calls" },
        h("div", { class: "filters", role: "search" }, this.search, this.only, choices, h("div", { class: "grow" }), this.number, this.#chooser()),
        this.rows.element));
  }

  #select(label, options, value, changed) {
    const select = h("select", { "aria-label": label, title: label, on: { change: () => { changed(select.value); this.#apply(); } } }, options.map(([key, text]) => h("option", { value: key }, String(text).slice(0, 60))));
    select.value = value;
    return select;
  }

  #chooser() {
    const topics = Map.groupBy(this.catalogue.columns.filter((c) => c.kind !== "id"), (c) => c.topic || "call");
    const details = h("details", { class: "chooser", on: { focusout: (event) => { if (event.relatedTarget && !details.contains(event.relatedTarget)) details.open = false; } } }, h("summary", {}, "Columns"), h("div", { class: "chooser-body" }, [...topics].map(([topic, columns]) => h("fieldset", {}, h("legend", {}, words(topic)), columns.map((column) => {
      const box = h("input", { type: "checkbox", id: `column-${column.name}`, on: { change: () => this.#choose(column.name, box.checked) } });
      box.checked = this.visible.includes(column.name);
      return h("label", { for: `column-${column.name}`, title: column.description }, box, ` ${column.title}`);
    })))));
    details.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !details.open) return;
      event.preventDefault();
      details.open = false;
      details.firstElementChild.focus();
    });
    this.chooser = details;
    return details;
  }

  #choose(name, shown) {
    const wanted = new Set(this.visible);
    if (shown) wanted.add(name); else wanted.delete(name);
    const order = [...USUAL, ...this.columns.keys()];
    this.visible = [...wanted].sort((a, b) => order.indexOf(a) - order.indexOf(b));
    remember(CHOSEN, JSON.stringify(this.visible));
    this.#apply();
  }

  #runs() {
    const item = (id, name, note, extra) => h("li", {}, h("button", { type: "button", class: "run", "aria-pressed": String(kept.filter.run === id), title: extra, on: { click: () => { kept.filter.run = id; this.#apply(); } } },
      h("span", { class: "run-name" }, bdi(name)), h("span", { class: "soft" }, note)),
    id && this.catalogue.runs.length > 1 && h("a", { class: "soft", href: `#/compare?a=${encodeURIComponent(id)}`, "aria-label": `Compare ${name} with another run` }, "compare"));
    replace(this.list, item("", "All runs", count(this.catalogue.count, "call")), this.catalogue.runs.map((run) => item(run.id, run.name,
      run.problem || [count(run.episodes, "call"), run.void ? `${run.void} void` : "", (run.started_at_utc ?? "").slice(0, 16).replace("T", " ")].filter(Boolean).join(" · "), run.path)));
  }

  #apply(first = false) {
    this.found = chosen(this.columns, this.catalogue.count, kept.filter, kept.sort);
    if (!first) kept.current = -1;
    this.#runs();
    const ids = this.columns.get("id").values;
    setOrder(Array.from(this.found, (row) => ids[row]));
    this.number.textContent = this.found.length === this.catalogue.count ? count(this.catalogue.count, "call") : `${thousands(this.found.length)} of ${count(this.catalogue.count, "call")}`;
    if (this.catalogue.measuring) this.number.textContent += `, ${thousands(this.catalogue.measuring)} being measured`;
    this.#heads();
    this.rows.element.setAttribute("aria-rowcount", String(this.found.length + 1));
    if (!first) this.rows.element.scrollTop = 0;
    this.rows.renew(this.found.length);
  }

  #heads() {
    const focused = [...this.head.children].findIndex((one) => one.contains(document.activeElement));
    const widths = this.visible.map((name) => width(this.columns.get(name)));
    this.template = widths.map((w, i) => (i === 1 ? `minmax(${w}px, 1fr)` : `${w}px`)).join(" ");
    this.least = widths.reduce((a, b) => a + b, 24);
    for (const box of [this.head, this.rows.space]) box.style.setProperty("min-width", `${this.least}px`);
    this.head.style.setProperty("grid-template-columns", this.template);
    replace(this.head, this.visible.map((name) => {
      const column = this.columns.get(name);
      const sorted = kept.sort.by === name ? (kept.sort.down ? "descending" : "ascending") : "none";
      return h("div", { role: "columnheader", "aria-sort": sorted, class: column.kind === "number" ? "number" : "", title: column.description },
        h("button", { type: "button", class: "sort", on: { click: () => this.#sort(name) } }, column.title, unit(column), h("span", { class: "arrow", "aria-hidden": "true" }, { ascending: " ↑", descending: " ↓", none: "" }[sorted])));
    }));
    this.head.children[focused]?.querySelector("button").focus();
  }

  #sort(name) {
    const { sort } = kept;
    if (sort.by !== name) kept.sort = { by: name, down: false };
    else if (!sort.down) sort.down = true;
    else kept.sort = { by: "", down: false };
    this.#apply();
    announce(kept.sort.by ? `sorted by ${this.columns.get(name).title}, ${kept.sort.down ? "descending" : "ascending"}` : "as recorded");
  }

  #row(index) {
    const row = this.found[index];
    const value = (name) => this.columns.get(name)?.values[row];
    return h("div", {
      class: `row call${value("void") ? " void" : ""}`, role: "row", id: `call-${index}`, "aria-rowindex": index + 2, "aria-selected": String(index === kept.current),
      style: { "grid-template-columns": this.template }, on: { click: (event) => { if (!event.target.closest("a")) this.#open(index); } },
    }, this.visible.map((name, i) => this.#cell(this.columns.get(name), row, i)));
  }

  #cell(column, row, i) {
    const value = column.values[row];
    const why = cause(column, row);
    const number = column.kind === "number";
    const text = Array.isArray(value) ? value.map(words).join(", ") || "–" : column.kind === "text" ? value || "–" : cell(value, column.unit);
    if (column.name === MAIN || (i === 0 && !this.visible.includes(MAIN))) {
      return h("div", { role: "gridcell", class: "main" }, h("a", { href: api.place(this.columns.get("id").values[row]), tabindex: -1 }, bdi(text)),
        this.columns.get("live")?.values[row] ? h("span", { class: "chip live" }, "live") : null);
    }
    if (column.name === "outcome") return h("div", { role: "gridcell" }, h("span", { class: `chip ${this.#look(row)}` }, words(text)));
    return h("div", { role: "gridcell", class: number ? "number" : "", title: why ? `unscored: ${words(why)}` : Array.isArray(value) || column.kind === "text" ? text : undefined },
      why && (value === null || value === undefined) ? h("span", { class: "cause" }, words(why)) : number ? text : bdi(text));
  }

  #look(row) {
    const value = (name) => this.columns.get(name)?.values[row];
    if (value("void")) return "warn";
    return value("fault") === "endpoint" ? "bad" : value("outcome") === "completed" ? "good" : "none";
  }

  #move(by) {
    const next = Math.min(Math.max(kept.current + by, 0), this.found.length - 1);
    if (next < 0) return;
    this.rows.shown.get(kept.current)?.setAttribute("aria-selected", "false");
    kept.current = next;
    this.rows.reveal(next)?.setAttribute("aria-selected", "true");
    this.rows.element.setAttribute("aria-activedescendant", `call-${next}`);
    if (document.activeElement?.contains(this.element)) this.rows.element.focus();
  }

  #open(index) {
    if (index < 0 || index >= this.found.length) return;
    kept.current = index;
    location.hash = api.place(this.columns.get("id").values[this.found[index]]);
  }

  #clear() {
    if (document.activeElement === this.search) { this.search.blur(); this.rows.element.focus(); return; }
    kept.filter = { text: "", run: "", only: "", choices: {} };
    for (const field of this.element.querySelectorAll(".filters select, .filters input[type=search]")) field.value = "";
    this.#apply();
  }
}

const unit = (column) => (column.kind === "number" && ["ms", "s"].includes(column.unit) ? h("span", { class: "soft" }, ` ${column.unit}`) : null);
