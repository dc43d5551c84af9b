// State of the page: the filter and the events that match it, the views, and when they are drawn.

import { $, button, make, put, released, setText, setTitle } from "./Element.js";
import { slice } from "./Feed.js";
import { Filter } from "./Filter.js";
import { frequentKeys } from "./Groups.js";
import { windows } from "./Retention.js";
import { brief, localTime, number, visible } from "./Words.js";

/** The views by their names, in the order of their tabs. */
export const views = new Map();

export const inspector = {
  /** Clickstream events that the page keeps, in the order of arrival. */
  get events() { return windows.events.events; },
  /** Events that match the filter apart from its time range; and those within the range too. */
  matching: [],
  shown: [],
  /** Number of `events` that the two above take into account. */
  examined: 0,
  filter: new Filter(),
  /** True from a change of the filter until its list is drawn. */
  isRefiltered: false,
  view: "events",
  isPaused: false,
  /** True if the next address is an entry of its own in the history. */
  isStep: false,
  /** Counts of the store, as last read; null before. */
  summary: null,
  /** Sequence number of the address's event while it is not selected yet. */
  wanted: null,
  /** True while older events are read on demand. */
  isReadingOlder: false,
  connection: { name: "connecting" },
  /** Called after each change of what the address has, after each drawing, and to connect without a pause. */
  changed() {},
  drawn() {},
  retry() {},
  /** Shows other events in place of those of a saved file. */
  openEvents(events, name) {},
};

export const currentView = () => views.get(inspector.view);

// MARK: - Drawing

let dirty = false, lastDrawn = 0;
/** Schedules a drawing: at once the first time, then at most ten times a second. */
export function touch() {
  if (dirty) return;
  dirty = true;
  setTimeout(() => requestAnimationFrame(update), Math.max(0, lastDrawn + 100 - performance.now()));
}

/** Lets the next drawing be at once, after an action of the user. */
function hurry() {
  lastDrawn = -100;
  touch();
}

async function update() {
  await released();
  dirty = false;
  lastDrawn = performance.now();
  if (!inspector.isPaused) for (const view of views.values()) view.admit();
  examine();
  const isBusy = inspector.examined < inspector.events.length;
  const view = currentView();
  if (view.drawsAtOnce) view.show(isBusy);
  else if (!isBusy) drawView();
  if (inspector.wanted) view.selectWanted();
  drawTally();
  view.panel?.refresh?.();
  if (!isBusy) suggest();
  inspector.drawn();
  if (!isBusy) return;
  dirty = true;
  lastDrawn = -100;
  setTimeout(() => requestAnimationFrame(update));
}

/** Applies the filter to new events for some milliseconds, so that a hundred thousand of them do not block the page. */
function examine(milliseconds = slice) {
  const { events, filter } = inspector;
  const began = performance.now();
  while (inspector.examined < events.length) {
    for (const end = Math.min(events.length, inspector.examined + 500); inspector.examined < end; inspector.examined++) {
      const event = events[inspector.examined];
      if (!filter.matches(event)) continue;
      inspector.matching.push(event);
      if (filter.isWithin(event)) inspector.shown.push(event);
    }
    if (performance.now() - began > milliseconds) break;
  }
}

/** Applies the filter to all events, however long it takes. */
export const examineAll = () => examine(Infinity);

let viewDrawn = { stamp: null, at: 0, later: 0 };
/** Draws a view that is computed from all events: at once if it had none before, otherwise at most twice a second. */
export function drawView(always = false) {
  const view = currentView();
  const now = performance.now();
  const stamp = JSON.stringify([inspector.view, view.stamp, inspector.connection.name]);
  if (!always && viewDrawn.stamp === stamp) return;
  if (!always && now - viewDrawn.at < 500) {
    viewDrawn.later ||= setTimeout(() => { viewDrawn.later = 0; touch(); }, viewDrawn.at + 500 - now);
    return;
  }
  Object.assign(viewDrawn, { stamp, at: view.retention.events.length ? now : -Infinity });
  view.show(false);
}

