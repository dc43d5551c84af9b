// Parts that several views and panels are made of.

import { button, make } from "./Element.js";
import { brief, number } from "./Words.js";

/** Figures of a head, from rows [label, value, isBad]. */
export const figuresElement = (rows) => make("dl.figures", rows.map(([label, value, isBad]) => make(isBad ? "div.bad" : "div", make("dt", label), make("dd", value))));

/** Legend, from rows [class of the swatch, text], and more entries. */
export const legendElement = (rows, ...more) => make("ul.legend", { "aria-label": "Legend" }, rows.map(([kind, text]) => make("li", make(`span.swatch.${kind}`), text)), more);

/** Facts of a panel, from rows [label, value, ...]; one without a value (null, undefined, false, an empty text) is left out. */
export const factsElement = (rows) => make("dl.facts", rows.filter((row) => row && row[1] !== null && row[1] !== undefined && row[1] !== false && row[1] !== "").map(([label, ...value]) => [make("dt", label), make("dd", value)]));

/** A value of the facts in the typeface of identifiers; null for null. */
export const mono = (text, length = 120) => (text === null || text === undefined || text === "" ? null : make("span.mono", brief(String(text), length)));

/** A value of the facts that is a control; null for null. */
export const linkElement = (text, title, follow, length = 80) => (text === null || text === undefined ? null : button(brief(text, length), follow, { class: "link mono", title }));

/** Head of a panel: title, more parts, and its controls. @param close closes the panel; null without such a control */
export const panelHead = (title, parts, actions, close) =>
  make("div.panel-head", title instanceof Node ? title : make("h2", { tabindex: -1 }, title), parts,
    make("div.actions", actions, close && button("Close", close, { title: "Close (Esc)" })));

/** Note on the entries past a limit; null if there are none. @param element such as "li.muted" */
export const moreElement = (all, listed, element = "p.muted", noun = "more") => (all > listed ? make(element, `\u2026 and ${number(all - listed)} ${noun}`) : null);

/** Head of a table, from the titles of its columns. */
export const tableHead = (heads) => make("thead", make("tr", heads.map((head) => make(head === "type" ? "th.type" : "th", { scope: "col" }, head))));

/** An element that scrolls sideways. @param name with which the focus can be moved to it, to scroll it by keys; false without a need */
export const scrollerElement = (name, element) => make("div.scroller", name && { tabindex: 0, role: "group", "aria-label": name }, element);
