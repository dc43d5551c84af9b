// State of the page: events, filter, views and their drawing.

import { readAddress, selectWanted, writeAddress } from "./Address.js";
import { Audit } from "./Audit.js";
import { Captured } from "./Captured.js";
import { loadFormats } from "./CapturedFormat.js";
import { readText } from "./Collector.js";
import { Comparison } from "./Comparison.js";
import { connectControls, isPhone, panelsChanged, readTheme, setTheme, themes } from "./Controls.js";
import { Faults } from "./Dialogs.js";
import { $, button, make, notify, put, setText, showSeverity } from "./Element.js";
import { Event, severityOf } from "./Event.js";
import { EventPanel } from "./EventPanel.js";
import { Feed, mostEvents, mostText, slice } from "./Feed.js";
import { Filter } from "./Filter.js";
import { Histogram } from "./Histogram.js";
import { Plan } from "./Plan.js";
import { Requests } from "./Requests.js";
import { flowElement } from "./ScreenFlow.js";
import { Sessions } from "./Sessions.js";
import { startElement } from "./Start.js";
import { eventsState, showState } from "./States.js";
import { crashName } from "./Timeline.js";
import { VirtualList } from "./VirtualList.js";
import { brief, clock, count, hue, number, span, visible } from "./Words.js";

export const views = ["events", "sessions", "screens", "requests", "captured", "audit", "plan"];

/** Device by request id, from the events whose request has not arrived yet. In the stream, a request follows its events. */
const senders = new Map();

export const inspector = {
  /** Events that the page keeps, in the order of arrival, and the length of their texts. */
  events: [],
  textLength: 0,
  /** Events that match the filter apart from its time range; and those within the range too. */
  matching: [],
  shown: [],
  /** Number of `events` that the two above take into account. */
  looked: 0,
  filter: new Filter(),
  view: "events",
  isPaused: false,
  summary: null,
  /** Number of captured events in the store. */
  captured: 0,
  /** Number of audit events in the store. */
  audit: 0,
  /** First event of a comparison. */
  pinned: null,
  /** Sequence number of the address's event while it is not selected yet. */
  wanted: null,
  connection: { name: "connecting" },
  /** Number of events in the store when the feed began. */
  expected: 0,
};

// MARK: - Input

function take(rows) {
  for (const { text, sequence } of rows) {
    try {
      const event = new Event(text, sequence);
      inspector.events.push(event);
      inspector.textLength += text.length;
      if (event.device !== null && !senders.has(event.request)) senders.set(event.request, event.device);
    } catch {
      // Not JSON to this browser. The collector's store still has the event.
    }
  }
  inspector.expected = Math.max(0, inspector.expected - rows.length);
  if (inspector.events.length > mostEvents * 1.05 || inspector.textLength > mostText) drop();
  touch();
}

/** Drops the oldest events: down to `mostEvents`, and to nine tenths of `mostText`. */
function drop() {
  const { events } = inspector;
  let n = 0;
  while (n < events.length - 1 && (events.length - n > mostEvents || inspector.textLength > mostText * 0.9)) inspector.textLength -= events[n++].text.length;
  if (!n) return;
  events.splice(0, n);
  inspector.looked = Math.max(0, inspector.looked - n);
  const oldest = events[0].sequence;
  for (const list of [inspector.matching, inspector.shown]) {
    const kept = list.findIndex((event) => event.sequence >= oldest);
    list.splice(0, kept < 0 ? list.length : kept);
  }
}

function forget() {
  Object.assign(inspector, { events: [], textLength: 0, matching: [], shown: [], looked: 0, pinned: null, wanted: null, expected: 0 });
  senders.clear();
  list.selected = null;
  closePanel();
  requests.reset();
  sessions.reset();
  captured.reset();
  audit.reset();
  plan.reset();
  panelsChanged();
  touch();
}

let dirty = false, lastDrawn = 0, summaryTimer = null;
/** Schedules a drawing: at once the first time, then at most ten times a second. */
export function touch() {
  if (!dirty) {
    dirty = true;
    setTimeout(() => requestAnimationFrame(update), Math.max(0, lastDrawn + 100 - performance.now()));
  }
  summaryTimer ??= setTimeout(() => { summaryTimer = null; readSummary(); }, 300);
}

async function readSummary() {
  try {
    inspector.summary = JSON.parse(await readText("/api/summary"));
    inspector.captured = Object.values(JSON.parse(await readText("/api/captured/summary"))).reduce((sum, { events }) => sum + events, 0);
    inspector.audit = JSON.parse(await readText("/api/audit/summary")).events;
    drawCounters();
    // The comparison with the plan is read after the counts: it covers the same events.
    if (inspector.view === "plan" && plan.isStale) touch();
    if (faults.active.length) await faults.read();
  } catch {
    // The feed reports a lost connection.
  }
}

