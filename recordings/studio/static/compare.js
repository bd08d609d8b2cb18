// What differs between two runs, or inside one: settings, metrics with their tests, and calls side by side.

import { api } from "./api.js";
import { bdi, h, replace } from "./dom.js";
import { cell, count, words } from "./format.js";

/** @param {HTMLElement} root @param {{query: URLSearchParams}} parameters */
export async function show(root, { query }) {
  replace(root, h("p", { class: "loading", role: "status" }, "Reading the runs …"));
  const { runs } = await api.catalogue();
  if (!root.isConnected) return;
  const out = h("div", { role: "region", "aria-label": "What differs", "aria-live": "off" });
  const options = runs.map((run) => h("option", { value: run.id }, `${run.name} (${run.episodes})`));
  const first = h("select", {}, options);
  const second = h("select", {}, h("option", { value: "" }, "– inside the first run –"), options.map((option) => option.cloneNode(true)));
  const by = h("select", {}, ["endpoint", "user", "condition"].map((one) => h("option", { value: one }, one)));
  first.value = query.get("a") ?? runs[0]?.id ?? "";
  second.value = query.get("b") ?? (query.has("by") ? "" : runs.find((run) => run.id !== first.value)?.id ?? "");
  by.value = query.get("by") ?? "endpoint";

  let turn = 0;
  const load = async () => {
    const mine = ++turn;
    const tell = (...shown) => { if (mine === turn) replace(out, ...shown); }; // a late answer is to an old question
    by.disabled = second.value !== "";
    const asked = new URLSearchParams({ a: first.value, ...(second.value ? { b: second.value } : { by: by.value }) });
    history.replaceState(null, "", `#/compare?${asked}`);
    tell(h("p", { class: "loading", role: "status" }, "Comparing …"));
    try {
      tell(result(await api.compare(first.value, second.value, by.value)));
    } catch (error) {
      tell(h("p", { class: "empty", role: "status" }, error.message));
    }
  };
  for (const select of [first, second, by]) select.addEventListener("change", load);
  replace(root, h("div", { class: "compare" },
    h("h1", {}, "What differs"),
    h("div", { class: "compare-tools" }, h("label", {}, "Run A", first), h("label", {}, "Run B", second), h("label", {}, "Inside one run, by", by)),
    out));
  if (runs.length) await load();
  else replace(out, h("p", { class: "empty" }, "There is no run to compare."));
}

function result(found) {
  return h("div", { class: "sheets" },
    found.problem && h("p", { class: "notice warning" }, found.problem),
    found.comparisons.map(comparison),
    found.differences.length ? section("Settings that differ", ["what", "A", "B"], found.differences.map((one) => [head(words(one.what)), text(one.a), text(one.b)])) : null,
    found.pairs.length ? section("The same scenario in both", ["scenario", "seed", "A", "B"], found.pairs.map((pair) => [head(pair.scenario), text(pair.seed), link(pair, "a"), link(pair, "b")])) : null);
}

function comparison(one) {
  // what neither side has is left to the report
  const measured = Object.entries(one.metrics).filter(([, metric]) => metric.first.n || metric.second.n);
  const rows = measured.map(([name, metric]) => [
    head(words(name), unit(metric)), number(metric.first, metric.unit), number(metric.second, metric.unit), difference(metric),
    h("td", { class: "number" }, cell(metric.pairs)), h("td", { class: "number" }, metric.p_corrected === null ? "–" : metric.p_corrected.toFixed(3)), verdict(metric.verdict)]);
  const left = Object.entries(one.left_out).map(([cause, n]) => `${n} ${words(cause)}`).join(", ");
  return h("section", { "aria-label": `${one.first.name} and ${one.second.name}` },
    h("h2", {}, bdi(one.first.name), h("span", { class: "soft" }, " and "), bdi(one.second.name)),
    h("p", { class: "soft" }, [`differ by ${words(one.about)}`, one.within && `within ${one.within}`, count(one.pairs, "pair"), left && `left out: ${left}`].filter(Boolean).join(" · ")),
    table("Metrics", ["metric", "A:", "B:", "B − A:", "pairs:", "p, corrected:", "verdict on B"], rows));
}

const unit = ({ unit: of }) => (of === "ms" || of === "s" ? h("span", { class: "soft" }, ` ${of}`) : null);
const head = (value, more = null) => h("th", { scope: "row" }, bdi(value), more);
const text = (value) => h("td", {}, bdi(Array.isArray(value) ? value.join(", ") : typeof value === "object" && value !== null ? JSON.stringify(value) : cell(value)));
const number = (side, unit) => h("td", { class: "number" }, side.value === null ? "–" : cell(side.value, unit), h("span", { class: "soft" }, ` n ${side.n}`));
const link = (pair, side) => h("td", {}, pair[side] ? h("a", { href: api.place(pair[side]), "aria-label": `listen to ${pair.scenario}, seed ${pair.seed}, ${side.toUpperCase()}` }, "listen") : "–");

function difference(metric) {
  if (metric.difference === null) return h("td", { class: "number" }, "–");
  const interval = metric.interval ? ` [${cell(metric.interval[0], metric.unit)}, ${cell(metric.interval[1], metric.unit)}]` : "";
  return h("td", { class: "number" }, cell(metric.difference, metric.unit), h("span", { class: "soft" }, interval));
}

function verdict(name) { return h("td", {}, h("span", { class: name === "better" ? "better" : name === "worse" ? "worse" : "soft" }, name)); }

function section(title, heads, rows) {
  return h("section", { "aria-label": title }, h("h2", {}, title), table(`${title}, table`, heads, rows));
}

/** Heads that end in a colon stand over numbers. Where there is little room the table moves sideways. */
function table(label, heads, rows) {
  return h("div", { class: "sideways", tabindex: 0, role: "region", "aria-label": label }, h("table", { class: "sheet" },
    h("thead", {}, h("tr", {}, heads.map((one) => h("th", { scope: "col", class: one.endsWith(":") ? "number" : undefined }, one.replace(/:$/, ""))))),
    h("tbody", {}, rows.map((cells) => h("tr", {}, cells)))));
}
