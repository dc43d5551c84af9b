// One event of the list: the JSON text of its row and the fields that are read often.

import { readText } from "./Collector.js";
import { endOfValue, membersOf, unquoted } from "./JSONText.js";
import { brief } from "./Words.js";

const interned = new Map();
/** One shared string per text: a hundred thousand events have few distinct names. */
export function intern(text) {
  const known = interned.get(text);
  if (known !== undefined) return known;
  if (interned.size > 50000) interned.clear();
  interned.set(text, text);
  return text;
}

/** A text field with the collector's rules: a number counts as its text, an empty text as absent, NUL is replaced. */
export const textOf = (value) =>
  typeof value === "string" && value !== "" ? intern(value.replaceAll("\0", "\ufffd")) : typeof value === "number" ? intern(String(value)) : null;

export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

export class Event {
  /** @param text element of /api/events, its event possibly an excerpt  @param sequence place in the order of arrival, unique in a store */
  constructor(text, sequence) {
    const row = JSON.parse(text);
    const event = isObject(row.event) ? row.event : {};
    const attributes = isObject(event.attributes) ? event.attributes : {};
    this.text = text;
    this.sequence = sequence;
    /** Bytes of the whole event if `text` has an excerpt of it, else null. */
    this.wholeBytes = row.event_bytes ?? null;
    this.name = textOf(event.event_type) ?? textOf(event.event_name);
    this.id = textOf(event.event_id);
    /** An event of the SDK in a few words, as the collector describes it; null for an event of the app. */
    this.phrase = textOf(row.phrase);
    this.received = row.received_at;
    this.time = Number.isFinite(event.timestamp) ? event.timestamp : row.received_at;
    this.app = textOf(event.app_id);
    this.session = textOf(attributes._session_id);
    this.sessionNumber = textOf(attributes._session_number);
    this.unique = textOf(event.unique_id) ?? textOf(event.user_pseudo_id);
    /** Sender of the event. The unique id changes with the user, so it stands in only where there is no device id. */
    this.device = textOf(event.device_id) ?? this.unique;
    this.user = isObject(event.user) && isObject(event.user._user_id) ? textOf(event.user._user_id.value) : null;
    this.screen = textOf(attributes._screen_name);
    this.isBad = row.status === "bad";
    this.codes = row.violations.length ? [...new Set(row.violations.map((found) => intern(String(found.code))))] : none;
    this.request = row.request_id;
    if (automatic.has(this.name) && globalNames.size < 1000) for (const name in attributes) if (!name.startsWith("_")) globalNames.add(intern(name));
  }

  /** JSON text of the event, in the bytes that were sent; an excerpt if `wholeBytes` is set. */
  get json() {
    const at = this.text.indexOf(":") + 1;
    return this.text.slice(at, endOfValue(this.text, at)).trim();
  }

  /** Findings, and the number of those that are not listed: { violations, unlisted }. */
  get findings() {
    const { violations, unlisted_violations: unlisted = 0 } = JSON.parse(this.text);
    return { violations, unlisted };
  }

  get title() {
    return this.name ?? "(no name)";
  }

  /** The event with its whole text, read from the collector if this is an excerpt. */
  async whole() {
    if (this.wholeBytes === null) return this;
    return new Event(await readText(`/api/events/${this.sequence}`), this.sequence);
  }

  /** Content of the list's value column: { amount: "699.0 CNY", rest: "channel=app_store, ..." }, or the phrase and the app's attributes. Read from the text when a row is drawn. */
  get values() {
    const fields = new Map(membersOf(this.json, 200));
    const attributes = [...membersOf(fields.get("attributes") ?? "{}", 200)];
    const own = new Map(attributes);
    const amount = this.phrase !== null ? "" : own.get("value") ?? own.get("_value") ?? fields.get("event_value") ?? "";
    const currency = own.get("currency") ?? own.get("_currency") ?? fields.get("event_value_currency") ?? "";
    const details = attributes.filter(([name]) => !name.startsWith("_") && name !== "value" && name !== "currency");
    const isGlobal = ([name]) => globalNames.has(name);
    const texts = [
      ...(this.phrase === null ? [] : [brief(this.phrase)]),
      ...[...details.filter((detail) => !isGlobal(detail)), ...details.filter(isGlobal)].slice(0, 8).map(([name, value]) => `${brief(name, 40)}=${brief(unquoted(value), 40)}`),
    ];
    return {
      amount: amount === "" ? "" : `${brief(unquoted(amount), 40)}${currency === "" ? "" : ` ${brief(unquoted(currency), 8)}`}`,
      rest: texts.join(", "),
    };
  }
}

export const none = [];

/** Severity of an event's findings: "bad" with an error, "warned" with warnings only, "" without a finding. */
export const severityOf = ({ isBad, codes }) => (isBad ? "bad" : codes.length ? "warned" : "");

/** Events that the SDK records by itself: the app's attributes on them are global ones, which every event has. */
const automatic = new Set(["_first_open", "_app_start", "_app_end", "_session_start", "_user_engagement"]);
/** Names of global attributes. The value column has them last, after those that are particular to an event. */
const globalNames = new Set();
