// Requests: order of the bundles, hash, compression, clock skew, and the body in readable form.

import { BundleOrder } from "./BundleOrder.js";
import { messageOf, readText, sendRequest } from "./Collector.js";
import { $, button, copy, fill, make, notify, put, setText, setTitle } from "./Element.js";
import { facts } from "./Facts.js";
import { inspector, touch } from "./Inspector.js";
import { positionOfError, prettyElement } from "./JSONText.js";
import { showState } from "./States.js";
import { VirtualList } from "./VirtualList.js";
import { brief, bytes, clock, count, fullTime, hue, number, span, unlistedText } from "./Words.js";

const mostRequests = 20000;
/** Milliseconds between two readings of the requests that the stream does not have. */
const pause = 1000;
/** The library's own format, in the form of the descriptions of the others. */
const clickstream = { name: "clickstream", title: "Clickstream", list: "events" };
const formatOfPath = (path) => facts.formats.find((format) => format.path === path) ?? clickstream;
/** Lists whose requests the stream does not have. */
const otherLists = [...new Set(facts.formats.map(({ list }) => list))];
/** Bytes of a body that are loaded. Only a body under Content-Encoding can be longer. */
const longestBody = 4194304;

export class Requests {
  constructor(actions) {
    this.actions = actions;
    this.rows = [];
    this.order = new BundleOrder();
    /** By list, the position of the last page that was read, and the ids of its requests. */
    this.pages = new Map();
    this.form = "";
    this.panel = $("request-panel");
    fill($("request-form"), [{ name: "", title: "all formats" }, clickstream, ...facts.formats].map(({ name, title }) => make("option", { value: name }, title)));
    $("request-form").addEventListener("change", () => { this.form = $("request-form").value; actions.changed(); touch(); });
    this.list = new VirtualList($("request-list"), {
      label: "Requests", follows: true,
      make: () => make("div.request-row", make("span.time"), make("span.sign"), make("span.number"), make("span"), make("span.device", make("span.dot"), make("span")), make("span.number"), make("span"), make("span"), make("span.number"), make("span.form"), make("span.remarks")),
      fill: (row, request) => {
        const [time, sign, bundle, app, device, events, size, hash, skew, form, remarks] = row.children;
        setText(time, clock(request.received_at));
        setText(sign, request.status === "bad" ? "!" : "");
        setText(bundle, request.event_bundle_sequence_id === null ? "\u2013" : String(request.event_bundle_sequence_id));
        const isOurs = request.format === clickstream;
        setText(app, !isOurs ? "\u2013" : `${brief(request.appId ?? "\u2013", 40)} \u00b7 ${brief(request.platform ?? "\u2013", 20)}`);
        device.firstChild.style.background = request.device ? hue(request.device) : "transparent";
        setText(device.lastChild, request.device ? brief(request.device, 8) : "\u2013");
        setText(events, `${number(request.events)}${request.bad_events ? `, ${number(request.bad_events)} bad` : ""}`);
        setText(size, `${bytes(request.encoded_bytes)}${request.ratio ? ` \u00b7 ${request.ratio.toFixed(1)}x` : ""}`);
        setText(hash, isOurs ? hashWord(request) : "\u2013");
        setText(skew, request.clock_skew_ms === null || unitText(request) ? "\u2013" : span(request.clock_skew_ms));
        setText(form, request.format.title);
        setText(remarks, request.remarks.join(", "));
        row.classList.toggle("bad", request.status === "bad" || request.hash_matches === false);
        row.classList.toggle("noted", request.remarks.length > 0);
        setTitle(row, request.remarks.join(", "));
      },
      select: (request) => this.open(request),
    });
  }

