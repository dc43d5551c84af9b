// Requests: order of the bundles, hash, compression, clock skew, and the body in readable form.

import { BundleOrder } from "./BundleOrder.js";
import { readText } from "./Collector.js";
import { $, make, setTitle } from "./Element.js";
import { wait } from "./Feed.js";
import { inspector, openView, touch } from "./Page.js";
import { formatOf, formats, hashWord, RequestPanel, unitText } from "./RequestPanel.js";
import { saved } from "./Saved.js";
import { View } from "./View.js";
import { VirtualList } from "./VirtualList.js";
import { brief, bytes, clock, count, hue, number, span } from "./Words.js";

const maxRequests = 20000;
/** Milliseconds between two readings of the requests that the stream does not have. */
const pause = 1000;
/** Lists whose requests the stream does not have. */
const otherLists = new Set(formats.slice(1).map(({ list }) => list));

/** Choices of requests: their text, and the condition. */
const remarks = {
  any: { text: "with remarks", has: (request) => request.remarks.length > 0 },
  unreadable: { text: "unreadable", has: ({ status }) => status === "bad" },
  duplicates: { text: "with duplicates", has: ({ duplicates }) => duplicates > 0 },
};

export class Requests extends View {
  usesFilter = false;
  drawsAtOnce = true;
  rows = [];
  order = new BundleOrder();
  /** By list, the position of the last page that was read, and the ids of its requests. */
  pages = new Map();

  constructor() {
    super("requests", "request", { form: [["", "all formats"], ...formats.map(({ name, title }) => [name, title])], remark: [["", "all requests"], ...Object.entries(remarks).map(([value, { text }]) => [value, text])] });
    this.panel = new RequestPanel($("request-panel"), () => this.closePanel());
    /** Text of a column that only the library's own format has. */
    const own = (text) => (request) => (request.format === formats[0] ? text(request) : "\u2013");
    this.list = new VirtualList($("request-list"), {
      label: "Requests", row: "request-row", follows: true, select: (request) => this.panel.show(request),
      severity: ({ status }) => (status === "bad" ? "bad" : ""),
      columns: [
        { cell: "span.time", head: "time", text: (request) => clock(request.received_at) },
        { cell: "span.sign" },
        { cell: "span.number", head: "bundle", text: (request) => String(request.event_bundle_sequence_id ?? "\u2013") },
        { cell: "span", head: "app", text: own(({ appId, platform }) => `${brief(appId ?? "\u2013", 40)} \u00b7 ${brief(platform ?? "\u2013", 20)}`) },
        { cell: "span.device", head: "device", parts: ["span.dot", "span"], text: ({ device }) => (device ? [hue(device), brief(device, 8)] : ["transparent", "\u2013"]) },
        { cell: "span.number", head: "events", text: ({ events, bad_events: bad }) => `${number(events)}${bad ? `, ${number(bad)} bad` : ""}` },
        { cell: "span", head: "size", text: ({ encoded_bytes: size, ratio }) => `${bytes(size)}${ratio ? ` \u00b7 ${ratio.toFixed(1)}x` : ""}` },
        { cell: "span", head: "hash", text: own(hashWord) },
        { cell: "span.number", head: "clock", text: (request) => (request.clock_skew_ms === null || unitText(request) ? "\u2013" : span(request.clock_skew_ms)) },
        { cell: "span.form", head: "format", text: ({ format }) => format.title },
        { cell: "span.remarks", head: "remarks", text: ({ remarks }) => remarks.join(", ") },
      ],
      decorate: (row, { hash_matches: isIntact, remarks }) => {
        if (isIntact === false) row.classList.add("bad");
        setTitle(row, remarks.join(", "));
      },
    });
    this.lists = [this.list];
  }

  // MARK: Input

  /** Reads the requests of other formats, which the stream does not have, as long as the view is shown. */
  async poll() {
    if (this.isPolling || saved) return;
    this.isPolling = true;
    while (inspector.view === this.name) {
      try {
        if (await this.read()) touch();
      } catch {
        // The feed reports a lost connection.
      }
      await wait(pause);
    }
    this.isPolling = false;
  }

