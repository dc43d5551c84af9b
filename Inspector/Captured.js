// Captured sessions: the path through the pages, an outline of each page with what was touched on it, and all events.

import { CapturedEvent } from "./CapturedEvent.js";
import { capturedFormats, formatOf } from "./CapturedFormat.js";
import { capturedPageElement } from "./CapturedPage.js";
import { CapturedPanel } from "./CapturedPanel.js";
import { CapturedSessions, clickstreamEventsOf, counterpartsOf, journeyOf, rootOf, screenOf, sortedEvents } from "./CapturedSessions.js";
import { isPhone } from "./Controls.js";
import { $, button, fill, make, put, setText, setTitle, showSeverity } from "./Element.js";
import { severityOf } from "./Event.js";
import { clearFilter, feed, histogram, inspector, narrow, touch } from "./Inspector.js";
import { limited, mostPageMarks } from "./PageOutline.js";
import { windows } from "./Retention.js";
import { captureStartElement } from "./Start.js";
import { filterText, showState } from "./States.js";
import { offset } from "./Timeline.js";
import { VirtualList } from "./VirtualList.js";
import { brief, clock, count, hue, number, span, visible } from "./Words.js";

/** Pages and visits of a session that are drawn, and its marks. */
const mostPages = 30, mostVisits = 200, mostSessionMarks = 1500;

export class Captured {
  constructor(actions) {
    this.actions = actions;
    this.form = "";
    this.reset();
    this.panel = $("captured-panel");
    this.side = $("captured-side");
    this.split = this.panel.parentElement;
    this.event = new CapturedPanel($("captured-event"), { filter: narrow, close: () => this.closeEvent() });
    fill($("captured-form"), [make("option", { value: "" }, "all formats"), ...[...capturedFormats.values()].map(({ name, title }) => make("option", { value: name }, title))]);
    $("captured-form").addEventListener("change", () => { this.choose($("captured-form").value); actions.changed(); });
    put($("captured-head"), make("h2", { tabindex: -1 }, "Events"), (this.tally = make("span.muted")), make("div.actions", button("Close", () => this.closeSide(), { class: "only-phone" })));
    this.list = new VirtualList($("captured-list"), {
      label: "Captured sessions",
      make: () => make("div.session-row", make("span.dot"), make("strong.mono"), make("span.who"), make("span.when.mono"), make("span.what", make("span"), make("span.flaws"))),
      fill: (row, session) => {
        const [dot, title, who, when, { children: [what, flaws] }] = row.children;
        dot.style.background = hue(session.id);
        setText(title, formatOf(session.form).hasNumbers ? `#${brief(session.number ?? "?", 8)}` : visible(session.id.slice(0, 8)));
        setText(who, `${formatOf(session.form).title}${session.user === null ? "" : ` \u00b7 ${brief(session.user, 8)}`}`);
        setText(when, clock(session.first));
        setText(what, `${count(session.events.length, "event")} \u00b7 ${count(session.pages.size, "page")} \u00b7 ${span(session.end - session.first)}`);
        setText(flaws, session.bad ? `${number(session.bad)} bad` : "");
        setTitle(row, brief(session.id));
      },
      select: (session) => {
        this.panel.classList.add("open");
        if (this.session !== session) this.hideEvent();
        this.open(session);
        actions.changed();
      },
    });
    this.rows = new VirtualList($("captured-rows"), {
      label: "Events of the captured session",
      make: () => make("div.captured-row", make("span.time"), make("span.sign"), make("span.name"), make("span.value"), make("span.screen")),
      fill: (row, event) => {
        const [time, sign, name, value, screen] = row.children;
        setText(time, offset(event.time - this.session.first));
        showSeverity(row, sign, severityOf(event));
        setText(name, brief(event.title, 60));
        setText(value, brief(event.phrase));
        setText(screen, brief(event.page?.name ?? "", 60));
      },
      select: (event) => this.showEvent(event),
    });
    new ResizeObserver(() => this.list.render()).observe(this.panel);
  }

  // MARK: Input

  /** Events that the page keeps, in the order of arrival. */
  get events() {
    return windows.captured.events;
  }

  make(text) {
    return new CapturedEvent(text);
  }

  /** Groups the events that were added; all of them again if the oldest were dropped. */
  changed(added, dropped) {
    if (dropped) this.regroup();
    else for (const event of added) this.sessions.add(event);
  }

  prepended() {
    this.regroup();
  }

