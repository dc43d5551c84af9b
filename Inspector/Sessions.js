// Sessions of the events on this page, and the timeline of the selected one as the collector reports it.

import { readText, timelinePath } from "./Collector.js";
import { $, button, make, put, released, setTitle } from "./Element.js";
import { EventPanel } from "./EventPanel.js";
import { openExport } from "./Export.js";
import { drawView, inspector, examineAll, openFiltered, openView, setFilter, views } from "./Page.js";
import { figuresElement, linkElement, panelHead } from "./Parts.js";
import { openPerson, personCell } from "./PersonLink.js";
import { windows } from "./Retention.js";
import { sessionScope } from "./SavedFile.js";
import { crashName, timelineElement } from "./Timeline.js";
import { View } from "./View.js";
import { VirtualList } from "./VirtualList.js";
import { brief, clock, count, hue, number, span } from "./Words.js";

const sessionKey = ({ app, session }) => `${app}\n${session}`;

/** Events grouped by app and session, in the order of their first event's arrival. */
function sessionsOf(events) {
  const found = new Map();
  for (const event of events) {
    if (event.session === null) continue;
    const key = sessionKey(event);
    let session = found.get(key);
    if (!session) {
      session = { key, index: found.size, id: event.session, app: event.app, number: event.sessionNumber, first: event.time, last: event.time, events: 0, bad: 0, crashes: 0, views: 0, users: new Set() };
      found.set(key, session);
    }
    session.events++;
    if (event.isBad) session.bad++;
    if (event.name === crashName) session.crashes++;
    if (event.name === "_screen_view") session.views++;
    if (event.user !== null && session.users.size < 100) session.users.add(event.user);
    session.first = Math.min(session.first, event.time);
    session.last = Math.max(session.last, event.time);
  }
  return [...found.values()];
}

/** Columns of a list of sessions. @param texts by column, the text of a session; of `who`, more of the column; of `flaws`, its parts */
export const sessionColumns = ({ title, who, what, flaws }) => [
  { cell: "span.dot", text: ({ id }) => hue(id) },
  { cell: "strong.mono", text: title },
  { cell: "span.who", ...who },
  { cell: "span.when.mono", text: ({ first }) => clock(first) },
  { cell: "span.what", parts: ["span", "span.flaws"], text: (session) => [what(session), flaws(session).filter(Boolean).join(", ")] },
];

/** Orders of the session list: text of the choice, and the value by which it is sorted, the largest first. Ties keep the newest first. */
const orders = {
  "": { text: "newest first", rank: (session) => session.index },
  oldest: { text: "oldest first", rank: (session) => -session.index },
  duration: { text: "longest first", rank: (session) => session.last - session.first },
  events: { text: "most events first", rank: (session) => session.events },
  bad: { text: "most bad events first", rank: (session) => session.bad },
  crashes: { text: "most crashes first", rank: (session) => session.crashes },
};

export class Sessions extends View {
  /** Key of the session that was selected, or that has the event of the address. */
  chosen = null;
  /** App and id of the session that was selected by the user or the address: { app, session }; null for the first one of the list. */
  picked = null;
  /** True until the list has the session of the address. */
  isAwaited = false;
  sessions = [];

