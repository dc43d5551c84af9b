// File of a filter or of a session: an HTML page that shows the same views without a collector.

import { rootOf } from "./CapturedSessions.js";
import { readText, timelinePath } from "./Collector.js";
import { notify, save } from "./Element.js";
import { facts } from "./Facts.js";
import { currentView, examineAll, inspector, views } from "./Page.js";
import { windows } from "./Retention.js";
import { answerKey } from "./SavedAnswers.js";
import { count, number } from "./Words.js";

/**
 * Limits of a file, each for the newest: events of all lists and the characters of their texts, requests, characters of the bodies of
 * requests and of each, timelines of sessions, and events with what the plan requires.
 */
const limits = { events: 20000, characters: 67108864, requests: 5000, bodies: 8388608, body: 262144, sessions: 200, findings: 500 };

/** Events of each list in the order of arrival, and the number of all of which these are the loaded ones. `isNarrow`: true for a part of the store. */
const scopeOf = (lists, isNarrow, address) => ({ lists, isNarrow, address });

/** The events that match the filter of the page; of the list of the current view, those that its controls leave. */
export function filteredScope() {
  examineAll();
  const view = currentView(), { filter } = inspector;
  const lists = Object.fromEntries(Object.entries(windows).map(([list, { events }]) => [list, list === view.source ? [...view.matching] : events.filter((event) => filter.test(event))]));
  return scopeOf(lists, !filter.isEmpty || view.narrowing.length > 0, location.hash);
}

/** The events of a session of the library, `{ app, session }` or null, and captured ones. */
export function sessionScope(key, captured, view) {
  const events = key ? windows.events.events.filter(({ app, session }) => session === key.session && app === key.app) : [];
  return scopeOf({ events, captured: captured.toSorted((a, b) => a.sequence - b.sequence), audit: [] }, true, `#${view}`);
}

/** Events of a page with a scope. It has whole captured sessions, as their pages and paths are drawn from all events. */
function pageLists({ lists }) {
  const sessions = new Set(lists.captured.map(({ group }) => rootOf(group)));
  return { ...lists, captured: [...sessions].flatMap(({ events }) => events).sort((a, b) => a.sequence - b.sequence) };
}

/** The newest ones of the events, as far as a file has them. */
function boundedLists(lists) {
  const kept = new Set();
  let characters = 0;
  for (const event of Object.values(lists).flat().sort((a, b) => b.sequence - a.sequence)) {
    characters += event.text.length;
    if (kept.size === limits.events || characters > limits.characters) break;
    kept.add(event);
  }
  return Object.fromEntries(Object.entries(lists).map(([list, events]) => [list, events.filter((event) => kept.has(event))]));
}

const sizeOf = (lists) => Object.values(lists).reduce((sum, { length }) => sum + length, 0);

/** Number of the events of a scope that a file has, in words; empty if it has all. */
export function boundText(scope) {
  const lists = pageLists(scope), all = sizeOf(lists), kept = sizeOf(boundedLists(lists));
  return kept < all ? `the newest ${number(kept)} of ${count(all, "event")}` : "";
}

/** Reads answers of the collector, six at a time. One that cannot be read is missing. */
async function readAnswers(paths, answers, noun) {
  const rest = [...new Set(paths)], all = rest.length;
  const read = async () => {
    for (let path; (path = rest.shift()) !== undefined; ) {
      if (rest.length % 50 === 0) notify(`Saving: ${number(all - rest.length)} of ${count(all, noun)}`);
      await readText(path).then((text) => { answers[answerKey(path)] = text; }, () => {});
    }
  };
  await Promise.all(Array.from({ length: 6 }, read));
}

/** Texts of the rows. Excerpts are read whole as far as the limit of characters allows, the newest first. */
async function textsOf(lists, omitted) {
  const texts = new Map(Object.values(lists).flat().map((event) => [event, event.text]));
  let left = [...texts.values()].reduce((sum, text) => sum - text.length, limits.characters), cut = 0;
  for (const event of [...texts.keys()].filter(({ wholeBytes }) => wholeBytes !== null).sort((a, b) => b.sequence - a.sequence)) {
    const whole = event.wholeBytes <= left ? await event.whole().catch(() => null) : null;
    if (whole) texts.set(event, whole.text);
    else cut++;
    left -= whole ? whole.text.length - event.text.length : 0;
  }
  if (cut) omitted.push(`${count(cut, "large event")} ${cut === 1 ? "is an excerpt" : "are excerpts"}.`);
  return Object.fromEntries(Object.entries(lists).map(([list, events]) => [list, events.map((event) => texts.get(event))]));
}

