// Captured sessions: the path through the pages, an outline of each page with what was touched on it, and all events.

import { sequenceIn } from "./Address.js";
import { CapturedEvent } from "./CapturedEvent.js";
import { capturedFormats, formatOf } from "./CapturedFormat.js";
import { capturedPageElement } from "./CapturedPage.js";
import { CapturedSessions, clickstreamEventsOf, counterpartsOf, journeyOf, rootOf, screenOf, sortedEvents } from "./CapturedSessions.js";
import { $, button, make, put, setText, setTitle } from "./Element.js";
import { EventPanel } from "./EventPanel.js";
import { openExport } from "./Export.js";
import { drawView, inspector, narrow, setFilter, step } from "./Page.js";
import { limited, maxPageMarks } from "./PageOutline.js";
import { figuresElement, legendElement, moreElement, panelHead } from "./Parts.js";
import { windows } from "./Retention.js";
import { sessionScope } from "./SavedFile.js";
import { sessionColumns } from "./Sessions.js";
import { captureStartElement } from "./Start.js";
import { offset } from "./Timeline.js";
import { isPhone, View } from "./View.js";
import { VirtualList } from "./VirtualList.js";
import { brief, clock, count, number, span } from "./Words.js";

/** Pages and visits of a session that are drawn, and its marks. */
const maxPages = 30, maxVisits = 200, maxSessionMarks = 1500;

export class Captured extends View {
  sessions = new CapturedSessions();
  /** Events that match the filter and the format. */
  matching = [];
  /** First clickstream event of each captured session. */
  links = new Map();
  /** The session that is drawn, and a stamp of its drawing; null before the first. */
  session = null;
  drawn = null;
  /** Sequence number of an event of the session that was selected by the user or the address; null for the first one of the list. */
  picked = null;
  /** True until the list has the session of the address. */
  isAwaited = false;
  /** Drawn visits, with their elements. */
  visits = [];
  /** Drawn pages by their keys. */
  cards = new Map();

  /** @param actions `openSession(event)` */
  constructor(actions) {
    super("captured", "captured", { form: [["", "all formats"], ...[...capturedFormats.values()].map(({ name, title }) => [name, title])] });
    this.actions = actions;
    this.main = $("captured-panel");
    this.side = $("captured-side");
    this.drawers = [this.side, this.main];
    this.panel = new EventPanel($("captured-event"), { filter: narrow, close: () => this.closePanel() });
    this.eventCount = make("span.muted");
    this.side.prepend(panelHead("Events", this.eventCount, this.closeButton(this.side)));
    this.list = new VirtualList($("captured-list"), {
      label: "Captured sessions", row: "session-row",
      columns: sessionColumns({
        title: ({ form, number, id }) => (formatOf(form).hasNumbers ? `#${brief(number ?? "?", 8)}` : id.slice(0, 8)),
        who: { text: ({ form, user }) => `${formatOf(form).title}${user === null ? "" : ` \u00b7 ${brief(user, 8)}`}` },
        what: ({ events, pages, first, end }) => `${count(events.length, "event")} \u00b7 ${count(pages.size, "page")} \u00b7 ${span(end - first)}`,
        flaws: ({ bad }) => [bad && `${number(bad)} bad`],
      }),
      decorate: (row, session) => setTitle(row, brief(session.id)),
      select: (session) => {
        this.pick(session.events.at(-1).sequence);
        this.main.classList.add("open");
        if (this.session !== session) this.hideEvent();
        this.open(session);
        inspector.changed();
      },
    });
    this.rows = new VirtualList($("captured-rows"), {
      label: "Events of the captured session", row: "captured-row", select: (event) => this.showEvent(event),
      columns: [
        { cell: "span.time", text: (event) => offset(event.time - rootOf(event.group).first) },
        { cell: "span.sign" },
        { cell: "span.name", text: (event) => brief(event.title, 60) },
        { cell: "span.value", text: (event) => brief(event.phrase ?? "") },
        { cell: "span.screen", text: (event) => brief(event.page?.name ?? "", 60) },
      ],
    });
    this.lists = [this.rows, this.list];
  }