  /** Groups all events. The chosen session is again the one with its last event. */
  regroup() {
    const last = this.session && rootOf(this.session).events.at(-1);
    this.sessions = new CapturedSessions();
    for (const event of this.events) this.sessions.add(event);
    if (last) this.session = this.events.includes(last) ? rootOf(last.group) : null;
    // The controls of the drawing refer to the sessions before.
    this.stamp = null;
  }

  reset() {
    Object.assign(this, { sessions: new CapturedSessions(), session: null, shown: [], cards: new Map(), stamp: null, linked: null });
    if (!this.list) return;
    this.list.selected = null;
    this.clear();
    this.hideEvent();
  }

  choose(form) {
    this.form = capturedFormats.has(form) ? form : "";
    $("captured-form").value = this.form;
    touch();
  }

  /** Value that changes with the content of the view. */
  get state() {
    return `${windows.captured.version} ${windows.events.version} ${inspector.isPaused} ${this.form} ${inspector.filter.version}`;
  }

  /** Clickstream events by captured session. Computed again after new events. */
  get links() {
    const stamp = `${windows.events.version} ${windows.captured.version}`;
    if (this.linked?.stamp !== stamp) this.linked = { stamp, events: clickstreamEventsOf(this.events, inspector.events) };
    return this.linked.events;
  }

  /** Marks the events that match the filter. Each is tested once per filter. */
  match() {
    const { filter } = inspector;
    this.shown = this.events.filter((event) => {
      if (event.testedBy !== filter.version) {
        event.testedBy = filter.version;
        event.isShown = filter.matches(event) && filter.isWithin(histogram.timeOf(event));
      }
      return event.isShown && (this.form === "" || event.form === this.form);
    });
    return new Set(this.shown.map((event) => rootOf(event.group)));
  }

  /** Number of matching events, for the end of the filter. */
  get counts() {
    return { noun: "event", shown: this.shown.length, isFiltered: this.shown.length < this.events.length };
  }

  /** The list that keys move in: that of the sessions while it has the focus, else that of the events. */
  get activeList() {
    return document.activeElement === this.list.element || !this.rows.items.length ? this.list : this.rows;
  }

  // MARK: Drawing

  show() {
    const matching = this.match();
    const chosen = this.session = this.session && rootOf(this.session);
    const sorted = this.sessions.all.filter((session) => matching.has(session)).sort((a, b) => b.place - a.place);
    this.list.selected = sorted.includes(chosen) ? chosen : null;
    this.list.show(sorted);
    this.list.refresh();
    showState($("captured-state"), sorted.length ? null : this.emptyState());
    this.drawEmpty();
    if (!sorted.length) this.clear();
    else if (!this.list.selected) { this.list.selected = sorted[0]; this.list.render(); this.open(sorted[0]); }
    else this.open(chosen);
    if (inspector.wanted) this.openWanted();
  }

  emptyState() {
    const { connection } = inspector;
    if (this.events.length) return [make("p.title", "No captured event matches the filter."), make("p.muted", filterText(inspector.filter)), button("Clear filter", () => { this.choose(""); clearFilter(); }, { class: "primary" })];
    return connection.name === "live" ? null : connection.name === "lost" ? [make("p.title", "No connection to the collector"), make("p", `${connection.reason}.`), button("Retry now", () => feed.retry(), { class: "primary" })] : [make("p.title", "Connecting\u2026")];
  }

  /** Instructions in place of the view while the store has no captured event. */
  drawEmpty() {
    const isEmpty = !this.events.length && inspector.connection.name === "live";
    if (isEmpty === $("captured-empty").hidden) {
      $("captured-empty").hidden = !isEmpty;
      this.split.hidden = isEmpty;
      if (isEmpty) put($("captured-empty"), captureStartElement());
    }
  }

  clear() {
    this.session = null;
    this.cards.clear();
    this.stamp = null;
    this.panel.replaceChildren();
    this.rows.show([]);
    setText(this.tally, "");
    if (this.event.event) this.hideEvent();
    this.close();
    this.closeSide();
  }

  open(session) {
    if (this.session !== session) {
      // The report of a missing event remains.
      if (this.event.event) this.hideEvent();
      this.cards.clear();
      this.stamp = null;
      this.panel.scrollTop = 0;
      this.rows.element.scrollTop = 0;
    }
    this.session = session;
    const events = sortedEvents(session).filter((event) => event.isShown);
    this.rows.show(events);
    setText(this.tally, events.length === session.events.length ? number(events.length) : `${number(events.length)} of ${number(session.events.length)}`);
    const links = [this.links.has(session), ...counterpartsOf(session, this.links).map((other) => other.id)];
    // Events that have just arrived count only once the filter has tested them.
    const stamp = `${session.id} ${session.events.length} ${events.length} ${inspector.filter.version} ${links}`;
    if (this.stamp === stamp) return;
    this.stamp = stamp;
    this.rows.refresh();
    this.draw(session);
  }

