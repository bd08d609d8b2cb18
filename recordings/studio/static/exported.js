// The view of a call in a report that was sent to somebody: the file itself answers, there is no server.

import { answerFrom, Problem } from "./api.js";
import { byId, h, replace } from "./dom.js";
import { EpisodeView } from "./episode.js";
import { setOrder } from "./order.js";
import { dress } from "./shell.js";
import { Sound } from "./sound.js";

/** @type {Map<string, any>} */
const calls = new Map();
/** @type {Map<string, Sound>} */
const sounds = new Map();

const data = (number) => {
  if (!calls.has(number)) {
    const element = byId(`call-${number}`);
    if (!element) throw new Problem("This file does not hold that call.");
    calls.set(number, JSON.parse(element.textContent));
  }
  return calls.get(number);
};

/** The sound of a call: beside its figure in the report, or in files beside the page. */
const sound = (number) => {
  if (!sounds.has(number)) sounds.set(number, new Sound(data(number), byId(`e${number}`)?.querySelector("audio")?.src ?? ""));
  return sounds.get(number);
};

answerFrom({
  place: (number) => `#call-${number}`,
  episode: async (number) => data(number).episode,
  curves: async (number) => data(number).curves,
  audio: (number, track) => sound(number).address(track),
  peaks: (number, ...asked) => sound(number).peaks(...asked),
  spectrogram: (number, ...asked) => sound(number).spectrogram(...asked),
  live: () => () => {},
  events: async (number, offset, limit, kind) => {
    const all = data(number).events;
    const kinds = {};
    for (const event of all) kinds[event.kind] = (kinds[event.kind] ?? 0) + 1;
    const found = kind ? all.filter((event) => event.kind === kind) : all;
    return { total: found.length, kinds, events: found.slice(offset, offset + limit) };
  },
});

let end = () => {};
let place = 0;

async function route() {
  const number = /^#call-(\d+)$/.exec(location.hash)?.[1];
  end();
  end = () => {};
  const studio = byId("studio");
  if (number && studio.hidden) place = scrollY;
  turn(studio, Boolean(number));
  if (!number) return scrollTo(0, place);
  try {
    answerFrom({ apart: sound(number).apart });
    const view = new EpisodeView(number, data(number).episode);
    replace(byId("main"), view.element);
    view.begin();
    end = () => view.close();
    byId("main").focus();
  } catch (error) {
    replace(byId("main"), h("div", { class: "problem", role: "alert" }, h("p", {}, error.message)));
  }
}

/** Show the studio's view with its own style, or the report with its own. */
function turn(studio, open) {
  studio.hidden = !open;
  for (const other of document.body.children) if (other !== studio && other.tagName !== "SCRIPT") other.hidden = open;
  byId("studio-style").media = open ? "all" : "not all";
  byId("report-style").media = open ? "not all" : "all";
  if (open) for (const audio of document.querySelectorAll("audio")) audio.pause();
}

const held = [...document.querySelectorAll("article[id]")].filter((article) => byId(`call-${article.id.slice(1)}`));
setOrder(held.map((article) => article.id.slice(1)));
for (const article of held) {
  const number = article.id.slice(1);
  article.querySelector("figcaption")?.before(h("p", { class: "closer" }, h("a", { href: `#call-${number}` }, "Listen and look closer")));
}
dress();
addEventListener("hashchange", route);
route();
