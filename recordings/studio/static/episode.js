// One call: listen to it, look at it, read it.

import { api } from "./api.js";
import { announce, bdi, h, replace } from "./dom.js";
import { about, metrics } from "./facts.js";
import { clock, length, words } from "./format.js";
import { episodeKeys } from "./episode-keys.js";
import { Moments } from "./moments.js";
import { Player, SPEEDS } from "./player.js";
import { RawEvents } from "./raw.js";
import { tabs } from "./tabs.js";
import { Timeline } from "./timeline/timeline.js";
import { Transcript, turnCount } from "./transcript.js";
import { Transport } from "./transport.js";

/** @param {HTMLElement} root @param {{id: string, query: URLSearchParams}} parameters */
export async function show(root, { id, query }) {
  replace(root, h("p", { class: "loading", role: "status" }, "Reading the call …"));
  const episode = await api.outline(id);
  if (!root.isConnected) return undefined;
  const view = new EpisodeView(id, episode, query);
  replace(root, view.element);
  document.title = `${episode.title} · vivavoce studio`;
  view.begin();
  if (episode.complete === false) view.rest();
  return () => view.close();
}

/** Stands below the lanes of an outline. */
const LATER = "A long call takes some seconds to be gone through. Then come latencies, overlaps, barge-ins, word errors, metrics, and the exact edges of speech.";

/** Which lanes are not drawn. */
function without(episode) {
  const none = episode.lanes.filter((lane) => !lane.spans.length).map((lane) => lane.title.toLowerCase());
  return none.length ? `None in this call: ${none.join(", ")}.` : "";
}

