// The window of a list: the newest events, up to a number of them, of rows that they form, and of characters of their texts. It begins
// with a few of the newest ones, and is filled with older ones in parts.

import { saved } from "./Saved.js";
import { count, number } from "./Words.js";

/** Consecutive events, the oldest first, with the characters of their texts and the rows that they form. */
class Run {
  constructor(rowsOf) {
    Object.assign(this, { rowsOf, events: [], characters: 0, rows: 0 });
  }

  measure(event, sign) {
    this.characters += sign * event.text.length;
    this.rows += sign * this.rowsOf(event);
  }

  add(events) {
    for (const event of events) {
      this.events.push(event);
      this.measure(event, 1);
    }
  }

  /** Removes the first events. */
  drop(count) {
    for (let index = 0; index < count; index++) this.measure(this.events[index], -1);
    this.events.splice(0, count);
  }

  /** True if the events exceed a limit by more than a factor. */
  exceeds({ events, rows, characters }, factor) {
    return this.events.length > events * factor || this.rows > rows * factor || this.characters > characters;
  }

  /** Drops the oldest events down to the limits, and to nine tenths of the characters. The last one is kept in any case. Returns their number. */
  trim({ events, rows, characters }) {
    let dropped = 0, left = this.rows, text = this.characters;
    const { length } = this.events;
    while (dropped < length - 1 && (length - dropped > events || left > rows || text > characters * 0.9)) {
      left -= this.rowsOf(this.events[dropped]);
      text -= this.events[dropped++].text.length;
    }
    this.drop(dropped);
    return dropped;
  }
}

class Retention {
  /**
   * @param limits `events`, `rows` and `characters` that are kept; `slack`: factor by which the first two may be exceeded for a
   *   moment, so that dropping is rare  @param rowsOf rows that an event forms
   */
  constructor({ events, rows = Infinity, characters, slack }, rowsOf = () => 1) {
    Object.assign(this, { step: events, limits: { events, rows, characters }, slack, rowsOf });
    /** Number of events in the store, as last read. */
    this.total = 0;
    /** Differs between any two contents. */
    this.version = 0;
    this.reset();
  }

  /** Number of events that the collector is asked for. */
  get capacity() {
    return this.limits.events;
  }

  /** Number of the newest events that a new page shows before it reads older ones. */
  get first() {
    return Math.ceil(this.step / 100);
  }

  /** Number of older events that are read at a time: a longer reading shows its result later, and each has to be added to the others. */
  get part() {
    return Math.ceil(this.step / 5);
  }

  /** Kept events, in the order of arrival. */
  get events() {
    return this.kept.events;
  }

  /** Number of rows that the kept events form. */
  get rows() {
    return this.kept.rows;
  }

  /** Number of events that arrived while the page was paused. */
  get waiting() {
    return this.arrived.events.length;
  }

  /** Number of events that are kept or waiting. */
  get held() {
    return this.events.length + this.waiting;
  }

  reset() {
    Object.assign(this, { kept: new Run(this.rowsOf), arrived: new Run(this.rowsOf), newest: 0, isCut: false, isPart: false, isFull: false });
    this.version++;
  }

  /** Takes events in the order of their arrival, to be added. One that was taken before is ignored. */
  take(events) {
    this.arrived.add(events.filter(({ sequence }) => sequence > this.newest));
    this.newest = Math.max(this.newest, events.at(-1)?.sequence ?? 0);
    // The events before those that are dropped here are dropped when the rest is added: the window has no gaps.
    if (this.arrived.exceeds(this.limits, this.slack) && this.arrived.trim(this.limits)) this.isCut = true;
    this.version++;
  }

  /** Adds the events that arrived. Returns these, and the number of the oldest ones that were dropped. */
  add() {
    const { kept, isCut } = this;
    const added = this.arrived.events;
    let dropped = isCut ? kept.events.length : 0, isTrimmed = isCut;
    kept.drop(dropped);
    kept.add(added);
    Object.assign(this, { arrived: new Run(this.rowsOf), isCut: false });
    if (kept.exceeds(this.limits, this.slack)) {
      dropped += kept.trim(this.limits);
      isTrimmed = true;
    }
    // If fewer than the limit remain, rows or characters are used up.
    if (isTrimmed && kept.events.length < this.limits.events) this.isFull = true;
    if (dropped || isCut) this.isPart = true;
    if (added.length || dropped) this.version++;
    return { added, dropped };
  }

