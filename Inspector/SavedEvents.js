// Events of a saved file, selected by the conditions of the query API, and pages of them.

import { windows } from "./Retention.js";

/** Error for a question that cannot be answered as it is: a bad request. */
export const refusal = (message) => Object.assign(new Error(message), { status: 400 });

/** Milliseconds of a time in a query: a number of them, or an ISO 8601 date, which is in UTC without a zone. */
function timeIn(name, text) {
  if (/^-?\d+$/.test(text)) return Number(text);
  const [, date, clock = "T00:00", zone = "Z"] = /^(\d{4}-\d\d-\d\d)(?:(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[-+ ]\d\d:?\d\d)?)?$/.exec(text.toUpperCase()) ?? [];
  const time = Date.parse(`${date}${clock}${zone.replace(" ", "+").replace(/:?(\d\d)$/, ":$1")}`);
  if (Number.isNaN(time)) throw refusal(`${name} must be milliseconds since 1970 or an ISO 8601 date such as 2023-09-05T13:19:26Z, not '${text.slice(0, 50)}'`);
  return time;
}

/** Each condition as a function that returns the test of an event for a value. */
const conditions = {
  ...Object.fromEntries(["name", "session", "app", "device", "platform", "version", "screen"].map((name) => [name, (value) => (event) => event[name] === value])),
  user: (value) => ({ user, unique }) => user === value || unique === value,
  status: (value) => ({ isBad }) => isBad === (value === "bad"),
  code: (value) => ({ codes }) => codes.includes(value),
  since: (value) => { const time = timeIn("since", value); return ({ received }) => received >= time; },
  until: (value) => { const time = timeIn("until", value); return ({ received }) => received < time; },
};

/** Events that meet the conditions of a query, in the order of arrival. */
export function selectedEvents(query) {
  const tests = Object.entries(conditions).filter(([name]) => query.get(name)).map(([name, testFor]) => testFor(query.get(name)));
  return windows.events.events.filter((event) => tests.every((test) => test(event)));
}

/** Numbers of rows of a page. */
export const limitOf = (query) => Number(query.get("limit") || 100);

/** Answer of `/api/events`. The cursor is a sequence number or, if the events are sorted by time, their number before the page. */
export function eventPage(query) {
  const isByTime = query.get("sort") === "time", isDescending = query.get("order") === "desc", limit = limitOf(query), cursor = Number(query.get("cursor"));
  let events = selectedEvents(query);
  if (isByTime) events.sort((a, b) => a.time - b.time || a.sequence - b.sequence);
  if (isDescending) events.reverse();
  if (isByTime) events = events.slice(cursor);
  else if (query.has("cursor")) events = events.filter(({ sequence }) => (isDescending ? sequence < cursor : sequence > cursor));
  const page = events.slice(0, limit), next = events.length > limit ? (isByTime ? cursor + limit : page.at(-1).sequence) : null;
  return `{"events":[${page.map(({ text }) => text).join()}],"next":${next}}`;
}
