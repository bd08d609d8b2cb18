// Peaks of the tracks, in tiles of powers of two: what is not there yet is drawn from what is coarser.

/** Bins of a tile. */
export const TILE = 2048;

const KEPT = 600;
const AT_ONCE = 4;
const LATEST_MS = 3000;

/** @typedef {{rate: number, samples: number}} Track  Rate in Hz, length in samples. */
/** @typedef {(track: string, start: number, end: number, width: number) => Promise<Int16Array>} Source  min, max pairs. */

export class Peaks {
  /**
   * @param {Source} source
   * @param {Record<string, Track>} tracks
   * @param {() => void} arrived  Called when there is more to draw.
   */
  constructor(source, tracks, arrived) {
    this.source = source;
    this.tracks = tracks;
    this.arrived = arrived;
    /** @type {Map<string, {bins: Int16Array, stale: boolean}>} */
    this.tiles = new Map();
    this.under = new Set();
    /** @type {Set<string>} */
    this.failed = new Set();
    /** @type {Map<string, () => Promise<void>>} */
    this.wanted = new Map();
    /** @type {Promise<void>}  The first waves are there, or should have been: a page that nobody sees draws none. */
    this.settled = new Promise((done) => { this.settle = done; setTimeout(done, LATEST_MS); });
  }

  /** The level at which one tile holds the whole track. @param {Track} track */
  top(track) { return Math.max(Math.ceil(Math.log2(Math.max(track.samples, 1) / TILE)), 0); }

  /**
   * Lowest and highest sample in each of `width` columns from `start` to `end`, in samples; columns with nothing have
   * lowest above highest. `exact` says that nothing coarser had to stand in.
   * @param {string} name @param {number} start @param {number} end @param {number} width
   */
  columns(name, start, end, width) {
    const track = this.tracks[name];
    const low = new Int16Array(width).fill(1);
    const high = new Int16Array(width).fill(0);
    const each = (end - start) / width;
    const top = this.top(track);
    const level = Math.min(Math.max(Math.floor(Math.log2(Math.max(each, 1))), 0), top);
    let exact = true;
    for (let column = 0; column < width; column++) {
      const from = Math.max(Math.floor(start + column * each), 0);
      const to = Math.min(Math.max(Math.ceil(start + (column + 1) * each), from + 1), track.samples);
      if (to <= from) continue;
      if (!this.#range(name, level, top, from, to, column, low, high)) exact = false;
    }
    return { low, high, exact };
  }

  /** Every sample from `start` to `end`, if they are all there. @returns {Int16Array | null} */
  samples(name, start, end) {
    const track = this.tracks[name];
    const from = Math.max(Math.floor(start), 0);
    const to = Math.min(Math.ceil(end), track.samples);
    const found = new Int16Array(Math.max(to - from, 0));
    for (let at = from; at < to;) {
      const index = Math.floor(at / TILE);
      const tile = this.#tile(name, 0, index);
      if (!tile) return null;
      const until = Math.min((index + 1) * TILE, to);
      for (; at < until; at++) found[at - from] = tile[2 * (at - index * TILE)] ?? 0;
    }
    return found;
  }

  /** The loudest sample of a track, as far as it is known. @param {string} name */
  loudest(name) {
    const track = this.tracks[name];
    const tile = this.#tile(name, this.top(track), 0);
    if (!tile) return 0;
    let most = 0;
    for (const value of tile) if (Math.abs(value) > most) most = Math.abs(value);
    return most;
  }

  /** A track has become longer: what touched its end is asked for again. @param {string} name @param {Track} now */
  grow(name, { rate, samples }) {
    this.tracks[name] ??= { rate, samples: 0 };
    const track = this.tracks[name];
    if (samples <= track.samples) return;
    for (const [key, tile] of this.tiles) {
      const [of, level, index] = key.split(":");
      if (of === name && (Number(index) + 1) * TILE * 2 ** Number(level) > track.samples) tile.stale = true;
    }
    track.samples = samples;
  }

  #range(name, level, top, from, to, column, low, high) {
    for (let at = level; at <= top; at++) {
      const bin = 2 ** at;
      const first = Math.floor(from / bin);
      const last = Math.floor((to - 1) / bin);
      if (this.#bins(name, at, first, last, column, low, high)) return at === level;
    }
    return false;
  }

  #bins(name, level, first, last, column, low, high) {
    let index = -1;
    let tile = null;
    let least = 32767;
    let most = -32768;
    for (let bin = first; bin <= last; bin++) {
      const own = Math.floor(bin / TILE);
      if (own !== index) {
        index = own;
        tile = this.#tile(name, level, index);
      }
      if (!tile) return false;
      const place = 2 * (bin - index * TILE);
      if (place >= tile.length) continue;
      if (tile[place] < least) least = tile[place];
      if (tile[place + 1] > most) most = tile[place + 1];
    }
    if (least <= most) { low[column] = least; high[column] = most; }
    return true;
  }

  #tile(name, level, index) {
    const key = `${name}:${level}:${index}`;
    const tile = this.tiles.get(key);
    if ((!tile || tile.stale) && !this.under.has(key) && !this.failed.has(key)) this.#ask(key, name, level, index);
    return tile?.bins ?? null;
  }

  #ask(key, name, level, index) {
    this.wanted.set(key, async () => {
      const track = this.tracks[name];
      const bin = 2 ** level;
      const start = index * TILE * bin;
      const end = Math.min(start + TILE * bin, track.samples);
      if (end <= start) return;
      const bins = await this.source(name, start, end, Math.ceil((end - start) / bin));
      this.tiles.delete(key);
      this.tiles.set(key, { bins, stale: false });
      if (this.tiles.size > KEPT) this.#forget();
    });
    if (this.wanted.size === 1) queueMicrotask(() => this.#work());
  }

  #work() {
    // the last asked for is on the screen now: it goes first
    const keys = [...this.wanted.keys()].reverse();
    for (const key of keys.slice(0, Math.max(AT_ONCE - this.under.size, 0))) {
      const work = this.wanted.get(key);
      this.wanted.delete(key);
      this.under.add(key);
      work?.().catch(() => this.failed.add(key)).finally(() => {
        this.under.delete(key);
        // what is left is asked for again by drawing, if it is still on the screen
        if (!this.under.size) this.settle();
        if (this.under.size < AT_ONCE) { this.wanted.clear(); this.arrived(); }
      });
    }
  }

  #forget() {
    for (const key of this.tiles.keys()) {
      if (this.tiles.size <= KEPT * 0.8) return;
      const [name, level] = key.split(":");
      if (Number(level) !== this.top(this.tracks[name])) this.tiles.delete(key);
    }
  }
}
