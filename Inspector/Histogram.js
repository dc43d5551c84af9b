// Chart of good and bad events over time. Each bar is a button that filters by its time; dragging selects several.

import { make, put, setText } from "./Element.js";
import { clock, number, span } from "./Words.js";

const steps = [1, 2, 5, 10, 20, 50, 100, 250, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 9e5, 18e5, 36e5, 72e5, 108e5, 216e5, 432e5,
  864e5, 1728e5, 6048e5, 2592e6, 7776e6];

/** Bars below which empty ones are added. */
const fewestBins = 24;

export class Histogram {
  /** @param options `choose(range)`, `turn(basis)`; the basis is "received" or "time" */
  constructor(host, options) {
    this.options = options;
    this.basis = "received";
    this.bins = [];
    this.group = make("div.bins", { role: "group", "aria-label": "Events over time: each bar filters by its time", onkeydown: (event) => this.key(event) });
    this.peak = make("span.peak");
    this.from = make("span");
    this.to = make("span");
    this.turn = make("select", { "aria-label": "Time axis", onchange: () => this.turned(this.turn.value) },
      make("option", { value: "received" }, "by time of receipt"), make("option", { value: "time" }, "by event time"));
    put(host, this.group, make("div.axis", this.from, make("span", this.turn, this.peak), this.to));
    window.addEventListener("pointerup", () => { this.held = null; });
  }

  turned(basis) {
    this.basis = basis;
    this.turn.value = basis;
    this.options.turn();
  }

  timeOf(event) {
    // A clock that is years off would compress all other events into one bar.
    return this.basis === "time" && Math.abs(event.time - event.received) < 366 * 864e5 ? event.time : event.received;
  }

  show(events, range) {
    let low = Infinity, high = -Infinity;
    for (const event of events) {
      const time = this.timeOf(event);
      if (time < low) low = time;
      if (time > high) high = time;
    }
    if (!events.length) low = high = Date.now();
    const width = this.group.clientWidth;
    const room = Math.max(12, Math.min(90, Math.floor(width / 11)));
    const step = steps.find((step) => Math.floor(high / step) - Math.floor(low / step) < room) ?? steps.at(-1);
    // From the first event to the last. A few bars would be too wide, so empty ones precede them.
    const needed = Math.floor(high / step) - Math.floor(low / step) + 1;
    const size = Math.min(room, Math.max(needed, Math.min(room, fewestBins)));
    const start = (Math.floor(high / step) - size + 1) * step;
    const good = new Array(size).fill(0), bad = new Array(size).fill(0);
    for (const event of events) (event.isBad ? bad : good)[Math.max(0, Math.min(size - 1, Math.floor((this.timeOf(event) - start) / step)))]++;
    let peak = 1;
    for (let i = 0; i < size; i++) peak = Math.max(peak, good[i] + bad[i]);
    this.start = start;
    this.step = step;

    while (this.bins.length < size) this.bins.push(this.bin(this.bins.length));
    const focused = this.bins.find((bin) => bin === document.activeElement);
    for (let i = 0; i < this.bins.length; i++) {
      const bin = this.bins[i];
      if (i >= size) { bin.remove(); continue; }
      if (!bin.isConnected) this.group.append(bin);
      const [badPart, goodPart] = bin.children;
      const height = (n) => `${n ? Math.max(2, Math.round((n / peak) * 52)) : 0}px`;
      badPart.style.height = height(bad[i]);
      goodPart.style.height = height(good[i]);
      const from = start + i * step;
      const label = `${clock(from)} to ${clock(from + step)}: ${number(good[i])} good, ${number(bad[i])} bad`;
      if (bin.title !== label) { bin.title = label; bin.setAttribute("aria-label", label); }
      const isIn = range ? from < range[1] && from + step > range[0] : false;
      bin.classList.toggle("out", Boolean(range) && !isIn);
      bin.setAttribute("aria-pressed", isIn);
      bin.tabIndex = -1;
    }
    (focused ?? this.bins.find((bin) => bin.getAttribute("aria-pressed") === "true" && bin.isConnected) ?? this.bins[0]).tabIndex = 0;
    this.size = size;
    setText(this.peak, events.length ? `peak ${number(peak)} in ${span(step)}` : "");
    setText(this.from, events.length ? clock(start) : "");
    setText(this.to, events.length ? clock(start + size * step) : "");
  }

  bin(index) {
    const bin = make("button.bin", { type: "button" }, make("span.bad"), make("span.good"));
    bin.addEventListener("pointerdown", () => { this.held = index; });
    bin.addEventListener("pointerup", () => { if (this.held !== null && this.held !== undefined && this.held !== index) { this.dragged = true; this.choose(this.held, index); } });
    bin.addEventListener("click", (event) => {
      if (this.dragged) { this.dragged = false; return; }
      if (event.shiftKey && this.anchor !== undefined) this.choose(this.anchor, index);
      else this.choose(index, index);
    });
    return bin;
  }

  choose(first, last) {
    this.anchor = first;
    const [low, high] = [Math.min(first, last), Math.max(first, last)];
    this.options.choose([this.start + low * this.step, this.start + (high + 1) * this.step]);
  }

  key(event) {
    const at = this.bins.indexOf(document.activeElement);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: this.size - 1 }[event.key];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    const next = this.bins[Math.max(0, Math.min(this.size - 1, to))];
    this.bins[at].tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }
}
