// What the page asks of the server: one function a route. In a file of its own the same questions are answered from
// what the file holds (see `answerFrom`).

/** What went wrong, in words for people. */
export class Problem extends Error {
  /** @param {string} message @param {string} [remedy] */
  constructor(message, remedy = "") {
    super(message);
    this.remedy = remedy;
  }
}

const at = (id, rest = "") => `/api/episodes/${encodeURIComponent(id)}${rest}`;
const query = (values) => new URLSearchParams(
  Object.entries(values).filter(([, v]) => v !== undefined && v !== null && v !== "").map(([k, v]) => [k, String(v)])).toString();

/** The answer that was asked for before there was a page, once. */
function early(url) {
  const { early: asked } = window;
  if (asked?.url !== url) return null;
  window.early = undefined;
  return asked.answer;
}

async function get(url, options = {}) {
  let response;
  try {
    response = (await early(url)) ?? (await fetch(url, options));
  } catch {
    throw new Problem("The studio does not answer any more.", "It was probably ended where it was started: run viva listen again, and reload this page. What it confirmed is kept.");
  }
  if (!response.ok) throw await refusal(response);
  return response;
}

async function refusal(response) {
  try {
    return new Problem((await response.json()).error.message);
  } catch {
    return new Problem(`The studio answered ${response.status} ${response.statusText}.`);
  }
}

/** Where answers come from: the server, unless `answerFrom` said otherwise. */
export const api = {
  /** The page may process the sound (see `Player`). */
  apart: true,

  /** Where the page shows a call. @param {string} id */
  place: (id) => `#/episode/${encodeURIComponent(id)}`,

  catalogue: async () => (await get("/api/catalogue")).json(),
  compare: async (a, b, by) => (await get(`/api/compare?${query({ a, b, by })}`)).json(),
  episode: async (id) => (await get(at(id))).json(),
  /** The same; of a long call (`complete: false`) without what takes going through its sound. */
  outline: async (id) => (await get(at(id, "?outline=1"))).json(),
  curves: async (id) => (await get(at(id, "/curves"))).json(),
  events: async (id, offset, limit, kind) => (await get(at(id, `/events?${query({ offset, limit, kind })}`))).json(),
  about: async () => (await get("/api/about")).json(),

  /** Lowest and highest sample by turns. @returns {Promise<Int16Array>} */
  async peaks(id, track, start, end, width) {
    const response = await get(at(id, `/peaks?${query({ track, start, end, width })}`));
    return new Int16Array(await response.arrayBuffer());
  },

  /** A picture, or null where the sound is not at hand. @returns {Promise<CanvasImageSource | null>} */
  async spectrogram(id, track, start, end, width, height) {
    const response = await get(at(id, `/spectrogram?${query({ track, start, end, width, height })}`));
    return createImageBitmap(await response.blob());
  },

  /** Address of a track's sound, or "". */
  audio: (id, track) => at(id, `/audio/${track}`),

  /**
   * Hear of a call that is being recorded; returns what ends that.
   * @param {string} id @param {(news: {duration_s: number, live: boolean}) => void} grown @param {() => void} ended
   */
  live(id, grown, ended) {
    const stream = new EventSource(at(id, "/live"));
    stream.addEventListener("grown", (event) => grown(JSON.parse(event.data)));
    stream.addEventListener("ended", () => { stream.close(); ended(); });
    return () => stream.close();
  },

  /** Ask a desk, such as that of labelling. @param {string} url */
  read: async (url) => (await get(url)).json(),

  /** Send an answer, such as a label: to its end, even if the page is left meanwhile. @param {string} url @param {any} body */
  async send(url, body) {
    const headers = { "Content-Type": "application/json", "X-Viva": "1" };
    return (await get(url, { method: "POST", keepalive: true, headers, body: JSON.stringify(body) })).json();
  },
};

/** Answer from here from now on. @param {Partial<typeof api>} source */
export function answerFrom(source) { Object.assign(api, source); }
