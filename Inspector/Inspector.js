// Inspector page of the collector: its views, and the feed of their events.

import { readAddress } from "./Address.js";
import { Audit } from "./Audit.js";
import { Captured } from "./Captured.js";
import { loadFormats } from "./CapturedFormat.js";
import { readText } from "./Collector.js";
import { connectControls, panelsChanged, readTheme, setTheme, themes } from "./Controls.js";
import { showCounters } from "./Counters.js";
import { countCrashes } from "./Crash.js";
import { Crashes } from "./Crashes.js";
import { Faults } from "./Dialogs.js";
import { connectDrops } from "./DroppedFile.js";
import { $, notify, setText, setTitle } from "./Element.js";
import { Events } from "./Events.js";
import { Explore } from "./Explore.js";
import { Feed } from "./Feed.js";
import { Intake } from "./Intake.js";
import { inspector, touch, views } from "./Page.js";
import { Person } from "./Person.js";
import { Plan } from "./Plan.js";
import { Requests } from "./Requests.js";
import { windows } from "./Retention.js";
import { saved } from "./Saved.js";
import { summaryOf } from "./SavedFile.js";
import { Screens } from "./Screens.js";
import { Sessions } from "./Sessions.js";
import { Watch } from "./Watch.js";
import { fullTime, number, span } from "./Words.js";

const openRequest = (id) => requests.openId(id);
const openSession = (event) => sessions.openOf(event), compare = (event) => events.compare(event), beforeCrash = (event) => crashes.openOf(event);
const events = new Events({ openSession, openRequest, beforeCrash });
const sessions = new Sessions({ openRequest, compare, beforeCrash });
new Screens();
const requests = new Requests();
new Captured({ openSession });
new Audit();
new Plan();
new Watch({ openSession, openRequest, compare, beforeCrash });
const crashes = new Crashes({ openSession, openRequest, compare });
new Person({ openSession, openRequest, compare });
new Explore();
const faults = new Faults((active) => {
  $("faults").classList.toggle("on", active.length > 0);
  setText($("faults"), active.length ? `Faults: ${active.length} on` : "Faults");
});

// MARK: - Feed

function forget() {
  for (const retention of Object.values(windows)) { retention.reset(); retention.total = 0; }
  inspector.wanted = null;
  intake.reset();
  for (const view of views.values()) view.reset();
  changed();
}

function connectionChanged(name, { pause, reason }) {
  inspector.connection = { name, reason };
  $("connection").dataset.state = name;
  setText($("connection"), name === "saved" ? `saved file, ${fullTime(saved.time).slice(0, 16)}` : name === "live" ? "live" : `connection lost, retry in ${span(pause)}`);
  setTitle($("connection"), reason ?? "");
  if (name !== "lost") readSummary();
  if (name === "live") faults.read().catch(() => {});
  touch();
}

const feed = new Feed({
  events(list, rows) { intake.take(list, rows); changed(); },
  omitted(positions) { intake.omit(positions); changed(); },
  requests(rows) { intake.addRequests(rows); changed(); },
  reset: forget,
  skip: () => notify("Events arrive faster than the page can show them. It continues with the newest."),
  state: connectionChanged,
});

const intake = new Intake(feed, requests);

// MARK: - Summary

let summaryTimer = null;
/** Draws what has changed, and reads the counts of the store soon. */
function changed() {
  touch();
  summaryTimer ??= setTimeout(() => { summaryTimer = null; readSummary(); }, 300);
}

async function readSummary() {
  if (saved) return takeSummary(saved.summary, Object.fromEntries(Object.entries(saved.lists).map(([list, { total }]) => [list, total])));
  let texts;
  try {
    texts = await Promise.all(["summary", "captured/summary", "audit/summary"].map((path) => readText(`/api/${path}`)));
  } catch {
    // The feed reports a lost connection.
    return;
  }
  const [summary, captured, audit] = texts.map((text) => JSON.parse(text));
  takeSummary(summary, { events: summary.events, captured: Object.values(captured).reduce((sum, { events }) => sum + events, 0), audit: audit.events });
  if (faults.active.length) faults.read().catch(() => {});
}

/** @param totals number of events of each list */
function takeSummary(summary, totals) {
  inspector.summary = summary;
  for (const [list, total] of Object.entries(totals)) windows[list].total = total;
  drawCounters(summary);
  // Also the comparison with the plan, which is read after the counts: it covers the same events.
  touch();
}

/** Number of crashes among the events of the page, and true if the store has more events. */
let known = { stamp: null, crashes: 0, isPart: false };
/** Updates the counter of the crashes after older events were added, too. */
function countKnown() {
  const { version, missing } = windows.events, stamp = `${version} ${missing > 0}`;
  if (known.stamp === stamp) return;
  known = { stamp, crashes: countCrashes(), isPart: missing > 0 };
  if (inspector.summary) drawCounters(inspector.summary);
}

/** Number of events of a window that its counter shows: a saved file has no others. */
const countOf = ({ held, total }) => (saved ? held : total);

function drawCounters({ bad_events: bad, bad_requests: unreadable, ...summary }) {
  document.title = `${bad ? `(${number(bad)} bad) ` : ""}Clickstream inspector`;
  showCounters({ ...summary, bad, unreadable, crashes: known.crashes, captured: countOf(windows.captured), audit: countOf(windows.audit) }, known.isPart ? ["crashes"] : []);
}

// MARK: - Saved file

/** Shows the events of another file, which has no answers and requests. */
async function openEvents(events, name) {
  const rows = Object.fromEntries(Object.keys(windows).map((list) => [list, []]));
  // Sequence numbers of one store increase. Others are replaced: the last member of a name counts.
  const isOrdered = events.every(({ row: { seq } }, index) => Number.isSafeInteger(seq) && seq > (events[index - 1]?.row.seq ?? 0));
  events.forEach(({ list, text }, index) => rows[list].push(isOrdered ? text : `${text.slice(0, -1)},"seq":${index + 1}}`));
  const lists = Object.fromEntries(Object.entries(rows).map(([list, texts]) => [list, { total: texts.length, rows: texts }]));
  Object.assign(saved, { lists, requests: [], answers: {}, source: name, version: null, omitted: ["The file has no requests and no timelines."] });
  forget();
  await feed.open(saved);
  saved.summary = summaryOf({ events: windows.events.events }, []);
  readSummary();
}

// MARK: - Start

Object.assign(inspector, { changed: panelsChanged, drawn: () => { countKnown(); intake.fillWindows(); }, retry: () => feed.retry(), openEvents });
connectDrops();
connectControls(faults);
$("older").addEventListener("click", () => intake.loadOlder());
setTheme(themes.includes(readTheme()) ? readTheme() : "auto");
if (saved) {
  for (const id of ["pause", "faults", "reset"]) $(id).hidden = true;
  if (!location.hash) history.replaceState(null, "", saved.address);
} else {
  readAddress();
}
// The events are drawn with the functions of their formats. The feed ends with the rows of a saved file, which then has the event of the address.
loadFormats().catch((error) => notify(`A format could not be loaded: ${error.message}`)).then(() => feed.run()).then(readAddress);
