// Filter of the event list: every part that is set must match. Part of the address, so that a view can be shared.

import { brief, clock, visible } from "./Words.js";

export class Filter {
  static prepared = 0;
  /** Time of an event that a range is about: "received" or "time". */
  static basis = "received";
  static names = ["text", "name", "session", "user", "status", "code", "request"];

  constructor(values = {}) {
    // Escapes as displayed: the fields of the form then never contain invisible characters.
    for (const name of Filter.names) this[name] = visible(values[name] ?? "");
    /** Milliseconds, end excluded; null for all times. */
    this.range = null;
    this.prepare();
  }

  /** Updates the expressions. Required after a change. */
  prepare() {
    /** Differs between any two contents of a filter. */
    this.version = ++Filter.prepared;
    this.textTest = Filter.expression(this.text);
    this.nameTest = Filter.expression(this.name);
    this.sessionTest = Filter.expression(this.session);
    this.userTest = Filter.expression(this.user);
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

  /** True if the event matches, apart from its time: the chart includes the times outside the range. */
  matches(event) {
    if (this.status && event.isBad !== (this.status === "bad")) return false;
    if (this.code && !event.codes.includes(this.code)) return false;
    if (this.request && event.request !== this.request) return false;
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
    if (event.testedBy !== this.version) {
      event.testedBy = this.version;
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
    const parts = this.parameters.map(([name, value]) => `${name === "text" ? "search" : name} ${brief(value, 40)}`);
    if (this.range) parts.push(`${clock(this.range[0])} to ${clock(this.range[1])}`);
    return parts.join(" \u00b7 ");
  }

  /** Parts that are set, for the query of the address. */
  get parameters() {
    return Filter.names.filter((name) => this[name]).map((name) => [name, this[name]]);
  }
}
