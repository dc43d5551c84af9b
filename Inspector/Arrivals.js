// Arrivals: the clickstream events that have been added to the window of the page since they were last taken.

import { windows } from "./Retention.js";

export class Arrivals {
  /** Sequence number of the newest event that was taken; null before the first time. */
  position = null;

  /** The new events, in the order of arrival; null if the window lacks some of those that may have arrived. */
  take() {
    const { events } = windows.events, { position } = this;
    let first = events.length;
    while (first > 0 && events[first - 1].sequence > (position ?? 0)) first--;
    this.position = events.at(-1)?.sequence ?? position;
    return first > 0 || !events.length ? events.slice(first) : null;
  }

  reset() {
    this.position = null;
  }
}
