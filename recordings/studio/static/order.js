// The calls of the table as they stood there last: what "next call" means.

/** @type {string[]} */
let ids = [];

/** @param {string[]} found */
export function setOrder(found) { ids = found; }

/** Id of the call so many further on, or undefined. @param {string} id @param {number} by */
export function neighbour(id, by) {
  const at = ids.indexOf(id);
  return at < 0 ? undefined : ids[at + by];
}
