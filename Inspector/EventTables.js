// Tables of an event's content: attributes, items, user, device. Values are shown in the JSON text that was sent.

import { make } from "./Element.js";
import { isTime, membersOf, typeOf, unquoted } from "./JSONText.js";
import { brief, bytes, fullTime, number } from "./Words.js";

export const mostRows = 200, mostColumns = 24, longestCell = 600;

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

/** A titled table, or null without rows. Rows beyond `mostRows` are counted. */
export function sectionTable(title, heads, rows, kind = "") {
  if (!rows.length) return null;
  return make("section.detail", { "aria-label": title },
    make("h3", title, make("span.muted", ` ${number(rows.length)}`)),
    make("div.scroller", make(`table.grid${kind}`,
      make("thead", make("tr", heads.map((head) => make(head === "type" ? "th.type" : "th", { scope: "col" }, head)))),
      make("tbody", rows.slice(0, mostRows),
        rows.length > mostRows && make("tr", make("td.muted", { colspan: heads.length }, `\u2026 and ${number(rows.length - mostRows)} more: see the JSON`))))));
}

export const nameCell = (name, marked) => make("th.mono", { scope: "row" }, brief(name, 120), marked.has(name) && make("span.hidden", " (has a finding)"));
const rowOf = (name, marked, ...cells) => make(marked.has(name) ? "tr.marked" : "tr", nameCell(name, marked), ...cells);
export const fieldRows = (fields, marked) => fields.map(([name, json]) => rowOf(name, marked, make("td.value", valueElement(name, json)), make("td.type", typeOf(json))));

/** Attributes of the app, then those of the SDK. */
function attributesTable(json, marked) {
  const fields = [...membersOf(json)];
  const isReserved = ([name]) => name.startsWith("_");
  return [
    sectionTable("Attributes", ["name", "value", "type"], fieldRows(fields.filter((field) => !isReserved(field)), marked)),
    sectionTable("SDK attributes", ["name", "value", "type"], fieldRows(fields.filter(isReserved), marked)),
  ];
}

const firstColumns = ["id", "name", "item_id", "item_name", "brand", "category", "price", "quantity", "currency"];
const columnRank = (name) => (firstColumns.indexOf(name) + firstColumns.length + 1) % (firstColumns.length + 1);

/** Items, a column for each of their keys. An element that is no object takes one cell. */
export function itemsTable(json, marked, title = "Items") {
  const items = [...membersOf(json, 5000)].map(([, item]) => (item.startsWith("{") ? new Map(membersOf(item, 200)) : item));
  const keys = new Set();
  for (const item of items.slice(0, mostRows)) if (item instanceof Map) for (const key of item.keys()) keys.add(key);
  const columns = [...keys].sort((a, b) => columnRank(a) - columnRank(b)).slice(0, mostColumns);
  const rows = items.map((item, index) => {
    const head = make("th.mono.number", { scope: "row" }, `[${index}]`);
    const isMarked = marked.has(`items[${index}]`);
    if (!(item instanceof Map)) return make(isMarked ? "tr.marked" : "tr", head, make("td.value", { colspan: Math.max(1, columns.length) }, valueElement("", item)));
    return make(isMarked ? "tr.marked" : "tr", head, columns.map((key) => (item.has(key) ? make("td.value", valueElement(key, item.get(key))) : make("td.absent", "\u2013"))));
  });
  return sectionTable(title, ["", ...columns.map((name) => brief(name, 60))], rows, ".items");
}

/** User attributes with the time of their setting. */
function userTable(json, marked) {
  const rows = [...membersOf(json)].map(([name, entry]) => {
    const fields = entry.startsWith("{") ? new Map(membersOf(entry, 20)) : new Map([["value", entry]]);
    const value = fields.get("value"), set = fields.get("set_timestamp");
    return rowOf(name, marked, make("td.value", value === undefined ? make("span.muted", "no value") : valueElement(name, value)),
      make("td.muted", set === undefined ? "\u2013" : isTime("timestamp", set) ? make("span", { title: fullTime(Number(set)) }, fullTime(Number(set)).slice(0, 19)) : brief(set, 40)));
  });
  return sectionTable("User", ["name", "value", "set at"], rows);
}

const deviceFields = new Set(["unique_id", "user_pseudo_id", "device_id", "device_unique_id", "advertising_id", "platform", "os_version", "make", "brand", "model", "carrier",
  "network_type", "screen_height", "screen_width", "zone_offset", "locale", "system_language", "country_code", "viewport_width", "viewport_height"]);
const shownFields = new Set(["event_type", "event_name", "event_id", "timestamp", "attributes", "items", "user"]);

/** All tables of an event, in the order in which they matter to its reader. */
export function eventTables(json, marked) {
  const fields = [...membersOf(json, 5000)];
  const all = new Map(fields);
  const rest = fields.filter(([name]) => !shownFields.has(name));
  return [
    attributesTable(all.get("attributes") ?? "{}", marked),
    itemsTable(all.get("items") ?? "[]", marked),
    userTable(all.get("user") ?? "{}", marked),
    sectionTable("Device", ["name", "value", "type"], fieldRows(rest.filter(([name]) => deviceFields.has(name)), marked)),
    sectionTable("App and SDK", ["name", "value", "type"], fieldRows(rest.filter(([name]) => !deviceFields.has(name)), marked)),
  ];
}
