// Reader of /api/stream, which continues where the page left off and reconnects. It uses fetch rather than EventSource:
// a slow page then slows its stream by backpressure, and nothing accumulates. The stream of a new page begins with a few of the newest
// events of each list, which are shown at once. Those before them are read apart.

import { messageOf, readText, sendRequest } from "./Collector.js";
import { windows } from "./Retention.js";
import { saved } from "./Saved.js";

/** Bytes of an event after which the stream has an excerpt of it. The whole event is read when it is opened. */
export const excerptBytes = 65536;
/** Milliseconds of work after which the browser gets to draw. */
export const slice = 8;
/** Milliseconds without a byte, heartbeats included, after which a connection counts as lost. */
const silence = 45000;

const yieldToBrowser = () => (globalThis.scheduler?.yield ? scheduler.yield() : new Promise((resume) => setTimeout(resume)));
export const wait = (milliseconds) => new Promise((resume) => setTimeout(resume, milliseconds));

/** List of the events in a frame, by the kind of the frame. */
const lists = { event: "events", captured: "captured", audit: "audit" };

/** A number of each window, by the names of their lists. */
const numbersOf = (value) => Object.fromEntries(Object.entries(windows).map(([list, retention]) => [list, value(retention)]));

/** A frame, with lines such as `id: 7`, `event: event`, `data: ...`, or a heartbeat, which is a comment. */
function frameOf(text) {
  const frame = { kind: text.startsWith(":") ? "heartbeat" : "", data: "", id: null };
  for (const line of text.split("\n")) {
    if (line.startsWith("data: ")) frame.data = line.slice(6);
    else if (line.startsWith("event: ")) frame.kind = line.slice(7);
    else if (line.startsWith("id: ")) frame.id = Number(line.slice(4));
  }
  return frame;
}

/** Stream after a position, with at most a number of the newest events of each list. */
const streamPath = (position, newest) =>
  `/api/stream?${new URLSearchParams([["last_event_id", position], ["event_bytes", excerptBytes], ...Object.entries(newest).map(([list, number]) => [`newest_${list}`, number])])}`;

/**
 * Reads frames until the stream ends or `take(frame)` returns true. Calls `pause()` after each slice of work and at the end of what
 * has arrived.
 */
async function readFrames(path, stop, opened, take, pause) {
  const response = await sendRequest(path, { signal: stop.signal });
  if (!response.ok) throw new Error(await messageOf(response));
  opened();
  const reader = response.body.getReader(), decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const watch = setTimeout(() => stop.abort(), silence);
    const { done, value } = await reader.read().finally(() => clearTimeout(watch));
    if (done) return;
    rest += decoder.decode(value, { stream: true });
    let began = performance.now();
    let at = 0;
    for (let end; (end = rest.indexOf("\n\n", at)) >= 0; at = end + 2) {
      if (take(frameOf(rest.slice(at, end)))) return stop.abort();
      if (performance.now() - began > slice) {
        if (await pause(true)) return stop.abort();
        await yieldToBrowser();
        began = performance.now();
      }
    }
    rest = rest.slice(at);
    await pause(false);
  }
}

export class Feed {
  /** @param handlers `events(list, [{ text, sequence }])`, `omitted(positions)`, `requests(rows)`, `reset()`, `skip()`, `state(name, { pause, reason })` */
  constructor(handlers) {
    this.handlers = handlers;
    this.position = 0;
    /** Numbers of events of each list with which the stream began, and of those that it has not delivered yet. */
    this.newest = this.awaited = numbersOf(() => 0);
    this.clear();
    this.checked = 0;
    this.received = Date.now();
    window.addEventListener("online", () => this.retry());
  }

  clear() {
    this.events = { events: [], captured: [], audit: [] };
    this.rows = [];
  }

  /** Ends the pause before the next connection. */
  retry() {
    this.wake?.();
  }

