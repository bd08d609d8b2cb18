// Labelling: one question at a time, blind, by keys. Every answer is on the disk before the next question is shown.

import { agreement } from "./agreement.js";
import { Asking } from "./asking.js";
import { answers, ask, bar, person, task } from "./card.js";
import { bdi, byId, h, replace } from "./dom.js";
import { words } from "./format.js";

const BELOW = "/api/labelling";
const NOTE = "viva.label.note";

/** Show the page; returns what ends it. @param {Element} root */
export async function show(root) {
  const about = await ask(BELOW);
  const desk = new Desk(root, await person(root, about), about);
  await desk.next();
  return () => desk.end();
}

class Desk extends Asking {
  /** @param {Element} root @param {string} name @param {any} about */
  constructor(root, name, about) {
    super(root, BELOW, name, "Label");
    this.about = about;
    this.steps = 0;
  }

  more() {
    return [
      { keys: ["n"], text: "write a note", run: () => byId("note")?.focus() },
      { keys: ["Backspace"], text: "correct an answer before", run: () => this.back() },
      { keys: ["Escape"], text: "leave it, go on", run: () => this.steps > 0 && this.next(), always: true },
      { keys: ["g"], text: "agreement so far", run: () => this.agreement() },
    ];
  }

  /** @param {{card: any, progress: any}} found */
  take(found) {
    this.steps = 0;
    this.progress = found.progress;
    this.draw(found.card);
  }

  back() {
    return this.alone(async () => {
      if (!this.progress?.can_go_back) return this.say("There is no answer before this one.");
      const card = await ask(this.url("back", { steps: this.steps + 1 }));
      this.steps += 1;
      this.draw(card);
    });
  }

  /** @param {any} card */
  draw(card) {
    this.card = card;
    this.shown = false;
    if (!card) return this.done();
    const other = this.sounds.set(card.sounds);
    replace(this.root, h("article", { class: "card", "aria-labelledby": "question" },
      bar(this.progress),
      card.given && h("p", { class: "notice warning" }, `You answered: ${words(card.given.label ?? card.given.unscored)}. Answer again, or Esc to leave it.`),
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
    if (some) this.show().catch((error) => this.say(error.message, error.remedy));
  }

  beside() { return { note: byId("note").value }; }

  taken() { if (!this.card.given) sessionStorage.removeItem(NOTE); }

  named(replies) { return [h("h2", {}, "The last you labelled"), ...replies.map(whose)]; }

  agreement() { return this.alone(() => this.show()); }

  async show() { replace(byId("extra"), agreement(await ask(`${BELOW}/agreement`))); }
}

/** A note; what is not sent yet outlives the page. @param {any} card */
function note(card) {
  const area = h("textarea", { id: "note", rows: 2, maxlength: 4000, placeholder: "Note (N)", "aria-label": "Note" });
  area.value = card.given?.note ?? sessionStorage.getItem(NOTE) ?? "";
  area.addEventListener("input", () => { if (!card.given) sessionStorage.setItem(NOTE, area.value); });
  area.addEventListener("keydown", (event) => { if (event.key === "Escape") { event.stopPropagation(); byId("question").focus(); } });
  return area;
}

/** @param {any} reply */
const whose = (reply) => h("section", { class: "whose" },
  h("p", {}, h("strong", {}, bdi(reply.system)), " ", h("span", { class: "soft" }, bdi(reply.item))),
  h("ul", {}, reply.ratings.map((one) => verdict(words(one.dimension), one.label, one.reason))),
  h("ul", {}, reply.verdicts.map((one) => verdict(one.judge, words(one.label ?? one.unscored ?? ""), one.reason))));

const verdict = (by, label, reason) => h("li", {}, bdi(by), `: ${label}`, reason && h("span", { class: "soft" }, " – ", bdi(reason)));
