// Events of the lists: the JSON text of a row and the fields that are read often.

import { readText } from "./Collector.js";
import { button } from "./Element.js";
import { eventTables } from "./EventTables.js";
import { excerptBytes } from "./Feed.js";
import { Filter } from "./Filter.js";
import { membersOf, unquoted } from "./JSONText.js";
import { linkElement } from "./Parts.js";
import { personLink } from "./PersonLink.js";
import { windows } from "./Retention.js";
import { crashName } from "./Timeline.js";
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
export const objectOf = (value) => (isObject(value) ? value : {});
export const listOf = (value) => (Array.isArray(value) ? value : []);
export const numberOf = (value) => (Number.isFinite(value) ? value : null);

const none = [];

/** An event of a list: the JSON text of its row, and the fields that all forms of events have. */
export class StoredEvent {
  /** @param text element of the list in the API, its event possibly an excerpt  @param row the element as parsed */
  constructor(text, row, sequence = row.seq) {
    this.text = text;
    /** Place in the order of arrival, unique in a store. */
    this.sequence = sequence;
    /** Bytes of the whole event if `text` has an excerpt of it, else null. */
    this.wholeBytes = row.event_bytes ?? null;
    /** Content of the event in a few words, as the collector describes it; null without a description. */
    this.phrase = textOf(row.phrase);
    this.received = row.received_at;
    this.isBad = row.status === "bad";
    this.codes = row.violations.length ? [...new Set(row.violations.map((found) => intern(String(found.code))))] : none;
    this.request = row.request_id;
  }

  /** Severity of the findings: "bad" with an error, "warned" with warnings only, "" without a finding. */
  get severity() {
    return this.isBad ? "bad" : this.codes.length ? "warned" : "";
  }

  /** Value of a member of the row in the bytes that were sent, or null. */
  member(name) {
    return new Map(membersOf(this.text, 50)).get(name)?.trim() ?? null;
  }

  /** JSON text of the event, in the bytes that were sent; an excerpt if `wholeBytes` is set. */
  get json() {
    return this.member("event") ?? "null";
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
    return this.wholeBytes === null ? this : new this.constructor(await readText(`/api/${this.constructor.list}/${this.sequence}`), this.sequence);
  }
}

/** An event of the library's own format. */
export class Event extends StoredEvent {
  /** List of such events in the API. */
  static list = "events";

  /** @param text element of /api/events  @param sequence its place in the order of arrival */
  constructor(text, sequence) {
    const row = JSON.parse(text);
    super(text, row, sequence);
    const event = objectOf(row.event), attributes = objectOf(event.attributes), user = objectOf(event.user);
    this.name = textOf(event.event_type) ?? textOf(event.event_name);
    this.id = textOf(event.event_id);
    this.time = numberOf(event.timestamp) ?? row.received_at;
    this.app = textOf(event.app_id);
    this.session = textOf(attributes._session_id);
    this.sessionNumber = textOf(attributes._session_number);
    this.unique = textOf(event.unique_id) ?? textOf(event.user_pseudo_id);
    this.device = textOf(event.device_id);
    this.platform = textOf(event.platform);
    this.version = textOf(event.app_version);
    this.user = textOf(objectOf(user._user_id).value);
    this.screen = textOf(attributes._screen_name);
    if (automatic.has(this.name) && globalNames.size < 1000) for (const name in attributes) if (!name.startsWith("_")) globalNames.add(intern(name));
  }

  /** Sender of the event. The unique id changes with the user, so it stands in only where there is no device id. */
  get sender() {
    return this.device ?? this.unique;
  }

  /** Rows of the panel: [label, text, values of the filter or null, ...parts]. */
  facts({ openSession, openRequest }) {
    return [
      ["name", this.name, { name: this.name }],
      ["event id", this.id],
      ["user", this.user, { user: this.user }, " ", personLink(this.user)],
      ["unique id", this.unique, { user: this.unique }, " ", personLink(this.unique)],
      ...Filter.exact.map((name) => [name, this[name], { [name]: this[name] }]),
      ["session", this.session, { session: this.session }, " ", button("timeline", () => openSession(this), { class: "link" })],
      ["request", linkElement(this.request.slice(0, 12), "Open the request that contained the event", () => openRequest(this.request))],
    ];
  }

  controls({ compare, beforeCrash }) {
    return [this.name === crashName && beforeCrash && button("Before the crash", () => beforeCrash(this)), button("Compare", () => compare(this), { title: "Compare with another event (c)" })];
  }

  tables(marked) {
    return eventTables(this.json, marked);
  }

  /** Content of the list's value column: ["699.0 CNY", "channel=app_store, ..."], or the phrase and the app's attributes. Read from the text when a row is drawn. */
  get values() {
    const fields = new Map(membersOf(this.json, 200));
    // Of a list in place of an object, the names are numbers.
    const attributes = [...membersOf(fields.get("attributes") ?? "{}", 200)];
    const own = new Map(attributes);
    const amount = this.phrase !== null ? "" : own.get("value") ?? own.get("_value") ?? fields.get("event_value") ?? "";
    const currency = own.get("currency") ?? own.get("_currency") ?? fields.get("event_value_currency") ?? "";
    const details = attributes.filter(([name]) => !String(name).startsWith("_") && name !== "value" && name !== "currency");
    const isGlobal = ([name]) => globalNames.has(name);
    const texts = [
      ...(this.phrase === null ? [] : [brief(this.phrase)]),
      ...[...details.filter((detail) => !isGlobal(detail)), ...details.filter(isGlobal)].slice(0, 8).map(([name, value]) => `${brief(name, 40)}=${brief(unquoted(value), 40)}`),
    ];
    return [amount === "" ? "" : `${brief(unquoted(amount), 40)}${currency === "" ? "" : ` ${brief(unquoted(currency), 8)}`}`, texts.join(", ")];
  }
}

/** Clickstream events of a list that the collector returns, and the cursor of the next page: { events, next }. */
export async function readEvents(path, options) {
  const members = new Map(membersOf(await readText(path, options)));
  return { events: [...membersOf(members.get("events"))].map(([, text]) => new Event(text)), next: JSON.parse(members.get("next") ?? "null") };
}

/** Element of an event in the API, read from the collector; of an event with more than a number of bytes, an excerpt. */
export const readElement = (list, sequence, maxBytes = excerptBytes) => readText(`/api/${list}/${sequence}?event_bytes=${maxBytes}`);

/** The clickstream event with a sequence number. One that the page does not keep is read from the collector. */
export const eventAt = async (sequence) => windows.events.find(sequence) ?? new Event(await readElement("events", sequence), sequence);

/** Events that the SDK records by itself: the app's attributes on them are global ones, which every event has. */
const automatic = new Set(["_first_open", "_app_start", "_app_end", "_session_start", "_user_engagement"]);
/** Names of global attributes. The value column has them last, after those that are particular to an event. */
const globalNames = new Set();
