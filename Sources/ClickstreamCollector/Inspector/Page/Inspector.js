// The page as a whole: what came, what is shown of it, and what the keys do.

const facts = JSON.parse($("facts").textContent);
const views = ["events", "sessions", "screens", "requests"];

const inspector = {
  /** All events that the page keeps, in the order of arrival. */
  events: [],
  /** Those that fit the filter, its time apart; and those that fit its time too. */
  matching: [],
  shown: [],
  /** How many of `events` have been looked at for the two above. */
  looked: 0,
  arrived: 0,
  filter: new Filter(),
  view: "events",
  isPaused: false,
  summary: null,
  pinned: null,
};

// MARK: what comes in

function take(texts) {
  for (const text of texts) {
    try {
      inspector.events.push(new Event(text, inspector.arrived++));
    } catch {
      // An event that this browser cannot read as JSON is still in the collector's store.
    }
  }
  if (inspector.events.length > most * 1.05) drop(inspector.events.length - most);
  touch();
}

/** Lets go of the oldest. */
function drop(n) {
  inspector.events.splice(0, n);
  inspector.looked = Math.max(0, inspector.looked - n);
  const oldest = inspector.events[0].place;
  for (const list of [inspector.matching, inspector.shown]) {
    const kept = list.findIndex((event) => event.place >= oldest);
    list.splice(0, kept < 0 ? list.length : kept);
  }
}

function forget() {
  Object.assign(inspector, { events: [], matching: [], shown: [], looked: 0, pinned: null });
  list.selected = null;
  closePanel();
  requests.reset();
  sessions.timeline = null;
  sessions.close();
  sessions.closeEvent();
  sessions.list.selected = null;
  touch();
}

let dirty = false, lastDrawn = 0, summaryTimer = null;
/** Draws soon: at once the first time, then ten times a second at most. */
function touch() {
  if (!dirty) {
    dirty = true;
    setTimeout(() => requestAnimationFrame(update), Math.max(0, lastDrawn + 100 - performance.now()));
  }
  summaryTimer ??= setTimeout(() => { summaryTimer = null; readSummary(); }, 300);
}

async function readSummary() {
  try {
    const response = await fetch("/api/summary", { cache: "no-store" });
    if (!response.ok) return;
    inspector.summary = await response.json();
    drawCounters();
    if (faults.active.length) await faults.read();
  } catch {
    // The feed says that the connection is lost.
  }
}

function drawCounters() {
  const s = inspector.summary;
  const figures = [["events", s.events], ["bad", s.bad_events, s.bad_events > 0], ["duplicates", s.duplicates], ["sessions", s.sessions], ["users", s.users], ["requests", s.requests], ["unreadable", s.bad_requests, s.bad_requests > 0]];
  document.title = `${s.bad_events ? `(${number(s.bad_events)} bad) ` : ""}Clickstream inspector`;
  put($("counters"), figures.map(([label, n, isBad]) => make(isBad ? "div.bad" : "div", make("dd", number(n)), make("dt", n === 1 ? label.replace(/s$/, "") : label))));
}

// MARK: what is shown

