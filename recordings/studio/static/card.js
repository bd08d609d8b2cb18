// What labelling, A/B listening and the check of scenarios share: who listens, sounds of a card, answers to it.

import { Problem, api } from "./api.js";
import { announce, bdi, byId, h, replace } from "./dom.js";
import { recall, remember } from "./store.js";

/** @typedef {{name: string, token: string, seconds: number, words: string}} Sound */
/** @typedef {{label: string, key: string, title: string}} Offer */
/**
 * @typedef {object} Card
 * @property {string} token @property {"absolute" | "relative" | "battle" | "check"} part @property {string} dimension
 * @property {string} question @property {string} asked @property {string[]} wanted @property {Sound[]} sounds
 * @property {Offer[]} offers @property {Offer[]} withheld
 * @property {{label: string | null, unscored: string | null, note: string} | null} given
 */

const PERSON = "viva.person";

/** Where a note is kept that is not sent yet. */
export const NOTE = "viva.label.note";

/**
 * Ask the desk. An answer is sent to its end even if the page is left meanwhile.
 * @param {string} url @param {any} [body]
 */
export const ask = (url, body) => (body === undefined ? api.read(url) : api.send(url, body));

/**
 * Who listens: as the studio was started, as this browser knows, or as somebody types now.
 * @param {Element} root @param {{person: string, people: string[]}} about @returns {Promise<string>}
 */
export function person(root, about) {
  if (about.person) return Promise.resolve(about.person);
  return new Promise((known) => {
    const name = h("input", { type: "text", id: "person", required: true, maxlength: 64, autocomplete: "nickname", list: "people", value: recall(PERSON) ?? "" });
    const form = h("form", { class: "who" },
      h("h1", { tabindex: -1 }, "Who listens?"),
      h("p", { class: "soft" }, "Labels are kept under this name, in a file of their own. A pseudonym will do."),
      h("label", { for: "person" }, "Name"), name,
      h("datalist", { id: "people" }, about.people.map((one) => h("option", { value: one }))),
      h("button", { class: "primary" }, "Begin"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      remember(PERSON, name.value.trim());
      known(name.value.trim());
    });
    replace(root, form);
    name.focus();
  });
}

const TITLES = { asked: "What was said", reply: "The reply", first: "First", second: "Second", line: "What the user says" };
const KEYS = { asked: "q", reply: "w", first: "w", second: "e", line: "w" };

/** The sounds of a card: each is fetched whole, so that one can seek in it, and played one at a time. */
export class Sounds {
  /** @param {string} below  Where the desk is. @param {() => void} played  Something was played for the first time. */
  constructor(below, played) {
    this.below = below;
    this.played = played;
    this.element = h("div", { class: "sounds", role: "group", "aria-label": "Listen" });
    /** @type {Map<string, HTMLAudioElement>} */
    this.players = new Map();
    /** @type {string | null}  What is shown, or null before anything is, and after the end. */
    this.tokens = null;
    /** @type {string[]}  Replies that must be heard. */
    this.needed = [];
    /** @type {Set<string>} */
    this.heard = new Set();
    /** @type {string} */
    this.now = "";
    /** @type {Record<string, number>} */
    this.plays = {};
  }

  /** Show other sounds; returns whether they are others. @param {Sound[]} sounds */
  set(sounds) {
    const tokens = sounds.map((one) => one.token).join();
    this.plays = {};
    if (tokens === this.tokens) return false;
    this.end();
    this.tokens = tokens;
    this.needed = sounds.filter((one) => one.name !== "asked" && one.token).map((one) => one.name);
    this.heard = new Set();
    replace(this.element, sounds.map((one) => this.row(one)));
    return true;
  }

  /** @param {Sound} sound */
  row(sound) {
    const title = TITLES[sound.name];
    const bar = h("progress", { max: sound.seconds || 1, value: 0, "aria-hidden": "true" });
    const button = h("button", { type: "button", "aria-keyshortcuts": KEYS[sound.name], disabled: !sound.token, "aria-pressed": "false" },
      h("kbd", {}, KEYS[sound.name].toUpperCase()), ` ${title}`, h("span", { class: "soft" }, sound.token ? ` ${sound.seconds.toFixed(1)} s` : " not recorded"));
    if (sound.token) {
      const audio = new Audio();
      audio.preload = "auto";
      this.load(audio, sound.token);
      audio.addEventListener("timeupdate", () => { bar.value = audio.currentTime; });
      audio.addEventListener("play", () => { button.setAttribute("aria-pressed", "true"); });
      audio.addEventListener("pause", () => { button.setAttribute("aria-pressed", "false"); });
      audio.addEventListener("ended", () => { bar.value = 0; });
      this.players.set(sound.name, audio);
      button.addEventListener("click", () => this.toggle(sound.name));
    }
    return h("div", { class: `sound ${sound.name}` }, button, bar);
  }

  async load(audio, token) {
    try {
      const response = await fetch(`${this.below}/sound/${token}.wav`);
      if (!response.ok) throw new Problem("A sound cannot be loaded.");
      audio.src = URL.createObjectURL(await response.blob());
    } catch {
      announce("A sound cannot be loaded; load the page again.");
    }
  }

  /** Play from the beginning, or stop what plays. @param {string} name */
  async toggle(name) {
    const audio = this.players.get(name);
    if (!audio) return;
    if (!audio.paused) { audio.pause(); return; }
    this.silence();
    this.now = name;
    await this.start(audio, name);
  }

