// What comes in: reads /api/stream from where the page left off, and comes back when the connection is lost. It is read
// with fetch rather than EventSource because a reader that is slow then slows the stream, and nothing piles up.

/** Events that the page keeps; older ones are in the collector still. */
const most = 100000;
/** Milliseconds of work after which the page gets its turn. */
const slice = 8;
/** Milliseconds of silence (the collector sends a sign of life more often) after which a connection counts as lost. */
const silence = 45000;

const breath = () => (globalThis.scheduler?.yield ? scheduler.yield() : new Promise((go) => setTimeout(go)));
const wait = (milliseconds) => new Promise((go) => setTimeout(go, milliseconds));

class Feed {
  /** @param hear told of `events(texts)`, `requests(rows)`, `reset()`, `skip()`, `state(name, detail)` */
  constructor(hear) {
    this.hear = hear;
    this.place = null;
    this.texts = [];
    this.rows = [];
    this.checked = 0;
    this.newest = Date.now();
    window.addEventListener("online", () => this.wake?.());
  }

  async run() {
    for (let failures = 0; ; failures++) {
      const stop = new AbortController();
      try {
        this.place ??= await this.start();
        const response = await fetch(`/api/stream?last_event_id=${this.place}`, { cache: "no-store", signal: stop.signal });
        if (!response.ok) throw new Error(`status ${response.status}`);
        this.hear.state("live");
        failures = 0;
        if (await this.read(response.body.getReader(), stop) === "skip") {
          stop.abort();
          this.hear.skip();
          continue;
        }
      } catch {
        // Whatever it was, the way back is the same.
      }
      const pause = Math.min(5000, 250 * 2 ** failures);
      this.hear.state("lost", pause);
      await Promise.race([wait(pause), new Promise((go) => { this.wake = go; })]);
    }
  }

  /** Gives the end of the connection, or "skip" when so much has piled up in the collector that it is better not read. */
  async read(reader, stop) {
    const decoder = new TextDecoder();
    let rest = "";
    for (;;) {
      const watch = setTimeout(() => stop.abort(), silence);
      const { done, value } = await reader.read().finally(() => clearTimeout(watch));
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      let began = performance.now();
      let at = 0;
      for (let end; (end = rest.indexOf("\n\n", at)) >= 0; at = end + 2) {
        this.take(rest.slice(at, end));
        if (performance.now() - began > slice) {
          this.deliver();
          await breath();
          if (await this.isFarBehind()) return "skip";
          began = performance.now();
        }
      }
      rest = rest.slice(at);
      this.deliver();
    }
  }

  /** One frame: lines `id: 7`, `event: event`, `data: ...`. */
  take(frame) {
    let kind = "", data = "";
    for (const line of frame.split("\n")) {
      if (line.startsWith("data: ")) data = line.slice(6);
      else if (line.startsWith("event: ")) kind = line.slice(7);
      else if (line.startsWith("id: ")) this.place = line.slice(4);
    }
    if (kind === "event") {
      this.texts.push(data);
      // The element ends with it; no need to read all of it here.
      this.newest = Number(data.slice(data.lastIndexOf(":") + 1, -1));
    }
    if (kind === "request") this.rows.push(JSON.parse(data));
    else if (kind === "reset") {
      this.texts = [];
      this.rows = [];
      this.hear.reset();
    }
  }

  /** Whether what is read now is old, and more has come since than the page keeps: then on with the newest. */
  async isFarBehind() {
    const now = performance.now();
    if (now - this.checked < 10000 || Date.now() - this.newest < 5000) return false;
    this.checked = now;
    const start = await this.start();
    if (start - this.place < most) return false;
    this.place = start;
    return true;
  }

  deliver() {
    if (this.texts.length) this.hear.events(this.texts.splice(0));
    if (this.rows.length) this.hear.requests(this.rows.splice(0));
  }

  /** Where the newest `most` events begin, more or less: a large store is not read from its start. */
  async start() {
    const ask = async (path) => {
      const response = await fetch(path, { cache: "no-store" });
      if (!response.ok) throw new Error(`status ${response.status}`);
      return response.json();
    };
    const { events, requests } = await ask("/api/summary");
    if (events <= most) return 0;
    const isBefore = async (place) => (await ask(`/api/events?limit=1&cursor=${place}`)).events.length > 0;
    let low = events, high = (events + requests) * 2;
    while (await isBefore(high)) { low = high; high *= 2; }
    while (high - low > most / 20) {
      const middle = Math.floor((low + high) / 2);
      if (await isBefore(middle)) low = middle;
      else high = middle;
    }
    return Math.max(0, low - most);
  }
}
