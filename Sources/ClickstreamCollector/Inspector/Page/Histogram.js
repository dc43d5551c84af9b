// Good and bad over time, a bar a moment. Each bar is a button: it filters by its time; dragging takes several.

const steps = [10, 20, 50, 100, 250, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 9e5, 18e5, 36e5, 72e5, 108e5, 216e5, 432e5,
  864e5, 1728e5, 6048e5, 2592e6, 7776e6];

class Histogram {
  /** @param options `choose(range)`, `turn(basis)`; the basis is "received" or "time" */
  constructor(host, options) {
    this.options = options;
    this.basis = "received";
    this.bins = [];
    this.group = make("div.bins", { role: "group", "aria-label": "Events over time: choose a bar to filter by its time", onkeydown: (event) => this.key(event) });
    this.peak = make("span.peak");
    this.from = make("span");
    this.to = make("span");
    this.turn = make("select", { "aria-label": "Time of the chart", onchange: () => this.turned(this.turn.value) },
      make("option", { value: "received" }, "when it arrived"), make("option", { value: "time" }, "when it happened"));
    put(host, this.peak, this.group, make("div.axis", this.from, this.turn, this.to));
    window.addEventListener("pointerup", () => { this.held = null; });
  }

  turned(basis) {
    this.basis = basis;
    this.turn.value = basis;
    this.options.turn();
  }

  timeOf(event) {
    // A clock that is years off would make one bar of everything else.
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
    const step = steps.find((step) => (high - low) / step <= room - 1) ?? steps.at(-1);
    // The newest at the right edge, whatever room there is before it left empty.
    const size = room;
    const start = (Math.floor(high / step) - room + 1) * step;
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
      const share = (n) => `${n ? Math.max(2, Math.round((n / peak) * 52)) : 0}px`;
      badPart.style.height = share(bad[i]);
      goodPart.style.height = share(good[i]);
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
    say(this.peak, events.length ? `${number(peak)} in ${span(step)}` : "");
    say(this.from, events.length ? clock(start) : "");
    say(this.to, events.length ? clock(start + size * step) : "");
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