  /** @param actions `openRequest(id)`, `compare(event)`, `beforeCrash(event)` */
  constructor(actions) {
    super("sessions", "session", { sort: Object.entries(orders).map(([value, { text }]) => [value, text]) });
    this.session = $("session-panel");
    this.beforeCrash = actions.beforeCrash;
    this.drawers = [this.session];
    this.panel = new EventPanel($("session-event"), { filter: openFiltered, openSession: (event) => this.openOf(event), close: () => this.closePanel(), ...actions });
    this.list = new VirtualList($("session-list"), {
      label: "Sessions", row: "session-row",
      columns: sessionColumns({
        title: ({ id, number }) => (number === null ? id.slice(-12) : `#${brief(number, 8)}`),
        who: personCell(({ users }) => [...users].slice(0, 3).map((user) => brief(user, 30)).join(", ") || "no user id"),
        what: ({ events, views, first, last }) => `${count(events, "event")} \u00b7 ${count(views, "view")} \u00b7 ${span(last - first)}`,
        flaws: ({ crashes, bad }) => [crashes && (crashes === 1 ? "crash" : `${number(crashes)} crashes`), bad && `${number(bad)} bad`],
      }),
      decorate: (row, session) => setTitle(row, brief(session.id)),
      select: (session) => {
        inspector.wanted = null;
        this.pick({ app: session.app, session: session.id });
        this.session.classList.add("open");
        if (!this.panel.event) this.hideEvent();
        this.open(session);
        inspector.changed();
      },
    });
    this.lists = [this.list];
    new ResizeObserver(() => this.timeline && this.plot.clientWidth !== this.drawnWidth && this.redraw()).observe(this.session);
  }

  /** Selects a session. @param picked its app and id; null for the first one of the list */
  pick(picked) {
    Object.assign(this, { picked, chosen: picked && sessionKey(picked), isAwaited: false });
  }

  /** Sets the order and the session from an address. */
  choose(values) {
    super.choose(values);
    this.pick(values.opened ? { app: values.opened_app ?? null, session: values.opened } : null);
    this.isAwaited = this.picked !== null;
    if (!this.picked) this.session.classList.remove("open");
    if (!this.picked) this.list.selected = null;
  }

  /** Order and session, for the address. An event has its session. */
  get parameters() {
    const isNamed = this.picked && this.panel.sequence === null && !inspector.wanted;
    return [...super.parameters, ...(isNamed ? [["opened", this.picked.session], ["opened_app", this.picked.app]] : [])].filter(([, value]) => value !== null);
  }

  get sorted() {
    const { rank } = orders[this.values.sort];
    return this.sessions.toSorted((a, b) => rank(b) - rank(a) || b.index - a.index);
  }

  show() {
    this.sessions = sessionsOf(inspector.shown);
    const { sorted } = this;
    const find = (key) => sorted.find((session) => session.key === key);
    const selected = find(this.chosen) ?? find(this.list.selected?.key) ?? sorted[0] ?? null;
    // Until the stream has the event of the address, its session may be missing in the list.
    if (!inspector.wanted && !this.picked) this.chosen = selected?.key ?? null;
    this.list.selected = selected;
    this.list.show(sorted);
    if (this.isAwaited && selected?.key === this.chosen) this.showAwaited(selected);
    this.showState(selected, "event", [make("p", "No session yet."), make("p.muted", "Events with a _session_id form sessions.")]);
    if (!selected) this.leave();
    else if (this.opened !== this.stampOf(selected)) this.open(selected);
  }

  /** Shows the session of the address, which the list now has. */
  showAwaited(session) {
    this.isAwaited = false;
    this.list.reveal(session, true);
    this.session.classList.add("open");
    inspector.changed();
  }

  /** Opens the whole session of an event: the filter contains nothing else. */
  openOf(event) {
    setFilter({ session: event.session });
    examineAll();
    this.pick(event);
    openView("sessions");
  }

  /** Value that changes with the timeline of a session. */
  stampOf({ key, events }) {
    return `${key} ${events}`;
  }

  leave() {
    Object.assign(this, { timeline: null, opened: null, shownKey: null });
    this.session.replaceChildren();
    if (this.panel.event && !inspector.wanted) this.hideEvent();
  }

  reset() {
    this.pick(null);
    this.leave();
    super.reset();
    this.closeDrawer(this.session);
  }

