// Export of the filtered events: NDJSON in the bytes that were sent, or CSV without formulas.

import { closeDialog, openDialog } from "./Dialogs.js";
import { button, make, notify } from "./Element.js";
import { audit, captured, inspector } from "./Inspector.js";
import { windows } from "./Retention.js";
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

const csvColumns = {
  time: (event) => new Date(event.time).getTime() ? new Date(event.time).toISOString() : "",
  received: (event) => new Date(event.received).toISOString(),
  status: (event) => (event.isBad ? "bad" : "good"),
  codes: (event) => event.codes.join(" "),
  event_type: (event) => event.name,
  event_id: (event) => event.id,
  timestamp: (event) => event.time,
  app_id: (event) => event.app,
  session_id: (event) => event.session,
  user_id: (event) => event.user,
  unique_id: (event) => event.unique,
  screen: (event) => event.screen,
  request_id: (event) => event.request,
  event: (event) => event.json,
};

const capturedColumns = {
  time: (event) => new Date(event.time).getTime() ? new Date(event.time).toISOString() : "",
  received: (event) => new Date(event.received).toISOString(),
  status: (event) => (event.isBad ? "bad" : "good"),
  codes: (event) => event.codes.join(" "),
  form: (event) => event.form,
  name: (event) => event.name,
  event_id: (event) => event.id,
  timestamp: (event) => event.time,
  session: (event) => event.session,
  user: (event) => event.user,
  page: (event) => event.page?.name,
  request_id: (event) => event.request,
  header: (event) => event.member("header"),
  event: (event) => event.json,
};

const auditColumns = {
  time: (event) => new Date(event.time).toISOString(),
  received: (event) => new Date(event.received).toISOString(),
  status: (event) => (event.isBad ? "bad" : "good"),
  codes: (event) => event.codes.join(" "),
  activity: (event) => event.activity,
  event_name: (event) => event.name,
  event_id: (event) => event.id,
  user: (event) => event.user,
  partition: (event) => event.partition,
  request_id: (event) => event.request,
  data: (event) => event.data,
  event: (event) => event.json,
};

const csvLine = (cells) => `${cells.join(",")}\r\n`;
/** Formats of a file: NDJSON of the events, or CSV with some columns. */
const formats = {
  ndjson: () => ({ type: "application/x-ndjson", head: "", line: (event) => `${event.json.replaceAll(/[\r\n]/g, " ")}\n` }),
  csv: (columns) => ({ type: "text/csv", head: csvLine(Object.keys(columns)), line: (event) => csvLine(Object.values(columns).map((column) => cell(column(event)))) }),
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
    let whole = event;
    try {
      whole = await event.whole();
    } catch {
      missing++;
      continue;
    }
    const text = line(whole);
    texts.push(text);
    size += text.length;
    if (size > 8388608) flush();
  }
  flush();
  save(pieces, `events-${stamp}.${name}`, type);
  if (missing) notify(`${count(missing, "event")} could not be read from the collector and ${missing === 1 ? "is" : "are"} missing from the file.`);
}

export function openExport() {
  if (inspector.view === "captured") exportDialog("captured", captured.shown, capturedColumns, "NDJSON contains each captured event as sent, one per line; CSV also has the header of its batch.");
  else if (inspector.view === "audit") exportDialog("audit", audit.shownEvents, auditColumns, "NDJSON contains each audit event as sent, one per line, with all of its rows.");
  else exportDialog("events", inspector.shown, csvColumns, "NDJSON contains each event as sent, one per line, for clickstream-cli validate. CSV is for spreadsheets.");
}

/** @param list name of the list in the API  @param note description of the formats */
function exportDialog(list, events, columns, note) {
  const { missing } = windows[list];
  const choose = (name) => () => { closeDialog(); exportEvents(events, name, columns); };
  openDialog("Export", [
    make("p", events.length ? `${count(events.length, "event")}, as filtered.` : "No event matches the filter: there is nothing to export."),
    missing > 0 && make("p", `${count(missing, "older event")} ${missing === 1 ? "is" : "are"} not loaded: /api/${list} has all.`),
    make("p.muted", `${note} In CSV, an apostrophe precedes text that a spreadsheet would evaluate as a formula.`),
  ], events.length > 0 && [
    button("NDJSON", choose("ndjson"), { class: "primary", id: "export-ndjson" }),
    button("CSV", choose("csv"), { id: "export-csv" }),
  ]);
}