  // MARK: Events

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

  /** Groups all events. The session that is drawn is again the one with its last event. */
  regroup() {
    const last = this.session && rootOf(this.session).events.at(-1).sequence;
    this.sessions = new CapturedSessions();
    for (const event of this.retention.events) this.sessions.add(event);
    const event = this.retention.find(last);
    this.session = event ? rootOf(event.group) : null;
    // The controls of the drawing refer to the sessions before.
    Object.assign(this, { cards: new Map(), drawn: null });
  }

  reset() {
    super.reset();
    Object.assign(this, { sessions: new CapturedSessions(), matching: [] });
    this.pick(null);
    this.open(null);
  }

  /** Selects a session. @param sequence number of one of its events; null for the first session of the list */
  pick(sequence) {
    Object.assign(this, { picked: sequence, isAwaited: false });
  }

  /** Sets the format and the session from an address. */
  choose(values) {
    super.choose(values);
    this.pick(sequenceIn(values.opened));
    this.isAwaited = this.picked !== null;
    if (!this.picked) for (const drawer of this.drawers) drawer.classList.remove("open");
  }

  /** Format and session, for the address. An event has its session. */
  get parameters() {
    return [...super.parameters, ...(this.picked && this.panel.sequence === null && !inspector.wanted ? [["opened", this.picked]] : [])];
  }

  get counts() {
    const { length } = this.matching;
    return { noun: "event", shown: length, isFiltered: length < this.retention.events.length };
  }

  // MARK: Drawing

  get stamp() {
    return [...super.stamp, windows.events.version];
  }

  show() {
    const { isEmpty, retention: { events }, values: { form } } = this;
    this.matching = events.filter((event) => inspector.filter.test(event) && (!form || event.form === form));
    this.link();
    this.session &&= rootOf(this.session);
    const sessions = [...new Set(this.matching.map(({ group }) => rootOf(group)))].sort((a, b) => b.index - a.index);
    const event = this.retention.find(this.picked), picked = event && rootOf(event.group);
    this.list.selected = [picked, this.session].find((session) => sessions.includes(session)) ?? sessions[0] ?? null;
    this.list.show(sessions);
    this.list.refresh();
    this.showState(sessions.length, "captured event");
    this.showEmpty(isEmpty, captureStartElement);
    this.open(this.list.selected);
    if (this.isAwaited && this.session === picked) this.showAwaited();
  }

  /** Shows the session of the address, which the list now has. */
  showAwaited() {
    this.isAwaited = false;
    this.list.reveal(this.session, true);
    this.main.classList.add("open");
    inspector.changed();
  }

  /** Finds the clickstream events of the sessions, if either have changed. */
  link() {
    const stamp = `${this.retention.version} ${windows.events.version}`;
    if (this.linked !== stamp) Object.assign(this, { linked: stamp, links: clickstreamEventsOf(this.retention.events, inspector.events) });
  }

  /** Events of the captured sessions that are part of a session of the library. */
  eventsOf({ app, session }) {
    this.link();
    return [...this.links].filter(([, own]) => own.app === app && own.session === session).flatMap(([{ events }]) => events);
  }

  /** Saves the session that is drawn, with the session of the library that it is part of. */
  save() {
    const own = this.links.get(this.session) ?? null;
    openExport(sessionScope(own, own ? this.eventsOf(own) : this.session.events, this.name));
  }

  /** Draws a session if it is another one, or has changed. @param session null for none */
  open(session) {
    if (this.session !== session) {
      // The report of a missing event remains.
      if (this.panel.event) this.hideEvent();
      Object.assign(this, { session, cards: new Map(), drawn: null });
      this.main.scrollTop = 0;
      this.rows.element.scrollTop = 0;
    }
    if (!session) return this.leave();
    const { filter } = inspector, all = sortedEvents(session), events = all.filter((event) => filter.test(event));
    this.rows.show(events);
    setText(this.eventCount, events.length < all.length ? `${number(events.length)} of ${number(all.length)}` : number(all.length));
    const counterparts = counterpartsOf(session, this.links);
    const stamp = JSON.stringify([session.id, all.length, filter.stamp, this.links.has(session), counterparts.map(({ id }) => id)]);
    if (this.drawn === stamp) return;
    this.drawn = stamp;
    this.rows.refresh();
    this.draw(session, counterparts);
  }