/** Looks at what has not been looked at, for some milliseconds: a hundred thousand events do not hold up the page. */
function look() {
  const { events, filter } = inspector;
  const began = performance.now();
  while (inspector.looked < events.length) {
    for (const end = Math.min(events.length, inspector.looked + 500); inspector.looked < end; inspector.looked++) {
      const event = events[inspector.looked];
      if (!filter.fits(event)) continue;
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
  const isEmpty = events.length === 0;
  if (isEmpty !== !$("empty").hidden) {
    $("empty").hidden = !isEmpty;
    if (isEmpty) put($("empty"), startElement());
  }
  document.body.classList.toggle("nothing", isEmpty);
  if (inspector.view === "events") {
    list.show(inspector.shown);
    if (inspector.isRefiltered && !isBusy) {
      inspector.isRefiltered = false;
      if (list.selected) list.reveal(list.selected, true);
    }
    drawHistogram(isBusy);
  } else if (!isBusy) {
    drawView();
  }
  const waiting = events.length - inspector.looked;
  say($("tally"), `${filter.isEmpty ? count(inspector.shown.length, "event") : `${number(inspector.shown.length)} of ${count(events.length, "event")}`}${isPaused && waiting ? `, ${number(waiting)} waiting` : ""}`);
  say($("pause"), isPaused ? (waiting ? `Resume (${number(waiting)})` : "Resume") : "Pause");
  if (!isBusy) suggest();
  drawFollow();
  if (isBusy) { dirty = true; lastDrawn = -100; setTimeout(() => { requestAnimationFrame(update); }); }
}

let histogramDrawn = 0;
function drawHistogram(isBusy) {
  if (isBusy && performance.now() - histogramDrawn < 400) return;
  histogramDrawn = performance.now();
  histogram.show(inspector.matching, inspector.filter.range);
}

let viewDrawn = { size: -1, at: 0 };
/** Draws the views that are worked out from all events, twice a second at most. */
function drawView(always = false) {
  const { view, matching } = inspector;
  if (view === "requests") return requests.show();
  const now = performance.now();
  if (!always && viewDrawn.view === view && viewDrawn.size === matching.length) return;
  if (!always && now - viewDrawn.at < 500) { setTimeout(touch, 500); return; }
  viewDrawn = { view, size: matching.length, at: now };
  if (view === "sessions") sessions.show(inspector.filter.range ? inspector.shown : matching);
  if (view === "screens") put($("flow"), flowElement(inspector.filter.range ? inspector.shown : matching, $("flow").clientWidth - 36, actions));
}

let suggested = { size: -1, at: 0, later: 0 };
/** The names, users and codes that there are, for the filter's lists; made anew once a second at most. */
function suggest() {
  const { events } = inspector;
  if (suggested.size === events.length || suggested.later) return;
  const wait = suggested.at + 1000 - performance.now();
  if (wait > 0) {
    suggested.later = setTimeout(() => { suggested.later = 0; suggest(); }, wait);
    return;
  }
  suggested = { size: events.length, at: performance.now(), later: 0 };
  const names = new Map(), users = new Set(), codes = new Map();
  for (const event of events) {
    if (event.name !== null) names.set(event.name, (names.get(event.name) ?? 0) + 1);
    if (event.user !== null && users.size < 200) users.add(event.user);
    for (const code of event.codes) codes.set(code, (codes.get(code) ?? 0) + 1);
  }
  put($("names"), [...names].sort((a, b) => b[1] - a[1]).slice(0, 200).map(([name]) => make("option", { value: name })));
  put($("users"), [...users].map((user) => make("option", { value: user })));
  if (document.activeElement !== $("filter-code")) {
    put($("filter-code"), make("option", { value: "" }, "any code"), [...codes].sort().map(([code, n]) => make("option", { value: code, selected: code === inspector.filter.code }, `${code} (${number(n)})`)));
  }
}

function drawFollow() {
  const isBehind = !list.follows && inspector.shown.length > 0 && inspector.view === "events";
  $("follow").hidden = !isBehind;
  if (isBehind) {
    const fresh = inspector.shown.length - (list.leftAt ?? inspector.shown.length);
    say($("follow"), fresh > 0 ? `${number(fresh)} new, to the end` : "To the end");
  }
}

// MARK: the filter

function refilter() {
  const { filter } = inspector;
  filter.prepare();
  Object.assign(inspector, { matching: [], shown: [], looked: 0, isRefiltered: true });
  viewDrawn.size = -1;
  const wasPaused = inspector.isPaused;
  if (wasPaused) look();
  for (const name of ["text", "name", "session", "user", "code"]) if ($(`filter-${name}`).value !== filter[name]) $(`filter-${name}`).value = filter[name];
  if (filter.code && $("filter-code").value !== filter.code) { $("filter-code").append(make("option", { value: filter.code }, filter.code)); $("filter-code").value = filter.code; }
  document.querySelector(`input[name=status][value="${filter.status}"]`).checked = true;
  put($("chips"),
    filter.request && chip(`request ${filter.request.slice(0, 8)}`, () => narrow({ request: "" })),
    filter.range && chip(`${clock(filter.range[0])} to ${clock(filter.range[1])}`, () => chooseRange(null)));
  $("clear").hidden = filter.isEmpty;
  writeAddress();
  lastDrawn = -100;
  touch();
}

const chip = (text, remove) => button(`${text} \u00d7`, remove, { class: "chip", "aria-label": `Remove the filter ${text}` });

/** Takes over some parts of the filter, shows the events. */
function narrow(values) {
  Object.assign(inspector.filter, values);
  refilter();
}

function clearFilter() {
  inspector.filter = new Filter();
  refilter();
}

function chooseRange(range) {
  const old = inspector.filter.range;
  inspector.filter.range = range && old && range[0] === old[0] && range[1] === old[1] ? null : range;
  refilter();
}

function writeAddress() {
  const query = inspector.filter.write();
  history.replaceState(null, "", `#${inspector.view}${query ? `?${query}` : ""}`);
}

function readAddress() {
  // Where the link for keyboards leads is no view.
  if (location.hash === "#main") return writeAddress();
  const [view, query] = location.hash.slice(1).split("?");
  inspector.filter = new Filter(Object.fromEntries(new URLSearchParams(query ?? "")));
  if (!["", "good", "bad"].includes(inspector.filter.status)) inspector.filter.status = "";
  refilter();
  openView(views.includes(view) ? view : "events");
}

// MARK: views and panels

function openView(view) {
  inspector.view = view;
  for (const name of views) {
    const tab = $(`tab-${name}`);
    tab.setAttribute("aria-selected", name === view);
    tab.tabIndex = name === view ? 0 : -1;
    $(`view-${name}`).hidden = name !== view;
  }
  $("filters").classList.toggle("away", view === "requests");
  writeAddress();
  drawView(true);
  lastDrawn = -100;
  touch();
}

const actions = {
  filter(values) { narrow(values); openView("events"); },
  /** The same, whatever else was filtered. */
  only(values) { inspector.filter = new Filter(values); refilter(); openView("events"); },
  openSession(event) {
    // The session is shown even where the filter leaves out most of it.
    inspector.filter = new Filter({ session: event.session });
    refilter();
    while (inspector.looked < inspector.events.length) look();
    sessions.list.selected = { key: `${event.app}\n${event.session}` };
    sessions.shownEvents = -1;
    openView("sessions");
  },
  async openRequest(id) { openView("requests"); await requests.openId(id); },
  compare(event) {
    inspector.pinned = event;
    notify(`${brief(event.title, 60)} is to be compared: choose another event.`);
    list.refresh();
    openView("events");
    list.element.focus();
  },
  find: (session, id, time) => inspector.events.find((event) => event.session === session && event.id === id && event.time === time),
  close: () => closePanel(),
};

function closePanel() {
  inspector.pinned = null;
  panel.hide();
  document.body.classList.remove("with-panel");
  list.selected = null;
  list.refresh();
}

function openEvent(event) {
  document.body.classList.add("with-panel");
  if (inspector.pinned && inspector.pinned !== event) {
    // What was to be done has been done.
    $("notice").classList.remove("shown");
    comparison.show(inspector.pinned, event);
  } else {
    panel.show(event);
  }
}

const histogram = new Histogram($("histogram"), { choose: chooseRange, turn: () => { inspector.filter.range = null; refilter(); } });
const panel = new EventPanel($("event-panel"), actions);
const comparison = new Comparison($("event-panel"), actions);
const sessions = new Sessions(actions);
const requests = new Requests(actions);
const list = new VirtualList($("event-list"), {
  label: "Events", follows: true, select: openEvent,
  followed(isAtEnd) { list.leftAt = isAtEnd ? null : inspector.shown.length; drawFollow(); },
  make: () => make("div.event-row", make("span.time"), make("span.sign"), make("span.name"), make("span.screen"), make("span.session", make("span.dot"), make("span")), make("span.user"), make("span.codes")),
  fill(row, event) {
    const [time, sign, name, screen, session, user, codes] = row.children;
    say(time, clock(event.time));
    say(sign, event === inspector.pinned ? "=" : event.isBad ? "!" : event.codes.length ? "\u00b7" : "");
    say(name, brief(event.title));
    say(screen, brief(event.screen ?? ""));
    session.firstChild.style.background = event.session === null ? "transparent" : hue(event.session);
    say(session.lastChild, event.session === null ? "" : event.sessionNumber === null ? brief(event.session, 12) : `#${brief(event.sessionNumber, 8)}`);
    say(user, brief(event.user ?? event.unique?.slice(0, 8) ?? "", 80));
    say(codes, event.codes.join(" "));
    row.classList.toggle("bad", event.isBad);
    row.classList.toggle("ours", Boolean(event.name?.startsWith("_")));
  },
});
const faults = new Faults((active) => {
  $("faults").classList.toggle("on", active.length > 0);
  say($("faults"), active.length ? `Faults: ${active.length} on` : "Faults");
});

// MARK: controls

function pause() {
  inspector.isPaused = !inspector.isPaused;
  $("pause").setAttribute("aria-pressed", inspector.isPaused);
  document.body.classList.toggle("paused", inspector.isPaused);
  touch();
}

const themes = ["auto", "light", "dark"];
function setTheme(theme) {
  document.documentElement.style.colorScheme = theme === "auto" ? "light dark" : theme;
  put($("theme"), make("span.only-wide", "Theme: "), theme);
  try { localStorage.setItem("theme", theme); } catch { /* Kept for this visit alone. */ }
  $("theme").dataset.theme = theme;
}
const turnTheme = () => setTheme(themes[(themes.indexOf($("theme").dataset.theme) + 1) % 3]);
const readTheme = () => { try { return localStorage.getItem("theme"); } catch { return null; } };

/** Closes what lies on top, then clears the filter. */
function escape() {
  if (document.activeElement?.closest?.("#filters")) return list.element.focus();
  if (inspector.view === "requests" && !requests.panel.hidden) return requests.close();
  if (inspector.view === "sessions" && !sessions.event.host.hidden) return sessions.closeEvent();
  if (inspector.view === "sessions" && sessions.panel.classList.contains("open") && innerWidth < 760) return sessions.close();
  if (inspector.view === "events" && !panel.host.hidden) { closePanel(); return list.element.focus(); }
  if (!inspector.filter.isEmpty) clearFilter();
}

const activeList = () => ({ events: list, sessions: sessions.list, requests: requests.list })[inspector.view];

function onKey(event) {
  if (event.key === "Escape" && !$("dialog").open) return escape();
  if (event.ctrlKey || event.metaKey || event.altKey || $("dialog").open) return;
  if (event.target.closest?.("input, select, textarea")) return;
  const act = {
    j: () => activeList()?.step(1), k: () => activeList()?.step(-1),
    g: () => activeList()?.step(-Infinity), G: () => { activeList()?.scrollToEnd(); activeList()?.step(Infinity); },
    "/": () => $("filter-text").focus(), p: pause, x: () => exportDialog(inspector.shown), f: () => faults.open(), t: turnTheme, "?": helpDialog,
    b: () => narrow({ status: inspector.filter.status === "bad" ? "" : "bad" }),
    c: () => inspector.view === "events" && list.selected && actions.compare(list.selected),
    s: () => inspector.view === "events" && list.selected?.session && actions.openSession(list.selected),
    1: () => openView("events"), 2: () => openView("sessions"), 3: () => openView("screens"), 4: () => openView("requests"),
  }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

$("pause").addEventListener("click", pause);
$("export").addEventListener("click", () => exportDialog(inspector.shown));
$("faults").addEventListener("click", () => faults.open());
$("reset").addEventListener("click", () => resetDialog(inspector.summary));
$("theme").addEventListener("click", turnTheme);
$("help").addEventListener("click", helpDialog);
$("clear").addEventListener("click", clearFilter);
$("follow").addEventListener("click", () => { list.scrollToEnd(); list.leftAt = null; drawFollow(); });
$("dialog").addEventListener("click", (event) => { if (event.target === $("dialog")) closeDialog(); });
$("filters").addEventListener("submit", (event) => event.preventDefault());
$("filters").addEventListener("input", (event) => {
  const field = event.target.id.replace("filter-", "");
  if (event.target.name === "status") narrow({ status: event.target.value });
  else if (Filter.names.includes(field)) narrow({ [field]: event.target.value });
});
document.querySelector(".tabs").addEventListener("click", (event) => event.target.dataset.view && openView(event.target.dataset.view));
document.querySelector(".tabs").addEventListener("keydown", (event) => {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!by) return;
  openView(views[(views.indexOf(inspector.view) + by + views.length) % views.length]);
  $(`tab-${inspector.view}`).focus();
});
document.addEventListener("keydown", onKey);
window.addEventListener("hashchange", readAddress);
window.addEventListener("resize", () => { viewDrawn.size = -1; touch(); });

function showState(state, pause) {
  $("connection").dataset.state = state;
  say($("connection"), { live: "live", connecting: "connecting" }[state] ?? `connection lost, again in ${span(pause)}`);
  if (state === "live") { readSummary(); faults.read().catch(() => {}); }
}

setTheme(themes.includes(readTheme()) ? readTheme() : "auto");
readAddress();
new Feed({
  events: take,
  requests(rows) { requests.add(rows); touch(); },
  reset: forget,
  skip: () => notify("Events come faster than a page can show them: it goes on with the newest."),
  state: showState,
}).run();
