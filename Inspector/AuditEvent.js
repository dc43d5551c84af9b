// One audit event, and an entry for each row that it read or changed. Values are JSON texts as sent, so that no digit is
// lost.

import { numberOf, objectOf } from "./CapturedEvent.js";
import { readText } from "./Collector.js";
import { intern, none, textOf } from "./Event.js";
import { membersOf, typeOf, unquoted } from "./JSONText.js";
import { brief, bytes } from "./Words.js";

const auditLists = { insertions: "insert", modifications: "update", deletions: "delete" };
/** Kinds of an entry, and their words. */
export const auditKinds = { insert: "inserted", update: "updated", delete: "deleted", read: "read", custom: "custom" };
/** Metadata that name a user, the first of which is shown as the user. */
const auditUsers = ["username", "user", "user_id", "userId", "email"];
const auditFields = new Set(["_id", "event", "activity", "timestamp", "data", "truncated"]);

export class AuditEvent {
  /** @param text element of /api/audit, its event possibly an excerpt */
  constructor(text) {
    const row = JSON.parse(text);
    const event = objectOf(row.event);
    this.text = text;
    /** Place in the order of arrival, unique in a store. */
    this.sequence = row.seq;
    /** Bytes of the whole event if `text` has an excerpt of it, else null. */
    this.wholeBytes = row.event_bytes ?? null;
    this.form = "audit";
    this.name = textOf(row.name);
    /** Content of the event in a few words, as the collector describes it. */
    this.phrase = textOf(row.phrase) ?? "";
    this.received = row.received_at;
    this.isBad = row.status === "bad";
    this.codes = row.violations.length ? [...new Set(row.violations.map((found) => intern(String(found.code))))] : none;
    this.request = row.request_id;
    this.partition = textOf(row.partition);
    this.id = textOf(event._id);
    this.activity = intern(textOf(event.activity) ?? "");
    const time = typeof event.timestamp === "string" ? Date.parse(event.timestamp) : NaN;
    this.time = Number.isFinite(time) ? time : row.received_at;
    this.metadata = Object.entries(event).filter(([name, value]) => !auditFields.has(name) && typeof value === "string");
    this.user = auditUsers.map((name) => new Map(this.metadata).get(name)).find((value) => value !== undefined) ?? this.metadata[0]?.[1] ?? null;
    /** Numbers of rows that the client left out; null for none. */
    this.truncated = numberOf(event.truncated);
    [this.unique, this.session] = [null, null];
    const data = typeof event.data === "string" ? event.data : null;
    this.entries = this.wholeBytes === null ? [...auditEntries(this, data)] : [new AuditEntry(this, "custom", null, null, null)];
  }

  /** Value of a member of the row in the bytes that were sent, or null. */
  member(name) {
    return new Map(membersOf(this.text, 50)).get(name)?.trim() ?? null;
  }

  get json() {
    return this.member("event") ?? "null";
  }

  /** Text of `data`; null for null. */
  get data() {
    const json = new Map(membersOf(this.json, 5000)).get("data") ?? "null";
    return typeOf(json) === "string" ? unquoted(json) : null;
  }

  get findings() {
    const { violations, unlisted_violations: unlisted = 0 } = JSON.parse(this.text);
    return { violations, unlisted };
  }

  get title() {
    return this.activity || "(no activity)";
  }

  /** The event with its whole text, read from the collector if this is an excerpt. */
  async whole() {
    return this.wholeBytes === null ? this : new AuditEvent(await readText(`/api/audit/${this.sequence}`));
  }
}

/** A row that an event read or changed, or the whole of an event without rows. */
class AuditEntry {
  /**
   * @param before, after JSON texts of the row; null for none. For an update, `after` has the changed columns only. A row that was
   *   read is in `before`.
   */
  constructor(event, kind, table, before, after) {
    Object.assign(this, { event, kind, table, before, after });
    const row = before ?? after;
    this.key = table === null || row === null ? null : auditKey(row, table);
  }

  get sequence() {
    return this.event.sequence;
  }

