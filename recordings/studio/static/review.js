// The check of a pack that was grown: does a prompt belong to its level, is its manner what it says? By keys.

import { Asking, begin } from "./asking.js";
import { NOTE, answers, ask, bar, given, note } from "./card.js";
import { bdi, byId, h, replace } from "./dom.js";
import { trim, words } from "./format.js";

const BELOW = "/api/review";

/** Show the page; returns what ends it. @param {Element} root */
export async function show(root) {
  return begin(root, await ask(BELOW), (name) => new Desk(root, BELOW, name, "Review"));
}

class Desk extends Asking {
  listens() { return [{ keys: ["w"], text: "what the user says", run: () => this.sounds.toggle("line") }]; }

  more() {
    return [
      { keys: ["n"], text: "write a note", run: () => byId("note")?.focus() },
      { keys: ["g"], text: "how consistent the pack is so far", run: () => this.shares() },
    ];
  }

  /** @param {any} card */
  draw(card) {
    this.card = card;
    const other = card && this.sounds.set(card.sounds);
    if (!card) this.sounds.end();
    replace(this.root, h("article", { class: "card", "aria-labelledby": "question" },
      bar(this.progress), card && given(card),
      card && h("p", { class: "kind" }, h("span", { class: "chip" }, words(card.dimension))),
      h("h1", { id: "question", tabindex: -1 }, card ? card.question : "All is checked."),
      card ? [prompt(card), this.sounds.element, answers(card, (offer, withheld) => this.give(offer, withheld)), note(card)]
        : h("p", { class: "soft" }, "Thank you. Answers are kept; this page can be closed."),
      h("p", { id: "said", role: "alert" }),
      h("p", { class: "soft foot" }, h("kbd", {}, "N"), " note ", h("kbd", {}, "⌫"), " correct ", h("kbd", {}, "G"), " how consistent it is"),
      h("div", { id: "extra" })));
    this.heard();
    byId("question").focus();
    if (other) this.sounds.all();
    if (!card) this.shares();
  }

  beside() { return { note: byId("note").value }; }

  taken() { if (!this.card.given) sessionStorage.removeItem(NOTE); }

  shares() { return this.alone(async () => this.extra(shares(await ask(`${BELOW}/report`)))); }
}

/** What the user says, and what the scenario says of it. @param {any} card */
const prompt = (card) => h("section", { class: "task", "aria-label": "The scenario" },
  h("blockquote", {}, bdi(card.asked)),
  h("dl", { class: "facts" }, card.facts.map(([name, text]) => h("div", {}, h("dt", {}, name), h("dd", {}, bdi(text))))),
  card.wanted.length > 0 && h("details", {}, h("summary", {}, "A good reply"), h("ul", {}, card.wanted.map((one) => h("li", {}, bdi(one))))));

/** The shares so far. @param {any} found */
function shares(found) {
  const people = Object.keys(found.by_person).length > 1 ? Object.entries(found.by_person).map(([name, of]) => [`by ${name}`, of]) : [];
  const parts = [["", found], ...Object.entries(found.by_level).map(([level, of]) => [`level ${level}`, of]), ...people];
  const rows = parts.flatMap(([of, both]) => ["level", "manner"].map((asked) => row(of, asked, both[asked], of ? undefined : found.published[asked])));
  return h("section", { "aria-labelledby": "shares" },
    h("h2", { id: "shares" }, "Consistent so far"),
    h("table", { class: "agreement" },
      h("thead", {}, h("tr", {}, ["Asked", "", "Consistent", "95 % interval", "Answered", "Not yet", "Published"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, rows)),
    Object.entries(found.with_themselves).flatMap(([asked, all]) => all.map((one) => h("p", { class: "soft" },
      words(asked), ": ", bdi(one.person), ` said the same again of ${one.same} of ${one.n}.`))),
    h("p", { class: "soft" }, `${found.inconsistent.length} of ${found.scenarios} scenarios are not consistent. They leave the pack with viva scenarios review PACK --take-out, or when it grows further.`));
}

const percent = (share) => `${trim(100 * share, 1)} %`;

function row(of, asked, share, published) {
  return h("tr", {}, h("th", { scope: "row" }, words(asked)), h("td", {}, bdi(of)),
    h("td", {}, share.share === null ? h("span", { class: "cause" }, "not answered") : percent(share.share)),
    h("td", {}, share.interval ? share.interval.map(percent).join(" to ") : ""),
    h("td", {}, share.n), h("td", {}, share.unanswered), h("td", {}, published === undefined ? "" : percent(published)));
}
