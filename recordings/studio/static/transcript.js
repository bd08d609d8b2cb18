// The words of a call beside its sound: what was intended, said and heard, what went wrong, and what judges say.

import { bdi, h } from "./dom.js";
import { clock, count, length, milliseconds, words } from "./format.js";

/** So many milliseconds are spent on turns at a time. */
const SLICE_MS = 12;

const GOOD = new Set(["complete", "correct", "good", "pass", "yes", "both_good", "high"]);
const BAD = new Set(["missing", "wrong", "bad", "fail", "no", "both_bad", "poor", "low"]);

/** A label in the colour of what it means. @param {string | null} label @param {string} [cause] */
export function chip(label, cause = "") {
  if (label === null) return h("span", { class: "cause" }, cause ? `unscored: ${words(cause)}` : "unscored");
  const look = GOOD.has(label) ? "good" : BAD.has(label) ? "bad" : label === "partial" || label === "fair" ? "warn" : "none";
  return h("span", { class: `chip ${look}` }, words(label));
}

export class Transcript {
  /**
   * @param {{seconds: (ticks: number) => number, go: (from: number, to: number, play: boolean) => void}} links
   */
  constructor(links) {
    this.links = links;
    this.current = -1;
    /** @type {HTMLElement[]} */
    this.items = [];
    /** @type {string[]}  What each item shows. */
    this.shown = [];
    this.next = 0;
    this.list = h("ol", { class: "turns", "aria-label": "Turns" });
    this.element = h("div", { class: "transcript scrolls", tabindex: 0, role: "region", "aria-label": "Transcript" }, this.list);
    this.touched = -Infinity;
    for (const event of ["wheel", "pointerdown", "keydown"]) this.element.addEventListener(event, () => { this.touched = performance.now(); }, { passive: true });
  }

  /** Show the turns of a call: those that have not changed stay; of many, the first are there at once. @param {any} episode */
  show(episode) {
    this.episode = episode;
    this.waits = new Map(episode.brackets.map((one) => [one.reply ?? `no ${one.turn}`, one]));
    for (const item of this.items.splice(episode.turns.length)) item.remove();
    this.shown.length = this.items.length;
    this.none?.remove();
    this.none = episode.turns.length ? null : h("li", { class: "empty" }, episode.live ? "Nothing has been said yet." : "Nobody said anything in this call.");
    if (this.none) this.list.append(this.none);
    this.next = 0;
    this.#fill();
  }

  close() { clearTimeout(this.timer); }

  /** Go on with the turns for as long as a frame may wait, and later with the rest; what is in sight changes at once. */
  #fill() {
    clearTimeout(this.timer);
    const until = performance.now() + SLICE_MS;
    while (this.next < this.episode.turns.length) {
      if (performance.now() > until && !this.#inSight(this.items[this.next - 1])) {
        this.timer = setTimeout(() => this.#fill());
        return;
      }
      this.#put(this.next++);
    }
  }