  async run() {
    if (saved) return this.open(saved);
    for (let failures = 0; ; failures++) {
      let reason = "the collector ended the stream", isSkipped = false;
      try {
        // A page that has lost its connection continues where it left off: its events and the next ones have no gap between them.
        this.newest = numbersOf(({ first, capacity }) => (this.position === 0 ? first : capacity));
        const opened = () => { this.handlers.state("live", {}); failures = 0; };
        await readFrames(streamPath(this.position, this.newest), new AbortController(), opened, (frame) => this.take(frame), async (isBusy) => {
          this.deliver();
          return isBusy && (isSkipped = await this.isFarBehind());
        });
      } catch (error) {
        // Every failure is followed by another connection.
        reason = error instanceof TypeError ? "no connection" : error.message;
      }
      if (isSkipped) { this.handlers.skip(); continue; }
      const pause = Math.min(5000, 250 * 2 ** failures);
      this.handlers.state("lost", { pause, reason });
      await Promise.race([wait(pause), new Promise((resume) => { this.wake = resume; })]);
    }
  }

  /** Delivers the rows of a saved file, in parts between which the browser gets to draw. */
  async open({ lists, requests }) {
    this.opened = lists;
    for (const [list, { rows }] of Object.entries(lists)) {
      for (let at = 0; at < rows.length; at += 500) {
        this.handlers.events(list, rows.slice(at, at + 500).map((text) => ({ text })));
        await yieldToBrowser();
        // Another file was opened meanwhile.
        if (this.opened !== lists) return;
      }
    }
    this.handlers.requests(structuredClone(requests));
    this.handlers.state("saved", {});
  }

  take({ kind, data, id }) {
    // A stream from the beginning of a store that was emptied before begins with a reset. The page has nothing to forget then.
    const isFirst = this.position === 0;
    if (id !== null) this.position = id;
    if (kind in lists) {
      this.events[lists[kind]].push({ text: data, sequence: id });
      this.awaited[lists[kind]]--;
      // received_at is the last member of the element of an event.
      if (kind === "event") this.received = Number(data.slice(data.lastIndexOf(":") + 1, -1));
    } else if (kind === "request") {
      this.rows.push(JSON.parse(data));
    } else if (kind === "omitted") {
      const positions = JSON.parse(data);
      for (const list of Object.keys(positions)) this.awaited[list] = this.newest[list];
      this.handlers.omitted(positions);
    } else if (kind === "reset" && !isFirst) {
      this.clear();
      this.awaited = numbersOf(() => 0);
      this.handlers.reset();
    }
  }

  deliver() {
    const { events, rows } = this;
    this.clear();
    for (const [list, taken] of Object.entries(events)) if (taken.length) this.handlers.events(list, taken);
    if (rows.length) this.handlers.requests(rows);
  }

  /** True if the stream has delivered the events of a list with which it began. */
  hasBegun(list) {
    return !(this.awaited[list] > 0);
  }

  /** True if the events read now are old and more have arrived since than the page keeps. Another stream begins with the newest. */
  async isFarBehind() {
    const now = performance.now();
    if (now - this.checked < 10000 || Date.now() - this.received < 5000) return false;
    this.checked = now;
    const { last_seq: last } = JSON.parse(await readText("/api/summary"));
    return last - this.position > Object.values(windows).reduce((sum, { capacity }) => sum + capacity, 0);
  }

  /**
   * Reads the events of a list before a position that are among its newest ones. Returns what `make({ text, sequence })` makes of
   * them, without the first ones if their texts exceed a number of characters; the requests between them; and `isAll`: true if the
   * store has no older ones.
   */
  async older(list, position, newest, characters, make) {
    const found = [], requests = [];
    let first = 0, size = 0, isAll = true, isRead = false;
    const numbers = { events: 0, captured: 0, audit: 0, [list]: newest };
    const take = ({ kind, data, id }) => {
      // A heartbeat follows the last entry of the store.
      if (kind === "heartbeat" || id >= position) return (isRead = true);
      if (kind === "omitted" && list in JSON.parse(data)) isAll = false;
      if (kind === "request") requests.push(JSON.parse(data));
      if (lists[kind] !== list) return false;
      for (const event of make({ text: data, sequence: id })) {
        found.push(event);
        size += event.text.length;
      }
      for (; size > characters && first < found.length - 1; first++) {
        size -= found[first].text.length;
        found[first] = null;
      }
      return false;
    };
    await readFrames(streamPath(0, numbers), new AbortController(), () => {}, take, async () => false);
    // Otherwise there would be a gap between these events and the position.
    if (!isRead) throw new Error("the collector ended the stream");
    return { events: found.slice(first), requests, isAll: isAll && first === 0 };
  }
}