function drawCounters() {
  const s = inspector.summary;
  const figures = [["events", s.events], ["bad", s.bad_events, s.bad_events > 0], ["duplicates", s.duplicates], ["sessions", s.sessions], ["users", s.users], ["requests", s.requests], ["unreadable", s.bad_requests, s.bad_requests > 0], ...(inspector.captured ? [["captured", inspector.captured]] : []), ...(inspector.audit ? [["audit", inspector.audit]] : [])];
  document.title = `${s.bad_events ? `(${number(s.bad_events)} bad) ` : ""}Clickstream inspector`;
  put($("counters"), figures.map(([label, n, isBad]) => make(isBad ? "div.bad" : "div", make("dd", number(n)), make("dt", n === 1 ? label.replace(/s$/, "") : label))));
}

// MARK: - Drawing

/** Applies the filter to new events for some milliseconds, so that a hundred thousand of them do not block the page. */
function look() {
  const { events, filter } = inspector;
  const began = performance.now();
  while (inspector.looked < events.length) {
    for (const end = Math.min(events.length, inspector.looked + 500); inspector.looked < end; inspector.looked++) {
      const event = events[inspector.looked];
      if (!filter.matches(event)) continue;
      inspector.matching.push(event);
      if (filter.isWithin(histogram.timeOf(event))) inspector.shown.push(event);
    }
    if (performance.now() - began > slice) break;
  }
}

function update() {
  dirty = false;
  lastDrawn = performance.now();
  const { events, filter, isPaused } = inspector;
  if (!isPaused) look();
  const isBusy = !isPaused && inspector.looked < events.length;
  drawEmpty();
  if (inspector.view === "events") {
    list.show(inspector.shown);
    if (inspector.isRefiltered && !isBusy) {
      inspector.isRefiltered = false;
      if (list.selected) list.reveal(list.selected, true);
    }
    drawHistogram(isBusy);
    showState($("event-state"), $("empty").hidden ? eventsState() : null);
  } else if (!isBusy) {
    drawView();
  }
  if (inspector.wanted) selectWanted();
  const own = { captured, audit, plan }[inspector.view];
  const waiting = own ? own.waiting?.length ?? 0 : events.length - inspector.looked;
  if (own) setText($("tally"), own.tallyText);
  else setText($("tally"), `${filter.isEmpty ? count(inspector.shown.length, "event") : `${number(inspector.shown.length)} of ${count(events.length, "event")}`}${isPaused && waiting ? `, ${number(waiting)} waiting` : ""}`);
  setText($("pause"), isPaused ? (waiting ? `Resume (${number(waiting)})` : "Resume") : "Pause");
  if (!isBusy) suggest();
  drawFollow();
  if (isBusy) { dirty = true; lastDrawn = -100; setTimeout(() => { requestAnimationFrame(update); }); }
}

/** Instructions in place of the list while the store is known to be empty. */
function drawEmpty() {
  const isEmpty = !inspector.events.length && inspector.connection.name === "live" && inspector.expected === 0;
  if (isEmpty === $("empty").hidden) {
    $("empty").hidden = !isEmpty;
    if (isEmpty) put($("empty"), startElement());
  }
  document.body.classList.toggle("nothing", !inspector.events.length);
}

let histogramDrawn = 0;
function drawHistogram(isBusy) {
  if (isBusy && performance.now() - histogramDrawn < 400) return;
  histogramDrawn = performance.now();
  histogram.show(inspector.matching, inspector.filter.range);
}

export let viewDrawn = { size: -1, at: 0 };
/** Draws the views that are computed from all events, at most twice a second. */
export function drawView(always = false) {
  const { view, matching } = inspector;
  if (view === "requests") return requests.show(requestsState());
  const now = performance.now();
  const state = eventsState();
  const size = ({ captured, audit, plan })[view]?.state ?? matching.length;
  if (!always && viewDrawn.view === view && viewDrawn.size === size && viewDrawn.connection === inspector.connection.name) return;
  if (!always && now - viewDrawn.at < 500) { setTimeout(touch, 500); return; }
  viewDrawn = { view, size, at: now, connection: inspector.connection.name };
  const events = inspector.filter.range ? inspector.shown : matching;
  if (view === "sessions") sessions.show(events, state);
  if (view === "captured") captured.show();
  if (view === "audit") audit.show();
  if (view === "plan") plan.show();
  if (view === "screens") {
    const graph = flowElement(events, $("flow").clientWidth - 36, actions);
    put($("flow"), graph);
    showState($("flow-state"), graph ? null : state ?? [make("p.title", "No screen yet."), make("p.muted", "Events named _screen_view with a _screen_name form the screen flow.")]);
  }
}

