// Detail of a request: the body in readable form, the delivery, and the body as sent.

import { messageOf, readText, sendRequest } from "./Collector.js";
import { button, copy, make, notify, put } from "./Element.js";
import { facts } from "./Facts.js";
import { positionOfError, prettyElement } from "./JSONText.js";
import { inspector, openFiltered, openOnly } from "./Page.js";
import { Panel } from "./Panel.js";
import { factsElement, linkElement, mono, panelHead } from "./Parts.js";
import { windows } from "./Retention.js";
import { brief, bytes, count, fullTime, number, span, unlistedText } from "./Words.js";

/** Formats of requests. The first one is the library's own, whose requests are part of the stream. */
export const formats = [{ name: "clickstream", title: "Clickstream", list: "events" }, ...facts.formats];
export const formatOf = ({ path }) => formats.find((format) => format.path === path) ?? formats[0];
/** Bytes of a body that are loaded. Only a body under Content-Encoding can be longer. */
const longestBody = 4194304;
/** Characters of a decoded body that are shown. */
const longestText = 1048576;

export class RequestPanel extends Panel {
  /** Id of the request that is shown or being read; null for none. */
  rid = null;

  /** @param close closes the panel */
  constructor(host, close) {
    super(host);
    this.close = close;
  }

  /** Reads a request with its body and draws it. A reading that is superseded is aborted. @param remarks, device of its row, if the list has it */
  async show({ rid, remarks = [], device = null }) {
    this.reading?.abort();
    const reading = this.reading = new AbortController();
    this.rid = rid;
    this.setOpen(true);
    const slow = setTimeout(() => this.reading === reading && this.drawMessage("Loading\u2026"), 200);
    try {
      const response = await sendRequest(`/api/requests/${encodeURIComponent(rid)}?data_bytes=${longestBody}`, { signal: reading.signal });
      if (!response.ok) throw new Error(await messageOf(response));
      const request = await response.json(), text = await textOfBody(request.data ?? "");
      if (this.reading === reading) this.draw(request, text, remarks, device);
    } catch (error) {
      if (this.reading === reading) this.drawMessage(`The request could not be read: ${error.message}`);
    } finally {
      clearTimeout(slow);
      if (this.reading === reading) inspector.changed();
    }
  }

  drawMessage(text) {
    put(this.host, panelHead("Request", null, null, this.close), make("p.hint", text));
  }

  /** @param text the decoded body; null if it has no readable JSON */
  draw(request, text, remarks, device) {
    const { title, list } = formatOf(request);
    put(this.host,
      panelHead(`${title} request`, [make("span.muted.mono", request.rid.slice(0, 12)), make(request.status === "bad" ? "span.badge.bad" : "span.badge.good", request.status)],
        [button("Show its events", () => openOnly({ request: request.rid }, list)), request.data !== undefined && button("Copy body", () => this.copyBody(request))], this.close),
      request.reason && make("section.violation", make("p", make("strong.mono", request.reason), " ", brief(request.detail ?? "The body could not be read.", 2000))),
      remarks.length > 0 && make("ul.remarks-list", remarks.map((remark) => make("li", remark))),
      make("section.detail", this.content(request, text)),
      make("h3.spaced", "Delivery"),
      this.facts(request, device),
      make("h3.spaced", "Body as sent"),
      request.data ? make("pre.body", { tabindex: 0, role: "region", "aria-label": "Body as sent" }, brief(request.data, 4000)) : make("p.hint", noBody(request.data)),
      request.data?.length > 4000 && make("p.muted", `First 4,000 characters of ${bytes(request.data_bytes ?? request.data.length)}; Copy body has all of them.`));
    this.host.scrollTop = 0;
  }

  /** The JSON text of the body, and the position of an error in it. */
  content({ data, reason }, text) {
    if (text === null) return [make("h3", "Events"), make("p.hint", data ? "The body has no readable JSON." : noBody(data))];
    const position = reason === "json" ? positionOfError(text) : null;
    const isPlain = text.trim() === data.trim();
    return [
      position !== null && [make("h3", "Position of the error"), excerpt(text, position)],
      (!isPlain || position === null) && [make("h3", isPlain ? "Body" : "Body, decoded"), prettyElement(text, new Set(), "Body, decoded")],
    ];
  }

  facts(request, device) {
    const isOurs = formatOf(request).list === "events";
    const share = request.encoded_bytes && request.raw_bytes ? Math.min(1, request.encoded_bytes / request.raw_bytes) : 1;
    return factsElement([
      ["received", mono(fullTime(request.received_at))],
      ["app", mono(request.appId)],
      ["platform", mono(request.platform, 60)],
      ["device", linkElement(device, "Filter by this device", () => openFiltered(windows.events.events.some((event) => event.device === device) ? { device } : { user: device }))],
      ["bundle", mono(request.event_bundle_sequence_id)],
      ["events", `${number(request.events)}, ${number(request.bad_events)} bad, ${count(request.duplicates, "duplicate")}`],
      ["findings", request.unlisted_violations > 0 && unlistedText(request.unlisted_violations)],
      ["hash", isOurs && hashWord(request), request.hash_code && make("span.muted", `  ${brief(request.hash_code, 40)}`)],
      ["size", `${bytes(request.encoded_bytes)} sent, ${bytes(request.raw_bytes)} of JSON`, make("span.meter", { role: "img", "aria-label": `${Math.round(share * 100)} % of the JSON's size` }, make("span", { style: { width: `${Math.max(2, share * 100)}%` } }))],
      ["clock", isOurs && (unitText(request) ?? skewText(request.clock_skew_ms))],
      ["compression", mono(request.compression, 60)],
      ["user agent", mono(request.ua, 300)],
      ["address", mono(request.ip)],
      ["method", mono(request.method)],
      ["URI", mono(request.uri, 600)],
    ]);
  }

  async copyBody(request) {
    try {
      const whole = request.data_cut ? JSON.parse(await readText(`/api/requests/${encodeURIComponent(request.rid)}`)) : request;
      if (whole.data_cut) throw new Error("this file has only its beginning");
      await copy(whole.data ?? "", "Body as sent");
    } catch (error) {
      notify(`The body could not be read: ${error.message}`);
    }
  }

  hide() {
    this.reading?.abort();
    Object.assign(this, { reading: null, rid: null });
    super.hide();
  }
}

const noBody = (data) => (data === undefined ? "This file does not have the body." : "The body is empty.");

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

export const hashWord = (request) => (request.hash_matches === null ? "none" : request.hash_matches ? "ok" : "mismatch");

/** Probable unit of an upload_timestamp that is not in milliseconds; null for any other. */
export function unitText(request) {
  const unit = request.upload_timestamp_unit ?? null;
  if (unit === null) return null;
  return unit === "unknown" ? "upload_timestamp before 1973" : `upload_timestamp in ${unit}`;
}

/** Difference between the collector's clock and the client's, network time included. */
function skewText(skew) {
  if (skew === null) return "no upload_timestamp";
  return skew < 0 ? `${span(-skew)} ahead of the collector` : `${span(skew)} behind the collector (incl. network)`;
}
