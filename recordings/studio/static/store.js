// What a person chose on this page, kept by the browser; where it keeps nothing, choices last as long as the page.

const here = new Map();

/** @param {string} key @returns {string | null} */
export function recall(key) {
  try {
    return localStorage.getItem(key) ?? here.get(key) ?? null;
  } catch {
    return here.get(key) ?? null;
  }
}

/** @param {string} key @param {string} value */
export function remember(key, value) {
  here.set(key, value);
  try {
    localStorage.setItem(key, value);
  } catch {
    // private windows and files may not keep anything
  }
}
