() => {
  // what an audit by hand looks for: names, roles, references, order
  const wrong = [];
  const say = (element, what) => wrong.push(`${what}: ${element.outerHTML.slice(0, 120)}`);
  const shown = (element) => element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: false });
  const named = (element) => element.getAttribute("aria-label")?.trim() || element.getAttribute("title")?.trim() || element.innerText?.trim()
    || element.labels?.length || (element.getAttribute("aria-labelledby") ?? "").split(" ").some((id) => document.getElementById(id)?.textContent.trim());
  const seen = new Set();
  for (const element of document.querySelectorAll("[id]")) {
    if (seen.has(element.id)) say(element, "an id twice");
    seen.add(element.id);
  }
  for (const element of document.querySelectorAll("button, a[href], input, select, summary, [role=slider], [role=tab], [role=grid], [role=region], [role=toolbar], [role=tabpanel], [role=radiogroup]")) {
    if (shown(element) && !named(element)) say(element, "no name");
  }
  for (const name of ["aria-controls", "aria-labelledby", "aria-describedby", "aria-activedescendant", "for"]) {
    for (const element of document.querySelectorAll(`[${name}]`)) {
      for (const id of element.getAttribute(name).split(" ")) if (id && !document.getElementById(id)) say(element, `${name} points nowhere`);
    }
  }
  const parents = { tab: ["tablist"], row: ["grid", "rowgroup"], gridcell: ["row"], columnheader: ["row"], listitem: ["list"] };
  for (const [role, parent] of Object.entries(parents)) {
    for (const element of document.querySelectorAll(`[role=${role}]`)) if (!element.closest(parent.map((one) => `[role=${one}]`).join())) say(element, "no parent of its role");
  }
  for (const element of document.querySelectorAll("img, canvas, svg")) {
    if (element.getAttribute("aria-hidden") !== "true" && !named(element)) say(element, "a picture without a name");
  }
  for (const element of document.querySelectorAll("[tabindex]")) if (element.tabIndex > 0) say(element, "an order of its own");
  if (document.documentElement.lang !== "en") wrong.push("no language");
  if (!document.title) wrong.push("no title");
  if ([...document.querySelectorAll("h1")].filter(shown).length > 1) wrong.push("several main headings");
  if (document.querySelectorAll("main").length !== 1) wrong.push("not one main part");
  for (const element of document.querySelectorAll("button, select, input:not([type=radio]):not([type=checkbox])")) {
    const { width, height } = element.getBoundingClientRect();
    if (shown(element) && (width < 24 || height < 24)) say(element, `too small to be hit, ${Math.round(width)} by ${Math.round(height)}`);
  }
  return wrong;
}
