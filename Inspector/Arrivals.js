// Arrivals: the clickstream events that have been added to the window of the page since they were last taken.

import { inspector } from "./Page.js";
import { windows } from "./Retention.js";

export class Arrivals {
  /** Sequence number of the newest event that was taken, and number of events in the store at that time. */
  position = 0;
  stored = 0;

  /** The new events, in the order of arrival; null if the window may lack some of them, or if events were removed from the store. */
  take() {
    const { events } = windows.events, { position, stored } = this;
    let first = events.length;
    while (first > 0 && events[first - 1].sequence > position) first--;
    this.position = events.at(-1)?.sequence ?? position;
    this.stored = inspector.summary?.events ?? 0;
    return this.stored < stored || (first === 0 && events.length > 0) ? null : events.slice(first);
  }

  reset() {
    Object.assign(this, { position: 0, stored: 0 });
  }
}