/** True if no drawing is scheduled: the page shows all that it has, other than what it is reading. */
export const isDrawn = () => !dirty && !viewDrawn.later;

/** Draws the view again although nothing has changed but its size. @param isUrgent true for what the user waits for */
export function redraw(isUrgent = false) {
  Object.assign(viewDrawn, { stamp: null, at: isUrgent ? -Infinity : viewDrawn.at });
  touch();
}

/** Numbers of events at the end of the filter, and the control for older ones. */
function drawTally() {
  const { isPaused, isReadingOlder } = inspector;
  const { tally, retention } = currentView(), { waiting } = retention;
  setText($("tally"), tally);
  setTitle($("tally"), tally);
  setText($("pause"), isPaused ? (waiting ? `Resume (${number(waiting)})` : "Resume") : "Pause");
  $("older").hidden = !retention.hasOlder && !isReadingOlder;
  $("older").disabled = isReadingOlder;
  setText($("older"), isReadingOlder ? "Loading\u2026" : "Load older");
}

let suggested = { stamp: null, at: 0, later: 0 };
/** Updates the names, users and codes that the filter offers, at most once a second. */
function suggest() {
  const stamp = Object.values(windows).map(({ version }) => version).join();
  if (suggested.stamp === stamp || suggested.later) return;
  const wait = suggested.at + 1000 - performance.now();
  if (wait > 0) {
    suggested.later = setTimeout(() => { suggested.later = 0; suggest(); }, wait);
    return;
  }
  suggested = { stamp, at: performance.now(), later: 0 };
  const users = new Set(), codes = new Map(), exact = Filter.exact.map(() => new Set()), all = Object.values(windows).flatMap(({ events }) => events);
  for (const event of all) {
    if (event.user !== null && users.size < 200) users.add(event.user);
    for (const [index, values] of exact.entries()) if (event[Filter.exact[index]] && values.size < 200) values.add(event[Filter.exact[index]]);
    for (const code of event.codes) codes.set(code, (codes.get(code) ?? 0) + 1);
  }
  const option = (text) => make("option", { value: brief(text, 200) });
  put($("names"), frequentKeys(all, ({ name }) => name, 200).map(option));
  put($("users"), [...users].map(option));
  for (const [index, values] of exact.entries()) put($(`${Filter.exact[index]}s`), [...values].sort().map(option));
  if (document.activeElement !== $("filter-code")) {
    put($("filter-code"), make("option", { value: "" }, "any code"), [...codes].sort().map(([code, n]) => make("option", { value: code }, `${brief(code, 60)} (${number(n)})`)));
    choose($("filter-code"), inspector.filter.code);
  }
}

// MARK: - Filter

/** Shows the filter and applies it to all events. */
export function refilter() {
  const { filter } = inspector;
  filter.prepare();
  Object.assign(inspector, { matching: [], shown: [], examined: 0, isRefiltered: true });
  viewDrawn.stamp = null;
  for (const name of ["text", "name", "session", "user", "code", ...Filter.exact]) choose($(`filter-${name}`), filter[name]);
  for (const [index, end] of ["since", "until"].entries()) chooseTime($(`filter-${end}`), filter.range?.[index]);
  document.querySelector(`input[name=status][value="${filter.status}"]`).checked = true;
  drawChips(filter);
  $("clear").disabled = filter.isEmpty;
  setText($("unfold"), filter.size ? `Filter (${filter.size})` : "Filter");
  setText($("more"), filter.sizeOfMore ? `More (${filter.sizeOfMore})` : "More");
  inspector.changed();
  hurry();
}

/** Shows a part of the filter that has no field beside the tabs, or the first of several; the others are in the form behind "More". */
function drawChips(filter) {
  const parts = [
    filter.request && [`request ${brief(filter.request, 8)}`, () => narrow({ request: "" })],
    filter.range && [filter.rangeWords, () => chooseRange(null)],
    ...filter.exactParts.map((name) => [`${name} ${brief(filter[name], 60)}`, () => narrow({ [name]: "" })]),
  ].filter(Boolean);
  const others = parts.slice(1).map(([text]) => text).join(", ");
  $("chips").classList.toggle("of-more", !filter.request);
  put($("chips"), parts.slice(0, 1).map((part) => chip(...part)), others !== "" && button(`+${parts.length - 1}`, openMore, { class: "chip others", title: others, "aria-label": `Show ${parts.length - 1} more parts of the filter: ${others}` }));
  put($("all-chips"), others !== "" && parts.map((part) => chip(...part)));
}

