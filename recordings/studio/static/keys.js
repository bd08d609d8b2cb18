// Keys: each page says what it listens to, and the help sheet lists exactly that.

import { byId, h, replace } from "./dom.js";
import { recall, remember } from "./store.js";

/**
 * @typedef {object} Shortcut
 * @property {string[]} keys  As `KeyboardEvent.key`, with "Shift+" before it where a letter or arrow needs it.
 * @property {string} text  What it does.
 * @property {(event: KeyboardEvent) => void} run
 * @property {boolean} [always]  Works inside text fields and with single keys switched off too.
 */

/** @type {Map<string, Shortcut[]>} */
const scopes = new Map();

const NAMES = { " ": "Space", ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc" };
const SWITCH = "viva.keys";

/**
 * Listen to keys until the returned function is called.
 * @param {string} scope  Its heading in the help sheet.
 * @param {Shortcut[]} shortcuts
 */
export function register(scope, shortcuts) {
  scopes.set(scope, shortcuts);
  return () => { if (scopes.get(scope) === shortcuts) scopes.delete(scope); };
}

/** Whether single keys are listened to. */
export const listening = () => recall(SWITCH) !== "off";

/** Hear every key of the page from now on. */
export function start() {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]") && event.key !== "?") return;
    const target = /** @type {HTMLElement} */ (event.target);
    // of a list a letter chooses, a bracket or a slash does not
    const typing = target.matches("input:not([type=checkbox]):not([type=radio]):not([type=range]), textarea, [contenteditable]")
      || (target.matches("select") && !/^[^\w\s]$/.test(event.key));
    const pressing = (event.key === " " || event.key === "Enter") && target.matches("button, a, summary, input, [role=tab], [role=option]");
    const moving = event.key.startsWith("Arrow") && target.matches("input[type=range], input[type=radio], [role=tab]");
    if (pressing || moving) return;
    for (const shortcuts of [...scopes.values()].reverse()) {
      const found = shortcuts.find((one) => one.keys.some((key) => fits(key, event)));
      if (!found || ((typing || !listening()) && !found.always)) continue;
      event.preventDefault();
      found.run(event);
      return;
    }
  });
}

function fits(key, event) {
  if (!key.startsWith("Shift+")) return event.key === key && !(event.shiftKey && key.length > 1);
  const name = key.slice(6);
  return event.shiftKey && (event.key === name || event.key === name.toUpperCase());
}

const shown = (key) => key.split(/(?<=Shift)\+/).map((part) => h("kbd", {}, NAMES[part] ?? part.toUpperCase()));

/** Open the sheet of all keys that do something now, or close it. */
export function help() {
  const sheet = byId("help");
  if (sheet.open) return sheet.close();
  const toggle = h("input", { type: "checkbox", id: "single-keys" });
  toggle.checked = listening();
  toggle.addEventListener("change", () => remember(SWITCH, toggle.checked ? "on" : "off"));
  const lists = [...scopes].reverse().map(([scope, shortcuts]) =>
    h("section", {},
      h("h3", {}, scope),
      h("dl", {}, shortcuts.map((one) => h("div", {},
        h("dt", {}, one.keys.flatMap((key, i) => [i ? " or " : null, ...shown(key)])), h("dd", {}, one.text))))));
  replace(byId("help-body"), h("div", { class: "columns" }, lists),
    h("label", { class: "switch", for: "single-keys" }, toggle, " Listen to single keys"));
  sheet.showModal();
  byId("help-close").focus();
}
