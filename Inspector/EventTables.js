// Tables of an event's content: attributes, items, user, device. Values are shown in the JSON text that was sent.

import { make } from "./Element.js";
import { isTime, membersOf, typeOf, unquoted } from "./JSONText.js";
import { scrollerElement, tableHead } from "./Parts.js";
import { brief, bytes, fullTime, number } from "./Words.js";

export const maxRows = 200;
const maxColumns = 24, longestCell = 600;

/** A value in a table cell: strings without quotation marks, everything else in its JSON text. */
export function valueElement(name, json) {
  const type = typeOf(json);
  const text = type === "string" ? unquoted(json) : json;
  return [
    make(`span.${{ string: "text", number: "number", object: "text", array: "text" }[type] ?? "word"}`, text === "" ? make("span.muted", "(empty string)") : brief(text, longestCell)),
    text.length > longestCell && make("span.muted", ` ${bytes(text.length)}, cut`),
    isTime(name, json) && make("span.muted", `  ${fullTime(Number(json))}`),
  ];
}

/** A titled table, or null without rows. Rows beyond `maxRows` are counted. */
export function sectionTable(title, heads, rows, kind = "") {
  if (!rows.length) return null;
  return make("section.detail", { "aria-label": title },
    make("h3", title, make("span.muted", ` ${number(rows.length)}`)),
    scrollerElement(kind === ".items" && `Table of ${title}`, make(`table.grid${kind}`,
      tableHead(heads),
      make("tbody", rows.slice(0, maxRows),
        rows.length > maxRows && make("tr", make("td.muted", { colspan: heads.length }, `\u2026 and ${number(rows.length - maxRows)} more: see the JSON`))))));
}

export const nameCell = (name, marked) => make("th.mono", { scope: "row" }, brief(name, 120), marked.has(name) && make("span.hidden", " (has a finding)"));
const rowOf = (isMarked, ...cells) => make(isMarked ? "tr.marked" : "tr", cells);
const fieldRow = (name, marked, ...cells) => rowOf(marked.has(name), nameCell(name, marked), cells);

/** Table of fields as [name, JSON text]. */
export const fieldsTable = (title, fields, marked) =>
  sectionTable(title, ["name", "value", "type"], fields.map(([name, json]) => fieldRow(name, marked, make("td.value", valueElement(name, json)), make("td.type", typeOf(json)))));

const firstColumns = ["id", "name", "item_id", "item_name", "brand", "category", "price", "quantity", "currency"];
const columnRank = (name) => (firstColumns.indexOf(name) + firstColumns.length + 1) % (firstColumns.length + 1);

/** Items, a column for each of their keys. An element that is no object takes one cell. */
export function itemsTable(json, marked, title = "Items") {
  const items = [...membersOf(json, 5000)].map(([, item]) => (item.startsWith("{") ? new Map(membersOf(item, 200)) : item));
  const keys = new Set();
  for (const item of items.slice(0, maxRows)) if (item instanceof Map) for (const key of item.keys()) keys.add(key);
  const columns = [...keys].sort((a, b) => columnRank(a) - columnRank(b)).slice(0, maxColumns);
  const rows = items.map((item, index) => {
    const head = make("th.mono.number", { scope: "row" }, `[${index}]`);
    return rowOf(marked.has(`items[${index}]`), head, item instanceof Map
      ? columns.map((key) => (item.has(key) ? make("td.value", valueElement(key, item.get(key))) : make("td.absent", "\u2013")))
      : make("td.value", { colspan: Math.max(1, columns.length) }, valueElement("", item)));
  });
  return sectionTable(title, [make("span.hidden", "index"), ...columns.map((name) => brief(name, 60))], rows, ".items");
}

/** User attributes with the time of their setting. */
export function userTable(json, marked, title = "User") {
  const rows = [...membersOf(json)].map(([name, entry]) => {
    const fields = entry.startsWith("{") ? new Map(membersOf(entry, 20)) : new Map([["value", entry]]);
    const value = fields.get("value"), set = fields.get("set_timestamp");
    return fieldRow(name, marked, make("td.value", value === undefined ? make("span.muted", "no value") : valueElement(name, value)),
      make("td.muted", set === undefined ? "\u2013" : isTime("timestamp", set) ? make("span", { title: fullTime(Number(set)) }, fullTime(Number(set)).slice(0, 19)) : brief(set, 40)));
  });
  return sectionTable(title, ["name", "value", "set at"], rows);
}

const deviceFields = new Set(["unique_id", "user_pseudo_id", "device_id", "device_unique_id", "advertising_id", "platform", "os_version", "make", "brand", "model", "carrier",
  "network_type", "screen_height", "screen_width", "zone_offset", "locale", "system_language", "country_code", "viewport_width", "viewport_height"]);
const shownFields = new Set(["event_type", "event_name", "event_id", "timestamp", "attributes", "items", "user"]);

/** All tables of an event, in the order in which they matter to its reader: attributes of the app before those of the SDK. */
export function eventTables(json, marked) {
  const fields = [...membersOf(json, 5000)];
  const all = new Map(fields);
  const attributes = [...membersOf(all.get("attributes") ?? "{}")];
  const rest = fields.filter(([name]) => !shownFields.has(name));
  const isReserved = ([name]) => String(name).startsWith("_"), isOfDevice = ([name]) => deviceFields.has(name);
  return [
    fieldsTable("Attributes", attributes.filter((field) => !isReserved(field)), marked),
    fieldsTable("SDK attributes", attributes.filter(isReserved), marked),
    itemsTable(all.get("items") ?? "[]", marked),
    userTable(all.get("user") ?? "{}", marked),
    fieldsTable("Device", rest.filter(isOfDevice), marked),
    fieldsTable("App and SDK", rest.filter((field) => !isOfDevice(field)), marked),
  ];
}
