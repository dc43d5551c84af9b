// Export of the filtered events: NDJSON in the bytes that were sent, or CSV without formulas.

import { closeDialog, openDialog } from "./Dialogs.js";
import { button, make, notify } from "./Element.js";
import { currentView } from "./Page.js";
import { count } from "./Words.js";

export function save(parts, name, type) {
  const link = make("a", { href: URL.createObjectURL(new Blob(parts, { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

/** CSV cell: quoted, with an apostrophe before a text that a spreadsheet would evaluate. Numbers stay numbers. */
function cell(value) {
  if (typeof value === "number") return String(value);
  const text = value === null || value === undefined ? "" : String(value);
  const isFormula = /^[\s]*[=+\-@\t\r|%]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text);
  return `"${(isFormula ? `'${text}` : text).replaceAll('"', '""')}"`;
}

/** Columns of CSV by list. A column without a reader is the event's field of its name. */
const columnsOf = {
  events: ["time", "received", "status", "codes", "event_type", "event_id", "timestamp", "app_id", "session_id", "user_id", "unique_id", "screen", "request_id", "event"],
  captured: ["time", "received", "status", "codes", "form", "name", "event_id", "timestamp", "session", "user", "page", "request_id", "header", "event"],
  audit: ["time", "received", "status", "codes", "activity", "event_name", "event_id", "user", "partition", "request_id", "data", "event"],
};
const readers = {
  time: (event) => new Date(event.time).getTime() ? new Date(event.time).toISOString() : "",
  received: (event) => new Date(event.received).toISOString(),
  status: (event) => (event.isBad ? "bad" : "good"),
  codes: (event) => event.codes.join(" "),
  event_type: (event) => event.name,
  event_name: (event) => event.name,
  event_id: (event) => event.id,
  timestamp: (event) => event.time,
  app_id: (event) => event.app,
  session_id: (event) => event.session,
  user_id: (event) => event.user,
  unique_id: (event) => event.unique,
  page: (event) => event.page?.name,
  request_id: (event) => event.request,
  header: (event) => event.member("header"),
  event: (event) => event.json,
};

const csvLine = (cells) => `${cells.join(",")}\r\n`;
/** Formats of a file: NDJSON of the events, or CSV with some columns. */
const formats = {
  ndjson: () => ({ type: "application/x-ndjson", head: "", line: (event) => `${event.json.replaceAll(/[\r\n]/g, " ")}\n` }),
  csv: (columns) => ({ type: "text/csv", head: csvLine(columns), line: (event) => csvLine(columns.map((column) => cell(readers[column] ? readers[column](event) : event[column]))) }),
};

/** Saves events in a format. Excerpted ones are read from the collector one after the other; the file's content is handed to the browser piece by piece. */
async function exportEvents(events, name, columns) {
  const { type, head, line } = formats[name](columns);
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(":", "");
  const pieces = [head];
  let texts = [], size = 0;
  const flush = () => { pieces.push(new Blob(texts)); [texts, size] = [[], 0]; };
  let missing = 0;
  for (const event of events) {
    try {
      texts.push(line(await event.whole()));
    } catch {
      missing++;
      continue;
    }
    size += texts.at(-1).length;
    if (size > 8388608) flush();
  }
  flush();
  save(pieces, `events-${stamp}.${name}`, type);
  if (missing) notify(`${count(missing, "event")} could not be read from the collector and ${missing === 1 ? "is" : "are"} missing from the file.`);
}

/** By list of the API, what the formats are for. */
const notes = {
  events: "NDJSON contains each event as sent, one per line, for clickstream-cli validate. CSV is for spreadsheets.",
  captured: "NDJSON contains each captured event as sent, one per line; CSV also has the header of its batch.",
  audit: "NDJSON contains each audit event as sent, one per line, with all of its rows.",
};

export function openExport() {
  const { source, matching: events, retention: { missing } } = currentView();
  const choose = (name) => () => { closeDialog(); exportEvents(events, name, columnsOf[source]); };
  openDialog("Export", [
    make("p", events.length ? `${count(events.length, "event")}, as filtered.` : "No event matches the filter: there is nothing to export."),
    missing > 0 && make("p", `${count(missing, "older event")} ${missing === 1 ? "is" : "are"} not loaded: /api/${source} has all.`),
    make("p.muted", `${notes[source]} In CSV, an apostrophe precedes text that a spreadsheet would evaluate as a formula.`),
  ], events.length > 0 && [
    button("NDJSON", choose("ndjson"), { class: "primary", id: "export-ndjson" }),
    button("CSV", choose("csv"), { id: "export-csv" }),
  ]);
}
