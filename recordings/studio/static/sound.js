// The sound of a call without a server: peaks that came with the file, and samples once they are decoded.

import { spectrum } from "./spectrum.js";

/** Seconds of sound that are decoded at most: an hour would take a gigabyte. */
const LONGEST = 900;

export class Sound {
  /**
   * @param {any} call  What the file holds of it. @param {string} inside  A data URI, or "".
   */
  constructor(call, inside) {
    this.call = call;
    this.inside = inside.startsWith("data:") ? inside : "";
    this.files = call.files ?? null;
    this.apart = Boolean(this.inside);
    /** @type {Map<string, Int16Array>} */
    this.blocks = new Map();
  }

  get duration() { return this.call.episode.duration / this.call.episode.rate; }

  /** @param {string} track */
  address(track) {
    if (this.files) return this.files[track] ?? "";
    if (!this.inside || track !== "both") return "";
    this.url ??= URL.createObjectURL(this.#blob());
    return this.url;
  }

  /** Lowest and highest sample of `width` columns. @returns {Promise<Int16Array>} */
  async peaks(track, start, end, width) {
    const { block } = this.call.peaks[track];
    const each = (end - start) / width;
    if (each >= block) return gathered(this.#blocks(track), start / block, each / block, width);
    const samples = await this.samples(track);
    if (samples) return fromSamples(samples, start, each, width);
    return gathered(this.#blocks(track), start / block, each / block, width);
  }

  async spectrogram(track, start, end, width, height) {
    const samples = await this.samples(track);
    const { rate } = this.call.episode.tracks.find((one) => one.name === track);
    return samples && spectrum(samples, rate, start, end, Math.min(width, 1200), height);
  }

  /** A track's samples, or null if they are not at hand. @returns {Promise<Float32Array | null>} */
  async samples(track) {
    if (!this.inside || this.duration > LONGEST) return null;
    this.decoded ??= this.#decode();
    const both = await this.decoded;
    return both?.getChannelData(track === "user" ? 0 : 1) ?? null;
  }

  async #decode() {
    // at the rate of the finer track, which is that of the file: FLAC gives back the very samples
    const rate = Math.max(...this.call.episode.tracks.map((track) => track.rate));
    try {
      return await new OfflineAudioContext(2, 1, rate).decodeAudioData(await this.#blob().arrayBuffer());
    } catch {
      return null;
    }
  }

  #blob() {
    const [head, body] = this.inside.split(",", 2);
    const text = atob(body);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return new Blob([bytes], { type: head.slice(5).split(";")[0] });
  }

  #blocks(track) {
    if (!this.blocks.has(track)) {
      const text = atob(this.call.peaks[track].pairs);
      const bytes = new Uint8Array(text.length);
      for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
      this.blocks.set(track, new Int16Array(bytes.buffer));
    }
    return this.blocks.get(track);
  }
}

/** Columns out of blocks: each takes all blocks that it touches. */
function gathered(blocks, start, each, width) {
  const found = new Int16Array(2 * width);
  const count = blocks.length / 2;
  for (let column = 0; column < width; column++) {
    const first = Math.floor(start + column * each);
    const last = Math.max(Math.ceil(start + (column + 1) * each), first + 1);
    let [low, high] = [32767, -32768];
    for (let i = first; i < Math.min(last, count); i++) {
      low = Math.min(low, blocks[2 * i]);
      high = Math.max(high, blocks[2 * i + 1]);
    }
    if (low <= high) [found[2 * column], found[2 * column + 1]] = [low, high];
  }
  return found;
}

function fromSamples(samples, start, each, width) {
  const found = new Int16Array(2 * width);
  for (let column = 0; column < width; column++) {
    const first = Math.floor(start + column * each);
    const last = Math.min(Math.max(Math.ceil(start + (column + 1) * each), first + 1), samples.length);
    let [low, high] = [1, -1];
    for (let i = first; i < last; i++) {
      const value = samples[i];
      if (i === first || value < low) low = value;
      if (i === first || value > high) high = value;
    }
    if (low <= high) [found[2 * column], found[2 * column + 1]] = [Math.round(low * 32768), Math.min(Math.round(high * 32768), 32767)];
  }
  return found;
}
