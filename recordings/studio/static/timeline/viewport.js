// Which part of the call is shown, and where on the screen a moment lies. Pure but for `animate`.

/** So many samples are shown at the closest. */
export const CLOSEST_SAMPLES = 48;

export class Viewport {
  /** @param {number} duration  Of the call, in seconds. @param {number} rate  The finest rate of its tracks, in Hz. */
  constructor(duration, rate) {
    this.duration = Math.max(duration, 0.05);
    this.rate = rate;
    this.start = 0;
    this.span = this.duration;
    this.width = 1000;
  }

  get end() { return this.start + this.span; }
  get closest() { return Math.min(CLOSEST_SAMPLES / this.rate, this.duration); }
  get whole() { return this.span >= this.duration * 0.9999; }
  /** Seconds of one pixel. */
  get perPixel() { return this.span / this.width; }

  /** @param {number} t  In seconds. */
  x(t) { return (t - this.start) / this.span * this.width; }
  /** @param {number} x  In pixels. */
  t(x) { return this.start + x / this.width * this.span; }

  /** The part nearest to the one asked for that lies within the call. */
  clamped(start, span) {
    const width = Math.min(Math.max(span, this.closest), this.duration);
    return { start: Math.min(Math.max(start, 0), this.duration - width), span: width };
  }

  set(start, span) { Object.assign(this, this.clamped(start, span)); }

  /** Closer (factor < 1) or wider around a moment that stays where it is. */
  zoomed(factor, around) {
    const span = Math.min(Math.max(this.span * factor, this.closest), this.duration);
    return this.clamped(around - (around - this.start) * span / this.span, span);
  }

  /** A stretch with some room around it. */
  around(from, to, room = 0.08) {
    const edge = Math.max((to - from) * room, this.closest / 2);
    return this.clamped(from - edge, to - from + 2 * edge);
  }

  /** The call has become longer; a view of the whole stays one. */
  grow(duration) {
    if (duration <= this.duration) return;
    const whole = this.whole;
    this.duration = duration;
    if (whole) this.set(0, duration);
  }
}

/** Places after the point of a second that are worth showing at this zoom. @param {Viewport} view */
export function places(view) {
  return Math.min(Math.max(Math.ceil(-Math.log10(view.perPixel)) , 1), 5);
}

const STEPS = [1, 2, 5];
const CLOCK_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800];

/**
 * Marks of the time axis: round steps with at least `room` pixels between them.
 * @param {Viewport} view
 * @returns {{step: number, first: number, parts: number}}  `parts`: small marks to a step.
 */
export function ticks(view, room = 96) {
  const least = view.perPixel * room;
  let step = CLOCK_STEPS.find((s) => s >= least) ?? 3600;
  if (least < 1) {
    const power = 10 ** Math.floor(Math.log10(least));
    step = STEPS.map((s) => s * power).find((s) => s >= least) ?? 10 * power;
  }
  const lead = Number(step.toExponential().charAt(0));
  return { step, first: Math.floor(view.start / step) * step, parts: lead === 2 ? 4 : lead === 3 || lead === 6 ? 6 : 5 };
}

/** @returns {boolean}  The person asked for less movement. */
export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/**
 * Move the view to a part of the call, in 140 ms; at once for who wants less movement.
 * Each call ends the one before it.
 */
export class Glide {
  /** @param {Viewport} view @param {() => void} changed */
  constructor(view, changed) {
    this.view = view;
    this.changed = changed;
    this.request = 0;
  }

  /** @param {{start: number, span: number}} to @param {boolean} [smooth] */
  to(to, smooth = true) {
    cancelAnimationFrame(this.request);
    const { view } = this;
    this.target = to;
    if (!smooth || still()) return this.#arrive();
    const from = { start: view.start, span: view.span };
    const begun = performance.now();
    const step = (now) => {
      const part = Math.min((now - begun) / 140, 1);
      const eased = 1 - (1 - part) ** 3;
      if (part >= 1) return this.#arrive();
      // spans go geometrically, so that a zoom has the same speed at both ends
      const span = from.span * (to.span / from.span) ** eased;
      const share = from.span === to.span ? eased : (from.span - span) / (from.span - to.span);
      view.set(from.start + (to.start - from.start) * share, span);
      this.changed();
      this.request = requestAnimationFrame(step);
    };
    this.request = requestAnimationFrame(step);
  }

  /** Where the view will be when it has arrived. */
  get goal() { return this.target ?? { start: this.view.start, span: this.view.span }; }

  #arrive() {
    if (this.target) this.view.set(this.target.start, this.target.span);
    this.target = undefined;
    this.changed();
  }
}