  draw(session) {
    const { pages, visits } = journeyOf(session);
    const events = this.rows.items;
    const clickstream = this.links;
    const counterparts = counterpartsOf(session, clickstream);
    const screen = screenOf(session, counterparts, clickstream.get(session));
    const format = formatOf(session.form);
    const head = make("div.panel-head",
      make("h2", { tabindex: -1 }, `${format.title} session${format.hasNumbers ? ` ${brief(session.number ?? "?", 20)}` : ""}`),
      make("span.muted.mono.session-id", brief(session.user ?? session.id, 80)),
      make("div.actions",
        clickstream.has(session) && button("Timeline", () => this.actions.openSession(clickstream.get(session)), { title: "Session of the clickstream events with the same ids" }),
        counterparts.slice(0, 3).map((other) => button(`In ${formatOf(other.form).title}`, () => this.jump(other), { title: `The same session in the ${formatOf(other.form).title} format` })),
        button(`Events (${number(events.length)})`, () => this.openSide(), { class: "only-phone" }),
        button("Close", () => { this.close(); this.actions.changed(); }, { class: "only-phone" })));
    const restoreFocus = this.keepFocus();
    const gestures = session.events.filter((event) => event.mark || event.entry).length;
    const figures = [["start", clock(session.first)], ["duration", span(session.end - session.first)], ["pages", number(pages.length)], ["visits", number(visits.length)],
      ["clicks, gestures", number(gestures)], ["events", number(session.events.length)], ["bad", number(session.bad), session.bad > 0],
      ["screen", `${number(Math.round(screen.width))} \u00d7 ${number(Math.round(screen.height))}${screen.note}`]];
    put(this.panel, head,
      make("dl.figures", figures.map(([label, value, isBad]) => make(isBad ? "div.bad" : "div", make("dt", label), make("dd", value)))),
      this.pathElement(visits),
      this.cardsElement(session, pages, screen),
      this.legend());
    this.highlight();
    restoreFocus();
  }

  /** Returns a function that focuses, after a drawing, the element that has taken the place of the focused one. */
  keepFocus() {
    const active = document.activeElement;
    if (!this.panel.contains(active)) return () => {};
    const controls = () => [...this.panel.querySelectorAll(".panel-head :is(h2, button)")];
    const control = controls().indexOf(active);
    const visit = (this.visits ?? []).findIndex(({ element }) => element === active);
    let event = null, place = -1;
    for (const { marks } of this.cards.values()) for (const [each, elements] of marks) if (elements.includes(active)) { event ??= each; place = elements.indexOf(active); }
    return () => {
      const next = active.isConnected ? active : control >= 0 ? controls()[control] : visit >= 0 ? this.visits[visit]?.element : event?.page && this.cards.get(event.page.key)?.marks.get(event)?.[place];
      next?.focus({ preventScroll: true });
    };
  }

  /** The navigation path: visits in the order of time, each with its time on the page. */
  pathElement(visits) {
    const longest = visits.reduce((most, visit) => Math.max(most, visit.duration), 1);
    this.visits = visits.slice(0, mostVisits).map((visit) => {
      const { place, duration, event } = visit;
      const element = button([make("span.label", brief(place.page.name, 40)), make("span.muted", span(duration)), make("span.share", { style: { width: `${limited((duration / longest) * 100, 2, 100)}%` } })],
        () => this.reveal(place, event), { class: "visit", title: `${brief(place.page.name, 120)}: ${span(duration)}` });
      return { visit, element };
    });
    if (!visits.length) return make("p.hint", "The events of this session name no page.");
    return make("section", { "aria-label": "Navigation path" },
      make("ol.visits", this.visits.map(({ element }) => make("li", element)), visits.length > mostVisits && make("li.muted", `\u2026 and ${number(visits.length - mostVisits)} more`)));
  }

