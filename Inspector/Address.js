// Address of the page: view, filter, order of the sessions, captured format, format and open request of the requests view, filters of the audit and plan views, and selected event, as in #events?name=click&event=12.

import { messageOf, sendRequest } from "./Collector.js";
import { panelsChanged } from "./Controls.js";
import { notify } from "./Element.js";
import { Event } from "./Event.js";
import { excerptBytes } from "./Feed.js";
import { Filter } from "./Filter.js";
import { audit, captured, inspector, list, openView, panel, plan, refilter, requests, sessions, views } from "./Inspector.js";
import { windows } from "./Retention.js";

/** Fragment of the address that was last written or read; null before the first. */
let knownFragment = null;

export function writeAddress() {
  // A fragment that was entered and is not read yet is kept: its hashchange event is still to come.
  if (knownFragment !== null && ![knownFragment, "#main"].includes(location.hash)) return;
  const selected = inspector.wanted ?? eventPanel()?.sequence;
  const query = new URLSearchParams([
    ...inspector.filter.parameters,
    ...(inspector.view === "sessions" && sessions.order !== "newest" ? [["sort", sessions.order]] : []),
    ...(inspector.view === "captured" && captured.form ? [["form", captured.form]] : []),
    ...(inspector.view === "requests" ? requests.parameters : []),
    ...(inspector.view === "audit" ? audit.parameters : []),
    ...(inspector.view === "plan" ? plan.parameters : []),
    ...(selected ? [["event", selected]] : []),
  ]).toString();
  history.replaceState(null, "", `#${inspector.view}${query ? `?${query}` : ""}`);
  knownFragment = location.hash;
}

export function readAddress() {
  // The target of the skip link is no view.
  if (location.hash === "#main") return writeAddress();
  knownFragment = location.hash;
  const [view, query] = location.hash.slice(1).split("?");
  const values = Object.fromEntries(new URLSearchParams(query ?? ""));
  inspector.filter = new Filter(values);
  if (!["", "good", "bad"].includes(inspector.filter.status)) inspector.filter.status = "";
  inspector.wanted = /^[1-9]\d{0,15}$/.test(values.event ?? "") ? Number(values.event) : null;
  sessions.sort(values.sort);
  captured.choose(view === "requests" ? "" : values.form);
  audit.choose(values);
  plan.choose(values);
  requests.choose(view === "requests" ? values : {});
  if (captured.event.sequence !== inspector.wanted) captured.hideEvent();
  // Before the filter is shown: no address of another view is written in between.
  inspector.view = views.includes(view) ? view : "events";
  refilter();
  openView(inspector.view);
  if (inspector.wanted) openSequence(inspector.wanted);
}

/** Panel with the selected event of the current view; undefined in a view without one. */
const eventPanel = () => ({ events: panel, sessions: sessions.event, captured: captured.event, audit: audit.panel })[inspector.view];

/** Opens the event of an address. It is read from the collector: the page may not have it yet, or not any more. */
export async function openSequence(sequence) {
  const { view } = inspector;
  if (view === "plan") return;
  if (view === "captured") return openStreamed(sequence, view, captured.event);
  if (view === "audit") return openStreamed(sequence, view, audit.panel);
  const target = view === "sessions" ? sessions.event : panel;
  try {
    const response = await sendRequest(`/api/events/${sequence}?event_bytes=${excerptBytes}`);
    if (inspector.wanted !== sequence || inspector.view !== view) return;
    if (response.status === 404) return reportMissing(sequence, target);
    if (!response.ok) throw new Error(await messageOf(response));
    const event = new Event(await response.text(), sequence);
    if (inspector.wanted !== sequence || inspector.view !== view) return;
    target.show(event);
    if (view === "sessions") sessions.choose(event);
    selectWanted();
    panelsChanged();
  } catch (error) {
    // Without a connection the event is opened when the stream has it.
    if (inspector.wanted === sequence) notify(`The event could not be read: ${error.message}`);
  }
}

/** Reports a captured or audit event that the store does not have. One that it has is opened when the stream has it. */
async function openStreamed(sequence, view, target) {
  try {
    const response = await sendRequest(`/api/${view}/${sequence}?event_bytes=${excerptBytes}`);
    if (inspector.wanted !== sequence || inspector.view !== view) return;
    if (response.status === 404) reportMissing(sequence, target);
    else if (windows[view].events[0]?.sequence > sequence) reportOlder();
  } catch {
    // Without a connection the event is opened when the stream has it.
  }
}

/** Reports that the list of the view begins after the event of the address. It is opened when older events are loaded. */
export const reportOlder = () => notify("The event of the address is older than those of the list: Load older reads more.");

/** The address keeps the missing event, so that a reload reports it again. */
function reportMissing(sequence, target) {
  inspector.wanted = null;
  target.showMissing(sequence);
  panelsChanged();
}

/** Selects the event of the address in the list as soon as the stream has it. */
export function selectWanted() {
  if (["captured", "audit", "plan"].includes(inspector.view)) return;
  const { wanted } = inspector, event = windows.events.find(wanted);
  if (!event || inspector.looked <= windows.events.indexOf(wanted)) return;
  inspector.wanted = null;
  const target = eventPanel();
  if (target && !target.isShown(event)) target.show(event);
  if (inspector.view === "sessions") sessions.choose(event);
  if (inspector.view !== "events") return panelsChanged();
  list.selected = event;
  list.follows = false;
  list.reveal(event, true);
  list.refresh();
  panelsChanged();
}
