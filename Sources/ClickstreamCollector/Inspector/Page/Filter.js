// Which events are shown: all that fit every part that is set. Also kept in the address, so that a view can be sent on.

class Filter {
  static names = ["text", "name", "session", "user", "status", "code", "request"];

  constructor(values = {}) {
    for (const name of Filter.names) this[name] = values[name] ?? "";
    /** Milliseconds, the end excluded; null for all times. */
    this.range = null;
    this.prepare();
  }

  /** To be called after a change. */
  prepare() {
    const expression = (text) => (text ? new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i") : null);
    this.textTest = expression(this.text);
    this.nameTest = expression(this.name);
    this.sessionTest = expression(this.session);
    this.userTest = expression(this.user);
  }

  get isEmpty() {
    return Filter.names.every((name) => !this[name]) && !this.range;
  }

  /** Whether an event fits, its time apart: the chart shows what the time leaves out too. */
  fits(event) {
    if (this.status && event.isBad !== (this.status === "bad")) return false;
    if (this.code && !event.codes.includes(this.code)) return false;
    if (this.request && event.request !== this.request) return false;
    if (this.nameTest && !(event.name && this.nameTest.test(event.name))) return false;
    if (this.sessionTest && !(event.session && this.sessionTest.test(event.session))) return false;
    if (this.userTest && !((event.user && this.userTest.test(event.user)) || (event.unique && this.userTest.test(event.unique)))) return false;
    return !this.textTest || this.textTest.test(event.text);
  }

  isWithin(time) {
    return !this.range || (time >= this.range[0] && time < this.range[1]);
  }

  write() {
    return new URLSearchParams(Filter.names.filter((name) => this[name]).map((name) => [name, this[name]])).toString();
  }
}
