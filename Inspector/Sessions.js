// Sessions of the events on this page, and the timeline of the selected one as the collector reports it.

/** Events grouped by app and session, in the order of their first event's arrival. */
function sessionsOf(events) {
  const found = new Map();
  for (const event of events) {
    if (event.session === null) continue;
    const key = `${event.app}\n${event.session}`;
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

class Sessions {
  constructor(actions) {
    this.actions = actions;
    this.order = "newest";
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
      select: (session) => { this.panel.classList.add("open"); this.open(session); actions.opened(this.panel); },
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
    const chosen = this.list.selected?.key;
    this.sessions = sessionsOf(events);
    if (chosen) this.list.selected = this.sessions.find((session) => session.key === chosen) ?? null;
    const sorted = this.sorted();
    this.list.show(sorted);
    const isEmpty = !sorted.length;
    showState($("session-state"), isEmpty ? state ?? [make("p", "No session yet."), make("p.muted", "Events with a _session_id form sessions.")] : null);
    if (isEmpty) this.clear();
    else if (!this.list.selected) { this.list.selected = sorted[0]; this.list.render(); this.open(sorted[0]); }
    else if (this.shownEvents !== this.list.selected.events) this.open(this.list.selected);
  }

  clear() {
    this.timeline = null;
    this.shownEvents = -1;
    this.panel.replaceChildren();
    this.closeEvent();
  }

  /** Reads the session's screens and engagement from the collector. */
  async open(session) {
    this.shownEvents = session.events;
    const slow = setTimeout(() => { if (this.list.selected?.key === session.key && this.shownKey !== session.key) this.drawMessage("Loading\u2026"); }, 200);
    try {
      const query = session.app === null ? "" : `?app_id=${encodeURIComponent(session.app)}`;
      const timeline = JSON.parse(await readText(`/api/sessions/${encodeURIComponent(session.id)}${query}`));
      if (this.list.selected?.key !== session.key) return;
      if (this.shownKey !== session.key) this.closeEvent();
      this.shownKey = session.key;
      this.timeline = timeline;
      this.draw();
    } catch (error) {
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
    put(this.plot, timelineElement(this.timeline, this.drawnWidth || 700, (entry) => this.openEntry(entry)));
  }

  openEntry(entry) {
    const event = this.actions.find(this.timeline.id, entry.event_id, entry.timestamp);
    if (!event) return notify("This event is no longer on the page: it keeps the newest only.");
    this.event.show(event);
    this.actions.changed();
    this.actions.opened(this.event.host);
  }

  closeEvent() {
    const wasOpen = !this.event.host.hidden;
    this.event.hide();
    if (wasOpen) this.actions.changed();
  }

  close() {
    this.panel.classList.remove("open");
  }
}
