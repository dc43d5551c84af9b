// State of the page: events, filter, views and their drawing.

import { readAddress, reportOlder, selectWanted, writeAddress } from "./Address.js";
import { Audit } from "./Audit.js";
import { Captured } from "./Captured.js";
import { loadFormats } from "./CapturedFormat.js";
import { readText } from "./Collector.js";
import { Comparison } from "./Comparison.js";
import { connectControls, isPhone, panelsChanged, readTheme, setTheme, themes } from "./Controls.js";
import { Faults } from "./Dialogs.js";
import { $, button, make, notify, put, setText, setTitle, showSeverity } from "./Element.js";
import { Event, severityOf } from "./Event.js";
import { EventPanel } from "./EventPanel.js";
import { Feed, slice } from "./Feed.js";
import { Filter } from "./Filter.js";
import { Histogram } from "./Histogram.js";
import { Plan } from "./Plan.js";
import { Requests } from "./Requests.js";
import { windows } from "./Retention.js";
import { flowElement } from "./ScreenFlow.js";
import { Sessions } from "./Sessions.js";
import { startElement } from "./Start.js";
import { eventsState, showState } from "./States.js";
import { crashName } from "./Timeline.js";
import { VirtualList } from "./VirtualList.js";
import { brief, clock, hue, number, span, visible } from "./Words.js";

export const views = ["events", "sessions", "screens", "requests", "captured", "audit", "plan"];

/** Device by request id, from the events whose request has not arrived yet. In the stream, a request follows its events. */
const senders = new Map();

export const inspector = {
  /** Events that the page keeps, in the order of arrival. */
  get events() { return windows.events.events; },
  /** Events that match the filter apart from its time range; and those within the range too. */
  matching: [],
  shown: [],
  /** Number of `events` that the two above take into account. */
  looked: 0,
  filter: new Filter(),
  view: "events",
  isPaused: false,
  summary: null,
  /** First event of a comparison. */
  pinned: null,
  /** Sequence number of the address's event while it is not selected yet. */
  wanted: null,
  /** True while older events are read. */
  isReadingOlder: false,
  /** First visible event of the list, before older ones were added. */
  anchor: null,
  connection: { name: "connecting" },
  /** Number of events in the store when the feed began. */
  expected: 0,
};

// MARK: - Input

/** View that draws the events of a list. */
const viewOf = (list) => ({ events: clickstream, captured, audit })[list];

/** Events in the order of their arrival, from the elements of the stream. */
function eventsOf(list, rows) {
  const { make } = viewOf(list);
  return rows.flatMap(({ text, sequence }) => {
    try {
      return [make(text, sequence)];
    } catch {
      // Not JSON to this browser. The collector's store still has the event.
      return [];
    }
  });
}

function take(list, rows) {
  const events = eventsOf(list, rows);
  windows[list].take(events);
  if (list === "events") {
    inspector.expected = Math.max(0, inspector.expected - rows.length);
    for (const { request, device } of events) if (device !== null && !senders.has(request)) senders.set(request, device);
  }
  if (!inspector.isPaused) admit(list);
  touch();
}

/** Adds the events that arrived in a list. */
function admit(list) {
  const { added, dropped } = windows[list].add();
  if (added.length || dropped) viewOf(list).changed(added, dropped);
}

/** Drops the events that the stream omits: it has begun with newer ones. */
function omit(positions) {
  for (const [list, position] of Object.entries(positions)) {
    const dropped = windows[list].omit(position);
    if (dropped) viewOf(list).changed([], dropped);
    if (inspector.view === list && list !== "events" && inspector.wanted && inspector.wanted <= position) reportOlder();
  }
  touch();
}

/** Reads events of the current view that are older than those which the page keeps. */
async function loadOlder() {
  const list = viewOf(inspector.view) ? inspector.view : "events", retention = windows[list];
  const oldest = retention.events[0];
  // The control is drawn later than the store is emptied, or than it is pressed.
  if (!oldest || inspector.isReadingOlder) return;
  inspector.isReadingOlder = true;
  touch();
  try {
    const newest = retention.events.length + retention.waiting + retention.step;
    const events = await feed.older(list, oldest.sequence, newest, retention.limits.characters, (row) => eventsOf(list, [row]));
    // The store may have been emptied meanwhile, or the oldest event dropped.
    if (retention.events[0] !== oldest) return;
    if (retention.prepend(events)) viewOf(list).prepended();
    if (retention.isFull) notify("The page keeps no more events of this list. The query API of the collector has all.");
  } catch (error) {
    notify(`Older events could not be read: ${error.message}`);
  } finally {
    inspector.isReadingOlder = false;
    touch();
  }
}

/** The list of the views Events, Sessions and Screens. */
const clickstream = {
  get counts() { return { noun: "event", shown: inspector.shown.length, isFiltered: !inspector.filter.isEmpty }; },
  make(text, sequence) {
    return new Event(text, sequence);
  },
  changed(added, dropped) {
    if (!dropped) return;
    inspector.looked = Math.max(0, inspector.looked - dropped);
    const oldest = inspector.events[0]?.sequence ?? Infinity;
    for (const events of [inspector.matching, inspector.shown]) {
      const kept = events.findIndex((event) => event.sequence >= oldest);
      events.splice(0, kept < 0 ? events.length : kept);
    }
  },
  prepended() {
    if (!list.follows) inspector.anchor = list.firstVisible;
    refilter();
  },
};

