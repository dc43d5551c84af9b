// Chart of good and bad events over time. Each bar is a button that filters by its time; dragging selects several.

import { button, make, put, setText } from "./Element.js";
import { Filter } from "./Filter.js";
import { limited } from "./PageOutline.js";
import { moveFocus, setTabStop } from "./RovingFocus.js";
import { clock, number, span } from "./Words.js";

const steps = [1, 2, 5, 10, 20, 50, 100, 250, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 9e5, 18e5, 36e5, 72e5, 108e5, 216e5, 432e5,
  864e5, 1728e5, 6048e5, 2592e6, 7776e6];

/** Bars below which empty ones are added. */
const fewestBins = 24;

export class Histogram {
  /** @param options `choose(range)`, `turn(basis)`; the basis is "received" or "time" */
  constructor(host, options) {
    this.options = options;
    this.bins = [];
    /** Bar at which a pointer is pressed. */
    this.held = null;
    this.group = make("div.bins", { role: "group", "aria-label": "Events over time: each bar filters by its time", onkeydown: (event) => moveFocus(event, this.bins.slice(0, this.size)) });
    this.peak = make("span.peak");
    this.from = make("span");
    this.to = make("span");
    this.turn = make("select", { "aria-label": "Time axis", onchange: (event) => options.turn(event.target.value) },
      make("option", { value: "received" }, "by time of receipt"), make("option", { value: "time" }, "by event time"));
    put(host, this.group, make("div.axis", this.from, make("span", this.turn, this.peak), this.to));
    window.addEventListener("pointerup", () => { this.held = null; });
  }

  show(events, range) {
    this.turn.value = Filter.basis;
    let low = Infinity, high = -Infinity;
    for (const event of events) {
      const time = Filter.timeOf(event);
      if (time < low) low = time;
      if (time > high) high = time;
    }
    if (!events.length) low = high = Date.now();
    const capacity = limited(Math.floor(this.group.clientWidth / 11), 12, 90);
    const step = steps.find((step) => Math.floor(high / step) - Math.floor(low / step) < capacity) ?? steps.at(-1);
    // From the first event to the last. A few bars would be too wide, so empty ones precede them.
    const needed = Math.floor(high / step) - Math.floor(low / step) + 1;
    const size = Math.min(capacity, Math.max(needed, fewestBins));
    const start = (Math.floor(high / step) - size + 1) * step;
    const good = new Array(size).fill(0), bad = new Array(size).fill(0);
    for (const event of events) (event.isBad ? bad : good)[limited(Math.floor((Filter.timeOf(event) - start) / step), 0, size - 1)]++;
    const peak = Math.max(1, ...good.map((n, index) => n + bad[index]));
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
    }
    setTabStop(this.bins, focused ?? this.bins.find((bin) => bin.getAttribute("aria-pressed") === "true" && bin.isConnected) ?? this.bins[0]);
    this.size = size;
    setText(this.peak, events.length ? `peak ${number(peak)} in ${span(step)}` : "");
    setText(this.from, events.length ? clock(start) : "");
    setText(this.to, events.length ? clock(start + size * step) : "");
  }

  bin(index) {
    return button([make("span.bad"), make("span.good")], (event) => {
      if (this.dragged) { this.dragged = false; return; }
      this.choose(event.shiftKey && this.anchor !== undefined ? this.anchor : index, index);
    }, {
      class: "bin",
      onpointerdown: () => { this.held = index; },
      onpointerup: () => { if (this.held !== null && this.held !== index) { this.dragged = true; this.choose(this.held, index); } },
    });
  }

  choose(first, last) {
    this.anchor = first;
    const [low, high] = [Math.min(first, last), Math.max(first, last)];
    this.options.choose([this.start + low * this.step, this.start + (high + 1) * this.step]);
  }
}
