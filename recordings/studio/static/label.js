// Labelling: one question at a time, blind, by keys. Every answer is on the disk before the next question is shown.

import { agreement } from "./agreement.js";
import { Asking, begin } from "./asking.js";
import { NOTE, answers, ask, bar, given, note, task } from "./card.js";
import { bdi, byId, h, replace } from "./dom.js";
import { words } from "./format.js";

const BELOW = "/api/labelling";

/** Show the page; returns what ends it. @param {Element} root */
export async function show(root) {
  const about = await ask(BELOW);
  return begin(root, about, (name) => new Desk(root, name, about));
}

class Desk extends Asking {
  /** @param {Element} root @param {string} name @param {any} about */
  constructor(root, name, about) {
    super(root, BELOW, name, "Label");
    this.about = about;
  }

  more() {
    return [
      ...super.more(),
      { keys: ["n"], text: "write a note", run: () => byId("note")?.focus() },
      { keys: ["g"], text: "agreement so far", run: () => this.agreement() },
    ];
  }

  /** @param {any} card */
  draw(card) {
    this.card = card;
    this.shown = false;
    if (!card) return this.done();
    const other = this.sounds.set(card.sounds);
    replace(this.root, h("article", { class: "card", "aria-labelledby": "question" },
      bar(this.progress),
      given(card),
      h("p", { class: "kind" }, h("span", { class: "chip" }, card.part === "relative" ? "Two replies" : "One reply"), " ", h("span", { class: "chip" }, words(card.dimension))),
      h("h1", { id: "question", tabindex: -1 }, card.question),
      task(card), this.sounds.element,
      h("div", { id: "in-words" }),
      answers(card, (offer, withheld) => this.give(offer, withheld)),
      note(card),
      h("p", { id: "said", role: "alert" }),
      h("p", { class: "soft foot" }, h("kbd", {}, "T"), " words ", h("kbd", {}, "⌫"), " correct ", h("kbd", {}, "V"), " whose the last was ", h("kbd", {}, "G"), " agreement"),
      h("div", { id: "extra" })));
    this.heard();
    byId("question").focus();
    if (other) this.sounds.all();
  }

  done() {
    this.sounds.end();
    const some = this.about.units > 0;
    replace(this.root, h("article", { class: "card" }, bar(this.progress),
      h("h1", { id: "question", tabindex: -1 }, some ? "All is labelled." : "There is nothing to label."),
      h("p", { class: "soft" }, some ? "Thank you. Labels are kept; this page can be closed." : "No reply to anything was found in what this studio shows."),
      h("p", { id: "said", role: "alert" }), h("div", { id: "extra" })));
    byId("question").focus();
    if (some) this.agreement();
  }

  beside() { return { note: byId("note").value }; }

  taken() { if (!this.card.given) sessionStorage.removeItem(NOTE); }

  named(replies) { return [h("h2", {}, "The last you labelled"), ...replies.map(whose)]; }

  agreement() { return this.alone(async () => this.extra(agreement(await ask(`${BELOW}/agreement`)))); }
}

/** @param {any} reply */
const whose = (reply) => h("section", { class: "whose" },
  h("p", {}, h("strong", {}, bdi(reply.system)), " ", h("span", { class: "soft" }, bdi(reply.item))),
  h("ul", {}, reply.ratings.map((one) => verdict(words(one.dimension), one.label, one.reason))),
  h("ul", {}, reply.verdicts.map((one) => verdict(one.judge, words(one.label ?? one.unscored ?? ""), one.reason))));

const verdict = (by, label, reason) => h("li", {}, bdi(by), `: ${label}`, reason && h("span", { class: "soft" }, " – ", bdi(reason)));