  /** Cards of the pages with events that match the filter. One whose events have not changed is kept, with its focus. */
  cardsElement(session, pages, screen) {
    const kept = this.cards, version = inspector.filter.version;
    this.cards = new Map();
    let left = mostSessionMarks;
    const shown = pages.filter((place) => place.events.some((event) => event.isShown));
    for (const place of shown.slice(0, mostPages)) {
      const events = place.events.filter((event) => event.isShown);
      const stamp = `${this.session.id} ${place.events.length} ${events.length} ${place.visits.length} ${Math.round(place.duration / 100)} ${version} ${screen.width} ${screen.height} ${Math.min(mostPageMarks, left)}`;
      let card = kept.get(place.page.key);
      if (card?.stamp !== stamp) {
        const most = Math.min(mostPageMarks, left);
        card = { stamp, marks: new Map(), drawn: Math.min(most, events.filter((event) => event.mark).length) };
        const register = (event, element) => { if (!card.marks.has(event)) card.marks.set(event, []); card.marks.get(event).push(element); };
        card.element = capturedPageElement(place, events, screen, { most, register, select: (event) => this.select(event), choose: (node) => narrow({ text: node.path }) });
      }
      left -= card.drawn;
      this.cards.set(place.page.key, card);
    }
    return [make("div.page-cards", [...this.cards.values()].map((card) => card.element)), shown.length > mostPages && make("p.hint", `\u2026 and ${count(shown.length - mostPages, "more page")}`)];
  }

  legend() {
    const format = formatOf(this.session.form);
    return make("ul.legend", { "aria-label": "Legend" },
      [["point", "tap"], ["press", "long press"], ["swipe", "move or swipe"], ["depth", "scroll depth"], ["flaw", "bad event"], ["warned", "event with warnings"]].map(([kind, text]) => make("li", make(`span.swatch.${kind}`), text)),
      !format.hasPositions && make("li", `${format.title} events have no position: swipes are side by side, in the order of time.`));
  }

  // MARK: Selection

  /** Selects an event by its mark or entry: highlights its row and opens it. */
  select(event) {
    this.rows.choose(event);
  }

  showEvent(event) {
    inspector.wanted = null;
    this.event.show(event);
    this.split.classList.add("with-event");
    this.rows.reveal(event);
    this.highlight(true);
    this.actions.changed();
  }

  /** Highlights the marks of the selected event, and its visit in the path. */
  highlight(scrolls = false) {
    for (const element of this.highlighted ?? []) { element.classList.remove("selected"); if (element.hasAttribute("aria-pressed")) element.setAttribute("aria-pressed", "false"); }
    this.highlighted = [];
    const event = this.rows.selected;
    for (const { element } of this.visits ?? []) element.removeAttribute("aria-current");
    if (!event) return;
    const card = event.page && this.cards.get(event.page.key);
    const marks = card?.marks.get(event) ?? [];
    for (const element of marks) { element.classList.add("selected"); if (element.hasAttribute("aria-pressed")) element.setAttribute("aria-pressed", "true"); }
    this.highlighted = marks;
    const visit = (this.visits ?? []).findLast(({ visit }) => visit.place.page.key === event.page?.key && visit.from <= event.time);
    visit?.element.setAttribute("aria-current", "true");
    if (scrolls && card && !isPhone()) (marks[0]?.closest(".frame") ?? marks[0] ?? card.element).scrollIntoView({ block: "nearest" });
  }

  /** Shows the card of a page, and the row of its visit. */
  reveal(place, event) {
    const card = this.cards.get(place.page.key);
    if (!card) return;
    card.element.scrollIntoView({ block: "start" });
    card.element.querySelector("h3").focus({ preventScroll: true });
    this.rows.reveal(event);
  }

  jump(session) {
    this.choose("");
    if (!this.list.items.includes(session)) clearFilter();
    this.list.choose(session);
  }

  /** Selects the event of the address as soon as the stream has it. */
  openWanted() {
    const event = windows.captured.find(inspector.wanted);
    if (!event) return;
    inspector.wanted = null;
    const session = rootOf(event.group);
    this.list.selected = session;
    this.list.reveal(session, true);
    this.open(session);
    this.list.render();
    this.rows.selected = event;
    this.rows.reveal(event, true);
    this.rows.refresh();
    this.showEvent(event);
  }

  hideEvent() {
    this.event.hide();
    this.split.classList.remove("with-event");
    this.rows.selected = null;
    this.highlight();
    this.rows.render();
  }

  closeEvent() {
    this.hideEvent();
    this.actions.changed();
  }

  openSide() {
    this.side.classList.add("open");
    this.rows.render();
    this.actions.changed();
  }

  closeSide() {
    if (!this.side.classList.contains("open")) return;
    this.side.classList.remove("open");
    this.actions.changed();
  }

  close() {
    this.panel.classList.remove("open");
  }

  /** Closes what was opened last; returns false if nothing is open. */
  back() {
    const isSideOpen = isPhone() && this.side.classList.contains("open"), isPanelOpen = isPhone() && this.panel.classList.contains("open");
    if (!this.event.host.hidden) this.hideEvent();
    else if (isSideOpen) this.closeSide();
    else if (isPanelOpen) this.close();
    else return false;
    return true;
  }
}