  #inSight(item) {
    if (!item) return false;
    const box = this.element.getBoundingClientRect();
    const own = item.getBoundingClientRect();
    return own.bottom > box.top && own.top < box.bottom;
  }

  #put(index) {
    const turn = this.episode.turns[index];
    const wait = this.waits.get(turn.number);
    const none = turn.side === "user" ? this.waits.get(`no ${turn.number}`) : null;
    const shown = JSON.stringify([turn, wait, none]);
    if (shown === this.shown[index]) return;
    const item = this.#turn(turn, wait, none);
    if (index === this.current) item.setAttribute("aria-current", "true");
    if (this.items[index]) this.items[index].replaceWith(item);
    else this.list.append(item);
    this.items[index] = item;
    this.shown[index] = shown;
  }

  /** Mark the turn that is heard now; it comes into sight unless the list was just moved by hand. */
  mark(index, reveal = true) {
    if (index === this.current) return;
    this.items[this.current]?.removeAttribute("aria-current");
    this.current = index;
    while (this.next <= index && this.next < this.episode.turns.length) this.#put(this.next++);
    const item = this.items[index];
    if (!item) return;
    item.setAttribute("aria-current", "true");
    if (reveal && performance.now() - this.touched > 2500) this.#reveal(item);
  }

  #reveal(item) {
    const box = this.element.getBoundingClientRect();
    const own = item.getBoundingClientRect();
    if (own.top < box.top + 8) this.element.scrollTop += own.top - box.top - 12;
    else if (own.bottom > box.bottom - 8) this.element.scrollTop += Math.min(own.bottom - box.bottom + 12, own.top - box.top - 12);
  }

  #turn(turn, wait, none) {
    const { seconds, go } = this.links;
    const [from, to] = [seconds(turn.start), seconds(turn.end)];
    const who = turn.side === "user" ? "User" : "Endpoint";
    return h("li", { class: `turn ${turn.side}`, data: { number: turn.number } },
      h("div", { class: "turn-head" },
        h("button", { type: "button", class: "at", "aria-label": `Play turn ${turn.number}, ${who}, at ${clock(from)}`, on: { click: () => go(from, to, true) } },
          h("b", {}, turn.number), h("span", {}, clock(from))),
        h("span", { class: "side-of" }, who),
        h("span", { class: "soft" }, length(to - from)),
        turn.role !== "turn" && h("span", { class: "tag" }, words(turn.role)),
        turn.interrupted && h("span", { class: "tag warn" }, "interrupted"),
        wait && h("span", { class: `tag ${wait.kind === "cut_in" ? "bad" : ""}`, title: parts(wait) }, wait.kind === "cut_in" ? `cut in ${wait.text}` : `after ${wait.text}`),
        none && h("span", { class: "tag warn" }, none.text),
        turn.label && h("span", { class: "soft label-of" }, bdi(turn.label))),
      h("dl", { class: "texts" }, turn.texts.map((text) => this.#text(text)).flat()),
      turn.verdicts.length ? h("ul", { class: "verdicts", "aria-label": "Verdicts" }, turn.verdicts.map((one) => this.#verdict(one))) : null);
  }

  #text(text) {
    const errors = [["words", text.errors], ["terms", text.terms], ["abbreviations", text.abbreviations]].filter(([, found]) => found?.of);
    return [
      h("dt", { title: text.by }, text.kind),
      h("dd", { class: `text ${text.kind}` },
        text.unscored ? h("span", { class: "cause" }, words(text.unscored)) : bdi(text.words.length ? text.words.map(word).flat() : text.text || "–"),
        errors.flatMap(([of, found]) => [" ", h("span", { class: `errors ${found.wrong ? "some" : ""}`, title: `${found.wrong} of ${found.of} ${of} wrong` },
          found.wrong ? `${found.wrong}/${found.of} ${of}` : of === "words" ? "✓" : null)])),
    ];
  }

  #verdict(one) {
    const { seconds, go } = this.links;
    return h("li", { class: "verdict" },
      h("div", {}, chip(one.label, one.unscored), one.dimension && h("span", { class: "soft" }, words(one.dimension)),
        h("span", { class: "soft" }, one.judge), one.live && h("span", { class: "tag" }, "live")),
      one.reason && h("p", {}, bdi(one.reason)),
      one.evidence.length ? h("p", { class: "evidence" }, one.evidence.map((found) => found.start === null || found.start === undefined
        ? h("q", {}, bdi(found.text))
        : h("button", { type: "button", class: "jump", title: found.exact ? "Listen to it" : "Listen to about where it is said",
          on: { click: () => go(seconds(found.start), seconds(found.end ?? found.start), true) } },
        h("q", {}, bdi(found.text)), h("span", {}, ` ${found.exact ? "" : "≈ "}${clock(seconds(found.start), 1)}`)))) : null);
  }
}

/** A word as it is marked; with the space after it. */
function word(one) {
  const special = one.mark ? ` ${one.mark}` : "";
  const title = one.mark === "term" ? "a term" : one.mark === "abbreviation" ? "an abbreviation" : undefined;
  if (one.op === "deletion") return [h("del", { class: special.trim() || undefined, title: "missing" }, one.text), " "];
  if (one.op === "insertion") return [h("ins", { title: "not expected" }, one.text), " "];
  if (one.op === "substitution") {
    return [h("mark", { class: special.trim() || undefined, title: `expected: ${one.expected}` }, one.text, h("span", { class: "unseen" }, ` (expected: ${one.expected})`)), " "];
  }
  return [one.mark ? h("span", { class: special.trim(), title }, one.text) : one.text, " "];
}

function parts(bracket) {
  return bracket.parts.map((part) => `${part.title}: ${part.ms === null ? words(part.unscored) : milliseconds(part.ms)}`).join("\n");
}

/** How many turns, for the tab. */
export const turnCount = (episode) => count(episode.turns.length, "turn");