  /** Reads the requests of other formats that have arrived since the last reading; returns true if there are some. */
  async read() {
    const { order } = this, pages = new Map(this.pages), fresh = [];
    for (const list of otherLists) {
      let found = [];
      for (let hasMore = true; hasMore; ) {
        const { cursor, known } = pages.get(list) ?? { cursor: 0, known: new Set() };
        const { requests, next } = JSON.parse(await readText(`/api/${list}/requests?limit=1000&cursor=${cursor}`));
        // After a reset, these are no longer in the store.
        if (this.order !== order) return false;
        found = [...found, ...requests.filter(({ rid }) => !known.has(rid))].slice(-maxRequests);
        hasMore = next !== null;
        pages.set(list, hasMore ? { cursor: next, known: new Set() } : { cursor, known: new Set(requests.map(({ rid }) => rid)) });
      }
      fresh.push(...found);
    }
    this.pages = pages;
    this.add(fresh, new Map());
    return fresh.length > 0;
  }

  /** Adds requests in the order of their arrival. @param senders device by request id, for the requests with stored events */
  add(rows, senders) {
    let isSorted = true;
    for (const request of rows) {
      request.format = formatOf(request);
      request.sender ??= senders.get(request.rid) ?? null;
      // Between the requests of a saved file, there may have been others.
      if (!saved) request.remarks = this.remarks(request, request.sender);
      senders.delete(request.rid);
      isSorted &&= !(this.rows.at(-1)?.received_at > request.received_at);
      this.rows.push(request);
    }
    // Those of the stream and of each list arrive apart.
    if (!isSorted) this.rows.sort((a, b) => a.received_at - b.received_at);
    if (this.rows.length > maxRequests * 1.1) this.rows.splice(0, this.rows.length - maxRequests);
  }

  /** Adds requests before those of the stream. The remarks depend on the order of all, and are made and shown again. */
  prepend(rows, senders) {
    const known = new Set(this.rows.map(({ rid }) => rid));
    const older = rows.filter(({ rid }) => !known.has(rid));
    if (!older.length) return;
    this.list.keepRow();
    const all = [...older, ...this.rows];
    this.rows = [];
    // The same object: a reading of other requests goes on.
    Object.assign(this.order, new BundleOrder());
    this.add(all, senders);
    this.list.refresh();
  }

  remarks(request, sender) {
    return [
      request.reason && `unreadable: ${request.reason}`,
      request.app_id_missing && "no appId (403 on AWS)",
      request.hash_matches === false && "hash mismatch",
      unitText(request) ?? (Math.abs(request.clock_skew_ms ?? 0) > 60000 && "clock skew over 1 min"),
      ...this.order.remarks(request, sender),
      request.duplicates > 0 && count(request.duplicates, "duplicate"),
    ].filter(Boolean);
  }

  reset() {
    Object.assign(this, { rows: [], order: new BundleOrder(), pages: new Map() });
    super.reset();
  }

  // MARK: Drawing

  show() {
    const { form, remark } = this.values, { rid } = this.panel;
    const shown = !form && !remark ? this.rows : this.rows.filter((request) => (!form || request.format.name === form) && (!remark || remarks[remark].has(request)));
    this.list.show(shown);
    this.showState(shown.length, "request", [make("p", this.rows.length ? `No request ${remark ? `${remarks[remark].text} ` : ""}${form ? "of this format " : ""}yet.` : saved ? "This file has no request." : "No request yet.")]);
    // The row of a request that was opened by its id.
    const opened = rid && rid !== this.list.selected?.rid && shown.find((request) => request.rid === rid);
    if (opened) {
      this.list.follows = false;
      this.list.choose(opened);
    }
    this.poll();
  }

  /** State of the connection. The filter does not apply to requests. */
  stateParts(noun) {
    return inspector.events.length || inspector.connection.name === "live" ? null : super.stateParts(noun);
  }

  // MARK: Selection

  /** Opens a request, and selects its row as soon as the list has it. */
  openId(rid) {
    openView(this.name);
    this.panel.show({ rid });
  }

  /** Sets the format, and opens or closes a request, from an address. */
  choose(values) {
    super.choose(values);
    const { rid } = values;
    if (!/^[0-9a-f]{32}$/i.test(rid ?? "")) super.reset();
    else if (rid !== this.panel.rid) this.panel.show({ rid });
  }

  /** Format and open request, for the address. */
  get parameters() {
    return [...super.parameters, ["rid", this.panel.rid]].filter(([, value]) => value);
  }
}