  /** Reads the requests of other formats, which the stream does not have, as long as the view is shown. */
  async poll() {
    if (this.isPolling) return;
    this.isPolling = true;
    while (inspector.view === "requests") {
      try {
        if (await this.read()) touch();
      } catch {
        // The feed reports a lost connection.
      }
      await new Promise((resume) => setTimeout(resume, pause));
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
        found = [...found, ...requests.filter(({ rid }) => !known.has(rid))].slice(-mostRequests);
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
    const last = this.rows.at(-1)?.received_at ?? -Infinity;
    for (const request of rows) {
      request.format = formatOfPath(request.path);
      request.sender = senders.get(request.rid) ?? null;
      senders.delete(request.rid);
      request.remarks = this.remarks(request);
      this.rows.push(request);
    }
    // Those of the stream and of each list arrive apart.
    if (rows.some(({ received_at: received }, index) => received < (rows[index - 1]?.received_at ?? last))) this.rows.sort((a, b) => a.received_at - b.received_at);
    if (this.rows.length > mostRequests * 1.1) this.rows.splice(0, this.rows.length - mostRequests);
  }

  reset() {
    this.rows = [];
    this.order = new BundleOrder();
    this.pages = new Map();
    this.close();
  }

  remarks(request) {
    return [
      request.reason && `unreadable: ${request.reason}`,
      request.app_id_missing && "no appId (403 on AWS)",
      request.hash_matches === false && "hash mismatch",
      unitText(request) ?? (Math.abs(request.clock_skew_ms ?? 0) > 60000 && "clock skew over 1 min"),
      ...this.order.remarks(request, request.sender),
      request.duplicates > 0 && count(request.duplicates, "duplicate"),
    ].filter(Boolean);
  }

  show(state) {
    const shown = this.form === "" ? this.rows : this.rows.filter(({ format }) => format.name === this.form);
    showState($("request-state"), shown.length ? null : state ?? [make("p", this.rows.length ? "No request of this format yet." : "No request yet.")]);
    this.list.show(shown);
    const wanted = this.wanted && shown.find(({ rid }) => rid === this.wanted);
    if (wanted) { this.list.follows = false; this.list.choose(wanted); }
    this.poll();
  }

  /** Sets the format, and opens or closes a request, from an address. */
  choose({ form, rid }) {
    const control = $("request-form");
    this.form = control.value = [...control.options].some(({ value }) => value === form) ? form : "";
    if (/^[0-9a-f]{32}$/i.test(rid ?? "")) {
      if (rid !== this.opened) this.openId(rid);
    } else {
      this.close();
    }
  }

  /** Format and open request, for the address. */
  get parameters() {
    return [["form", this.form], ["rid", this.opened ?? ""]].filter(([, value]) => value);
  }

  /** Opens a request, and selects its row as soon as the list has it. */
  async openId(id) {
    this.wanted = id;
    touch();
    await this.open({ rid: id, remarks: [] });
  }

  /** Reads a request with its body and draws it. A reading that is superseded is aborted. */
  async open({ rid, remarks, device }) {
    this.reading?.abort();
    const reading = this.reading = new AbortController();
    this.opened = rid;
    if (this.list.selected?.rid === rid) this.wanted = null;
    this.panel.hidden = false;
    const slow = setTimeout(() => this.drawMessage("Loading\u2026"), 200);
    try {
      const response = await sendRequest(`/api/requests/${encodeURIComponent(rid)}?data_bytes=${longestBody}`, { signal: reading.signal });
      if (!response.ok) throw new Error(await messageOf(response));
      const request = await response.json();
      if (this.reading === reading) await this.draw(request, remarks, device);
    } catch (error) {
      if (this.reading === reading) this.drawMessage(`The request could not be read: ${error.message}`);
    } finally {
      clearTimeout(slow);
      this.actions.changed();
    }
  }

  closeButton() {
    return button("Close", () => { this.close(); this.actions.changed(); }, { title: "Close (Esc)" });
  }

  drawMessage(text) {
    put(this.panel, make("div.panel-head", make("h2", { tabindex: -1 }, "Request"), make("div.actions", this.closeButton())), make("p.hint", text));
  }

  async draw(request, remarks, device) {
    const content = make("section.detail");
    const format = formatOfPath(request.path);
    put(this.panel,
      make("div.panel-head", make("h2", { tabindex: -1 }, `${format.title} request`), make("span.muted.mono", request.rid.slice(0, 12)),
        make(request.status === "bad" ? "span.badge.bad" : "span.badge.good", request.status),
        make("div.actions", button("Show its events", () => this.actions.only({ request: request.rid }, format.list)),
          button("Copy body", () => this.copyBody(request)), this.closeButton())),
      request.reason && make("section.violation", make("p", make("strong.mono", request.reason), " ", brief(request.detail ?? "The body could not be read.", 2000))),
      remarks.length > 0 && make("ul.remarks-list", remarks.map((remark) => make("li", remark))),
      content,
      make("h3.spaced", "Delivery"),
      this.facts(request, device),
      make("h3.spaced", "Body as sent"),
      request.data ? make("pre.body", { tabindex: 0, role: "region", "aria-label": "Body as sent" }, brief(request.data, 4000)) : make("p.hint", "The body is empty."),
      request.data?.length > 4000 && make("p.muted", `First 4,000 characters of ${bytes(request.data_bytes ?? request.data.length)}; Copy body has all of them.`));
    this.panel.scrollTop = 0;
    this.shown = request;
    await this.drawContent(request, content);
  }

  async copyBody(request) {
    try {
      const whole = request.data_cut ? JSON.parse(await readText(`/api/requests/${encodeURIComponent(request.rid)}`)) : request;
      await copy(whole.data ?? "", "Body as sent");
    } catch (error) {
      notify(`The body could not be read: ${error.message}`);
    }
  }

  facts(request, device) {
    const row = (label, value, kind = "dd.mono") => value !== null && value !== undefined && value !== "" && [make("dt", label), make(kind, value)];
    const isOurs = formatOfPath(request.path) === clickstream;
    const share = request.encoded_bytes && request.raw_bytes ? Math.min(1, request.encoded_bytes / request.raw_bytes) : 1;
    return make("dl.facts",
      row("received", fullTime(request.received_at)), row("app", brief(request.appId ?? "", 120)), row("platform", brief(request.platform ?? "", 60)),
      row("device", device && button(brief(device, 80), () => this.actions.filter({ user: device }), { class: "link mono", title: "Filter by this device" })),
      row("bundle", request.event_bundle_sequence_id), row("events", `${number(request.events)}, ${number(request.bad_events)} bad, ${count(request.duplicates, "duplicate")}`, "dd"),
      row("findings", request.unlisted_violations > 0 ? unlistedText(request.unlisted_violations) : null, "dd"),
      isOurs && row("hash", [hashWord(request), request.hash_code && make("span.muted", `  ${brief(request.hash_code, 40)}`)], "dd"),
      row("size", [`${bytes(request.encoded_bytes)} sent, ${bytes(request.raw_bytes)} of JSON`, make("span.meter", { role: "img", "aria-label": `${Math.round(share * 100)} % of the JSON's size` }, make("span", { style: { width: `${Math.max(2, share * 100)}%` } }))], "dd"),
      isOurs && row("clock", unitText(request) ?? skewText(request.clock_skew_ms), "dd"),
      row("compression", brief(request.compression ?? "", 60)), row("user agent", brief(request.ua ?? "", 300)), row("address", brief(request.ip ?? "", 120)),
      row("method", request.method), row("URI", brief(request.uri, 600)));
  }

  /** Draws the JSON text of the body, and the position of an error in it. */
  async drawContent(request, content) {
    const text = await textOfBody(request.data ?? "");
    if (this.shown !== request) return;
    if (text === null) return void put(content, make("h3", "Events"), make("p.hint", request.data ? "The body has no readable JSON." : "The body is empty."));
    const position = request.reason === "json" ? positionOfError(text) : null;
    const isPlain = text.trim() === (request.data ?? "").trim();
    put(content,
      position !== null && [make("h3", "Position of the error"), excerpt(text, position)],
      (!isPlain || position === null) && [make("h3", isPlain ? "Body" : "Body, decoded"), prettyElement(text, new Set(), "Body, decoded")]);
  }

  close() {
    this.reading?.abort();
    Object.assign(this, { reading: null, shown: null, opened: null, wanted: null });
    this.list.selected = null;
    this.list.refresh();
    this.panel.hidden = true;
    this.panel.replaceChildren();
  }
}

const longestText = 1048576;

/** JSON text that a body is, or contains in base64 and gzip; at most `longestText` characters of it. Null for any other body. */
async function textOfBody(data) {
  const body = data.trim();
  if (/^[[{]/.test(body)) return body.slice(0, longestText);
  // Base64 of the first bytes of every gzip stream.
  if (!body.startsWith("H4sI")) return null;
  let text = "";
  try {
    const packed = Uint8Array.from(atob(body), (c) => c.charCodeAt(0));
    const parts = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip")).pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await parts.read(); !part.done && text.length < longestText; part = await parts.read()) text += part.value;
    parts.cancel();
  } catch {
    // Damaged: the text up to the damage is shown.
  }
  return text === "" ? null : text.slice(0, longestText);
}

/** Text around the character at `at`, which is highlighted. */
function excerpt(text, at) {
  const wrong = String.fromCodePoint(text.codePointAt(at) ?? 32);
  return make("pre.body", { tabindex: 0, role: "region", "aria-label": "Position of the error" },
    at > 200 && "\u2026", text.slice(Math.max(0, at - 200), at), make("mark", at < text.length ? wrong : "end of the text"),
    text.slice(at + wrong.length, at + 100), at + 100 < text.length && "\u2026");
}

const hashWord = (request) => (request.hash_matches === null ? "none" : request.hash_matches ? "ok" : "mismatch");

/** Probable unit of an upload_timestamp that is not in milliseconds; null for any other. */
function unitText(request) {
  const unit = request.upload_timestamp_unit ?? null;
  if (unit === null) return null;
  return unit === "unknown" ? "upload_timestamp before 1973" : `upload_timestamp in ${unit}`;
}

/** Difference between the collector's clock and the client's, network time included. */
function skewText(skew) {
  if (skew === null) return "no upload_timestamp";
  return skew < 0 ? `${span(-skew)} ahead of the collector` : `${span(skew)} behind the collector (incl. network)`;
}
