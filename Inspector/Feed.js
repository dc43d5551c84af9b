// Reader of /api/stream, which continues where the page left off and reconnects. It uses fetch rather than EventSource:
// a slow page then slows its stream by backpressure, and nothing accumulates.

import { messageOf, readText, sendRequest } from "./Collector.js";

/** Events that the page keeps, and characters of their texts. Older events remain in the collector. */
export const mostEvents = 100000, mostText = 268435456;
/** Bytes of an event after which the stream has an excerpt of it. The whole event is read when it is opened. */
export const excerptBytes = 65536;
/** Milliseconds of work after which the browser gets to draw. */
export const slice = 8;
/** Milliseconds without a byte, heartbeats included, after which a connection counts as lost. */
const silence = 45000;

const yieldToBrowser = () => (globalThis.scheduler?.yield ? scheduler.yield() : new Promise((resume) => setTimeout(resume)));
const wait = (milliseconds) => new Promise((resume) => setTimeout(resume, milliseconds));

export class Feed {
  /** @param handlers `events([{ text, sequence }])`, `captured(texts)`, `audit(texts)`, `requests(rows)`, `reset()`, `skip()`, `state(name, { pause, reason, expected })` */
  constructor(handlers) {
    this.handlers = handlers;
    this.place = null;
    this.events = [];
    this.captured = [];
    this.audit = [];
    this.rows = [];
    this.checked = 0;
    this.newest = Date.now();
    window.addEventListener("online", () => this.retry());
  }

  /** Ends the pause before the next connection. */
  retry() {
    this.wake?.();
  }

  async run() {
    for (let failures = 0; ; failures++) {
      const stop = new AbortController();
      let reason = "the collector ended the stream";
      try {
        this.place ??= await this.start();
        const response = await sendRequest(`/api/stream?last_event_id=${this.place}&event_bytes=${excerptBytes}`, { signal: stop.signal });
        if (!response.ok) throw new Error(await messageOf(response));
        this.handlers.state("live", {});
        failures = 0;
        if (await this.read(response.body.getReader(), stop) === "skip") {
          stop.abort();
          this.handlers.skip();
          continue;
        }
      } catch (error) {
        // Every failure is followed by another connection.
        reason = error instanceof TypeError ? "no connection" : error.message;
      }
      const pause = Math.min(5000, 250 * 2 ** failures);
      this.handlers.state("lost", { pause, reason });
      await Promise.race([wait(pause), new Promise((resume) => { this.wake = resume; })]);
    }
  }

  /** Reads until the connection ends; returns "skip" if the backlog exceeds what the page keeps. */
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
          await yieldToBrowser();
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
      this.events.push({ text: data, sequence: Number(this.place) });
      // received_at is the last member of the element.
      this.newest = Number(data.slice(data.lastIndexOf(":") + 1, -1));
    }
    if (kind === "captured") this.captured.push(data);
    else if (kind === "audit") this.audit.push(data);
    else if (kind === "request") this.rows.push(JSON.parse(data));
    else if (kind === "reset") {
      this.events = [];
      this.captured = [];
      this.audit = [];
      this.rows = [];
      this.handlers.reset();
    }
  }

  /** True if the events read now are old and more have arrived since than the page keeps. Continues with the newest. */
  async isFarBehind() {
    const now = performance.now();
    if (now - this.checked < 10000 || Date.now() - this.newest < 5000) return false;
    this.checked = now;
    const start = await this.start();
    if (start - this.place < mostEvents) return false;
    this.place = start;
    return true;
  }

  deliver() {
    if (this.events.length) this.handlers.events(this.events.splice(0));
    if (this.captured.length) this.handlers.captured(this.captured.splice(0));
    if (this.audit.length) this.handlers.audit(this.audit.splice(0));
    if (this.rows.length) this.handlers.requests(this.rows.splice(0));
  }

  /** Approximate place of the newest `mostEvents` events, so that a large store is not read from its beginning. */
  async start() {
    const read = async (path) => JSON.parse(await readText(path));
    const { events, requests } = await read("/api/summary");
    this.handlers.state("loading", { expected: Math.min(events, mostEvents) });
    if (events <= mostEvents) return 0;
    const isBefore = async (place) => (await read(`/api/events?limit=1&cursor=${place}&event_bytes=${excerptBytes}`)).events.length > 0;
    let low = events, high = (events + requests) * 2;
    while (await isBefore(high)) { low = high; high *= 2; }
    while (high - low > mostEvents / 20) {
      const middle = Math.floor((low + high) / 2);
      if (await isBefore(middle)) low = middle;
      else high = middle;
    }
    return Math.max(0, low - mostEvents);
  }
}