  /** @param {HTMLAudioElement} audio @param {string} name */
  async start(audio, name) {
    if (!audio.src) await new Promise((ready) => audio.addEventListener("loadstart", ready, { once: true }));
    if (this.now !== name || this.players.get(name) !== audio) return; // something else was asked for meanwhile
    audio.currentTime = 0;
    try {
      await audio.play();
    } catch {
      return; // the browser waits for a first key or click, or something else is played already
    }
    this.plays[name] = (this.plays[name] ?? 0) + 1;
    this.heard.add(name);
    this.element.querySelector(`.sound.${name}`)?.setAttribute("data-heard", "");
    this.played();
  }

  /** Play or pause what was played last, or else the first reply. */
  again() {
    const name = this.players.has(this.now) ? this.now : (this.needed[0] ?? "asked");
    const audio = this.players.get(name);
    if (audio?.paused && audio.currentTime > 0 && !audio.ended) { this.silence(); audio.play(); }
    else this.toggle(name);
  }

  /** @param {number} seconds */
  seek(seconds) {
    const audio = this.players.get(this.now);
    if (audio) audio.currentTime = Math.max(0, Math.min(audio.duration || 0, audio.currentTime + seconds));
  }

  /** Play everything in turn, as a new card is first heard. */
  async all() {
    const mine = this.tokens;
    for (const [name, audio] of [...this.players]) {
      this.silence();
      this.now = name;
      await this.start(audio, name);
      if (audio.paused || !(await finished(audio)) || mine !== this.tokens || name !== this.now) return;
    }
  }

  /** The keys that play what must be heard. */
  get keys() { return this.needed.map((name) => KEYS[name].toUpperCase()); }

  /** Whether every reply has been played. */
  get complete() { return this.needed.every((name) => this.heard.has(name)); }

  silence() { for (const audio of this.players.values()) audio.pause(); }

  end() {
    this.silence();
    for (const audio of this.players.values()) URL.revokeObjectURL(audio.src);
    this.players.clear();
    this.tokens = null;
    this.now = "";
  }
}

/** Whether a sound is played to its end, rather than stopped. @param {HTMLAudioElement} audio @returns {Promise<boolean>} */
const finished = (audio) => new Promise((done) => {
  audio.addEventListener("pause", () => done(audio.ended), { once: true });
});

/** What was said and what a good reply does. @param {Card} card */
export const task = (card) => h("section", { class: "task", "aria-label": "What was asked" },
  h("blockquote", {}, bdi(card.asked)),
  card.wanted.length > 0 && h("details", { open: true }, h("summary", {}, "A good reply"), h("ul", {}, card.wanted.map((one) => h("li", {}, bdi(one))))));

/**
 * The answers, as buttons with their keys.
 * @param {Card} card @param {(offer: Offer, withheld: boolean) => void} give
 */
export function answers(card, give) {
  const button = (offer, withheld) => h("button", {
    type: "button", class: withheld ? "quiet" : `answer ${offer.label}`, "aria-keyshortcuts": offer.key,
    "aria-pressed": String(card.given?.[withheld ? "unscored" : "label"] === offer.label),
    on: { click: () => give(offer, withheld) },
  }, h("kbd", {}, offer.key.toUpperCase()), ` ${offer.title}`);
  return h("div", { class: "answers", role: "group", "aria-label": "Your answer" },
    card.offers.map((one) => button(one, false)), h("span", { class: "withheld" }, card.withheld.map((one) => button(one, true))));
}

/** How far somebody is. @param {{answered: number, left: number, open: number, units: number}} progress */
export function bar(progress) {
  const total = progress.answered + progress.left;
  return h("div", { class: "progress" },
    h("progress", { max: total || 1, value: progress.answered, "aria-label": "Answered" }),
    h("span", { class: "soft" }, progress.left ? `${progress.answered} answered, at most ${progress.left} left` : `${progress.answered} answered`));
}

/** The replies in words, when somebody asks for them. @param {Card} card */
export const inWords = (card) => h("div", { class: "words" }, card.sounds.filter((one) => one.name !== "asked").map((one) =>
  h("p", {}, h("span", { class: "soft" }, `${TITLES[one.name]}, as it was heard: `), one.words ? bdi(one.words) : h("span", { class: "cause" }, "not known"))));

/** What was answered before, where a card is shown again. @param {Card} card */
export function given(card) {
  if (!card.given) return null;
  const { label, unscored } = card.given;
  const offer = [...card.offers, ...card.withheld].find((one) => one.label === (label ?? unscored));
  return h("p", { class: "notice warning" }, `You answered: ${offer?.title ?? label ?? unscored}. Answer again, or Esc to leave it.`);
}

/** A note; what is not sent yet outlives the page. @param {Card} card */
export function note(card) {
  const area = h("textarea", { id: "note", rows: 2, maxlength: 4000, placeholder: "Note (N)", "aria-label": "Note" });
  area.value = card.given?.note ?? sessionStorage.getItem(NOTE) ?? "";
  area.addEventListener("input", () => { if (!card.given) sessionStorage.setItem(NOTE, area.value); });
  area.addEventListener("keydown", (event) => { if (event.key === "Escape") { event.stopPropagation(); byId("question").focus(); } });
  return area;
}