export class EpisodeView {
  /** @param {string} id @param {any} episode  As `ShownEpisode`. @param {URLSearchParams} query */
  constructor(id, episode, query = new URLSearchParams()) {
    this.id = id;
    this.episode = episode;
    this.query = query;
    const { apart } = api;
    this.player = new Player({ sources: { both: api.audio(id, "both"), user: api.audio(id, "user"), endpoint: api.audio(id, "endpoint") }, apart });
    this.timeline = new Timeline(episode, {
      peaks: (...asked) => api.peaks(id, ...asked),
      spectrogram: (...asked) => api.spectrogram(id, ...asked),
    });
    this.transport = new Transport(this.#actions(), this.duration, apart);
    const links = { seconds: this.seconds, go: (from, to, play) => this.go(from, to, play), heard: api.audio(id, "received") ? (source) => this.#received(source) : null };
    this.transcript = new Transcript(links);
    this.moments = new Moments(links);
    this.raw = new RawEvents((offset, limit, kind) => api.events(id, offset, limit, kind), (t) => this.go(t, t, false));
    this.metrics = h("div", { class: "scrolls", tabindex: 0, role: "region", "aria-label": "Metrics" });
    this.about = h("div", { class: "scrolls", tabindex: 0, role: "region", "aria-label": "About this call" });
    this.#build();
  }

  seconds = (ticks) => ticks / this.episode.rate;
  get duration() { return this.episode.duration / this.episode.rate; }

  /** Listen, and draw from now on. */
  begin() {
    this.#show();
    this.#fit();
    this.keys = episodeKeys(this);
    this.#hear();
    const step = () => { this.#frame(); this.frame = requestAnimationFrame(step); };
    this.frame = requestAnimationFrame(step);
    if (this.episode.live) this.#live();
    const t = Number(this.query.get("t"));
    if (t > 0) this.go(t, Number(this.query.get("to")) || t, false);
  }

  close() {
    this.closed = true;
    cancelAnimationFrame(this.frame);
    this.keys?.();
    this.stopLive?.();
    this.player.close();
    this.transcript.close();
    this.timeline.close();
    this.sizes.disconnect();
    this.other?.pause();
    this.moments.list.close();
    this.raw.list.close();
  }

  /** Go to a stretch: it is selected if it has a length, and played if asked for. */
  go(from, to, play) {
    this.timeline.select(to > from ? { from, to } : null);
    this.timeline.reveal(from, to);
    this.seek(from);
    if (play && to > from) this.player.playSpan(from, to);
  }

  seek(t) {
    const to = Math.min(Math.max(t, 0), this.duration);
    this.player.seek(to);
    this.timeline.setPlayhead(to);
    this.#where(to, true);
  }

  /** To the turn after or before the one at the playhead. @param {number} by */
  turn(by) {
    const starts = this.episode.turns.map((turn) => this.seconds(turn.start));
    const t = this.player.time;
    let index = starts.findIndex((start) => start > t + 0.03) - 1;
    if (index < -1) index = starts.length - 1;
    // a little into a turn, "previous" is its own beginning
    if (by < 0 && index >= 0 && t - starts[index] > 0.5) index += 1;
    this.toTurn(index + by);
  }

  toTurn(index, play = false) {
    const turn = this.episode.turns[Math.min(Math.max(index, 0), this.episode.turns.length - 1)];
    if (!turn) return;
    const [from, to] = [this.seconds(turn.start), this.seconds(turn.end)];
    this.timeline.reveal(from, to);
    if (this.player.looping) this.timeline.select({ from, to });
    this.seek(from);
    if (play) this.player.playSpan(from, to);
    announce(`turn ${turn.number}, ${turn.side}`);
  }

  loop() {
    if (!this.player.looping && !this.timeline.selection) {
      const turn = this.episode.turns[this.#turnAt(this.player.time)];
      if (turn) this.timeline.select({ from: this.seconds(turn.start), to: this.seconds(turn.end) });
    }
    this.player.setLooping(!this.player.looping);
    announce(this.player.looping ? "loop on" : "loop off");
  }

  speed(by) {
    const at = SPEEDS.indexOf(this.player.speed) + by;
    if (SPEEDS[at]) { this.player.setSpeed(SPEEDS[at]); announce(`speed ${SPEEDS[at]}`); }
  }

  side(side) { this.player.setSide(side); announce(side === "both" ? "both sides" : `${side} only`); }

  async extra(what) {
    const shown = !this.timeline.shows[what];
    if (shown && what !== "spectrogram" && !this.timeline.curves.length && !(await this.#curves())) return;
    this.timeline.show(what, shown);
    this.transport.extra(this.timeline.shows);
    announce(`${what} ${shown ? "shown" : "hidden"}`);
  }

  #actions() {
    return {
      toggle: () => this.player.toggle(), turn: (by) => this.turn(by), loop: () => this.loop(), side: (side) => this.side(side),
      speed: (speed) => this.player.setSpeed(speed), middle: () => this.player.setMiddle(!this.player.middle), show: (what) => this.extra(what),
      zoom: (factor) => this.timeline.zoom(factor), fit: () => this.timeline.fit(),
    };
  }

  #build() {
    this.tabs = tabs("About this call", [
      { name: "transcript", title: "Transcript", panel: this.transcript.element },
      { name: "moments", title: "Moments", panel: this.moments.element, opened: () => this.moments.show(this.episode) },
      { name: "metrics", title: "Metrics", panel: this.metrics, opened: () => replace(this.metrics, metrics(this.episode, (t) => this.go(t, t, false))) },
      { name: "events", title: "Events", panel: this.raw.element, opened: () => this.raw.load().catch((error) => this.say(error.message)) },
      { name: "about", title: "About", panel: this.about, opened: () => replace(this.about, about(this.episode)) },
    ]);
    this.head = h("div", { class: "episode-head" });
    this.quiet = h("p", { class: "quiet-lanes soft" });
    this.left = h("div", { class: "left scrolls" }, this.timeline.element, this.quiet);
    this.sizes = new ResizeObserver(() => this.#fit());
    this.sizes.observe(this.left);
    this.notice = h("div", { class: "notices", role: "status" });
    this.element = h("div", { class: "episode" }, this.head, this.notice, this.transport.element,
      h("div", { class: "split" }, this.left, this.tabs.element));
  }

  /** The timeline takes the room that is there. */
  #fit() { this.timeline.fill(this.left.clientHeight - this.timeline.overview.element.offsetHeight - this.quiet.offsetHeight); }

  /** All that is not drawn: words. */
  #show() {
    const { episode } = this;
    this.measuring = episode.complete === false ? h("span", { class: "soft", role: "status" }, "measuring …") : null;
    replace(this.head,
      h("h1", {}, bdi(episode.title)),
      h("p", { class: "facts" },
        episode.live ? h("span", { class: "chip live" }, "live") : h("span", { class: `chip ${episode.void ? "warn" : episode.fault === "endpoint" ? "bad" : episode.outcome === "completed" ? "good" : "none"}` }, words(episode.outcome)),
        episode.void && !episode.live && h("span", { class: "chip warn", title: "Spoiled by our own side: in no score" }, "void"),
        h("span", {}, bdi(episode.endpoint)), h("span", {}, length(this.duration)), h("span", { class: "soft" }, bdi(episode.run ? `${episode.run} / ${episode.episode}` : episode.episode)),
        episode.condition && h("span", { class: "soft" }, bdi(episode.condition)),
        this.measuring));
    replace(this.notice, episode.notices.map((one) => h("p", { class: `notice ${one.level}` }, bdi(one.text))));
    this.transcript.show(episode);
    this.tabs.rename("transcript", turnCount(episode));
    this.quiet.textContent = episode.complete === false ? LATER : without(episode);
    this.transport.length(this.duration);
  }

  #hear() {
    const { player, timeline, transport } = this;
    player.addEventListener("change", () => transport.state(player));
    player.addEventListener("problem", (event) => this.say(/** @type {CustomEvent} */ (event).detail));
    timeline.addEventListener("seek", (event) => this.seek(/** @type {CustomEvent} */ (event).detail));
    timeline.addEventListener("select", (event) => player.setStretch(/** @type {CustomEvent} */ (event).detail));
    transport.state(player);
    this.#where(0, true);
  }

  #frame() {
    const { player, timeline } = this;
    player.tick();
    const t = player.time;
    if (t === this.drawn) return;
    this.drawn = t;
    timeline.setPlayhead(Math.min(t, this.duration), player.playing);
    this.#where(t, !player.playing);
  }

  #where(t, say) {
    this.transport.time(t);
    const index = this.#turnAt(t);
    this.transcript.mark(index);
    if (!say && index === this.told) return;
    this.told = index;
    const turn = this.episode.turns[index];
    this.timeline.describe(`${clock(t, 1)} of ${clock(this.duration, 0)}${turn ? `, turn ${turn.number}, ${turn.side}` : ""}`);
  }

  /** The turn that is heard then, or the one that was heard last. */
  #turnAt(t) {
    const { turns } = this.episode;
    let [low, high] = [0, turns.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.seconds(turns[middle].start) <= t + 0.001) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  async #curves() {
    const found = await api.curves(this.id);
    if (found.turns.length) this.timeline.curves = found.turns;
    else this.say(`There are no curves: ${words(found.cause || "no turns")}.`);
    return found.turns.length > 0;
  }