  /** Columns of the row, `{ name, before, after, isChanged }`, with JSON texts or null; none for a row that is no object. */
  get cells() {
    const [before, after] = [this.before, this.after].map((row) => new Map(row === null ? [] : membersOf(row, 2000)));
    const names = new Set([...before.keys(), ...after.keys()].filter((name) => typeof name === "string"));
    return [...names].map((name) => {
      const [old, own] = [before.get(name) ?? null, after.get(name) ?? null];
      const isChanged = this.kind === "update" && after.has(name);
      return { name, before: old, after: this.kind === "update" && !after.has(name) ? old : own, isChanged };
    });
  }

  /** Old or read, and new values: of an update, those of the changed columns. Without a row, the phrase of the event. */
  get values() {
    if (this.event.wholeBytes !== null) return [`${bytes(this.event.wholeBytes)}: open to load`, ""];
    if (this.before === null && this.after === null) return [brief(this.event.phrase), ""];
    const cells = this.kind === "update" ? this.cells.filter(({ isChanged }) => isChanged) : this.cells;
    if (!cells.length) return [this.before, this.after].map((row) => brief(row ?? "", 200));
    const side = (name) => cells.slice(0, 12).filter((cell) => cell[name] !== null).map((cell) => `${brief(cell.name, 40)} ${brief(cell[name], 60)}`).join(" \u00b7 ");
    return [this.before === null ? "" : side("before"), this.after === null ? "" : side("after")];
  }

  /** The row in words: table and key. */
  get place() {
    return this.table === null ? this.event.name ?? "(no event)" : `${this.table}${this.key === null ? "" : ` ${this.key}`}`;
  }
}

/** Entries of an event, in the order of its payload. */
function* auditEntries(event, data) {
  let isEmpty = true;
  if (data !== null && event.name === "read") {
    const payload = new Map(membersOf(data, 50));
    const type = payload.get("type") ?? "null", value = payload.get("value") ?? "null";
    const table = typeOf(type) === "string" ? intern(unquoted(type)) : null;
    if (table !== null && typeOf(value) === "array") {
      for (const [, row] of membersOf(value)) { isEmpty = false; yield new AuditEntry(event, "read", table, row, null); }
    } else if (table !== null) {
      isEmpty = false;
      yield new AuditEntry(event, "read", table, null, null);
    }
  } else if (data !== null && event.name === "write") {
    for (const [table, changes] of membersOf(data)) {
      if (typeOf(changes) !== "object") continue;
      for (const [list, rows] of membersOf(changes, 50)) {
        if (!Object.hasOwn(auditLists, list) || typeOf(rows) !== "array") continue;
        for (const [, row] of membersOf(rows)) { isEmpty = false; yield auditChange(event, auditLists[list], intern(String(table)), row); }
      }
    }
  }
  if (isEmpty) yield new AuditEntry(event, "custom", null, null, null);
}

function auditChange(event, kind, table, row) {
  if (kind === "insert") return new AuditEntry(event, kind, table, null, row);
  if (kind === "delete") return new AuditEntry(event, kind, table, row, null);
  const values = new Map(membersOf(row, 50));
  return new AuditEntry(event, kind, table, values.get("oldValue") ?? null, values.get("newValue") ?? null);
}

/** Value of the key column of a row as text, as the collector finds it; null for none. */
export function auditKey(row, table) {
  if (typeOf(row) !== "object") return null;
  const own = table.toLowerCase();
  const ranks = new Map([["_id", 0], ["id", 1], ["uuid", 2], [`${own}_id`, 3], [`${own}id`, 4], ["rowid", 5]].reverse());
  let best = 7, key = null, isFirst = true;
  for (const [name, json] of membersOf(row, 2000)) {
    const rank = ranks.get(String(name).toLowerCase()) ?? (isFirst ? 6 : 7);
    isFirst = false;
    if (rank < best && ["string", "number", "boolean"].includes(typeOf(json))) [best, key] = [rank, typeOf(json) === "string" ? unquoted(json) : json];
  }
  return key;
}
