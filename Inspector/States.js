// Loading, error and empty states of the views.

import { button, make, put } from "./Element.js";
import { clearFilter, feed, inspector } from "./Inspector.js";
import { brief, clock, count } from "./Words.js";

/** Shows parts in place of a list, or hides the element if there are none. Equal content is kept, so that a focused button stays focused. */
export function showState(element, parts) {
  element.hidden = !parts;
  if (!parts) return element.replaceChildren();
  const content = make("div", parts);
  if (element.firstChild?.textContent !== content.textContent) put(element, content);
}

/** State that concerns every view of the events: no connection, loading, no match. Null if none applies. */
export function eventsState() {
  const { events, filter, connection } = inspector;
  if (!events.length && connection.name === "lost") {
    return [make("p.title", "No connection to the collector"), make("p", `${connection.reason}.`), button("Retry now", () => feed.retry(), { class: "primary" })];
  }
  if (!events.length && (connection.name !== "live" || inspector.expected > 0)) {
    return [make("p.title", inspector.expected ? `Loading ${count(inspector.expected, "event")}\u2026` : "Connecting\u2026")];
  }
  if (events.length && !inspector.shown.length && inspector.looked >= events.length) {
    return [make("p.title", "No event matches the filter."), make("p.muted", filterText(filter)), button("Clear filter", clearFilter, { class: "primary" })];
  }
  return null;
}

/** The filter in words. */
export function filterText(filter) {
  const parts = filter.parameters.map(([name, value]) => `${name === "text" ? "search" : name} ${brief(value, 40)}`);
  if (filter.range) parts.push(`${clock(filter.range[0])} to ${clock(filter.range[1])}`);
  return parts.join(" \u00b7 ");
}