/** Requests with events of the file, or all, and the bodies of those of which the file has all events: a body has nothing that a filter leaves out. */
async function requestsOf(lists, isNarrow, answers, omitted) {
  const view = views.get("requests"), numbers = new Map();
  if (!view.isPolling) await view.read();
  for (const { request } of Object.values(lists).flat()) numbers.set(request, (numbers.get(request) ?? 0) + 1);
  const all = view.rows.filter(({ rid }) => !isNarrow || numbers.has(rid)), requests = all.slice(-limits.requests);
  // A duplicate is in the body only, and may be of another session.
  const isWhole = ({ rid, events, duplicates }) => !isNarrow || (numbers.get(rid) === events && !duplicates);
  let left = limits.bodies;
  const bodies = requests.filter(isWhole).reverse().filter(({ raw_bytes: size }) => (left -= Math.min(size ?? 0, limits.body)) >= 0);
  await readAnswers(bodies.map(({ rid }) => `/api/requests/${encodeURIComponent(rid)}?data_bytes=${limits.body}`), answers, "request");
  if (all.length > requests.length) omitted.push(`${count(all.length - requests.length, "older request")} ${all.length - requests.length === 1 ? "is" : "are"} left out.`);
  if (bodies.length < requests.length) omitted.push(`The bodies of ${count(requests.length - bodies.length, "request")} are left out${isNarrow ? ": they may have other events" : ""}.`);
  return requests.map(({ format, ...row }) => row);
}

/** Counts of the file, in place of those of a store. */
export const summaryOf = ({ events }, requests) => ({
  events: events.length, bad_events: events.filter(({ isBad }) => isBad).length, duplicates: requests.reduce((sum, { duplicates }) => sum + (duplicates ?? 0), 0),
  sessions: new Set(events.filter(({ session }) => session !== null).map(({ app, session }) => timelinePath(session, app))).size,
  users: new Set(events.map(({ user }) => user).filter((user) => user !== null)).size,
  requests: requests.length, bad_requests: requests.filter(({ status }) => status === "bad").length,
});

/** Content of the file: see `saved`. */
async function contentOf(scope) {
  const { isNarrow, address } = scope, all = pageLists(scope), lists = boundedLists(all), answers = {}, omitted = [], totals = {};
  for (const [list, events] of Object.entries(all)) {
    const missing = isNarrow ? 0 : windows[list].missing, left = events.length - lists[list].length + missing;
    // Events that arrive from now on are not counted.
    totals[list] = events.length + missing;
    if (left > 0) omitted.push(`${count(left, `older ${list === "events" ? "" : `${list} `}event`)} ${left === 1 ? "is" : "are"} left out.`);
  }
  const requests = await requestsOf(lists, isNarrow, answers, omitted), newest = lists.events.toReversed();
  const timelines = [...new Set(newest.filter(({ session }) => session !== null).map(({ app, session }) => timelinePath(session, app)))];
  await readAnswers(timelines.slice(0, limits.sessions), answers, "session");
  if (timelines.length > limits.sessions) omitted.push(`The timelines of ${count(timelines.length - limits.sessions, "older session")} are left out.`);
  if (facts.hasPlan) {
    const judged = newest.filter(({ codes }) => codes.some((code) => code.startsWith("plan_")));
    await readAnswers(judged.slice(0, limits.findings).map(({ sequence }) => `/api/plan/events/${sequence}`), answers, "finding");
    if (isNarrow) omitted.push("The comparison with the plan is left out: it is about all events.");
    else await readAnswers(["/api/plan"], answers, "plan");
  }
  const rows = await textsOf(lists, omitted);
  return {
    time: Date.now(), source: location.origin + location.pathname, version: facts.version, address, summary: summaryOf(lists, requests), omitted, requests, answers,
    lists: Object.fromEntries(Object.entries(rows).map(([list, texts]) => [list, { total: totals[list], rows: texts }])),
  };
}

/** JSON without a character that could end the element that contains it. */
const embedded = (value) => JSON.stringify(value).replaceAll("<", "\\u003c");

/** The JSON text of the content, in pieces. A large one is handed to the browser, which may keep it on disk. */
function* piecesOf({ lists, ...others }) {
  yield `${embedded(others).slice(0, -1)},"lists":{`;
  for (const [index, [list, { total, rows }]] of Object.entries(lists).entries()) {
    yield `${index ? "," : ""}"${list}":{"total":${total},"rows":[`;
    for (let at = 0; at < rows.length; at += 500) yield new Blob([at ? "," : "", embedded(rows.slice(at, at + 500)).slice(1, -1)]);
    yield "]}";
  }
  yield "}}";
}

/** Saves a page with the events of a scope. Its shell is the collector's, with the facts of this page. */
export async function savePage(scope, stamp) {
  notify("Saving\u2026");
  try {
    const shell = await readText(`/${facts.folder}/saved.html`), mark = "@facts", at = shell.indexOf(mark);
    const content = await contentOf(scope);
    save([shell.slice(0, at), embedded(facts), '<\/script>\n<script type="application/json" id="saved">', ...piecesOf(content), shell.slice(at + mark.length)], `clickstream-${stamp}.html`, "text/html");
    notify(["Saved.", ...content.omitted].join(" "));
  } catch (error) {
    notify(`The file could not be saved: ${error.message}`);
  }
}
