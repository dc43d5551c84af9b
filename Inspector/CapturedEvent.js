// One captured event: the JSON text of its row, and the fields of its format under the names that all formats share.

import { formatOf } from "./CapturedFormat.js";
import { rootOf } from "./CapturedSessions.js";
import { readText } from "./Collector.js";
import { intern, isObject, none, textOf } from "./Event.js";
import { membersOf } from "./JSONText.js";

export const objectOf = (value) => (isObject(value) ? value : {});
export const listOf = (value) => (Array.isArray(value) ? value : []);
export const numberOf = (value) => (Number.isFinite(value) ? value : null);

export class CapturedEvent {
  /** @param text element of /api/captured, its event possibly an excerpt */
  constructor(text) {
    const row = JSON.parse(text);
    this.text = text;
    /** Place in the order of arrival, unique in a store. */
    this.sequence = row.seq;
    /** Bytes of the whole event if `text` has an excerpt of it, else null. */
    this.wholeBytes = row.event_bytes ?? null;
    this.form = row.form;
    this.name = textOf(row.name);
    /** Content of the event in a few words, as the collector describes it. */
    this.phrase = intern(textOf(row.phrase) ?? "");
    this.received = row.received_at;
    this.isBad = row.status === "bad";
    this.codes = row.violations.length ? [...new Set(row.violations.map((found) => intern(String(found.code))))] : none;
    this.request = row.request_id;
    /** Fields of the format: see `plainView`. */
    Object.assign(this, this.format.fields(objectOf(row.event), objectOf(row.header)));
    this.time ??= row.received_at;
    /** Captured session, set by `CapturedSessions`. */
    this.group = null;
  }

  /** The format: see `capturedFormats`. */
  get format() {
    return formatOf(this.form);
  }

  /** Value of a member of the row in the bytes that were sent, or null. */
  member(name) {
    return new Map(membersOf(this.text, 50)).get(name)?.trim() ?? null;
  }

  get json() {
    return this.member("event") ?? "null";
  }

  /** Findings, each with the last part of its field's path as the name, and the number of those that are not listed. */
  get findings() {
    const { violations, unlisted_violations: unlisted = 0 } = JSON.parse(this.text);
    const named = violations.map((found) => (textOf(found.name) === null ? found : { ...found, name: found.name.split(".").at(-1) }));
    return { violations: named, unlisted };
  }

  get title() {
    return this.name ?? "(no name)";
  }

  /** Id of the captured session, for the filter. */
  get session() {
    return this.group && rootOf(this.group).id;
  }

  /** The event with its whole text, read from the collector if this is an excerpt. */
  async whole() {
    if (this.wholeBytes === null) return this;
    const whole = new CapturedEvent(await readText(`/api/captured/${this.sequence}`));
    whole.group = this.group;
    return whole;
  }

  /** Items that were seen: [{ label, seconds }]. */
  get items() {
    return this.hasItems ? this.format.items(objectOf(JSON.parse(this.text).event)) : [];
  }
}

// MARK: - Pages

const knownPages = new Map();
/** The page with a class and a name: one shared object, or null without both. */
export function pageOf(className, name) {
  if (className === null && name === null) return null;
  const key = JSON.stringify([className, name]);
  let page = knownPages.get(key);
  if (!page) {
    if (knownPages.size > 20000) knownPages.clear();
    page = { key, name: name ?? className, className };
    knownPages.set(key, page);
  }
  return page;
}
