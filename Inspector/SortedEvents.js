// Events in the order of a value. Those that arrive later are added to the groups of their values, so that a hundred thousand are not
// compared again.

export class SortedEvents {
  /**
   * @param valueOf text or number of an event; null for none, which is always the last
   * @param rankOf text or number by which two values are compared
   * @param isDescending also reverses the order of arrival of equal ones
   */
  constructor(valueOf, rankOf, isDescending) {
    Object.assign(this, { valueOf, rankOf, isDescending });
    this.reset([]);
  }

  reset(source) {
    /** Events in the order of arrival, the first one, and the number of those that are sorted. */
    Object.assign(this, { source, first: source[0], count: 0 });
    /** By value, { rank, events }; and the groups in order. */
    Object.assign(this, { groups: new Map(), ordered: [], sorted: [] });
  }

  /**
   * Events in order, the same array as before if there are no others.
   * @param events in the order of arrival: the array of before, or another one
   */
  of(events) {
    if (events !== this.source || events[0] !== this.first || events.length < this.count) this.reset(events);
    if (this.count === events.length) return this.sorted;
    const { length } = this.ordered;
    for (; this.count < events.length; this.count++) this.add(events[this.count]);
    // The groups of before are in order already, so that few are compared.
    if (this.ordered.length > length) this.ordered.sort((a, b) => this.compare(a.rank, b.rank));
    this.sorted = [];
    for (const { events } of this.ordered) {
      if (this.isDescending) for (let index = events.length; index-- > 0; ) this.sorted.push(events[index]);
      else for (const event of events) this.sorted.push(event);
    }
    return this.sorted;
  }

  add(event) {
    const value = this.valueOf(event), group = this.groups.get(value);
    if (group) {
      group.events.push(event);
    } else {
      this.ordered.push({ rank: value === null ? null : this.rankOf(value), events: [event] });
      this.groups.set(value, this.ordered.at(-1));
    }
  }

  compare(a, b) {
    if (a === null || b === null) return (a === null) - (b === null);
    return (a < b ? -1 : a > b ? 1 : 0) * (this.isDescending ? -1 : 1);
  }
}
