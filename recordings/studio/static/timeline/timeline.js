// The timeline of a call: axis, both waves, latencies between them, spectrograms, curves and lanes, over one viewport.

import { clock } from "../format.js";
import { h, replace } from "../dom.js";
import { axis, brackets, turnNumbers } from "./axis.js";
import { CURVES, drawCurve } from "./curves.js";
import { ink, prepare } from "./ink.js";
import { LANE, drawLane, under } from "./lanes.js";
import { Overview } from "./overview.js";
import { overlay } from "./overlay.js";
import { Peaks } from "./peaks.js";
import { pointer } from "./pointer.js";
import { Spectra } from "./spectra.js";
import { Glide, Viewport, places } from "./viewport.js";
import { problem, wash, wave } from "./waves.js";

const AXIS = 26;
const WAVE = { least: 72, most: 210 };
const BETWEEN = 38;
const SPECTRUM = 88;
const CURVE = 62;

/** Lanes that an outline cannot fill: they are found in the sound, and in what arrived when. */
const LATER = ["user", "endpoint", "utterances", "overlaps", "dead_air", "barge_ins", "cut_ins", "unheard"];

/**
 * Fires "seek" {t}, and "select" {from, to} or null.
 */
export class Timeline extends EventTarget {
  /**
   * @param {any} episode  As `ShownEpisode`.
   * @param {{peaks: import("./peaks.js").Source, spectrogram: (track: string, start: number, end: number, width: number, height: number) => Promise<CanvasImageSource | null>}} sound
   */
  constructor(episode, sound) {
    super();
    this.colours = ink();
    this.view = new Viewport(episode.duration / episode.rate, Math.max(...episode.tracks.map((t) => t.rate), 8000));
    this.glide = new Glide(this.view, () => this.draw());
    this.playhead = 0;
    /** @type {{from: number, to: number} | null} */
    this.selection = null;
    /** @type {{x: number, span: any} | null} */
    this.hover = null;
    this.shows = { spectrogram: false, pitch: false, loudness: false };
    this.curves = [];
    this.zoomY = 1;
    this.room = 480;
    /** @type {Set<string>}  Lanes that have a row though they are empty. */
    this.kept = new Set();
    this.#take(episode);
    this.peaks = new Peaks(sound.peaks, Object.fromEntries(this.tracks.map((t) => [t.name, { rate: t.rate, samples: t.samples }])), () => this.draw());
    for (const track of this.tracks) this.peaks.loudest(track.name); // asks for the whole track, before anything is drawn
    this.spectra = new Spectra(sound.spectrogram, () => this.draw());
    this.#build();
  }

  seconds = (ticks) => ticks / this.episode.rate;

  /** The call has grown. @param {any} episode */
  update(episode) {
    this.#take(episode);
    for (const track of this.tracks) this.peaks.grow(track.name, track);
    this.view.grow(episode.duration / episode.rate);
    this.layout();
  }

  /** @param {{start: number, span: number}} to */
  go(to, smooth = true) { this.glide.to(to, smooth); }

  /** @param {number} factor @param {number} [around]  In seconds; the playhead if it is in view, else the middle. */
  zoom(factor, around = this.#focus(), smooth = true) {
    const goal = Object.assign(Object.create(Viewport.prototype), this.view, this.glide.goal);
    this.go(goal.zoomed(factor, around), smooth);
  }

  fit() { this.go(this.view.clamped(0, this.view.duration)); }

  /** Bring a stretch into view, without zooming if it fits. A movement that goes on is judged by where it ends. */
  reveal(from, to = from) {
    const { start, span } = this.glide.goal;
    if (from >= start && to <= start + span * 0.94) return;
    if (to - from > span * 0.9) this.go(this.view.around(from, to));
    else this.go(this.view.clamped(from - span * 0.15, span));
  }

