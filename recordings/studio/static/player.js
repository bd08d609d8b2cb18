// Plays a call: either side or both, at any speed with its pitch kept, a stretch once or again and again.

/** @typedef {"both" | "user" | "endpoint"} Side */

export const SPEEDS = [0.5, 0.75, 1, 1.25, 1.5, 2];

/**
 * Fires "change" whenever something other than the position changed, and "problem" if the sound cannot be played.
 *
 * The sides come from one stereo source, the user left. They are told apart by gains, so that switching is heard at
 * once. Where the browser does not let a page process the sound (`apart: false`: a file beside a page that was opened
 * from a disk), each side is a source of its own.
 */
export class Player extends EventTarget {
  /** @param {{sources: Record<Side, string>, apart?: boolean}} sound */
  constructor({ sources, apart = true }) {
    super();
    this.sources = sources;
    this.apart = apart;
    /** @type {Side} */
    this.side = "both";
    this.speed = 1;
    this.middle = false;
    /** @type {{from: number, to: number} | null}  A stretch to stay in, in seconds. */
    this.stretch = null;
    this.looping = false;
    this.audio = new Audio();
    this.audio.preload = "metadata";
    this.audio.preservesPitch = true;
    // a file may have been written without its sound: then there is a position, and nothing to hear
    this.silent = !sources.both;
    if (!this.silent) this.audio.src = sources.both;
    this.#listen();
  }

  get time() { return this.wish ?? this.audio.currentTime; }
  get playing() { return !this.audio.paused && !this.audio.ended; }
  get waiting() { return this.playing && this.audio.readyState < 3; }

  async play() {
    if (this.silent) return this.#problem("There is no sound in this file. viva listen plays the recording.");
    this.#wire();
    await this.context?.resume();
    if (this.looping && this.stretch && !this.#within(this.time)) this.seek(this.stretch.from);
    if (this.audio.ended) this.seek(this.stretch?.from ?? 0);
    try {
      await this.audio.play();
    } catch (error) {
      // another call of pause or load came first; what cannot be played says so by its own event
      if (error.name !== "AbortError") this.#problem(error.message);
    }
  }

  pause() { this.audio.pause(); this.until = undefined; }

  toggle() { if (this.playing) this.pause(); else this.play(); }

  /** @param {number} t  In seconds. */
  seek(t) {
    this.until = undefined;
    const to = Math.max(t, 0);
    // a wish that its event has yet to fulfil would undo this
    this.wish = this.audio.readyState < 1 ? to : undefined;
    if (this.wish === undefined) this.audio.currentTime = to;
    this.#changed();
  }

  /** Play from here to there, and stop. */
  playSpan(from, to) {
    this.seek(from);
    this.until = to;
    return this.play();
  }

  /** @param {Side} side */
  setSide(side) {
    this.side = side;
    if (this.apart) this.#balance();
    else this.#source(this.sources[side]);
    this.#changed();
  }

  /** @param {number} speed */
  setSpeed(speed) {
    this.speed = Math.min(Math.max(speed, SPEEDS[0]), SPEEDS[SPEEDS.length - 1]);
    this.audio.playbackRate = this.speed;
    this.#changed();
  }

  /** One ear each, or both sides in the middle. @param {boolean} middle */
  setMiddle(middle) { this.middle = middle; this.#balance(); this.#changed(); }

  /** @param {{from: number, to: number} | null} stretch */
  setStretch(stretch) { this.stretch = stretch; this.until = undefined; this.#changed(); }

  /** @param {boolean} looping */
  setLooping(looping) { this.looping = looping; this.#changed(); }

  /** There is more to hear than when the source was opened. */
  renew() { this.#source(this.audio.src); }

  /** To be called about once a frame: keeps to the stretch. */
  tick() {
    if (!this.playing) return;
    const t = this.audio.currentTime;
    if (this.until !== undefined && t >= this.until) { this.pause(); this.#changed(); }
    else if (this.looping && this.stretch && t >= this.stretch.to) this.audio.currentTime = this.stretch.from;
  }

  close() {
    clearInterval(this.beat);
    this.audio.pause();
    this.audio.removeAttribute("src");
    this.audio.load();
    this.context?.close();
  }

  #within(t) { return t >= this.stretch.from && t < this.stretch.to - 0.005; }

  #listen() {
    const { audio } = this;
    for (const event of ["play", "pause", "ended", "waiting", "playing", "seeked"]) audio.addEventListener(event, () => this.#changed());
    audio.addEventListener("ended", () => { if (this.looping && this.stretch) this.play(); });
    audio.addEventListener("loadedmetadata", () => {
      if (this.wish !== undefined) audio.currentTime = this.wish;
      this.wish = undefined;
      audio.playbackRate = this.speed;
    });
    audio.addEventListener("error", () => { if (audio.hasAttribute("src")) this.#problem(audio.error?.message || "The sound cannot be read."); });
    // frames stop in a hidden page; a stretch must end there too
    this.beat = setInterval(() => { if (document.hidden) this.tick(); }, 50);
  }

  #source(url) {
    if (this.silent) return;
    const { playing } = this;
    this.wish = this.time;
    this.audio.src = url;
    this.audio.load();
    if (playing) this.play();
  }

  #wire() {
    if (this.context || !this.apart) return;
    this.context = new AudioContext();
    const split = this.context.createChannelSplitter(2);
    const merge = this.context.createChannelMerger(2);
    this.context.createMediaElementSource(this.audio).connect(split);
    // gains by side and ear
    this.gains = [0, 1].map((side) => [0, 1].map((ear) => {
      const gain = this.context.createGain();
      split.connect(gain, side);
      gain.connect(merge, 0, ear);
      return gain;
    }));
    merge.connect(this.context.destination);
    this.#balance(true);
  }

  #balance(atOnce = false) {
    this.gains?.forEach((ears, side) => ears.forEach((gain, ear) => {
      const heard = this.side === "both" || this.side === (side ? "endpoint" : "user");
      const level = !heard ? 0 : this.side !== "both" ? 1 : this.middle ? 0.7 : side === ear ? 1 : 0;
      if (atOnce) gain.gain.value = level;
      else gain.gain.setTargetAtTime(level, this.context.currentTime, 0.005);
    }));
  }

  #problem(message) { this.dispatchEvent(new CustomEvent("problem", { detail: message })); }

  #changed() { this.dispatchEvent(new Event("change")); }
}