/** The filter does not apply to requests. */
function requestsState() {
  return inspector.connection.name === "live" ? null : eventsState();
}

let suggested = { size: -1, at: 0, later: 0 };
/** Updates the names, users and codes that the filter offers, at most once a second. */
function suggest() {
  const size = inspector.events.length + captured.events.length + audit.events.length;
  if (suggested.size === size || suggested.later) return;
  const wait = suggested.at + 1000 - performance.now();
  if (wait > 0) {
    suggested.later = setTimeout(() => { suggested.later = 0; suggest(); }, wait);
    return;
  }
  suggested = { size, at: performance.now(), later: 0 };
  const names = new Map(), users = new Set(), codes = new Map();
  for (const event of [...inspector.events, ...captured.events, ...audit.events]) {
    if (event.name !== null) names.set(event.name, (names.get(event.name) ?? 0) + 1);
    if (event.user !== null && users.size < 200) users.add(event.user);
    for (const code of event.codes) codes.set(code, (codes.get(code) ?? 0) + 1);
  }
  const option = (text) => make("option", { value: brief(text, 200) });
  put($("names"), [...names].sort((a, b) => b[1] - a[1]).slice(0, 200).map(([name]) => option(name)));
  put($("users"), [...users].map(option));
  if (document.activeElement !== $("filter-code")) {
    put($("filter-code"), make("option", { value: "" }, "any code"), [...codes].sort().map(([code, n]) => make("option", { value: code, selected: code === inspector.filter.code }, `${brief(code, 60)} (${number(n)})`)));
  }
}

export function drawFollow() {
  const isBehind = !list.follows && inspector.shown.length > 0 && inspector.view === "events";
  $("follow").hidden = !isBehind;
  if (isBehind) {
    const fresh = inspector.shown.length - (list.leftAt ?? inspector.shown.length);
    setText($("follow"), fresh > 0 ? `${number(fresh)} new, to the end` : "To the end");
  }
}

// MARK: - Filter

export function refilter() {
  const { filter } = inspector;
  filter.prepare();
  Object.assign(inspector, { matching: [], shown: [], looked: 0, isRefiltered: true });
  viewDrawn.size = -1;
  if (inspector.isPaused) look();
  for (const name of ["text", "name", "session", "user", "code"]) if ($(`filter-${name}`).value !== filter[name]) $(`filter-${name}`).value = filter[name];
  if (filter.code && $("filter-code").value !== filter.code) { $("filter-code").append(make("option", { value: filter.code }, brief(filter.code, 60))); $("filter-code").value = filter.code; }
  document.querySelector(`input[name=status][value="${filter.status}"]`).checked = true;
  put($("chips"),
    filter.request && chip(`request ${brief(filter.request, 8)}`, () => narrow({ request: "" })),
    filter.range && chip(`${clock(filter.range[0])} to ${clock(filter.range[1])}`, () => chooseRange(null)));
  $("clear").disabled = filter.isEmpty;
  setText($("unfold"), filter.size ? `Filter (${filter.size})` : "Filter");
  writeAddress();
  lastDrawn = -100;
  touch();
}

const chip = (text, remove) => button(`\u00d7 ${text}`, remove, { class: "chip", title: text, "aria-label": `Remove the filter ${text}` });

/** Changes parts of the filter. */
export function narrow(values) {
  for (const [name, value] of Object.entries(values)) inspector.filter[name] = visible(value);
  refilter();
}

export function clearFilter() {
  inspector.filter = new Filter();
  refilter();
}

function chooseRange(range) {
  const old = inspector.filter.range;
  inspector.filter.range = range && old && range[0] === old[0] && range[1] === old[1] ? null : range;
  refilter();
}

// MARK: - Views and panels

export function openView(view) {
  inspector.view = view;
  for (const name of views) {
    const tab = $(`tab-${name}`);
    tab.setAttribute("aria-selected", name === view);
    tab.tabIndex = name === view ? 0 : -1;
    $(`view-${name}`).hidden = name !== view;
  }
  $("filters").classList.toggle("away", view === "requests" || view === "plan");
  drawView(true);
  panelsChanged();
  lastDrawn = -100;
  touch();
}

