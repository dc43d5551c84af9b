// Results of a list whose events are added at its end and dropped at its beginning: of a hundred thousand, only the new ones are examined at
// a drawing.

export class Examined {
  /** @param begin returns the results of no event  @param examine adds an event to them: `examine(results, event)` */
  constructor(begin, examine) {
    /** The list, its first event, and the number of its events that were examined. */
    Object.assign(this, { begin, examine, events: null, first: undefined, count: 0, results: null });
  }

  /**
   * Results of the events in a list, in its order. Those that were examined before are examined again only if the list begins with
   * another event, or is another one.
   */
  of(events) {
    const isSame = events === this.events && events[0] === this.first;
    if (!isSame) Object.assign(this, { events, first: events[0], count: 0, results: this.begin() });
    for (; this.count < events.length; this.count++) this.examine(this.results, events[this.count]);
    return this.results;
  }
}
