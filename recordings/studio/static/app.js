// The page: which view stands at which address, colours, help.

import { api } from "./api.js";
import { byId, h, replace } from "./dom.js";
import { dress } from "./shell.js";

/**
 * Views by the first part of the address. Each has `show(root, parameters)`, which may return a function that ends it;
 * one that was left before it had what it asked for (`root.isConnected`) does not begin.
 * `feature`: the name by which the server says whether it has the routes.
 * @type {Record<string, {title: string, nav?: boolean, feature?: string, load: () => Promise<{show: Function}>}>}
 */
const VIEWS = {
  "": { title: "Runs", nav: true, load: () => import("./runs.js") },
  episode: { title: "Episode", load: () => import("./episode.js") },
  compare: { title: "Compare", nav: true, load: () => import("./compare.js") },
  label: { title: "Label", nav: true, feature: "labelling", load: () => import("./label.js") },
  ab: { title: "A/B", nav: true, feature: "ab", load: () => import("./ab.js") },
  review: { title: "Review", nav: true, feature: "review", load: () => import("./review.js") },
  mic: { title: "Microphone", nav: true, feature: "mic", load: () => import("./mic.js") },
};

let end = () => {};
let turn = 0;

/** The address of the page after "#/", as its parts and its query. */
export function address() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [name, ...rest] = path.split("/");
  return { name, id: rest.map(decoded).join("/"), query: new URLSearchParams(query) };
}

/** Addresses are typed and cut off by people: what is no escape stands for itself. */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Links to what this studio can do. @param {string[]} features */
function navigate(features) {
  const { name } = address();
  replace(byId("nav"), Object.entries(VIEWS).filter(([, view]) => view.nav && (!view.feature || features.includes(view.feature))).map(([key, view]) =>
    h("a", { href: `#/${key}`, data: { name: key }, "aria-current": key === name ? "page" : undefined }, view.title)));
}

async function route() {
  const { name, id, query } = address();
  const view = Object.hasOwn(VIEWS, name) ? VIEWS[name] : VIEWS[""];
  const mine = ++turn;
  end();
  end = () => {};
  document.title = `${view.title} · vivavoce studio`;
  for (const link of byId("nav").children) {
    if (link.dataset.name === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  // a view that is left while it asks the server draws where nobody looks any more
  const main = h("main", { id: "main", tabindex: -1, class: `view-${name || "runs"}` });
  byId("main").replaceWith(main);
  try {
    const { show } = await view.load();
    if (mine !== turn) return;
    const ended = await show(main, { id, query });
    if (mine !== turn) ended?.();
    else end = ended ?? end;
  } catch (error) {
    if (mine === turn) fail(main, error);
  }
}

/** Say on the page what went wrong. @param {Element} root @param {any} error */
export function fail(root, error) {
  console.error(error);
  replace(root, h("div", { class: "problem", role: "alert" },
    h("h1", {}, "This cannot be shown"), h("p", {}, error.message ?? String(error)),
    error.remedy && h("p", { class: "soft" }, error.remedy), h("p", {}, h("a", { href: "#/" }, "All runs"))));
}

dress([{ keys: ["Shift+R"], text: "all runs", run: () => { location.hash = "#/"; } }]);
navigate([]);
api.about().then(({ features }) => navigate(features), () => {});
byId("skip").addEventListener("click", (event) => { event.preventDefault(); byId("main").focus(); });
addEventListener("hashchange", async () => {
  await route();
  // what was focused went with the view before; keys and readers of the screen go on at the new one
  if (document.activeElement === document.body) byId("main").focus({ preventScroll: true });
});
route();
