// Intake: events and requests of the feed, on their way into the windows and the views.

import { reportOlder } from "./Address.js";
import { notify } from "./Element.js";
import { wait } from "./Feed.js";
import { currentView, inspector, touch, views } from "./Page.js";
import { windows } from "./Retention.js";

/** Events in the order of their arrival, from the elements of the stream. */
function eventsOf(list, rows) {
  const view = views.get(list);
  return rows.flatMap(({ text, sequence }) => {
    try {
      return [view.make(text, sequence)];
    } catch {
      // Not JSON to this browser. The collector's store still has the event.
      return [];
    }
  });
}

/** Adds the devices of events to a map by request id. */
function addSenders(events, devices) {
  for (const { request, sender } of events) if (sender !== null && !devices.has(request)) devices.set(request, sender);
}

export class Intake {
  /** Device by request id, from the events whose request has not arrived yet. In the stream, a request follows its events. */
  senders = new Map();
  isFilling = false;

  /** @param requests the view of the requests */
  constructor(feed, requests) {
    Object.assign(this, { feed, requests });
  }

  take(list, rows) {
    const events = eventsOf(list, rows);
    windows[list].take(events);
    if (list === "events") addSenders(events, this.senders);
    if (!inspector.isPaused) views.get(list).admit();
  }

  addRequests(rows) {
    this.requests.add(rows, this.senders);
  }

  /** Drops the events that the stream omits: it has begun with newer ones. */
  omit(positions) {
    for (const [list, position] of Object.entries(positions)) {
      const dropped = windows[list].omit(position);
      if (dropped) views.get(list).changed([], dropped);
      // Otherwise the window is filled with events that are older than this.
      if (this.feed.newest[list] >= windows[list].step) reportOlder(list, position + 1);
    }
  }

  reset() {
    this.senders.clear();
  }

  // MARK: Older events

  /** Reads a part of the events that are older than the kept ones of a list, which then holds up to a number of events. */
  async addOlder(list, maxCount) {
    const retention = windows[list], oldest = retention.events[0];
    // Doubled after a part without events: the page's own stream may be behind, or the events are not JSON to this browser.
    let part = Math.min(retention.part, maxCount - retention.held);
    for (let added = 0; !added && retention.isExtensible && retention.held < maxCount; part *= 2) {
      const older = await this.feed.older(list, oldest.sequence, retention.held + part, retention.limits.characters, (row) => eventsOf(list, [row]));
      // The store may have been emptied meanwhile, or the oldest event dropped.
      if (retention.events[0] !== oldest) return;
      added = retention.prepend(older.events, maxCount, older.isAll);
      if (added) views.get(list).prepended(added);
      if (list === "events") this.addOlderRequests(older);
      touch();
    }
  }

  addOlderRequests({ events, requests }) {
    const devices = new Map();
    addSenders(events, devices);
    this.requests.prepend(requests, devices);
  }

  /**
   * Reads older events, the newest first, until each window has its number of events or all of the store. The list of the current
   * view is the first, after the stream has delivered its newest events.
   */
  async fillWindows() {
    if (this.isFilling) return;
    this.isFilling = true;
    const next = () => inspector.connection.name === "live" && [inspector.view, ...Object.keys(windows)].find((list) => windows[list]?.isFilling && this.feed.hasBegun(list));
    for (let list; (list = next()); ) {
      try {
        await this.addOlder(list, windows[list].step);
        if (!windows[list].isFilling) reportOlder(list, windows[list].events[0]?.sequence);
      } catch {
        // The feed reports a lost connection, and this continues after it.
        await wait(1000);
      }
    }
    this.isFilling = false;
  }

  /** Reads events of the current view that are older than those which the page keeps, on demand. */
  async loadOlder() {
    const { retention, source } = currentView();
    // The control is drawn later than the store is emptied, or than it is pressed.
    if (!retention.events.length || inspector.isReadingOlder) return;
    inspector.isReadingOlder = true;
    touch();
    try {
      const maxCount = retention.held + retention.step;
      while (retention.isExtensible && retention.held < maxCount) await this.addOlder(source, maxCount);
      if (retention.isFull) notify("The page keeps no more events of this list. The query API of the collector has all.");
    } catch (error) {
      notify(`Older events could not be read: ${error.message}`);
    } finally {
      inspector.isReadingOlder = false;
      touch();
    }
  }
}
