// A/B listening: two replies to the same words, blind and equally loud; one key is an answer, and a battle of the arena.

import { Asking, begin } from "./asking.js";
import { answers, ask, bar, given, task } from "./card.js";
import { bdi, byId, h, replace } from "./dom.js";

const BELOW = "/api/ab";

/** Show the page; returns what ends it. @param {Element} root */
export async function show(root) {
  const about = await ask(BELOW);
  if (!about.units) {
    replace(root, h("article", { class: "card" }, h("h1", {}, "There is nothing to compare."),
      h("p", { class: "soft" }, "Open two runs of the same scenarios and seeds: viva listen RUN_A RUN_B.")));
    return undefined;
  }
  return begin(root, about, (name) => new Desk(root, BELOW, name, "A/B"));
}

class Desk extends Asking {
  /** @param {any} card */
  draw(card) {
    this.card = card;
    this.shown = false;
    if (card) this.sounds.set(card.sounds);
    else this.sounds.end();
    replace(this.root, h("article", { class: "card", "aria-labelledby": "question" },
      bar(this.progress), card && given(card),
      h("h1", { id: "question", tabindex: -1 }, card ? card.question : "All pairs are answered."),
      card ? [task(card), this.sounds.element, h("div", { id: "in-words" }), answers(card, (offer, withheld) => this.give(offer, withheld))]
        : h("p", { class: "soft" }, "Rate the systems with viva arena rate."),
      h("p", { id: "said", role: "alert" }),
      h("p", { class: "soft foot" }, "Both are played equally loud. ", h("kbd", {}, "T"), " words ", h("kbd", {}, "⌫"), " correct ", h("kbd", {}, "V"), " whose the last two were"),
      h("div", { id: "extra" })));
    this.heard();
    byId("question").focus();
    if (card) this.sounds.all();
  }

  named(replies) { return [h("h2", {}, "The last two"), h("ol", {}, replies.map((one) => h("li", {}, bdi(one.system))))]; }
}
