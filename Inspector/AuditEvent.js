// One audit event, and an entry for each row that it read or changed. Values are JSON texts as sent, so that no digit is
// lost.

import { intern, numberOf, objectOf, StoredEvent, textOf } from "./Event.js";
import { membersOf, typeOf, unquoted } from "./JSONText.js";
import { personLink, personOf } from "./PersonLink.js";
import { brief, bytes } from "./Words.js";

/** Kinds of an entry, and their words. */
export const auditKinds = { insert: "inserted", update: "updated", delete: "deleted", read: "read", custom: "custom" };
/** Metadata that name a user, the first of which is shown as the user. */
const userFields = ["username", "user", "user_id", "userId", "email"];
const ownFields = new Set(["_id", "event", "activity", "timestamp", "data", "truncated"]);

export class AuditEvent extends StoredEvent {
  /** List of such events in the API. */
  static list = "audit";

  /** @param text element of /api/audit */
  constructor(text) {
    const row = JSON.parse(text), event = objectOf(row.event);
    super(text, row);
    this.name = textOf(row.name);
    this.partition = textOf(row.partition);
    this.id = textOf(event._id);
    this.activity = textOf(event.activity);
    const time = typeof event.timestamp === "string" ? Date.parse(event.timestamp) : NaN;
    this.time = Number.isFinite(time) ? time : row.received_at;
    this.metadata = Object.entries(event).filter(([name, value]) => !ownFields.has(name) && typeof value === "string");
    const users = userFields.map((field) => this.metadata.find(([name]) => name === field));
    this.user = [...users, ...this.metadata].find(Boolean)?.[1] ?? null;
    /** Numbers of rows that the client left out; null for none. */
    this.truncated = numberOf(event.truncated);
    const isWhole = this.wholeBytes === null && typeof event.data === "string";
    this.entries = isWhole ? [...entriesOf(this, event.data)] : [];
    if (!this.entries.length) this.entries.push(new AuditEntry(this, "custom"));
  }

  /** Text of `data`; null for null. */
  get data() {
    const json = new Map(membersOf(this.json, 5000)).get("data") ?? "null";
    return typeOf(json) === "string" ? unquoted(json) : null;
  }

  get title() {
    return this.activity ?? "(no activity)";
  }

  /** The phrase of the event; of an excerpt, its size. */
  get summary() {
    return this.wholeBytes === null ? brief(this.phrase ?? "") : `${bytes(this.wholeBytes)}: open to load`;
  }

  /** Findings, each with the first part of its field's path as the name: `data` has the others within its text. */
  get findings() {
    const { violations, unlisted } = super.findings;
    return { violations: violations.map((found) => ({ ...found, name: found.name.split(".")[0] })), unlisted };
  }

  /** Rows of the panel: [label, text, values of the filter or null]. */
  facts() {
    return [
      ["activity", this.activity, { activity: this.activity }],
      ["event", this.name, { name: this.name }],
      ...this.metadata.slice(0, 20).map(([name, value]) => [brief(name, 40), value, { text: value }, " ", value === this.user && personLink(personOf(this))]),
      ["event id", this.id],
      ["partition", this.partition],
      ["request", this.request, { request: this.request }],
    ];
  }
}

/** A row that an event read or changed, or the whole of an event without rows. */
class AuditEntry {
  /**
   * @param before, after JSON texts of the row; null for none. For an update, `after` has the changed columns only. A row that was
   *   read is in `before`.
   */
  constructor(event, kind, table = null, before = null, after = null) {
    Object.assign(this, { event, kind, table, before, after });
    this.key = table === null ? null : keyOf(columnsOf(before ?? after), table);
  }

  get sequence() {
    return this.event.sequence;
  }

  get severity() {
    return this.event.severity;
  }

  /** Table and key of the row; name of an event without rows. */
  get title() {
    return this.table === null ? this.event.name ?? "(no event)" : `${this.table}${this.key === null ? "" : ` ${this.key}`}`;
  }

  /** Columns of the row, `{ name, before, after, isChanged }`, with JSON texts or null; none for a row that is no object. */
  get cells() {
    const before = new Map(columnsOf(this.before)), after = new Map(columnsOf(this.after)), all = new Map([...before, ...after]);
    const isUpdate = this.kind === "update";
    return [...all.keys()].map((name) => ({ name, before: before.get(name) ?? null, after: (isUpdate ? all : after).get(name) ?? null, isChanged: isUpdate && after.has(name) }));
  }

  /** Old or read values ("before"), or new values ("after"): of an update, those of the changed columns. Without a row, the summary of the event. */
  words(side) {
    if (this.before === null && this.after === null) return side === "before" ? this.event.summary : "";
    if (this[side] === null) return "";
    const cells = this.cells.filter(({ isChanged }) => isChanged || this.kind !== "update");
    if (!cells.length) return brief(this[side], 200);
    return cells.slice(0, 12).filter((cell) => cell[side] !== null).map((cell) => `${brief(cell.name, 40)} ${brief(cell[side], 60)}`).join(" \u00b7 ");
  }

  /** True if the row has the key, before or after a change. */
  hasKey(key) {
    if (this.key === key) return true;
    // The whole row is read only if a changed column has the value.
    const isPossible = this.kind === "update" && columnsOf(this.after).some(([, json]) => unquoted(json) === key);
    return isPossible && keyOf(this.cells.map(({ name, after }) => [name, after]), this.table) === key;
  }
}

/** By list of a payload, arguments of an entry: its kind, and its row before and after. */
const changes = {
  insertions: (row) => ["insert", null, row],
  deletions: (row) => ["delete", row, null],
  modifications(row) {
    const values = new Map(membersOf(row, 50));
    return ["update", values.get("oldValue") ?? null, values.get("newValue") ?? null];
  },
};

/** Entries of the rows of an event, in the order of its payload. */
function* entriesOf(event, data) {
  if (event.name === "read") {
    const payload = new Map(membersOf(data, 50)), type = payload.get("type") ?? "null", value = payload.get("value") ?? "null";
    if (typeOf(type) !== "string") return;
    const table = intern(unquoted(type));
    if (typeOf(value) !== "array") yield new AuditEntry(event, "read", table);
    else for (const [, row] of membersOf(value)) yield new AuditEntry(event, "read", table, row);
  } else if (event.name === "write") {
    for (const [table, lists] of membersOf(data)) {
      for (const [list, rows] of membersOf(lists, 50)) {
        if (!Object.hasOwn(changes, list) || typeOf(rows) !== "array") continue;
        for (const [, row] of membersOf(rows)) {
          const [kind, before, after] = changes[list](row);
          yield new AuditEntry(event, kind, intern(String(table)), before, after);
        }
      }
    }
  }
}

/** Columns of a row, [name, JSON text] of each; none for a row that is no object. */
const columnsOf = (row) => (row !== null && typeOf(row) === "object" ? [...membersOf(row, 2000)] : []);

/** Value of the key column as text, as the collector finds it; null for none. */
function keyOf(columns, table) {
  const own = table.toLowerCase();
  const names = ["_id", "id", "uuid", `${own}_id`, `${own}id`, "rowid"];
  // Rank of a column without such a name: the first column is the key of a row without a better one.
  let other = names.length, best = Infinity, key = null;
  for (const [name, json] of columns) {
    const index = names.indexOf(name.toLowerCase()), rank = index < 0 ? other : index;
    other = Infinity;
    if (rank < best && ["string", "number", "boolean"].includes(typeOf(json))) [best, key] = [rank, unquoted(json)];
  }
  return key;
}