  /** Reads the session's screens and engagement from the collector. */
  async open(session) {
    this.opened = this.stampOf(session);
    const isSelected = () => this.list.selected?.key === session.key;
    const slow = setTimeout(() => { if (isSelected() && this.shownKey !== session.key) this.drawMessage("Loading\u2026"); }, 200);
    try {
      const timeline = JSON.parse(await readText(timelinePath(session.id, session.app)));
      await released();
      if (!isSelected()) return;
      // The timeline has no warnings.
      for (const entry of timeline.timeline) entry.severity = entry.status === "bad" ? "bad" : windows.events.find(entry.seq)?.severity ?? "";
      if (this.panel.event && ![this.chosen, session.key].includes(sessionKey(this.panel.event))) this.hideEvent();
      this.shownKey = session.key;
      this.timeline = timeline;
      this.draw();
    } catch (error) {
      this.opened = null;
      if (isSelected()) this.drawMessage(`The session could not be read: ${error.message}`);
    } finally {
      clearTimeout(slow);
    }
  }

  drawMessage(text) {
    this.timeline = null;
    this.shownKey = null;
    put(this.session, panelHead("Session", null, this.closeButton(this.session)), make("p.hint", text));
  }

  draw() {
    const { timeline } = this;
    this.plot = make("div.plot");
    const crash = timeline.timeline.findLast(({ name }) => name === crashName);
    const users = timeline.user_ids.slice(0, 5).flatMap((id, index) => [index > 0 && ", ", linkElement(id, "Show what this person has done (u)", () => openPerson(id), 40)]);
    put(this.session,
      panelHead(timeline.number === null ? "Session" : `Session ${timeline.number}`, make("span.muted.mono.session-id", brief(timeline.id, 80)),
        [crash && button("Before the crash", () => this.beforeCrash({ sequence: crash.seq })), button("Show its events", () => openFiltered({ session: timeline.id })), button("Save", () => this.save(), { title: "Save this session as a file" }), this.closeButton(this.session)]),
      figuresElement([
        ["user", users.length ? [users, timeline.user_ids.length > 5 && ", \u2026"] : "no user id"], ["app", brief(timeline.app_id ?? "none", 40)], ["start", clock(timeline.start)],
        ["duration", span(timeline.duration_ms)], ["engagement", span(timeline.engagement_ms)], ["screens", number(timeline.screens.length)],
        ["events", number(timeline.events)], ["errors", number(timeline.errors), timeline.errors > 0],
      ]),
      this.plot);
    this.redraw();
  }

  /** Saves the session that is shown, with its captured events. */
  save() {
    const { id, app_id: app } = this.timeline, key = { session: id, app };
    openExport(sessionScope(key, views.get("captured").eventsOf(key), this.name));
  }

  redraw() {
    this.drawnWidth = this.plot.clientWidth;
    put(this.plot, timelineElement(this.timeline, this.drawnWidth || 700, (entry) => this.openEntry(entry), ({ seq }) => windows.events.find(seq)?.phrase ?? null));
  }

  // MARK: Events of the session

  /** Opens an event of the timeline, which may be read again meanwhile, but not that of another session. */
  openEntry({ seq }) {
    const { shownKey } = this;
    this.panel.openAt(seq, () => this.shownKey === shownKey);
  }

  /** Shows the event of an address, which is read from the collector, and its session as soon as the list has it. */
  showWanted(event) {
    if (!this.panel.isShown(event)) this.panel.show(event);
    this.pick(event);
    if (inspector.view === "sessions") drawView(true);
  }

  selectWanted() {
    const event = this.wantedEvent;
    if (!event) return;
    inspector.wanted = null;
    this.showWanted(event);
    inspector.changed();
  }

  closePanel() {
    inspector.wanted = null;
    this.hideEvent();
  }

  hideEvent() {
    const { isOpen } = this.panel;
    this.panel.hide();
    if (isOpen) inspector.changed();
  }

  /** Closes a drawer. That of the session leaves it. */
  closeDrawer(drawer) {
    this.picked = null;
    super.closeDrawer(drawer);
  }

  back() {
    return this.closeTopmost();
  }
}