  /** @param {{from: number, to: number} | null} selection */
  select(selection) {
    this.selection = selection;
    this.paintOverlay();
    this.dispatchEvent(new CustomEvent("select", { detail: selection }));
  }

  /** @param {number} t */
  setPlayhead(t, following = false) {
    const moved = t !== this.playhead;
    this.playhead = t;
    if (following && (t > this.view.end || t < this.view.start)) this.go(this.view.clamped(t - this.view.span * 0.1, this.view.span));
    if (moved) this.paintOverlay();
  }

  /** Say where the playhead is to readers of the screen; not for every frame. */
  describe(text) {
    this.stage.setAttribute("aria-valuenow", this.playhead.toFixed(2));
    this.stage.setAttribute("aria-valuetext", text);
  }

  show(what, shown) { this.shows[what] = shown; this.layout(); }

  close() {
    this.sizes.disconnect();
    document.removeEventListener("themechange", this.recolour);
    cancelAnimationFrame(this.frame);
    this.glide.to(this.glide.goal, false);
  }

  #take(episode) {
    this.episode = episode;
    this.tracks = episode.tracks.filter((t) => t.on_timeline && (t.name === "user" || t.name === "endpoint"));
    // an outline keeps room for what will be found in the sound, so that nothing moves when it comes
    if (episode.complete === false) for (const name of LATER) this.kept.add(name);
    this.lanes = episode.lanes.filter((lane) => lane.spans.length || this.kept.has(lane.name));
    this.speech = Object.fromEntries(["user", "endpoint"].map((name) => [name, episode.lanes.find((l) => l.name === name)?.spans ?? []]));
  }

  #focus() {
    const { view, playhead } = this;
    return playhead >= view.start && playhead <= view.end ? playhead : view.start + view.span / 2;
  }

  #build() {
    this.base = h("canvas", { "aria-hidden": "true" });
    this.top = h("canvas", { "aria-hidden": "true" });
    this.tip = h("div", { class: "tip", hidden: true });
    this.stage = h("div", {
      class: "stage", tabindex: 0, role: "slider", "aria-label": "Position in the call", "aria-valuemin": 0,
      "aria-valuemax": this.view.duration.toFixed(2), "aria-valuenow": 0, "aria-valuetext": "0:00", "aria-describedby": "timeline-what",
    }, this.base, this.top, this.tip);
    this.gutter = h("div", { class: "gutter" });
    this.overview = new Overview(this);
    this.what = h("p", { id: "timeline-what", class: "unseen" },
      "Waveforms of the user and the endpoint, with lanes of what happened below them. The list of moments holds the same as text. Arrow keys move, plus and minus zoom, question mark lists all keys.");
    this.element = h("div", { class: "timeline" }, this.what, this.overview.element,
      h("div", { class: "tracks" }, this.gutter, this.stage));
    pointer(this);
    this.recolour = () => { this.colours = ink(); this.draw(); };
    document.addEventListener("themechange", this.recolour);
    this.sizes = new ResizeObserver(([entry]) => {
      this.view.width = Math.max(Math.floor(entry.contentRect.width), 50);
      this.draw();
    });
    this.sizes.observe(this.stage);
    this.layout();
  }

  /** Which rows there are, from top to bottom. */
  layout() {
    const rows = [];
    const wave = this.#waveHeight();
    let top = AXIS;
    const row = (id, height, label, note) => { rows.push({ id, top, height, label, note }); top += height; };
    for (const side of ["user", "endpoint"]) {
      row(side, wave, side === "user" ? "User" : "Endpoint", side === "user" ? "on the wire" : "as heard");
      if (this.shows.spectrogram) row(`spectrum:${side}`, SPECTRUM, "Spectrum", this.#band(side));
      if (side === "user") row("between", BETWEEN, "Latency", "");
    }
    for (const name of Object.keys(CURVES)) if (this.shows[name]) row(name, CURVE, CURVES[name].title, CURVES[name].unit);
    for (const lane of this.lanes) row(`lane:${lane.name}`, LANE, lane.title, "");
    this.rows = rows;
    this.height = top + 4;
    replace(this.gutter, rows.map((one) => h("div", {
      class: `label ${one.id.startsWith("lane:") ? "lane" : one.id}`, style: { top: `${one.top}px`, height: `${one.height}px` },
      title: this.lanes.find((lane) => `lane:${lane.name}` === one.id)?.description },
    h("span", {}, one.label), one.note && h("small", {}, one.note))));
    for (const box of [this.gutter, this.stage]) box.style.setProperty("height", `${this.height}px`);
    this.stage.setAttribute("aria-valuemax", this.view.duration.toFixed(2));
    this.draw();
  }

  /** As tall as leaves all rows in sight. */
  #waveHeight() {
    const shown = (name) => this.shows[name];
    const others = AXIS + BETWEEN + 4 + this.lanes.length * LANE + (shown("spectrogram") ? 2 * SPECTRUM : 0) + Object.keys(CURVES).filter(shown).length * CURVE;
    return Math.min(Math.max(Math.floor((this.room - others) / 2), WAVE.least), WAVE.most);
  }

  /** Height that all rows may take. @param {number} room  In pixels. */
  fill(room) {
    if (room === this.room) return;
    this.room = room;
    this.layout();
  }

  /** Draw in the next frame; many calls are one. */
  draw() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.#paint();
      this.overview.draw();
      this.paintOverlay();
    });
  }

  #paint() {
    const { view, colours, seconds } = this;
    const { c } = prepare(this.base, view.width, this.height);
    axis(c, view, AXIS, this.height, colours);
    const waves = {};
    for (const row of this.rows) {
      if (row.id === "user" || row.id === "endpoint") { waves[row.id] = row; this.#wave(c, row); }
      else if (row.id === "between") brackets(c, view, this.episode.brackets, seconds, row, colours);
      else if (row.id in CURVES) drawCurve(c, view, row.id, this.curves, seconds, row, colours);
      else if (row.id.startsWith("lane:")) drawLane(c, view, this.lanes.find((l) => `lane:${l.name}` === row.id), row.top, seconds, colours);
      else this.#spectrum(c, row);
    }
    turnNumbers(c, view, this.episode.turns, seconds, waves, colours);
  }

  #wave(c, row) {
    const { view, colours } = this;
    const track = this.tracks.find((t) => t.name === row.id);
    wash(c, view, this.speech[row.id], this.seconds, { ...row, colour: colours[`${row.id}Wash`] });
    if (!track || track.problem) return problem(c, view, track?.problem || "there is no such track", { ...row, colour: colours.warn });
    const loudest = this.peaks.loudest(row.id);
    const gain = Math.min(loudest ? 0.94 * 32768 / loudest : 1, 12) * this.zoomY;
    wave(c, view, this.peaks, track, { ...row, colour: colours[row.id], line: colours.line, soft: colours.soft, gain });
  }

  /** Up to where a spectrogram shows: half the rate, and at most 8 kHz. */
  #band(side) {
    const track = this.tracks.find((one) => one.name === side);
    return `0–${Math.min(8, (track?.rate ?? 16000) / 2000)} kHz`;
  }

  #spectrum(c, row) {
    const track = this.tracks.find((t) => t.name === row.id.split(":")[1]);
    if (track && !track.problem) this.spectra.draw(c, this.view, track, row);
  }

  paintOverlay() { overlay(this); this.overview.mark(); }

  /** What lies at a place of the stage. */
  at(x, y) {
    const row = this.rows.find((one) => y >= one.top && y < one.top + one.height);
    if (!row?.id.startsWith("lane:")) return { row, spans: [] };
    const lane = this.lanes.find((one) => `lane:${one.name}` === row.id);
    return { row, lane, spans: under(lane, this.view, x, this.seconds) };
  }

  time(t) { return clock(t, places(this.view)); }
}
