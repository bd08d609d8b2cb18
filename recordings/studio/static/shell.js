// What stands around every view: colours, the help sheet, keys that work everywhere.

import { announce, byId } from "./dom.js";
import * as keys from "./keys.js";
import { recall, remember } from "./store.js";

/** Make the frame of the page work. @param {import("./keys.js").Shortcut[]} more  Keys that work everywhere, too. */
export function dress(more = []) {
  colours();
  keys.start();
  keys.register("Everywhere", [
    { keys: ["?"], text: "this sheet", run: keys.help },
    { keys: ["Shift+D"], text: "light or dark", run: otherColours },
    ...more,
  ]);
  byId("help-open").addEventListener("click", keys.help);
  byId("help-close").addEventListener("click", () => byId("help").close());
}

function colours() {
  const select = byId("theme");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    document.documentElement.dataset.theme = select.value === "auto" ? (dark.matches ? "dark" : "light") : select.value;
    document.dispatchEvent(new CustomEvent("themechange"));
  };
  select.value = recall("viva.theme") ?? "auto";
  apply();
  select.addEventListener("change", () => { remember("viva.theme", select.value); apply(); });
  dark.addEventListener("change", apply);
}

function otherColours() {
  const select = byId("theme");
  select.value = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  select.dispatchEvent(new Event("change"));
  announce(`${select.value} colours`);
}
