// Requests: whether bundles are missing or came again, whether the hash fits, how much compression saved, how far the
// client's clock is off.

class Requests {
  constructor(actions) {
    this.actions = actions;
    this.rows = [];
    this.clients = new Map();
    this.panel = $("request-panel");
    this.list = new VirtualList($("request-list"), {
      label: "Requests", follows: true,
      make: () => make("div.request-row", make("span.time"), make("span.sign"), make("span.number"), make("span"), make("span"), make("span.number"), make("span"), make("span.number"), make("span.remarks")),
      fill: (row, request) => {
        const [time, sign, bundle, app, events, size, hash, skew, remarks] = row.children;
        say(time, clock(request.received_at));
        say(sign, request.status === "bad" ? "!" : "");
        say(bundle, request.event_bundle_sequence_id === null ? "--" : String(request.event_bundle_sequence_id));
        say(app, `${brief(request.appId ?? "--", 40)} \u00b7 ${brief(request.platform ?? "--", 20)}`);
        say(events, `${number(request.events)}${request.bad_events ? `, ${number(request.bad_events)} bad` : ""}`);
        say(size, `${bytes(request.encoded_bytes)}${request.ratio ? ` \u00b7 ${request.ratio.toFixed(1)}x` : ""}`);
        say(hash, hashWord(request));
        say(skew, request.clock_skew_ms === null ? "--" : span(request.clock_skew_ms));
        say(remarks, request.remarks.join(", "));
        row.classList.toggle("bad", request.status === "bad" || request.hash_matches === false);
        row.classList.toggle("noted", request.remarks.length > 0);
        row.title = request.remarks.join(", ");
      },
      select: (request) => this.open(request),
    });
  }

  add(rows) {
    for (const request of rows) {
      request.remarks = this.remarks(request);
      this.rows.push(request);
    }
    if (this.rows.length > 20000) this.rows.splice(0, this.rows.length - 18000);
  }

  reset() {
    this.rows = [];
    this.clients.clear();
    this.list.selected = null;
    this.close();
  }

  /** What the bundle's number says beside those that came before from the same client, as far as an envelope tells clients apart. */
  remarks(request) {
    const remarks = [];
    if (request.reason) remarks.push(`unreadable: ${request.reason}`);
    if (request.hash_matches === false) remarks.push("hash does not fit the body");
    if (Math.abs(request.clock_skew_ms ?? 0) > 60000) remarks.push("clock is off");
    const bundle = request.event_bundle_sequence_id;
    if (bundle !== null) {
      const key = [request.appId, request.platform, request.ua, request.ip].join("\n");
      if (!this.clients.has(key)) this.clients.set(key, { highest: bundle - 1, hashes: new Map() });
      const client = this.clients.get(key);
      if (client.hashes.has(bundle)) remarks.push(client.hashes.get(bundle) === request.hash_code ? "retry" : "number seen before, other body");
      else if (bundle > client.highest + 1) remarks.push(`gap: ${count(bundle - client.highest - 1, "bundle")} missing before`);
      else if (bundle <= client.highest) remarks.push("late");
      client.hashes.set(bundle, request.hash_code);
      if (client.hashes.size > 5000) client.hashes.delete(client.hashes.keys().next().value);
      client.highest = Math.max(client.highest, bundle);
    }
    if (request.duplicates) remarks.push(count(request.duplicates, "duplicate"));
    return remarks;
  }

  show() {
    this.list.show(this.rows);
  }

  async openId(id) {
    const known = this.rows.find((row) => row.rid === id);
    if (known) this.list.choose(known);
    else await this.open({ rid: id, remarks: [] });
  }

  async open({ rid, remarks }) {
    try {
      const response = await fetch(`/api/requests/${encodeURIComponent(rid)}`, { cache: "no-store" });
      const request = await response.json();
      if (!response.ok) throw new Error(request.error);
      this.draw(request, remarks);
    } catch (error) {
      put(this.panel, make("p.hint", `The request cannot be read: ${error.message}`));
    }
    this.panel.hidden = false;
  }