  /** Sound that arrived and was never heard. @param {{track: string, start: number, end: number}} source */
  #received(source) {
    const track = this.episode.tracks.find((one) => one.name === source.track);
    this.player.pause();
    this.other?.pause();
    this.other = new Audio(api.audio(this.id, source.track));
    this.other.currentTime = source.start / track.rate;
    this.other.addEventListener("timeupdate", () => { if (this.other.currentTime >= source.end / track.rate) this.other.pause(); });
    this.other.play().catch((error) => this.say(error.message));
  }

  /** All of a long call, of which the outline is shown: asked for after its waves, which it would hold up. */
  async rest() {
    await this.timeline.peaks.settled;
    try {
      this.update(await api.episode(this.id));
    } catch (error) {
      if (this.measuring) this.measuring.textContent = "not measured";
      this.quiet.textContent = "";
      this.say(error.message);
    }
  }

  /** There is more to show than before. @param {any} episode */
  update(episode) {
    if (this.closed) return;
    const { timeline } = this;
    const following = episode.live && timeline.view.end >= this.duration - 0.5;
    this.episode = episode;
    timeline.update(episode);
    if (following) timeline.go(timeline.view.clamped(this.duration - timeline.view.span, timeline.view.span), false);
    this.#show();
    this.#where(this.player.time, true);
    this.tabs.renew(["moments", "metrics", "about"]);
  }

  #live() {
    let [busy, news] = [false, false];
    const again = async () => {
      news = true; // also while the last is being fetched: it may be that the call has ended
      if (busy) return;
      busy = true;
      while (news && !this.closed) {
        news = false;
        try {
          this.update(await api.episode(this.id));
          if (!this.player.playing) this.player.renew();
        } catch (error) {
          this.say(error.message);
        }
      }
      busy = false;
    };
    this.stopLive = api.live(this.id, again, again);
  }

  /** Tell something in a line above; the last one stands. @param {string} text */
  say(text) {
    this.said?.remove();
    this.said = h("p", { class: "notice warning" }, text);
    this.notice.append(this.said);
  }
}
