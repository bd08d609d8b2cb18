// Elements are made here and nowhere else. Text goes in as text nodes: nothing of an episode is ever parsed as HTML.

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * An element.
 *
 * Properties: `class`, `data` (an object), `on` (an object of listeners), `style` (an object; set through the CSSOM,
 * which the page's security policy permits), booleans (`disabled: true`), and attributes by their own names.
 *
 * @param {string} tag
 * @param {Record<string, any>} [properties]
 * @param {...(Child | Child[])} children
 * @returns {any}
 */
export function h(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** The same for SVG. @param {string} tag @param {Record<string, any>} [properties] @param {...(Child | Child[])} children */
export function svg(tag, properties = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), properties, children);
}

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") element.setAttribute("class", value);
    else if (name === "data") Object.assign(element.dataset, value);
    else if (name === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (name === "style") for (const [key, text] of Object.entries(value)) element.style.setProperty(key, String(text));
    else if (value === true) element.setAttribute(name, "");
    else element.setAttribute(name, String(value));
  }
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(visible(String(child))));
  }
  return element;
}

const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/gu;

/**
 * Control characters, bidirectional controls and half surrogates as their code points: text must not steer the page.
 * @param {string} text
 */
export function visible(text) {
  return text.replace(STEERING, (c) => `⟨U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/** Text of others, isolated from the direction of what stands around it. @param {...(Child | Child[])} children */
export const bdi = (...children) => h("bdi", {}, ...children);

/** Replace what an element holds. @param {Element} element @param {...(Child | Child[])} children */
export function replace(element, ...children) {
  element.replaceChildren();
  return fill(element, {}, children);
}

/** The element of the page with this id. @param {string} id @returns {any} */
export const byId = (id) => document.getElementById(id);

/**
 * Say something to readers of the screen, without showing it.
 * @param {string} text
 */
export function announce(text) {
  const region = byId("announcer");
  if (!region) return;
  region.textContent = "";
  requestAnimationFrame(() => { region.textContent = visible(text); });
}

const SYMBOLS = {
  play: "M5 3.2v9.6l8-4.8z",
  pause: "M4.5 3h2.6v10H4.5zM9 3h2.6v10H9z",
  previous: "M3.4 3h1.6v10H3.4zM13 3.4v9.2L5.8 8z",
  next: "M11 3h1.6v10H11zM3 3.4v9.2L10.2 8z",
  loop: "M4.6 4.2h6.2V2.4L14 5l-3.2 2.6V5.8H5.4v2.4H3.8V5a.8.8 0 0 1 .8-.8zM11.4 11.8H5.2v1.8L2 11l3.2-2.6v1.8h5.4V7.8h1.6V11a.8.8 0 0 1-.8.8z",
  wider: "M7 2.2a4.8 4.8 0 0 1 3.8 7.7l3.4 3.4-1 1-3.4-3.4A4.8 4.8 0 1 1 7 2.2zM7 3.7a3.3 3.3 0 1 0 0 6.6 3.3 3.3 0 0 0 0-6.6zM4.8 6.3h4.4v1.4H4.8z",
  closer: "M7 2.2a4.8 4.8 0 0 1 3.8 7.7l3.4 3.4-1 1-3.4-3.4A4.8 4.8 0 1 1 7 2.2zM7 3.7a3.3 3.3 0 1 0 0 6.6 3.3 3.3 0 0 0 0-6.6zM6.3 4.8h1.4v1.5h1.5v1.4H7.7v1.5H6.3V7.7H4.8V6.3h1.5z",
  whole: "M2 4h1.5v8H2zM12.5 4H14v8h-1.5zM4.4 8l2.6-2.2v1.5h2V5.8L11.6 8 9 10.2V8.7H7v1.5z",
};

/** A small picture, hidden from readers of the screen. @param {keyof typeof SYMBOLS} name */
export const icon = (name) =>
  svg("svg", { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true" }, svg("path", { d: SYMBOLS[name], "fill-rule": "evenodd" }));
