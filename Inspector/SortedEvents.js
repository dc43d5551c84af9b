// Events in the order of a value. Those that arrive later are added to the groups of their values, so that a hundred thousand are not
// compared again.

import { Examined } from "./Examined.js";

export class SortedEvents {
  /**
   * @param valueOf text or number of an event; null for none, which is always the last
   * @param rankOf text or number by which two values are compared
   * @param isDescending also reverses the order of arrival of equal ones
   */
  constructor(valueOf, rankOf, isDescending) {
    Object.assign(this, { valueOf, rankOf, isDescending });
    /** By value, groups { rank, events }; these in a list, which `isOrdered` after all were compared; and the sorted events, null if some are missing. */
    this.grouped = new Examined(() => ({ byValue: new Map(), groups: [], isOrdered: true, sorted: [] }), (grouped, event) => this.add(grouped, event));
  }

  /**
   * Events in order, the same array as before if there are no others.
   * @param events in the order of arrival: the array of before, or another one
   */
  of(events) {
    const grouped = this.grouped.of(events);
    return (grouped.sorted ??= this.sort(grouped));
  }

  /** Adds an event to the group of its value. */
  add(grouped, event) {
    const value = this.valueOf(event), group = grouped.byValue.get(value);
    grouped.sorted = null;
    if (group) return void group.events.push(event);
    const added = { rank: value === null ? null : this.rankOf(value), events: [event] };
    grouped.byValue.set(value, added);
    grouped.groups.push(added);
    grouped.isOrdered = false;
  }

  sort(grouped) {
    // The groups of before are in order already, so that few are compared.
    if (!grouped.isOrdered) grouped.groups.sort((a, b) => this.compare(a.rank, b.rank));
    grouped.isOrdered = true;
    const sorted = [];
    for (const { events } of grouped.groups) {
      if (this.isDescending) for (let index = events.length; index-- > 0; ) sorted.push(events[index]);
      else for (const event of events) sorted.push(event);
    }
    return sorted;
  }

  compare(a, b) {
    if (a === null || b === null) return (a === null) - (b === null);
    return (a < b ? -1 : a > b ? 1 : 0) * (this.isDescending ? -1 : 1);
  }
}