  /** Drops the events up to a position, after which the stream goes on. Returns the number of kept ones that were dropped. */
  omit(position) {
    this.isPart = true;
    const arrived = this.arrived.events.findIndex(({ sequence }) => sequence > position);
    this.arrived.drop(arrived < 0 ? this.waiting : arrived);
    const dropped = this.indexOf(position + 1);
    this.kept.drop(dropped);
    this.version++;
    return dropped;
  }

  /**
   * Adds events that are older than the kept ones, the newest of them: as far as rows and characters allow, and up to a number that is
   * held then. Returns the number of those added.
   *
   * @param isAll true if the store has no older ones
   */
  prepend(events, maxCount, isAll) {
    const oldest = Math.max(0, events.length - Math.max(0, maxCount - this.held));
    let first = events.length, { rows, characters } = this.limits;
    for (rows -= this.kept.rows, characters = characters * 0.9 - this.kept.characters; first > oldest; first--) {
      rows -= this.rowsOf(events[first - 1]);
      characters -= events[first - 1].text.length;
      if (rows < 0 || characters < 0) break;
    }
    this.isFull = first > oldest;
    this.isPart = first > 0 || !isAll;
    const kept = new Run(this.rowsOf);
    kept.add(events.slice(first));
    kept.add(this.kept.events);
    this.kept = kept;
    this.limits.events = Math.max(this.limits.events, kept.events.length);
    this.version++;
    return events.length - first;
  }

  /** Replaces an excerpt by the whole event. */
  replace(event, whole) {
    const index = this.events.indexOf(event);
    if (index < 0) return false;
    this.kept.measure(event, -1);
    this.kept.measure(whole, 1);
    this.events[index] = whole;
    this.version++;
    return true;
  }

  /** Index of the first kept event from a position on. */
  indexOf(position) {
    let low = 0, high = this.events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.events[middle].sequence < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The kept event at a position, if any. */
  find(position) {
    const event = this.events[this.indexOf(position)];
    return event?.sequence === position ? event : undefined;
  }

  /** Number of events in the store that the page does not keep. */
  get missing() {
    return Math.max(0, this.total - this.held);
  }

  /** True if older events can be added to the kept ones. */
  get isExtensible() {
    return this.isPart && !this.isFull && this.events.length > 0;
  }

  /** True until the window is filled: while it has fewer events than a new page reads without being asked, and the store has more. */
  get isFilling() {
    return this.isExtensible && !this.isCut && this.held < this.step;
  }

  /** True if the store has older events that the page could keep in addition, on demand. */
  get hasOlder() {
    return this.isExtensible && !this.isFilling && this.missing > 0;
  }

  /**
   * Numbers of matching, kept and stored events in words, such as "12 of 46,555 loaded, 105,394 in all".
   * @param counts `noun` of what the list has, "event" or "row"; `shown`: number of those that match; `isFiltered`
   */
  tallyText({ noun, shown, isFiltered }, isPaused) {
    const { rows, total, waiting, missing, isFilling } = this, kept = this.events.length;
    const loaded = `${number(kept)} of ${count(total, "event")}${saved ? " are in this file" : ""}`;
    const parts = noun === "event" && missing
      ? (isFiltered ? [`${number(shown)} of ${number(kept)} ${saved ? "in this file" : "loaded"}`, `${number(total)} in all`] : [loaded])
      : [isFiltered ? `${number(shown)} of ${count(rows, noun)}` : count(rows, noun), missing > 0 && loaded];
    return [...parts, isPaused && waiting > 0 && `${number(waiting)} waiting`, isFilling && "loading older events\u2026"].filter(Boolean).join(", ");
  }
}

/** The windows of the page, by the names of their lists in the API of the collector. */
export const windows = {
  events: new Retention({ events: 100000, characters: 268435456, slack: 1.05 }),
  captured: new Retention({ events: 20000, characters: 67108864, slack: 1.25 }),
  audit: new Retention({ events: 20000, rows: 100000, characters: 67108864, slack: 1.25 }, ({ entries }) => entries.length),
};
