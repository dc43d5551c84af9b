// A file that is dropped on the page or chosen in the dialog: the events of a saved file are sent to the collector, or shown by a page without one.

import { messageOf, readText, sendRequest, urlOf } from "./Collector.js";
import { closeDialog, openDialog } from "./Dialogs.js";
import { button, make, notify } from "./Element.js";
import { capturedFormats } from "./CapturedFormat.js";
import { isObject, textOf } from "./Event.js";
import { facts } from "./Facts.js";
import { membersOf } from "./JSONText.js";
import { inspector } from "./Page.js";
import { moreElement } from "./Parts.js";
import { saved } from "./Saved.js";
import { brief, bytes, count, number } from "./Words.js";

/** Bytes of a file that is read; events, and characters of their texts, of one request; reasons that are listed. */
const maxBytes = 268435456, maxEvents = 500, maxCharacters = 1048576, maxReasons = 100;
/** The last time that a date can have, in milliseconds. */
const latestTime = 8.64e15;

const isTime = (value) => Number.isFinite(value) && Math.abs(value) <= latestTime;

/** True for an element of a list of the API: with its findings, request and time. */
const isRow = ({ violations, request_id: request, received_at: time }) =>
  Array.isArray(violations) && violations.every((found) => isObject(found) && typeof found.message === "string") && typeof request === "string" && isTime(time);

/** Reads an event. @param line an element of a list of the API, or an event of the library as sent  @throws the reason why it is none */
function rowOf(line) {
  let row;
  try {
    row = JSON.parse(line);
  } catch {
    throw new Error("not JSON");
  }
  if (!isObject(row)) throw new Error("not a JSON object");
  if (!["app_id", "unique_id"].some((name) => name in row)) {
    if (!("event" in row) || !["status", "request_id", "received_at", "form"].some((name) => name in row)) throw new Error("neither an event of a saved file nor one of the library as sent");
    if (row.cut || "event_bytes" in row) throw new Error("an excerpt of a large event");
    const { form = "clickstream" } = row, list = form === "clickstream" ? "events" : facts.formats.find(({ name }) => name === form)?.list;
    if (!list) throw new Error(`the format ${brief(String(form), 40)} is unknown`);
    if (capturedFormats.get(form)?.batch && !isObject(row.header)) throw new Error("the header of its batch is missing");
    if (row.header_cut) throw new Error("an excerpt of a large header");
    if (saved && !isRow(row)) throw new Error("its findings, request or time of reception are missing");
    return { list, form, text: line, row };
  }
  const received_at = isTime(row.timestamp) ? row.timestamp : Date.now(), found = { status: "good", violations: [], unlisted_violations: 0, request_id: "", received_at };
  return { list: "events", form: "clickstream", text: `{"event":${line},${JSON.stringify(found).slice(1)}`, row: { event: row, ...found } };
}

/** Lines of a file: its own, or the rows of a saved page. */
function linesOf(text) {
  if (!/^\s*<!doctype html>/i.test(text)) return text.split("\n");
  const content = /<script type="application\/json" id="saved">(.*?)<\/script>/s.exec(text)?.[1];
  if (!content) throw new Error("it is an HTML page that was not saved by the inspector");
  return Object.values(JSON.parse(content).lists).flatMap(({ rows }) => rows);
}

/** Events of a file, each with the number of its line, and the lines that are none: [number, reason]. */
function eventsOf(text) {
  const events = [], bad = [];
  linesOf(text).forEach((line, index) => {
    if (!line.trim()) return;
    try {
      events.push({ ...rowOf(line.trim()), number: index + 1 });
    } catch (error) {
      bad.push([index + 1, error.message]);
    }
  });
  return { events, bad };
}

export async function readFile(file) {
  try {
    if (file.size > maxBytes) throw new Error(`it has ${bytes(file.size)}; clickstream-cli collect --import reads files of any size`);
    const { events, bad } = eventsOf(await file.text());
    if (saved) open(file.name, events, bad);
    else confirm(file.name, events, bad);
  } catch (error) {
    notify(`The file ${brief(file.name, 80)} could not be read: ${error.message}.`);
  }
}

const badElement = (bad) => bad.length > 0 && make("section",
  make("p", `${count(bad.length, "line")} ${bad.length === 1 ? "has" : "have"} no event and ${bad.length === 1 ? "is" : "are"} left out:`),
  make("ul.bad-lines", { tabindex: 0, "aria-label": "Lines that are left out" }, bad.slice(0, maxReasons).map(([line, reason]) => make("li", `Line ${number(line)}: ${reason}.`)), moreElement(bad.length, maxReasons, "li.muted")));

// MARK: - Page without a collector

/** Shows the events in place of those of the saved file. */
function open(name, events, bad) {
  if (events.length) inspector.openEvents(events, name);
  if (bad.length || !events.length) openDialog("Read", [make("p", `${count(events.length, "event")} of ${brief(name, 80)} ${events.length === 1 ? "is" : "are"} shown.`), badElement(bad)]);
}