  /** Shows no session. */
  leave() {
    this.main.replaceChildren();
    this.rows.show([]);
    setText(this.eventCount, "");
    for (const drawer of this.openDrawers) this.closeDrawer(drawer);
  }

  draw(session, counterparts) {
    const { pages, visits } = journeyOf(session);
    const { form, user, id, first, end, events, bad } = session;
    const { title, hasNumbers, hasPositions } = formatOf(form);
    const own = this.links.get(session), screen = screenOf(session, counterparts, own);
    const focused = document.activeElement;
    put(this.main,
      panelHead(make("h2", { tabindex: -1, "data-key": "title" }, `${title} session${hasNumbers ? ` ${brief(session.number ?? "?", 20)}` : ""}`), make("span.muted.mono.session-id", brief(user ?? id, 80)), [
        own && button("Timeline", () => this.actions.openSession(own), { title: "Session of the clickstream events with the same ids", "data-key": "timeline" }),
        counterparts.slice(0, 3).map((other, index) => button(`In ${formatOf(other.form).title}`, () => this.jump(other), { title: `The same session in the ${formatOf(other.form).title} format`, "data-key": `counterpart ${index}` })),
        button("Save", () => this.save(), { title: "Save this session as a file", "data-key": "save" }),
        button(`Events (${number(this.rows.items.length)})`, () => this.openSide(), { class: "only-phone", "data-key": "events" }),
        this.closeButton(this.main),
      ]),
      figuresElement([
        ["start", clock(first)], ["duration", span(end - first)], ["pages", number(pages.length)], ["visits", number(visits.length)],
        ["clicks, gestures", number(events.filter(({ mark, entry }) => mark || entry).length)], ["events", number(events.length)], ["bad", number(bad), bad > 0],
        ["screen", `${number(Math.round(screen.width))} \u00d7 ${number(Math.round(screen.height))}${screen.note}`],
      ]),
      this.pathElement(visits),
      this.cardsElement(pages, screen),
      legendElement([["point", "tap"], ["press", "long press"], ["swipe", "move or swipe"], ["depth", "scroll depth"], ["flaw", "bad event"], ["warned", "event with warnings"]],
        !hasPositions && make("li", `${title} events have no position: swipes are side by side, in the order of time.`)));
    this.highlight();
    // The focus was lost with the former content: it moves to the same element, or to the one that has taken its place.
    (focused.isConnected ? focused : this.main.querySelector(`[data-key="${focused.dataset.key}"]`))?.focus({ preventScroll: true });
  }

  /** The navigation path: visits in the order of time, each with its time on the page. */
  pathElement(visits) {
    const longest = visits.reduce((maximum, { duration }) => Math.max(maximum, duration), 1);
    this.visits = visits.slice(0, maxVisits).map((visit, index) => {
      const { summary: { page }, duration, event } = visit;
      const element = button([make("span.label", brief(page.name, 40)), make("span.muted", span(duration)), make("span.share", { style: { width: `${limited((duration / longest) * 100, 2, 100)}%` } })],
        () => this.reveal(page, event), { class: "visit", title: `${brief(page.name, 120)}: ${span(duration)}`, "data-key": `visit ${index}` });
      return { ...visit, element };
    });
    if (!visits.length) return make("p.hint", "The events of this session name no page.");
    return make("section", { "aria-label": "Navigation path" },
      make("ol.visits", this.visits.map(({ element }) => make("li", element)), moreElement(visits.length, maxVisits, "li.muted")));
  }

