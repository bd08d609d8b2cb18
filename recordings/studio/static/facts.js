// What was measured in a call, and what it was made with.

import { bdi, h } from "./dom.js";
import { clock, count, words } from "./format.js";

const MOST_PLACES = 400;

/**
 * Metrics by topic; those with places in the call jump there.
 * @param {any} episode @param {(t: number) => void} go
 */
export function metrics(episode, go) {
  const topics = [...new Set(episode.metrics.map((one) => one.topic))];
  if (!topics.length) return h("p", { class: "empty" }, "Nothing was measured yet. ", h("code", {}, "viva score"), " measures it.");
  return h("div", { class: "metrics" }, topics.map((topic) => h("section", {},
    h("h2", { class: "minor" }, words(topic)),
    h("ul", {}, episode.metrics.filter((one) => one.topic === topic).map((one) => metric(episode, one, go))))));
}

function metric(episode, one, go) {
  const details = h("details", {}, h("summary", {}, h("span", { class: "name" }, one.title), h("span", { class: "value" }, one.text || "unscored"),
    h("span", { class: "soft n" }, one.n ? `n = ${one.n}` : "")));
  // of an hour there are thousands of values: they are made when somebody looks
  details.addEventListener("toggle", () => details.append(...more(episode, one, go)), { once: true });
  return h("li", {}, details);
}

function more(episode, one, go) {
  const causes = Object.entries(one.unscored).map(([cause, n]) => `${n} ${words(cause)}`).join(", ");
  const placed = one.values.filter((value) => value.at !== null && value.at !== undefined);
  return [h("p", { class: "soft" }, one.description, ` (version ${one.version})`), causes && h("p", { class: "soft" }, `unscored: ${causes}`),
    placed.length && h("p", { class: "places" }, placed.slice(0, MOST_PLACES).map((value) => h("button", { type: "button", class: "jump", on: { click: () => go(value.at / episode.rate) } },
      `${clock(value.at / episode.rate, 1)} `, h("b", {}, value.text || words(value.unscored))))),
    placed.length > MOST_PLACES && h("p", { class: "soft" }, `and ${placed.length - MOST_PLACES} more`)].filter(Boolean);
}

/** How the call was made. @param {any} episode */
export function about(episode) {
  const pairs = [
    ["Episode", episode.episode], ["Run", episode.run], ["Scenario", `${episode.scenario}${episode.pack ? `, pack ${episode.pack}` : ""}`],
    ["Its hash", episode.scenario_sha256.slice(0, 16)], ["Endpoint", episode.endpoint], ["Protocol", episode.protocol], ["Model", episode.model],
    ["User", episode.user], ["Condition", episode.condition], ["Language", episode.language], ["Seed", `${episode.seed}, repeat ${episode.repeat}`],
    ["Clock", episode.clock], ["Began", episode.started_at_utc], ["Outcome", `${words(episode.outcome)}${episode.reason ? `: ${episode.reason}` : ""}`],
    ["Whose fault", words(episode.fault)], ["vivavoce", episode.vivavoce],
  ].filter(([, value]) => value);
  return h("div", { class: "about" },
    h("dl", {}, pairs.map(([name, value]) => [h("dt", {}, name), h("dd", {}, bdi(value))]).flat()),
    h("h2", { class: "minor" }, "Tracks"),
    h("ul", {}, episode.tracks.map((track) => h("li", {}, `${track.title}: ${track.rate} Hz, ${count(track.samples, "sample")}${track.problem ? `; ${track.problem}` : ""}`))),
    episode.models.length ? [h("h2", { class: "minor" }, "Models"),
      h("ul", {}, episode.models.map((model) => h("li", {}, `${words(model.role)}: `, bdi([model.family, model.name, model.version].filter(Boolean).join(" ")))))] : null);
}
