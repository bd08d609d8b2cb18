// How far people agree with a judge, with each other and with themselves: the numbers of viva agreement, as a table.

import { h } from "./dom.js";
import { trim, words } from "./format.js";

const CAUSES = {
  no_judge_has_rated_these: "no judge has rated these",
  only_one_person_has_labelled: "only one person has labelled",
};

/** @param {{labels: any[]}} found */
export function agreement(found) {
  if (!found.labels.length) return h("p", { class: "soft" }, "Nothing is labelled yet.");
  const rows = found.labels.flatMap((one) => [
    row(one, "with the judge", one.judge, "cohen_kappa", "judge_unscored"),
    row(one, "between people", one.people, "krippendorff_alpha"),
    ...one.again.map((own) => row(one, `${own.a} with themselves`, own, "cohen_kappa")),
  ]);
  return h("section", { "aria-labelledby": "agreement" },
    h("h2", { id: "agreement" }, "Agreement so far"),
    h("table", { class: "agreement" },
      h("thead", {}, h("tr", {}, ["Asked", "", "Items", "Same label", "Beyond chance", "Unscored"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, rows)),
    h("p", { class: "soft" }, "Same label in percent, beyond chance as Cohen's κ (people: Krippendorff's α), each with its 95 % interval by bootstrap."));
}

function row(asked, who, numbers, chance, unscored = "unscored") {
  const kind = `${words(asked.dimension)}${asked.part === "relative" ? ", two replies" : ""}`;
  const head = [h("th", { scope: "row" }, kind), h("td", {}, who)];
  if (typeof numbers.undefined === "string") return h("tr", {}, head, h("td", { colspan: 4, class: "cause" }, CAUSES[numbers.undefined] ?? words(numbers.undefined)));
  const own = Object.values(asked.unscored).flatMap((causes) => Object.values(causes)).reduce((a, b) => a + b, 0);
  const theirs = unscored === "judge_unscored" ? Object.values(numbers.judge_unscored ?? {}).reduce((a, b) => a + b, 0) : 0;
  return h("tr", {}, head, h("td", {}, numbers.n), h("td", {}, value(numbers, "percent", 0, "%")), h("td", {}, value(numbers, chance, 2)),
    h("td", {}, theirs ? `${own} by people, ${theirs} by the judge` : own));
}

/** A number with its interval, or why it is none. */
function value(numbers, name, places, unit = "") {
  const found = numbers[name];
  if (found === null || found === undefined) return h("span", { class: "cause" }, words(numbers.undefined?.[name] ?? "–"));
  const interval = numbers.intervals?.[name];
  const text = `${trim(found, places)}${unit && ` ${unit}`}`;
  return interval ? [text, h("span", { class: "soft" }, ` [${interval.map((end) => trim(end, places)).join(", ")}]`)] : text;
}
