// Sessions as the events on this page tell them, the newest first; one in full as the collector tells it.

/** Groups events by app and session. */
function sessionsOf(events) {
  const found = new Map();
  for (const event of events) {
    if (event.session === null) continue;
    const key = `${event.app}\n${event.session}`;
    let session = found.get(key);
    if (!session) {
      session = { key, id: event.session, app: event.app, number: event.sessionNumber, first: event.time, last: event.time, events: 0, bad: 0, views: 0, users: new Set() };
      found.set(key, session);
    }
    session.events++;
    if (event.isBad) session.bad++;
    if (event.name === "_screen_view") session.views++;
    if (event.user !== null) session.users.add(event.user);
    session.first = Math.min(session.first, event.time);
    session.last = Math.max(session.last, event.time);
  }
  return [...found.values()].reverse();
}

class Sessions {
  constructor(actions) {
    this.actions = actions;
    this.panel = $("session-panel");
    this.event = new EventPanel($("session-event"), { ...actions, close: () => this.closeEvent() });
    this.list = new VirtualList($("session-list"), {
      label: "Sessions",
      make: () => make("div.session-row", make("span.dot"), make("strong.mono"), make("span.who"), make("span.when.mono"), make("span.what", make("span"), make("span.flaws"))),
      fill: (row, session) => {
        const [dot, title, who, when, { children: [what, flaws] }] = row.children;
        dot.style.background = hue(session.id);
        say(title, session.number === null ? visible(session.id.slice(-12)) : `#${brief(session.number, 8)}`);
        say(who, [...session.users].map((user) => brief(user, 30)).slice(0, 3).join(", ") || "nobody logged in");
        say(when, clock(session.first));
        say(what, `${count(session.events, "event")} \u00b7 ${count(session.views, "view")} \u00b7 ${span(session.last - session.first)}`);
        say(flaws, session.bad ? `${number(session.bad)} bad` : "");
        row.title = brief(session.id);
      },
      select: (session) => { this.panel.classList.add("open"); this.open(session); },
    });
    new ResizeObserver(() => this.timeline && this.plot.clientWidth !== this.drawnWidth && this.redraw()).observe(this.panel);
  }

  show(events) {
    const chosen = this.list.selected?.key;
    const sessions = sessionsOf(events);
    if (chosen) this.list.selected = sessions.find((session) => session.key === chosen) ?? null;
    this.list.show(sessions);
    if (!sessions.length) put(this.panel, make("p.hint", "No session yet. Events that carry _session_id make one."));
    else if (!this.list.selected) { this.list.selected = sessions[0]; this.list.render(); this.open(sessions[0]); }
    else if (this.shownEvents !== this.list.selected.events) this.open(this.list.selected);
  }

  /** Reads the session from the collector, which knows its screens and engagement. */
  async open(session) {
    this.shownEvents = session.events;
    try {
      const query = session.app === null ? "" : `?app_id=${encodeURIComponent(session.app)}`;
      const response = await fetch(`/api/sessions/${encodeURIComponent(session.id)}${query}`, { cache: "no-store" });
      if (!response.ok) throw new Error((await response.json()).error);
      const timeline = await response.json();
      if (this.list.selected?.key !== session.key) return;
      if (this.timeline?.id !== timeline.id || this.timeline.app_id !== timeline.app_id) this.closeEvent();
      this.timeline = timeline;
      this.draw();
    } catch (error) {
      this.timeline = null;
      put(this.panel, make("p.hint", `The session cannot be read: ${error.message}`));
    }
  }

  draw() {
    const { timeline } = this;
    this.plot = make("div.plot");
    const title = timeline.number === null ? "Session" : `Session ${timeline.number}`;
    put(this.panel,
      make("div.panel-head", make("h2", title), make("span.muted.mono", brief(timeline.id, 80)),
        make("div.actions", button("Its events", () => this.actions.filter({ session: timeline.id })), button("Close", () => this.close(), { class: "only-phone" }))),
      make("dl.figures",
        [["user", timeline.user_ids.map((id) => brief(id, 40)).join(", ") || "nobody"], ["app", brief(timeline.app_id ?? "none", 40)], ["start", clock(timeline.start)],
          ["duration", span(timeline.duration_ms)], ["engagement", span(timeline.engagement_ms)], ["screens", timeline.screens.length],
          ["events", timeline.events], ["errors", timeline.errors]].map(([label, value]) => make("div", make("dt", label), make("dd", value)))),
      this.plot);
    this.redraw();
  }

  redraw() {
    this.drawnWidth = this.plot.clientWidth;
    put(this.plot, timelineElement(this.timeline, this.drawnWidth || 700, (entry) => this.openEntry(entry)));
  }

  openEntry(entry) {
    const event = this.actions.find(this.timeline.id, entry.event_id, entry.timestamp);
    if (!event) return notify("This event is older than what the page keeps.");
    this.event.show(event);
  }

  closeEvent() {
    this.event.hide();
  }

  close() {
    this.panel.classList.remove("open");
  }
}
