// The dialog that saves the filtered events or a session: as a page, as NDJSON in the bytes that were sent, or as CSV without formulas.

import { closeDialog, openDialog } from "./Dialogs.js";
import { readFile } from "./DroppedFile.js";
import { button, make, notify, save } from "./Element.js";
import { currentView } from "./Page.js";
import { saved } from "./Saved.js";
import { boundText, filteredScope, savePage } from "./SavedFile.js";
import { brief, count, fullTime } from "./Words.js";

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

/** A text on one line: in JSON, line ends are only between values. */
const onOneLine = (json) => `${json.replaceAll(/[\r\n]/g, " ")}\n`;
const csvLine = (cells) => `${cells.join(",")}\r\n`;
/** Formats of a file: NDJSON of the rows or of the events, or CSV with some columns. */
const formats = {
  rows: () => ({ type: "application/x-ndjson", end: "ndjson", head: "", line: (event) => onOneLine(event.text) }),
  sent: () => ({ type: "application/x-ndjson", end: "ndjson", head: "", line: (event) => onOneLine(event.json) }),
  csv: (columns) => ({ type: "text/csv", end: "csv", head: csvLine(columns), line: (event) => csvLine(columns.map((column) => cell(readers[column] ? readers[column](event) : event[column]))) }),
};

const stampNow = () => new Date().toISOString().slice(0, 19).replaceAll(":", "");

/** Saves events in a format. Excerpted ones are read from the collector one after the other; the file's content is handed to the browser piece by piece. */
async function exportEvents(events, name, columns) {
  const { type, end, head, line } = formats[name](columns);
  const stamp = stampNow();
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
  save(pieces, `events-${stamp}.${end}`, type);
  if (missing) notify(`${count(missing, "event")} could not be read${saved ? ": the file has only excerpts of them" : " from the collector"}. ${missing === 1 ? "It is" : "They are"} missing from the new file.`);
}

const nouns = { events: "event", captured: "captured event", audit: "audit event" };

/** @param session events of a session: see `sessionScope`; null for those that match the filter */
export function openExport(session = null) {
  const { source, retention: { missing } } = currentView(), scope = session ?? filteredScope(), { lists } = scope;
  const events = lists[source], all = Object.values(lists).flat().sort((a, b) => a.sequence - b.sequence);
  const others = Object.entries(lists).filter(([list, { length }]) => list !== source && length).map(([list, { length }]) => count(length, nouns[list]));
  const bound = saved ? "" : boundText(scope), primary = { class: "primary" };
  /** A format with its use. */
  const format = (id, label, act, use, attributes = {}) => make("li", button(label, () => { closeDialog(); act(); }, { id: `export-${id}`, "aria-describedby": `about-${id}`, ...attributes }), make("span", { id: `about-${id}` }, use));
  openDialog("Save", [
    make("p", all.length ? `${count(events.length, nouns[source])}${session ? " of this session" : ", as filtered"}${others.length ? `; in all lists also ${others.join(" and ")}` : ""}.` : "No event matches the filter: there is nothing to save."),
    missing > 0 && make("p", `${count(missing, "older event")} ${missing === 1 ? "is" : "are"} not ${saved ? "in this file" : `loaded: /api/${source} has all`}.`),
    all.length > 0 && make("ul.formats",
      !saved && format("html", "HTML", () => savePage(scope, stampNow()), `A file that shows all lists in these views, in a browser without a collector${bound && `: ${bound}`}.`, primary),
      format("rows", "NDJSON", () => exportEvents(all, "rows"), "All lists, one event per line with its time of reception: for collect --import, or to drop on this page.", saved && primary),
      events.length > 0 && format("ndjson", "NDJSON as sent", () => exportEvents(events, "sent"), `Each ${nouns[source]} as sent, one per line${source === "events" ? ", for clickstream-cli validate" : ""}.`),
      events.length > 0 && format("csv", "CSV", () => exportEvents(events, "csv", columnsOf[source]), `Each ${nouns[source]} for a spreadsheet. An apostrophe precedes text that it would evaluate as a formula.`)),
    saved && [make("h3", "This file"), make("p", `Saved ${fullTime(saved.time)} from ${brief(saved.source, 200)}${saved.version ? `, version ${brief(saved.version, 20)}` : ""}.`), saved.omitted.length > 0 && make("p", saved.omitted.join(" "))],
    !session && [make("h3", "Read"), make("p", make("label.reading", "A saved file, which can also be dropped on the page: ", make("input", { type: "file", id: "read-file", accept: ".ndjson,.html,.json,.txt", onchange: ({ target }) => { const [file] = target.files; closeDialog(); if (file) readFile(file); } })))],
  ]);
}
