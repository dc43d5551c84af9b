// Address of the page: view, filter, controls of the view, and selected event, as in #events?name=click&event=12.

import { notify } from "./Element.js";
import { Event, readElement } from "./Event.js";
import { Filter } from "./Filter.js";
import { currentView, inspector, openView, refilter, views } from "./Page.js";

/** Fragment of the address that was last written or read, and its view; null before the first. */
let knownFragment = null, knownView = null;
let isWriting = false, isClosing = false;

/** Sequence number of an event in a value of an address; null for any other text. */
export const sequenceIn = (text = "") => (/^[1-9]\d{0,15}$/.test(text) ? Number(text) : null);

/**
 * Writes the address after the changes of an action, of which there may be several. Another view, and a change that is a step, are
 * entries of their own in the history.
 *
 * @param closes true if a panel that covered a phone was closed: the entry before it then is the one to return to
 */
export function writeAddress(closes = false) {
  isClosing ||= closes;
  if (isWriting) return;
  isWriting = true;
  queueMicrotask(write);
}

function write() {
  const isStep = inspector.isStep || inspector.view !== knownView, isReturn = isClosing;
  isWriting = isClosing = inspector.isStep = false;
  // A fragment that was entered and is not read yet is kept: its hashchange event is still to come.
  if (knownFragment !== null && ![knownFragment, "#main"].includes(location.hash)) return;
  const { parameters, panel, conditions } = currentView();
  const selected = inspector.wanted ?? panel?.sequence;
  const query = new URLSearchParams([...(conditions ? [] : inspector.filter.parameters), ...parameters, ...(selected ? [["event", selected]] : [])]).toString();
  const fragment = `#${inspector.view}${query ? `?${query}` : ""}`;
  knownView = inspector.view;
  if (isReturn && history.state?.before === fragment) {
    knownFragment = fragment;
    return history.back();
  }
  const isNew = knownFragment !== null && isStep && fragment !== location.hash;
  if (isNew) history.pushState({ before: location.hash }, "", fragment);
  else history.replaceState(history.state, "", fragment);
  knownFragment = location.hash;
}

/** Reads the address that was entered or returned to. */
export function addressChanged() {
  // After the return from a closed panel, the page shows the address already.
  if (location.hash === knownFragment) writeAddress();
  else readAddress();
}

export function readAddress() {
  // The target of the skip link is no view.
  if (location.hash === "#main") return writeAddress();
  knownFragment = location.hash;
  const [name, query] = location.hash.slice(1).split("?");
  const values = Object.fromEntries(new URLSearchParams(query ?? ""));
  // A question has conditions of its own with the same names.
  if (!views.get(name)?.conditions) {
    Filter.basis = values.by === "time" ? "time" : "received";
    inspector.filter = new Filter(values);
  }
  if (!["", "good", "bad"].includes(inspector.filter.status)) inspector.filter.status = "";
  inspector.wanted = sequenceIn(values.event);
  // Before the filter is shown: no address of another view is written in between.
  inspector.view = knownView = views.has(name) ? name : "events";
  for (const view of views.values()) view.choose(view === currentView() ? values : {});
  refilter();
  openView(inspector.view);
  isClosing = inspector.isStep = false;
  if (inspector.wanted) openSequence(inspector.wanted);
}

/**
 * Opens the event of an address, or reports that the store does not have it. A clickstream event is read from the collector: the page
 * may not have it yet, or not any more. A captured or audit event is opened when the page has it.
 */
export async function openSequence(sequence) {
  const view = currentView();
  const isObsolete = () => inspector.wanted !== sequence || currentView() !== view;
  if (!view.panel?.showMissing) return;
  try {
    const element = await readElement(view.source, sequence);
    if (isObsolete()) return;
    if (!view.showWanted) return view.retention.isFilling || reportOlder(view.name, view.retention.events[0]?.sequence);
    view.showWanted(new Event(element, sequence));
    view.selectWanted();
    inspector.changed();
  } catch (error) {
    if (error.status === 404) {
      if (isObsolete()) return;
      // The address keeps the missing event, so that a reload reports it again.
      inspector.wanted = null;
      view.panel.showMissing(sequence);
      inspector.changed();
    } else if (inspector.wanted === sequence) {
      // Without a connection the event is opened when the stream has it.
      notify(`The event could not be read: ${error.message}`);
    }
  }
}

/** Reports a captured or audit event of the address before the first one of its list. It is opened when older events are loaded. */
export function reportOlder(list, first) {
  if (inspector.view !== list || list === "events" || !(inspector.wanted && inspector.wanted < first)) return;
  notify("The event of the address is older than those of the list: Load older reads more.");
}