export const actions = {
  filter(values) { narrow(values); openView("events"); },
  /** Replaces the filter. */
  only(values, view = "events") { inspector.filter = new Filter(values); captured.choose(""); refilter(); openView(view); },
  openSession(event) {
    // The whole session is shown, so the filter contains nothing else.
    inspector.filter = new Filter({ session: event.session });
    refilter();
    while (inspector.looked < inspector.events.length) look();
    sessions.choose(event);
    openView("sessions");
  },
  async openRequest(id) { openView("requests"); await requests.openId(id); panelsChanged(); },
  compare(event) {
    inspector.pinned = event;
    notify(`Comparison with ${brief(event.title, 60)}: select another event.`);
    list.refresh();
    openView("events");
    if (isPhone()) { panel.hide(); panelsChanged(); }
    list.element.focus();
  },
  find: (session, id, time) => inspector.events.find((event) => event.session === session && event.id === id && event.time === time),
  close: () => closePanel(),
  changed: panelsChanged,
  opened: panelsChanged,
};

export function closePanel() {
  inspector.pinned = null;
  inspector.wanted = null;
  panel.hide();
  document.body.classList.remove("with-panel");
  list.selected = null;
  list.refresh();
  panelsChanged();
}

function openEvent(event) {
  inspector.wanted = null;
  document.body.classList.add("with-panel");
  if (inspector.pinned && inspector.pinned.sequence !== event.sequence) {
    $("notice").classList.remove("shown");
    panel.leave();
    comparison.show(inspector.pinned, event);
  } else {
    panel.show(event);
  }
  panelsChanged();
}

export const histogram = new Histogram($("histogram"), { choose: chooseRange, turn: () => { inspector.filter.range = null; refilter(); } });
export const panel = new EventPanel($("event-panel"), actions);
const comparison = new Comparison($("event-panel"), actions);
export const sessions = new Sessions(actions);
export const requests = new Requests(actions);
export const captured = new Captured(actions);
export const audit = new Audit(actions);
export const plan = new Plan(actions);
export const list = new VirtualList($("event-list"), {
  label: "Events", follows: true, select: openEvent,
  followed(isAtEnd) { list.leftAt = isAtEnd ? null : inspector.shown.length; drawFollow(); },
  make: () => make("div.event-row", make("span.time"), make("span.sign"), make("span.name"), make("span.value", make("strong"), make("span")), make("span.screen"), make("span.session", make("span.dot"), make("span")), make("span.user"), make("span.codes")),
  fill(row, event) {
    const [time, sign, name, value, screen, session, user, codes] = row.children;
    const isCrash = event.name === crashName;
    const { amount, rest } = event.values;
    setText(time, clock(event.time));
    showSeverity(row, sign, severityOf(event));
    if (event.sequence === inspector.pinned?.sequence) setText(sign, "=");
    else if (isCrash && !event.isBad) setText(sign, "\u00d7");
    setText(name, brief(event.title));
    setText(value.firstChild, amount);
    setText(value.lastChild, rest);
    setText(screen, brief(event.screen ?? ""));
    session.firstChild.style.background = event.session === null ? "transparent" : hue(event.session);
    setText(session.lastChild, event.session === null ? "" : event.sessionNumber === null ? brief(event.session, 12) : `#${brief(event.sessionNumber, 8)}`);
    setText(user, brief(event.user ?? event.unique?.slice(0, 8) ?? "", 80));
    setText(codes, event.codes.slice(0, 20).join(" "));
    row.classList.toggle("crash", isCrash);
    row.classList.toggle("ours", Boolean(event.name?.startsWith("_")));
  },
});
export const faults = new Faults((active) => {
  $("faults").classList.toggle("on", active.length > 0);
  setText($("faults"), active.length ? `Faults: ${active.length} on` : "Faults");
});

// MARK: - Start

function connectionChanged(name, { pause, reason, expected }) {
  if (name === "loading") {
    inspector.expected = inspector.events.length ? 0 : expected;
    return touch();
  }
  inspector.connection = { name, reason };
  $("connection").dataset.state = name;
  setText($("connection"), name === "live" ? "live" : `connection lost, retry in ${span(pause)}`);
  $("connection").title = name === "live" ? "" : reason;
  if (name === "live") { requests.begin(feed.place); readSummary(); faults.read().catch(() => {}); }
  touch();
}

export const feed = new Feed({
  events: take,
  captured(texts) { captured.take(texts); touch(); },
  audit(texts) { audit.take(texts); touch(); },
  requests(rows) { requests.add(rows, senders); touch(); },
  reset: forget,
  skip: () => notify("Events arrive faster than the page can show them. It continues with the newest."),
  state: connectionChanged,
});

connectControls();
setTheme(themes.includes(readTheme()) ? readTheme() : "auto");
readAddress();
// Not awaited: the files of the formats import modules that import this one.
loadFormats().then(() => feed.run());
