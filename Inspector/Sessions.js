// Sessions of the events on this page, and the timeline of the selected one as the collector reports it.

import { readText } from "./Collector.js";
import { $, button, fill, make, notify, put, setText, setTitle } from "./Element.js";
import { Event, none, severityOf } from "./Event.js";
import { EventPanel } from "./EventPanel.js";
import { excerptBytes } from "./Feed.js";
import { drawView, inspector } from "./Inspector.js";
import { windows } from "./Retention.js";
import { showState } from "./States.js";
import { crashName, timelineElement } from "./Timeline.js";
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
      session = { key, place: found.size, id: event.session, app: event.app, number: event.sessionNumber, first: event.time, last: event.time, events: 0, bad: 0, crashes: 0, views: 0, users: new Set() };
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

/** Orders of the session list: value by which it is sorted, the largest first. Ties keep the newest first. */
const sessionOrders = {
  newest: { label: "newest first", rank: (session) => session.place },
  oldest: { label: "oldest first", rank: (session) => -session.place },
  duration: { label: "longest first", rank: (session) => session.last - session.first },
  events: { label: "most events first", rank: (session) => session.events },
  bad: { label: "most bad events first", rank: (session) => session.bad },
  crashes: { label: "most crashes first", rank: (session) => session.crashes },
};

export class Sessions {
  constructor(actions) {
    this.actions = actions;
    this.order = "newest";
    /** Key of the session that was selected, or that has the event of the address. */
    this.chosen = null;
    this.panel = $("session-panel");
    this.event = new EventPanel($("session-event"), { ...actions, close: () => this.closeEvent() });
    fill($("session-order"), Object.entries(sessionOrders).map(([value, { label }]) => make("option", { value }, label)));
    $("session-order").addEventListener("change", () => { this.sort($("session-order").value); actions.changed(); });
    this.list = new VirtualList($("session-list"), {
      label: "Sessions",
      make: () => make("div.session-row", make("span.dot"), make("strong.mono"), make("span.who"), make("span.when.mono"), make("span.what", make("span"), make("span.flaws"))),
      fill: (row, session) => {
        const [dot, title, who, when, { children: [what, flaws] }] = row.children;
        dot.style.background = hue(session.id);
        setText(title, session.number === null ? session.id.slice(-12) : `#${brief(session.number, 8)}`);
        setText(who, [...session.users].slice(0, 3).map((user) => brief(user, 30)).join(", ") || "no user id");
        setText(when, clock(session.first));
        setText(what, `${count(session.events, "event")} \u00b7 ${count(session.views, "view")} \u00b7 ${span(session.last - session.first)}`);
        setText(flaws, [session.crashes && (session.crashes === 1 ? "crash" : `${number(session.crashes)} crashes`), session.bad && `${number(session.bad)} bad`].filter(Boolean).join(", "));
        setTitle(row, brief(session.id));
      },
      select: (session) => {
        inspector.wanted = null;
        this.chosen = session.key;
        this.panel.classList.add("open");
        if (!this.event.event) this.closeEvent();
        this.open(session);
        actions.opened(this.panel);
      },
    });
    new ResizeObserver(() => this.timeline && this.plot.clientWidth !== this.drawnWidth && this.redraw()).observe(this.panel);
  }

  sort(order) {
    this.order = Object.hasOwn(sessionOrders, order) ? order : "newest";
    $("session-order").value = this.order;
    if (this.sessions) this.list.show(this.sorted());
  }

  sorted() {
    const { rank } = sessionOrders[this.order];
    return this.sessions.toSorted((a, b) => rank(b) - rank(a) || b.place - a.place);
  }

  /** @param state content in place of the list while it is empty */
  show(events, state) {
    this.sessions = sessionsOf(events);
    const sorted = this.sorted();
    const find = (key) => sorted.find((session) => session.key === key);
    const selected = find(this.chosen) ?? find(this.list.selected?.key) ?? sorted[0] ?? null;
    // Until the stream has the event of the address, its session may be missing in the list.
    if (!inspector.wanted) this.chosen = selected?.key ?? null;
    this.list.selected = selected;
    this.list.show(sorted);
    const isEmpty = !sorted.length;
    showState($("session-state"), isEmpty ? state ?? [make("p", "No session yet."), make("p.muted", "Events with a _session_id form sessions.")] : null);
    if (isEmpty) this.clear();
    else if (this.opened !== this.stamp(selected)) this.open(selected);
  }

