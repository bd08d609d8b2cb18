// The colours of the drawing, which are those of the style sheet.

const NAMES = ["paper", "page", "ink", "soft", "line", "grid", "user", "user-wash", "endpoint", "endpoint-wash", "bad", "bad-wash",
  "warn", "warn-wash", "good", "good-wash", "select", "play", "hatch", "violet"];

/** @returns {Record<string, string>}  Colours by name, dashes as capitals: `userWash`. */
export function ink() {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(NAMES.map((name) => [
    name.replace(/-(.)/g, (_, c) => c.toUpperCase()), style.getPropertyValue(`--${name}`).trim() || "#888"]));
}

/** A canvas as large as its box, sharp on this screen. @returns {{c: CanvasRenderingContext2D, width: number, height: number}} */
export function prepare(canvas, width, height) {
  const sharp = Math.min(devicePixelRatio || 1, 2);
  const [w, h] = [Math.round(width * sharp), Math.round(height * sharp)];
  if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
  const c = canvas.getContext("2d");
  c.setTransform(sharp, 0, 0, sharp, 0, 0);
  c.clearRect(0, 0, width, height);
  return { c, width, height };
}

/** The font of the drawing. @param {number} size @param {number} [weight] */
export const font = (size, weight = 450) => `${weight} ${size}px Inter, system-ui, "Segoe UI", Roboto, sans-serif`;