/** Shows the form with all parts of the filter: on a phone, the unfolded one. */
function openMore() {
  if ($("more").checkVisibility()) $("more-fields").showPopover();
  else if (!document.body.classList.contains("filters-open")) $("unfold").click();
}

/** Part of a filter with a control that removes it. */
export const chip = (text, remove) => button(`\u00d7 ${text}`, remove, { class: "chip", title: text, "aria-label": `Remove the filter ${text}` });

/** Sets a field or a select, which gets an option for a value that it lacks. */
export function choose(control, value) {
  if (control.value === value) return;
  if (value && control.options && ![...control.options].some((option) => option.value === value)) control.append(make("option", { value }, brief(value, 60)));
  control.value = value;
}

/** Sets a field of a date and time from milliseconds. One that has the time already is kept: its parts are being typed. */
function chooseTime(field, time) {
  const shown = Number.isFinite(time) && Math.abs(time) < 8e15 ? localTime(time) : "";
  if (shown ? new Date(field.value).getTime() !== time : field.value) field.value = shown;
}

/** Makes the next address an entry of its own in the history, so that Back undoes a change. Other addresses replace the present one. */
export function step() {
  inspector.isStep = true;
}

/** Changes parts of the filter. @param isTyped true for one of several changes of a field, which are no steps of the history */
export function narrow(values, isTyped = false) {
  if (!isTyped) step();
  for (const [name, value] of Object.entries(values)) inspector.filter[name] = visible(value);
  refilter();
}

/** Replaces the filter. Times among the values are those of receipt. */
export function setFilter(values = {}) {
  step();
  if (values.since || values.until) Filter.basis = "received";
  inspector.filter = new Filter(values);
  refilter();
}

/** Sets the range of times between two milliseconds, which are null for an open end. */
export function setRange(since, until) {
  inspector.filter.range = Filter.rangeOf(since, until);
  refilter();
}

/** Sets the range of times, or removes it if it is set already. */
export function chooseRange(range) {
  step();
  const old = inspector.filter.range;
  inspector.filter.range = range && old && range[0] === old[0] && range[1] === old[1] ? null : range;
  refilter();
}

// MARK: - Views

export function openView(name) {
  if (!views.has(name)) return;
  inspector.view = name;
  const { usesFilter, group } = currentView();
  for (const each of views.keys()) $(`view-${each}`).hidden = each !== name;
  $("filters").classList.toggle("away", !usesFilter);
  // The views of a group share a tab, which leads to the one that was opened last, and have tabs of their own beside it.
  for (const list of document.querySelectorAll("[data-group]")) list.hidden = list.dataset.group !== group;
  if (group) Object.assign($(`tab-${group}`).dataset, { view: name });
  for (const tab of document.querySelectorAll(".bar [role=tab]")) {
    const isSelected = tab.dataset.view === name;
    tab.setAttribute("aria-selected", isSelected);
    tab.setAttribute("aria-controls", `view-${tab.dataset.view}`);
    tab.tabIndex = isSelected ? 0 : -1;
    if (isSelected) tab.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
  // Others are drawn once the filter has been applied to the first events: a list without rows would lose its place.
  if (!currentView().drawsAtOnce) drawView(true);
  inspector.changed();
  hurry();
}

/** Opens the list of events, narrowed by values. */
export function openFiltered(values) {
  narrow(values);
  openView("events");
}

/** Opens the list of a view with only a filter of these values, and with no other choice of the views that it applies to. */
export function openOnly(values, name = "events") {
  for (const view of views.values()) if (view.usesFilter) view.clear();
  setFilter(values);
  openView(name);
}