// MARK: - Collector

const partOf = (text, name) => new Map(membersOf(text, 50)).get(name) ?? "null";

/** Requests with consecutive events of the same form, sender and header: { path, query, body, count, number of the first line }. */
function requestsOf(events) {
  const requests = [];
  let group = null;
  for (const { form, text, row, number } of events) {
    const { event } = row, format = capturedFormats.get(form) ?? facts.formats.find(({ name }) => name === form) ?? { path: facts.path };
    const query = form === "clickstream" ? { platform: textOf(event?.platform) ?? "", appId: textOf(event?.app_id) ?? "" } : textOf(row.partition) ? { partition: textOf(row.partition) } : {};
    const header = format.batch ? partOf(text, "header") : null, json = partOf(text, "event");
    const key = JSON.stringify([form, query, header]);
    if (group?.key !== key || group.texts.length === maxEvents || group.characters + json.length > maxCharacters) {
      group = { key, path: format.path, query, number, texts: [], characters: 0, batch: format.batch, header };
      requests.push(group);
    }
    group.texts.push(json);
    group.characters += json.length;
  }
  return requests.map(({ path, query, number, texts, batch, header }) => {
    const list = `[${texts.join()}]`, open = header?.slice(0, -1).trimEnd();
    return { path, query, number, count: texts.length, body: batch ? `${open}${open === "{" ? "" : ","}"${batch}":${list}}` : list };
  });
}

/** Asks where the events go, and sends them. */
function confirm(name, events, bad) {
  const requests = requestsOf(events), paths = [...Map.groupBy(requests, ({ path }) => path)].map(([path, same]) => `${count(same.reduce((sum, request) => sum + request.count, 0), "event")} to ${urlOf(path)}`);
  openDialog(events.length ? "Send the events?" : "Read", [
    make("p", events.length ? `${brief(name, 80)} has ${count(events.length, "event")}, which go to this collector:` : `${brief(name, 80)} has no event.`),
    events.length > 0 && [make("ul", paths.map((text) => make("li", text))), make("p", "It checks and stores them as if an app sent them now. clickstream-cli collect --import also keeps the time at which they were received first.")],
    badElement(bad),
  ], events.length > 0 && [button("Send", () => { closeDialog(); send(requests, events.length); }, { class: "primary", id: "send-events" })]);
}

/** Sends requests one after the other, and reports how many of the events were stored. */
async function send(requests, all) {
  const failures = [];
  let stored = 0, duplicates = 0, sent = 0;
  for (const [index, { path, query, body, count: events, number: line }] of requests.entries()) {
    notify(`Sending: ${number(sent)} of ${count(all, "event")}`);
    try {
      const parameters = new URLSearchParams({ ...query, upload_timestamp: Date.now() });
      const response = await sendRequest(`${path}?${parameters}`, { method: "POST", body, headers: { "Content-Type": "application/json" } });
      if (!response.ok) throw new Error(await messageOf(response));
      const result = JSON.parse(await readText(`/api/requests/${response.headers.get("X-Request-ID")}?data_bytes=1`));
      stored += result.events;
      duplicates += result.duplicates;
      if (result.reason) failures.push([line, `${count(events, "event")}: the request is unreadable (${result.reason})`]);
    } catch (error) {
      failures.push([line, `${count(events, "event")}: ${error.message}`]);
      // Without a connection, the others fail too.
      if (error instanceof TypeError) {
        for (const other of requests.slice(index + 1)) failures.push([other.number, `${count(other.count, "event")}: not sent`]);
        break;
      }
    }
    sent += events;
  }
  const summary = `${number(stored)} of ${count(all, "event")} ${all === 1 ? "was" : "were"} stored${duplicates ? `; ${count(duplicates, "other")} ${duplicates === 1 ? "was a duplicate" : "were duplicates"}` : ""}.`;
  notify(summary);
  if (failures.length) openDialog("Not all events were stored", [make("p", summary), make("ul.bad-lines", { tabindex: 0, "aria-label": "Events that were not stored" }, failures.slice(0, maxReasons).map(([line, reason]) => make("li", `From line ${number(line)}, ${reason}.`)), moreElement(failures.length, maxReasons, "li.muted"))]);
}

// MARK: - Drop

/** Reads files that are dropped anywhere on the page. Without this, the browser would open them in its place. */
export function connectDrops() {
  const isFile = ({ dataTransfer }) => dataTransfer?.types.includes("Files");
  const mark = (isOver) => document.body.classList.toggle("dropping", isOver);
  document.addEventListener("dragover", (event) => { if (isFile(event)) { event.preventDefault(); mark(true); } });
  document.addEventListener("dragleave", ({ relatedTarget }) => { if (!relatedTarget) mark(false); });
  document.addEventListener("drop", (event) => {
    mark(false);
    if (!isFile(event)) return;
    event.preventDefault();
    const [file] = event.dataTransfer.files;
    if (file) readFile(file);
  });
}
