// Spectrograms on demand: the last picture is stretched while the view moves, and a new one comes when it rests.

const REST_MS = 160;

export class Spectra {
  /**
   * @param {(track: string, start: number, end: number, width: number, height: number) => Promise<CanvasImageSource | null>} source
   * @param {() => void} arrived
   */
  constructor(source, arrived) {
    this.source = source;
    this.arrived = arrived;
    /** @type {Map<string, {from: number, to: number, image: CanvasImageSource}>} */
    this.pictures = new Map();
    this.timers = new Map();
    this.asked = new Map();
    /** @type {Map<string, string>} */
    this.problems = new Map();
  }

  /** @param {CanvasRenderingContext2D} c @param {import("./viewport.js").Viewport} view @param {any} track */
  draw(c, view, track, { top, height }) {
    const picture = this.pictures.get(track.name);
    c.fillStyle = "#0b0d10";
    c.fillRect(0, top, view.width, height);
    if (picture) {
      const x = view.x(picture.from);
      c.save();
      c.beginPath();
      c.rect(0, top, view.width, height);
      c.clip();
      c.imageSmoothingEnabled = true;
      c.drawImage(picture.image, x, top, view.x(picture.to) - x, height);
      c.restore();
    }
    this.#want(view, track, height);
    const problem = this.problems.get(track.name);
    if (problem || !picture) {
      c.fillStyle = "#9aa3ac";
      c.font = "12px Inter, system-ui, sans-serif";
      c.textAlign = "left";
      c.fillText(problem || "computing …", 12, top + height / 2 + 4);
    }
  }

  #want(view, track, height) {
    const last = Math.min(view.end, track.samples / track.rate);
    const key = `${view.start}:${last}:${view.width}:${track.samples}`;
    if (this.asked.get(track.name) === key || last <= view.start) return;
    this.asked.set(track.name, key);
    clearTimeout(this.timers.get(track.name));
    this.timers.set(track.name, setTimeout(() => this.#ask(key, view, track, last, height), REST_MS));
  }

  async #ask(key, view, track, last, height) {
    const from = Math.floor(view.start * track.rate);
    const to = Math.max(Math.ceil(last * track.rate), from + 2);
    const width = Math.max(Math.round(view.x(to / track.rate) - view.x(from / track.rate)), 1);
    try {
      const image = await this.source(track.name, from, to, Math.min(width, 4096), height);
      if (this.asked.get(track.name) !== key) return;
      this.problems.delete(track.name);
      if (image) this.pictures.set(track.name, { from: from / track.rate, to: to / track.rate, image });
      else this.problems.set(track.name, "no spectrogram of a long call in a file: viva listen draws it");
    } catch (error) {
      this.problems.set(track.name, error.message);
    }
    this.arrived();
  }
}
