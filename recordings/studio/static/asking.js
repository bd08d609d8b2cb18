// A desk that asks: what labelling, A/B listening and the check of scenarios do alike.

import { fail } from "./app.js";
import { Sounds, ask, inWords, person } from "./card.js";
import { announce, byId, replace } from "./dom.js";
import * as keys from "./keys.js";

/**
 * Begin when it is known who listens; returns what ends it. A view that was left meanwhile does not begin.
 * @param {Element} root @param {{person: string, people: string[]}} about @param {(name: string) => Asking} made
 */
export async function begin(root, about, made) {
  const name = await person(root, about);
  if (!root.isConnected) return undefined;
  const desk = made(name);
  desk.next(); // not waited for: whoever leaves ends it at once
  return () => desk.end();
}

export class Asking {
  /**
   * @param {Element} root @param {string} below  "/api/labelling", "/api/ab" or "/api/review"
   * @param {string} name  Who listens.
   * @param {string} scope  Of the keys.
   */
  constructor(root, below, name, scope) {
    this.root = root;
    this.below = below;
    this.name = name;
    this.sounds = new Sounds(below, () => this.heard());
    /** @type {import("./card.js").Card | null} */
    this.card = null;
    this.last = "";
    /** What is under way, done or not. @type {Promise<void>} */
    this.before = Promise.resolve();
    this.shown = false;
    /** How many answers one has gone back. */
    this.steps = 0;
    this.forget = keys.register(scope, [
      { keys: [" "], text: "play or pause", run: () => this.sounds.again() },
      ...this.listens(),
      { keys: ["ArrowLeft"], text: "back one second", run: () => this.sounds.seek(-1) },
      { keys: ["ArrowRight"], text: "on one second", run: () => this.sounds.seek(1) },
      { keys: ["1", "2", "3", "4"], text: "answer", run: (event) => this.press(event) },
      { keys: ["s", "i"], text: "no answer: I cannot say, I cannot hear it", run: (event) => this.press(event) },
      { keys: ["Backspace"], text: "correct an answer before", run: (event) => event.repeat || this.back() },
      { keys: ["Escape"], text: "leave it, go on", run: () => this.leave(), always: true },
      ...this.more(),
    ]);
  }

  /** Keys of single sounds; first those of replies. @returns {import("./keys.js").Shortcut[]} */
  listens() {
    return [
      { keys: ["q"], text: "what was said", run: () => this.sounds.toggle("asked") },
      { keys: ["w"], text: "the reply, or the first of two", run: () => this.sounds.toggle(this.card?.part === "absolute" ? "reply" : "first") },
      { keys: ["e"], text: "the second of two", run: () => this.sounds.toggle("second") },
    ];
  }

  /** Further keys; first those of replies. @returns {import("./keys.js").Shortcut[]} */
  more() {
    return [
      { keys: ["t"], text: "the replies in words", run: () => this.words() },
      { keys: ["v"], text: "whose the last was, once all of it is labelled", run: () => this.reveal() },
    ];
  }

  /** What goes with an answer. @returns {Record<string, any>} */
  beside() { return {}; }

  /** An answer was kept. */
  taken() {}

  /** Show a question, or that there is none; with `given` it was answered before. @param {any} _card */
  draw(_card) {}

  /** @param {{card: any, progress: any}} found */
  take(found) {
    if (!this.root.isConnected) return;
    this.steps = 0;
    this.progress = found.progress;
    this.draw(found.card);
  }

  /** Show the answer before, to be corrected; and the one before that. */
  back() {
    return this.alone(async () => {
      if (!this.progress?.can_go_back) return this.say("There is no answer before this one.");
      const card = await ask(this.url("back", { steps: this.steps + 1 }));
      if (!this.root.isConnected) return;
      this.steps += 1;
      this.draw(card);
    });
  }

  /** Back to the question that is next. */
  leave() {
    return this.alone(async () => { if (this.steps > 0) this.take(await ask(this.url("next"))); });
  }

  /** What was labelled last, by name. @param {any[]} _replies @returns {any[]} */
  named(_replies) { return []; }

  end() {
    this.forget();
    this.sounds.end();
  }

  /** Do one thing after the other; what fails is said where the question stands. @param {() => Promise<void>} work */
  alone(work) {
    this.before = this.before.then(work).catch((error) => {
      if (!this.root.isConnected) console.error(error);
      else if (byId("said")) this.say(error.message, error.remedy);
      else fail(this.root, error);
    });
    return this.before;
  }

  /** @param {string} path @param {Record<string, any>} [query] */
  url(path, query = {}) {
    return `${this.below}/${path}?${new URLSearchParams({ person: this.name, ...query })}`;
  }

  next() { return this.alone(async () => this.take(await ask(this.url("next")))); }

  /** Answers can be given once every reply was heard. */
  get ready() { return Boolean(this.card?.given) || this.sounds.complete; }

  heard() {
    for (const button of this.root.querySelectorAll("button.answer")) button.disabled = !this.ready;
  }

  /** One press is one answer: a key that is held down would answer the next question, too. @param {KeyboardEvent} event */
  press({ key, repeat }) {
    if (repeat) return;
    const offer = this.card?.offers.find((one) => one.key === key);
    const withheld = this.card?.withheld.find((one) => one.key === key);
    if (offer && !this.ready) this.say(`Listen first: ${["Space", ...this.sounds.keys].join(", ")}.`);
    else if (offer ?? withheld) this.give(offer ?? withheld, !offer);
  }

  /** Answer the question that is shown; by the time it is its turn another one may be. @param {{label: string, title: string}} offer @param {boolean} withheld */
  give(offer, withheld) {
    const card = this.card;
    return this.alone(async () => {
      if (this.card !== card) return;
      const { token } = card;
      const found = await ask(`${this.below}/answer`, {
        person: this.name, token, plays: this.sounds.plays, words_shown: this.shown, ...this.beside(),
        ...(withheld ? { unscored: offer.label } : { label: offer.label }),
      });
      this.last = token;
      this.taken();
      announce(`${offer.title}, kept.`);
      this.take(found);
    });
  }

  words() {
    this.shown = true;
    if (this.card) replace(byId("in-words"), inWords(this.card));
  }

  reveal() {
    return this.alone(async () => {
      if (!this.last) return this.say("Nothing was answered yet.");
      const { replies } = await ask(this.url(`revealed/${this.last}`), {});
      this.extra(this.named(replies));
    });
  }

  /** Show something below the question. @param {...any} shown */
  extra(...shown) { if (this.root.isConnected) replace(byId("extra"), ...shown); }

  /** @param {string} text @param {string} [remedy] */
  say(text, remedy = "") {
    const line = byId("said");
    if (line) line.textContent = [text, remedy].filter(Boolean).join(" ");
  }
}
