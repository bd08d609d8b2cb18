// A desk that asks: what labelling, A/B listening and the check of scenarios do alike.

import { fail } from "./app.js";
import { Sounds, ask, inWords } from "./card.js";
import { announce, byId, replace } from "./dom.js";
import * as keys from "./keys.js";

/** What `w` plays, but for two sounds. */
const MAIN = { absolute: "reply", check: "line" };

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
    this.busy = false;
    this.shown = false;
    /** How many answers one has gone back. */
    this.steps = 0;
    this.forget = keys.register(scope, [
      { keys: [" "], text: "play or pause", run: () => this.sounds.again() },
      { keys: ["q"], text: "what was said", run: () => this.sounds.toggle("asked") },
      { keys: ["w"], text: "the reply, or the first of two", run: () => this.sounds.toggle(MAIN[this.card?.part] ?? "first") },
      { keys: ["e"], text: "the second of two", run: () => this.sounds.toggle("second") },
      { keys: ["ArrowLeft"], text: "back one second", run: () => this.sounds.seek(-1) },
      { keys: ["ArrowRight"], text: "on one second", run: () => this.sounds.seek(1) },
      { keys: ["1", "2", "3", "4"], text: "answer", run: (event) => this.press(event.key) },
      { keys: ["s", "i"], text: "no answer: I cannot say, I cannot hear it", run: (event) => this.press(event.key) },
      { keys: ["Backspace"], text: "correct an answer before", run: () => this.back() },
      { keys: ["Escape"], text: "leave it, go on", run: () => this.steps > 0 && this.next(), always: true },
      ...this.more(),
    ]);
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
    this.steps = 0;
    this.progress = found.progress;
    this.draw(found.card);
  }

  /** Show the answer before, to be corrected; and the one before that. */
  back() {
    return this.alone(async () => {
      if (!this.progress?.can_go_back) return this.say("There is no answer before this one.");
      const card = await ask(this.url("back", { steps: this.steps + 1 }));
      this.steps += 1;
      this.draw(card);
    });
  }

  /** What was labelled last, by name. @param {any[]} _replies @returns {any[]} */
  named(_replies) { return []; }

  end() {
    this.forget();
    this.sounds.end();
  }

  /** Do one thing at a time; what fails is said where the question stands. @param {() => Promise<void>} work */
  async alone(work) {
    if (this.busy) return;
    this.busy = true;
    try {
      await work();
    } catch (error) {
      if (!byId("said")) fail(this.root, error);
      else this.say(error.message, error.remedy);
    } finally {
      this.busy = false;
    }
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

  /** @param {string} key */
  press(key) {
    const offer = this.card?.offers.find((one) => one.key === key);
    const withheld = this.card?.withheld.find((one) => one.key === key);
    if (offer && !this.ready) this.say("Listen first: Space, W, E.");
    else if (offer ?? withheld) this.give(offer ?? withheld, !offer);
  }

  /** @param {{label: string, title: string}} offer @param {boolean} withheld */
  give(offer, withheld) {
    return this.alone(async () => {
      const token = this.card.token;
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
      replace(byId("extra"), this.named(replies));
    });
  }

  /** @param {string} text @param {string} [remedy] */
  say(text, remedy = "") { byId("said").textContent = [text, remedy].filter(Boolean).join(" "); }
}