  /** Cards of the pages with events that match the filter. One whose events have not changed is kept. */
  cardsElement(pages, screen) {
    const { filter } = inspector, kept = this.cards;
    this.cards = new Map();
    let left = maxSessionMarks;
    const shown = pages.map((summary) => [summary, summary.events.filter((event) => filter.test(event))]).filter(([, events]) => events.length);
    for (const [summary, events] of shown.slice(0, maxPages)) {
      const { key } = summary.page, maxMarks = Math.min(maxPageMarks, left);
      const stamp = JSON.stringify([filter.stamp, screen, maxMarks, summary.events.length, summary.visits.length, Math.round(summary.duration / 100)]);
      const card = kept.get(key);
      this.cards.set(key, card?.stamp === stamp ? card : { stamp, ...this.makeCard(summary, events, screen, maxMarks) });
      left -= Math.min(maxMarks, events.filter(({ mark }) => mark).length);
    }
    return [make("div.page-cards", [...this.cards.values()].map(({ element }) => element)), shown.length > maxPages && make("p.hint", `\u2026 and ${count(shown.length - maxPages, "more page")}`)];
  }

  /** Element of a page, and the elements of its events in the outline and the lists. */
  makeCard(summary, events, screen, maxMarks) {
    const marks = new Map(events.map((event) => [event, []]));
    const register = (event, element) => {
      const position = marks.get(event).push(element);
      element.dataset.key ??= `${event.sequence} ${position}`;
    };
    return { marks, element: capturedPageElement(summary, events, screen, { maxMarks, register, select: (event) => this.rows.choose(event), choose: ({ path }) => narrow({ text: path }) }) };
  }

  // MARK: Selection

  /** The list that keys move in: that of the sessions while it has the focus, else that of the events. */
  get activeList() {
    return document.activeElement === this.list.element || !this.rows.items.length ? this.list : this.rows;
  }

  showEvent(event) {
    this.panel.open(event);
    this.highlight(true);
    this.rows.reveal(event);
  }

  /** Highlights the marks of the selected event, and its visit in the path. */
  highlight(scrolls = false) {
    const event = this.rows.selected, card = this.cards.get(event?.page?.key);
    const marks = card?.marks.get(event) ?? [];
    for (const element of [...this.main.querySelectorAll(".selected"), ...marks]) {
      const isSelected = marks.includes(element);
      element.classList.toggle("selected", isSelected);
      if (element.hasAttribute("aria-pressed")) element.setAttribute("aria-pressed", isSelected);
    }
    const current = event && this.visits.findLast(({ summary, from }) => summary.page.key === event.page?.key && from <= event.time);
    for (const visit of this.visits) visit.element.setAttribute("aria-current", visit === current);
    if (scrolls && card && !isPhone()) (marks[0]?.closest(".frame") ?? marks[0] ?? card.element).scrollIntoView({ block: "nearest" });
  }

  /** Shows the card of a page, and the row of an event. */
  reveal(page, event) {
    const card = this.cards.get(page.key);
    if (!card) return;
    card.element.scrollIntoView({ block: "start" });
    card.element.querySelector("h3").focus({ preventScroll: true });
    this.rows.reveal(event);
  }

  jump(session) {
    step();
    this.clear();
    if (!this.list.items.includes(session)) setFilter();
    this.list.choose(session);
  }

  selectWanted() {
    const event = this.retention.find(inspector.wanted);
    if (!event) return;
    // The list may not have the event yet.
    drawView(true);
    const session = rootOf(event.group);
    this.pick(event.sequence);
    this.select(this.list, session);
    this.open(session);
    this.select(this.rows, event);
    this.showEvent(event);
  }

  hideEvent() {
    this.panel.hide();
    this.rows.selected = null;
    this.rows.render();
    this.highlight();
  }

  closePanel() {
    this.hideEvent();
    inspector.changed();
  }

  /** Closes a drawer. That of the session leaves it. */
  closeDrawer(drawer) {
    if (drawer === this.main) this.picked = null;
    super.closeDrawer(drawer);
  }

  openSide() {
    this.side.classList.add("open");
    inspector.changed();
  }

  back() {
    return this.closeTopmost();
  }
}
