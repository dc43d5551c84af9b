// Filter of the event list: every part that is set must match. Part of the address, so that a view can be shared.

import { brief, clock, visible } from "./Words.js";

/** Milliseconds of a time in an address: a number of them, or an ISO 8601 date; null for none. */
function timeOf(text = "") {
  const time = /^\d{1,16}$/.test(text) ? Number(text) : Date.parse(text);
  return Number.isFinite(time) ? time : null;
}

export class Filter {
  static prepared = 0;
  /** Time of an event that a range is about: "received" or "time". */
  static basis = "received";
  /** Parts that an event has to equal as a whole, as in the query API of the collector. */
  static exact = ["app", "device", "platform", "version"];
  static names = ["text", "name", "session", "user", "status", "code", "request", ...Filter.exact];

  constructor(values = {}) {
    // Escapes as displayed: the fields of the form then never contain invisible characters.
    for (const name of Filter.names) this[name] = visible(values[name] ?? "");
    /** Milliseconds, end excluded and possibly infinite; null for all times. */
    this.range = Filter.rangeOf(timeOf(values.since), timeOf(values.until));
    this.prepare();
  }

  /** Range of times between two milliseconds, or null without both. */
  static rangeOf(since, until) {
    return since === null && until === null ? null : [since ?? -Infinity, until ?? Infinity];
  }

  /** Updates the expressions. Required after a change. */
  prepare() {
    /** Differs between any two contents of a filter. */
    this.stamp = ++Filter.prepared;
    this.textTest = Filter.expression(this.text);
    this.nameTest = Filter.expression(this.name);
    this.sessionTest = Filter.expression(this.session);
    this.userTest = Filter.expression(this.user);
    this.exactParts = Filter.exact.filter((name) => this[name]);
  }

  /** Case-insensitive search for a text. An escape such as \u202e in it also matches the character itself. */
  static expression(text) {
    if (!text) return null;
    const literal = text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const source = literal.replace(/\\\\u(?:([0-9a-f]{4})|\\\{([0-9a-f]{5,6})\\\})/gi, (escape, short, long) => {
      const code = parseInt(short ?? long, 16);
      // NUL is stored as U+FFFD.
      const character = code === 0 ? "[\\0\\ufffd]" : code <= 0xffff ? `\\u${short}` : code <= 0x10ffff ? String.fromCodePoint(code) : null;
      return character === null ? escape : `(?:${escape}|${character})`;
    });
    return new RegExp(source, "i");
  }

  get isEmpty() {
    return Filter.names.every((name) => !this[name]) && !this.range;
  }

  /** Number of parts that are set. */
  get size() {
    return Filter.names.filter((name) => this[name]).length + (this.range ? 1 : 0);
  }

  /** Number of parts that are set of those behind "More". */
  get sizeOfMore() {
    return this.exactParts.length + (this.range ? 1 : 0);
  }

  /** True if the event matches, apart from its time: the chart includes the times outside the range. */
  matches(event) {
    if (this.status && event.isBad !== (this.status === "bad")) return false;
    if (this.code && !event.codes.includes(this.code)) return false;
    if (this.request && event.request !== this.request) return false;
    for (const name of this.exactParts) if (visible(event[name] ?? "") !== this[name]) return false;
    if (this.nameTest && !(event.name && this.nameTest.test(event.name))) return false;
    if (this.sessionTest && !(event.session && this.sessionTest.test(event.session))) return false;
    if (this.userTest && !((event.user && this.userTest.test(event.user)) || (event.unique && this.userTest.test(event.unique)))) return false;
    return !this.textTest || this.textTest.test(event.text);
  }

  isWithin(event) {
    if (!this.range) return true;
    const time = Filter.timeOf(event);
    return time >= this.range[0] && time < this.range[1];
  }

  /** Tests an event, and its time, once per content of the filter. The result stays in `event.isShown`. */
  test(event) {
    if (event.testedBy !== this.stamp) {
      event.testedBy = this.stamp;
      event.isShown = this.matches(event) && this.isWithin(event);
    }
    return event.isShown;
  }

  static timeOf(event) {
    // A clock that is years off would compress all other events into one bar of the chart.
    return Filter.basis === "time" && Math.abs(event.time - event.received) < 366 * 864e5 ? event.time : event.received;
  }

  /** The filter in words. */
  get words() {
    const parts = Filter.names.filter((name) => this[name]).map((name) => `${name === "text" ? "search" : name} ${brief(this[name], 40)}`);
    return [...parts, this.rangeWords].filter(Boolean).join(" \u00b7 ");
  }

  /** The range of times in words; null for all times. */
  get rangeWords() {
    if (!this.range) return null;
    const [since, until] = this.range;
    return until === Infinity ? `from ${clock(since)}` : since === -Infinity ? `before ${clock(until)}` : `${clock(since)} to ${clock(until)}`;
  }

  /** Parts that are set, and the time that the range is about, for the query of the address. */
  get parameters() {
    const [since, until] = this.range ?? [-Infinity, Infinity];
    const times = [["since", since], ["until", until]].filter(([, time]) => Number.isFinite(time));
    return [...Filter.names.filter((name) => this[name]).map((name) => [name, this[name]]), ...times, ...(Filter.basis === "time" ? [["by", "time"]] : [])];
  }
}