  draw(request, remarks) {
    this.shown = request;
    const row = (label, value, kind = "dd.mono") => value !== null && value !== undefined && value !== "" && [make("dt", label), make(kind, value)];
    const saved = request.encoded_bytes && request.raw_bytes ? Math.min(1, request.encoded_bytes / request.raw_bytes) : 1;
    put(this.panel,
      make("div.panel-head", make("h2", "Request"), make("span.muted.mono", request.rid.slice(0, 12)),
        make(request.status === "bad" ? "span.badge.bad" : "span.badge.good", request.status),
        make("div.actions", button("Its events", () => this.actions.only({ request: request.rid })),
          button("Copy", () => copy(request.data ?? "", "The body")), button("Close", () => this.close(), { title: "Close (Esc)" }))),
      request.reason && make("section.violation", make("p", make("strong.mono", request.reason), " ", request.detail ?? "The body could not be read.")),
      remarks.length > 0 && make("ul.remarks-list", remarks.map((remark) => make("li", remark))),
      make("dl.facts",
        row("arrived", fullTime(request.received_at)), row("app", request.appId), row("platform", request.platform),
        row("bundle", request.event_bundle_sequence_id), row("events", `${number(request.events)}, ${number(request.bad_events)} bad, ${count(request.duplicates, "duplicate")}`, "dd"),
        row("hash", [hashWord(request), request.hash_code && make("span.muted", `  ${brief(request.hash_code, 40)}`)], "dd"),
        row("size", [`${bytes(request.encoded_bytes)} sent for ${bytes(request.raw_bytes)} of JSON`, make("span.meter", { role: "img", "aria-label": `${Math.round(saved * 100)} % of the JSON's size` }, make("span", { style: { width: `${Math.max(2, saved * 100)}%` } }))], "dd"),
        row("clock", request.clock_skew_ms === null ? "not told" : `${span(request.clock_skew_ms)} behind the collector's, the way here included`, "dd"),
        row("compression", request.compression), row("user agent", brief(request.ua ?? "", 300)), row("from", request.ip),
        row("method", request.method), row("uri", brief(request.uri, 600))),
      make("h3", "Body as it was sent"),
      make("pre.body", { tabindex: 0, role: "region", "aria-label": "Body as it was sent" }, brief(request.data ?? "", 20000)));
    this.panel.scrollTop = 0;
    this.drawText(request);
  }

  /** What the body holds: that of a damaged one as far as it goes, with the place at which its JSON is wrong. */
  async drawText(request) {
    const text = await textOfBody(request.data ?? "");
    if (text === null || this.shown !== request) return;
    const place = /^the body's JSON is wrong at byte (\d+)/.exec(request.detail ?? "");
    const isPlain = text.trim() === (request.data ?? "").trim();
    if (place) this.panel.append(make("h3", "Where it is wrong"), excerpt(text, Number(place[1])));
    if (!isPlain || !place) this.panel.append(make("h3", isPlain ? "The same, laid out" : "What it holds"), prettyElement(text));
  }

  close() {
    this.shown = null;
    this.panel.hidden = true;
    this.panel.replaceChildren();
  }
}

const longestText = 1048576;

/** The JSON text that a body is or holds, by its content as the collector reads it; null when it is neither. */
async function textOfBody(data) {
  const body = data.trim();
  if (/^[[{]/.test(body)) return body.slice(0, longestText);
  // What the first bytes of every gzip are in base64.
  if (!body.startsWith("H4sI")) return null;
  let text = "";
  try {
    const packed = Uint8Array.from(atob(body), (c) => c.charCodeAt(0));
    const parts = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip")).pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await parts.read(); !part.done && text.length < longestText; part = await parts.read()) text += part.value;
    parts.cancel();
  } catch {
    // Damaged: what came out before that is shown.
  }
  return text === "" ? null : text.slice(0, longestText);
}

/** Some text around a byte, which stands out. */
function excerpt(text, at) {
  const bytes = new TextEncoder().encode(text.trimStart());
  const part = (from, to) => visible(new TextDecoder().decode(bytes.slice(Math.max(0, from), Math.max(0, to))));
  let end = at + 1;
  while (end < bytes.length && (bytes[end] & 0xc0) === 0x80) end++;
  return make("pre.body", { tabindex: 0, role: "region", "aria-label": "Where it is wrong" },
    at > 200 && "\u2026", part(at - 200, at), make("mark", part(at, end) || "the end"), part(end, end + 100), end + 100 < bytes.length && "\u2026");
}

const hashWord = (request) => (request.hash_matches === null ? "none" : request.hash_matches ? "fits" : "wrong");