  /** Selects the session of an event, as soon as the list has it. */
  choose(event) {
    this.chosen = sessionKey(event);
    if (inspector.view === "sessions") drawView(true);
  }

  /** Value that changes with the timeline of a session. */
  stamp({ key, events }) {
    return `${key} ${events}`;
  }

  clear() {
    this.timeline = null;
    this.opened = null;
    this.panel.replaceChildren();
    if (this.event.event && !inspector.wanted) this.hideEvent();
  }

  reset() {
    this.chosen = null;
    this.list.selected = null;
    this.clear();
    this.hideEvent();
    this.close();
  }

  /** Reads the session's screens and engagement from the collector. */
  async open(session) {
    this.opened = this.stamp(session);
    const slow = setTimeout(() => { if (this.list.selected?.key === session.key && this.shownKey !== session.key) this.drawMessage("Loading\u2026"); }, 200);
    try {
      const query = session.app === null ? "" : `?app_id=${encodeURIComponent(session.app)}`;
      const timeline = JSON.parse(await readText(`/api/sessions/${encodeURIComponent(session.id)}${query}`));
      if (this.list.selected?.key !== session.key) return;
      // The timeline has no warnings.
      for (const entry of timeline.timeline) entry.severity = entry.status === "bad" ? "bad" : severityOf(windows.events.find(entry.seq) ?? { codes: none });
      if (this.event.event && sessionKey(this.event.event) !== this.chosen) this.hideEvent();
      this.shownKey = session.key;
      this.timeline = timeline;
      this.draw();
    } catch (error) {
      this.opened = null;
      if (this.list.selected?.key === session.key) this.drawMessage(`The session could not be read: ${error.message}`);
    } finally {
      clearTimeout(slow);
    }
  }

  drawMessage(text) {
    this.timeline = null;
    this.shownKey = null;
    put(this.panel, make("div.panel-head", make("h2", "Session"), make("div.actions", button("Close", () => this.close(), { class: "only-phone" }))), make("p.hint", text));
  }

  draw() {
    const { timeline } = this;
    this.plot = make("div.plot");
    const title = timeline.number === null ? "Session" : `Session ${timeline.number}`;
    const users = timeline.user_ids.slice(0, 5).map((id) => brief(id, 40)).join(", ");
    put(this.panel,
      make("div.panel-head", make("h2", { tabindex: -1 }, title), make("span.muted.mono.session-id", brief(timeline.id, 80)),
        make("div.actions", button("Show its events", () => this.actions.filter({ session: timeline.id })), button("Close", () => this.close(), { class: "only-phone" }))),
      make("dl.figures",
        [["user", users ? `${users}${timeline.user_ids.length > 5 ? ", \u2026" : ""}` : "no user id"], ["app", brief(timeline.app_id ?? "none", 40)], ["start", clock(timeline.start)],
          ["duration", span(timeline.duration_ms)], ["engagement", span(timeline.engagement_ms)], ["screens", number(timeline.screens.length)],
          ["events", number(timeline.events)], ["errors", number(timeline.errors), timeline.errors > 0]].map(([label, value, isBad]) => make(isBad ? "div.bad" : "div", make("dt", label), make("dd", value)))),
      this.plot);
    this.redraw();
  }

  redraw() {
    this.drawnWidth = this.plot.clientWidth;
    put(this.plot, timelineElement(this.timeline, this.drawnWidth || 700, (entry) => this.openEntry(entry), ({ seq }) => windows.events.find(seq)?.phrase ?? null));
  }

  /** Opens an event of the timeline. One that the page does not keep is read from the collector. */
  async openEntry({ seq }) {
    const { timeline } = this;
    let event = windows.events.find(seq);
    try {
      event ??= new Event(await readText(`/api/events/${seq}?event_bytes=${excerptBytes}`), seq);
    } catch (error) {
      return notify(`The event could not be read: ${error.message}`);
    }
    if (this.timeline !== timeline) return;
    inspector.wanted = null;
    this.event.show(event);
    this.actions.changed();
    this.actions.opened(this.event.host);
  }

  closeEvent() {
    inspector.wanted = null;
    this.hideEvent();
  }

  hideEvent() {
    const wasOpen = !this.event.host.hidden;
    this.event.hide();
    if (wasOpen) this.actions.changed();
  }

  close() {
    this.panel.classList.remove("open");
  }
}
