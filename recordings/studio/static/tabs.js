// Tabs after the pattern of the ARIA practices: arrows move between them, one is in the order of Tab.

import { h } from "./dom.js";

/**
 * @param {string} label
 * @param {{name: string, title: string, panel: HTMLElement, opened?: () => void}[]} pages
 */
export function tabs(label, pages) {
  const buttons = pages.map(({ name, title }) => h("button", {
    type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}`, on: { click: () => open(name) },
  }, title));
  const panels = pages.map(({ name, panel }) => h("div", { role: "tabpanel", id: `panel-${name}`, "aria-labelledby": `tab-${name}`, class: "panel" }, panel));
  const opened = new Set();

  /** @param {string} name */
  function open(name, focus = false) {
    pages.forEach((page, i) => {
      const chosen = page.name === name;
      buttons[i].setAttribute("aria-selected", String(chosen));
      buttons[i].tabIndex = chosen ? 0 : -1;
      panels[i].hidden = !chosen;
      if (chosen && focus) buttons[i].focus();
      if (chosen && !opened.has(name)) { opened.add(name); page.opened?.(); }
    });
  }

  const list = h("div", { role: "tablist", "aria-label": label, class: "tablist" }, buttons);
  list.addEventListener("keydown", (event) => {
    const at = pages.findIndex((page) => page.name === event.target.id.slice(4));
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: pages.length - 1 }[event.key];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    event.stopPropagation();
    open(pages[(to + pages.length) % pages.length].name, true);
  });
  open(pages[0].name);
  return {
    element: h("div", { class: "tabs" }, list, panels),
    open,
    /** @param {string} name @param {string} title */
    rename(name, title) { buttons[pages.findIndex((page) => page.name === name)].textContent = title; },
    /** What some tabs show has changed: the open one is filled again, others when they are opened. @param {string[]} names */
    renew(names) {
      for (const page of pages.filter((one) => names.includes(one.name))) {
        if (page.name === this.current) page.opened?.();
        else opened.delete(page.name);
      }
    },
    get current() { return pages[buttons.findIndex((one) => one.getAttribute("aria-selected") === "true")].name; },
  };
}