function forget() {
  for (const retention of Object.values(windows)) retention.reset();
  Object.assign(inspector, { matching: [], shown: [], looked: 0, pinned: null, wanted: null, expected: 0 });
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
    windows.events.total = inspector.summary.events;
    windows.captured.total = Object.values(JSON.parse(await readText("/api/captured/summary"))).reduce((sum, { events }) => sum + events, 0);
    windows.audit.total = JSON.parse(await readText("/api/audit/summary")).events;
    drawCounters();
    drawTally();
    // The comparison with the plan is read after the counts: it covers the same events.
    if (inspector.view === "plan" && plan.isStale) touch();
    if (faults.active.length) await faults.read();
  } catch {
    // The feed reports a lost connection.
  }
}

function drawCounters() {
  const s = inspector.summary;
  const figures = [["events", s.events], ["bad", s.bad_events, s.bad_events > 0], ["duplicates", s.duplicates], ["sessions", s.sessions], ["users", s.users], ["requests", s.requests], ["unreadable", s.bad_requests, s.bad_requests > 0], ...["captured", "audit"].filter((list) => windows[list].total).map((list) => [list, windows[list].total])];
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
  const { events } = inspector;
  if (!inspector.isPaused) Object.keys(windows).forEach(admit);
  look();
  const isBusy = inspector.looked < events.length;
  drawEmpty();
  if (inspector.view === "events") {
    list.show(inspector.shown);
    if (inspector.isRefiltered && !isBusy) {
      inspector.isRefiltered = false;
      const item = inspector.anchor ?? list.selected;
      if (item) list.reveal(item, true);
      inspector.anchor = null;
    }
    drawHistogram(isBusy);
    showState($("event-state"), $("empty").hidden ? eventsState() : null);
  } else if (!isBusy) {
    drawView();
  }
  if (inspector.wanted) selectWanted();
  drawTally();
  if (!isBusy) suggest();
  drawFollow();
  if (isBusy) { dirty = true; lastDrawn = -100; setTimeout(() => { requestAnimationFrame(update); }); }
}

/** Numbers of events at the end of the filter, and the control for older ones. */
function drawTally() {
  const { view, isPaused, isReadingOlder } = inspector;
  const retention = windows[view] ?? windows.events, { waiting } = retention;
  const tally = view === "plan" ? plan.tallyText : retention.tallyText((viewOf(view) ?? clickstream).counts, isPaused);
  setText($("tally"), tally);
  setTitle($("tally"), tally);
  setText($("pause"), isPaused ? (waiting ? `Resume (${number(waiting)})` : "Resume") : "Pause");
  $("older").hidden = !retention.hasOlder && !isReadingOlder;
  $("older").disabled = isReadingOlder;
  setText($("older"), isReadingOlder ? "Loading\u2026" : "Load older");
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
  const size = Object.values(windows).map(({ version }) => version).join();
  if (suggested.size === size || suggested.later) return;
  const wait = suggested.at + 1000 - performance.now();
  if (wait > 0) {
    suggested.later = setTimeout(() => { suggested.later = 0; suggest(); }, wait);
    return;
  }
  suggested = { size, at: performance.now(), later: 0 };
  const names = new Map(), users = new Set(), codes = new Map();
  for (const event of Object.values(windows).flatMap(({ events }) => events)) {
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
    const { leftAt } = list;
    const fresh = leftAt === null ? 0 : inspector.shown.length - 1 - inspector.shown.findLastIndex(({ sequence }) => sequence <= leftAt);
    setText($("follow"), fresh > 0 ? `${number(fresh)} new, to the end` : "To the end");
  }
}

// MARK: - Filter

export function refilter() {
  const { filter } = inspector;
  filter.prepare();
  Object.assign(inspector, { matching: [], shown: [], looked: 0, isRefiltered: true });
  viewDrawn.size = -1;
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
  only(values, view = "events") { inspector.filter = new Filter(values); captured.choose(""); audit.choose({}); refilter(); openView(view); },
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
  followed(isAtEnd) { list.leftAt = isAtEnd ? null : inspector.shown.at(-1)?.sequence ?? null; drawFollow(); },
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
/** Sequence number of the last event when the list left its end; null while it follows. */
list.leftAt = null;
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
  if (name === "live") { readSummary(); faults.read().catch(() => {}); }
  touch();
}

export const feed = new Feed({
  events: take,
  omitted: omit,
  requests(rows) { requests.add(rows, senders); touch(); },
  reset: forget,
  skip: () => notify("Events arrive faster than the page can show them. It continues with the newest."),
  state: connectionChanged,
});

connectControls();
$("older").addEventListener("click", loadOlder);
setTheme(themes.includes(readTheme()) ? readTheme() : "auto");
readAddress();
// Not awaited: the files of the formats import modules that import this one.
loadFormats().then(() => feed.run());
