// The latest crashes, each with the events of the 30 s before it, its breadcrumbs and its stack.

import { sequenceIn } from "./Address.js";
import { Arrivals } from "./Arrivals.js";
import { readText } from "./Collector.js";
import { Crash, crashSpan, maxBefore } from "./Crash.js";
import { $, button, make, put, released, setText, setTitle, severitySigns } from "./Element.js";
import { Event, readElement, readEvents } from "./Event.js";
import { EventPanel, readAtOnce } from "./EventPanel.js";
import { inspector, openFiltered, openOnly, openView, redraw } from "./Page.js";
import { figuresElement, panelHead } from "./Parts.js";
import { Question } from "./Question.js";
import { windows } from "./Retention.js";
import { moveFocus, setTabStop } from "./RovingFocus.js";
import { crashName } from "./Timeline.js";
import { isPhone } from "./View.js";
import { VirtualList } from "./VirtualList.js";
import { brief, clock, count, fullTime, number, span } from "./Words.js";

const maxCrashes = 200;
/** Bytes of a crash in the list: of a longer one, texts of more than 1 KiB are cut. */
const listedBytes = 16384;
/** Characters of breadcrumbs and of a stack. */
const longestText = 100000;

export class Crashes extends Question {
  arrivals = new Arrivals();
  /** Number of the times at which the list may have changed. */
  changes = 0;
  /** Sequence number of the crash whose report was read last, and the session of the report. */
  reported = null;
  session = null;

  /** @param actions `openSession(event)`, `openRequest(id)`, `compare(event)` */
  constructor(actions) {
    super("crashes", {}, ["name"]);
    this.addParameter("crash");
    this.report = $("crashes-report");
    this.drawers = [this.report];
    this.actions = actions;
    this.panel = new EventPanel($("crashes-panel"), { filter: openFiltered, close: () => this.closePanel(), ...actions });
    this.list = new VirtualList($("crashes-list"), {
      label: "Crashes", row: "crash-row", select: ({ sequence }) => this.open(sequence),
      columns: [
        { cell: "strong.mono", text: ({ message }) => brief(message, 200) },
        { cell: "span.when.mono", text: ({ time }) => clock(time) },
        { cell: "span.frame.mono", text: ({ frame }) => brief(frame, 200) || "no stack" },
        { cell: "span.flaws", text: ({ similar }) => (similar > 1 ? `${number(similar)} similar` : "") },
        { cell: "span.who", text: ({ event, version, platform }) => [event.user ?? event.unique ?? "no user", version, platform].filter(Boolean).map((text) => brief(text, 40)).join(" \u00b7 ") },
      ],
      decorate: (row, { message, frame }) => setTitle(row, `${brief(message, 600)}\n${brief(frame, 400)}`),
    });
    this.lists = [this.list];
  }

  /** Sequence number of the selected crash; null for none. */
  get chosen() {
    return sequenceIn(this.values.crash);
  }

  set chosen(sequence) {
    this.values.crash = String(sequence ?? "");
  }

  // MARK: Reading

  get path() {
    return `/api/events?${this.query({ name: crashName, order: "desc", limit: maxCrashes, event_bytes: listedBytes })}`;
  }

  get revision() {
    return `changes ${this.changes}`;
  }

  get stamp() {
    return [...super.stamp, windows.events.version, this.chosen];
  }

  async load(path, options) {
    const { events, next } = await readEvents(path, options);
    const crashes = events.map((event) => new Crash(event));
    for (const similar of Map.groupBy(crashes, ({ kind }) => kind).values()) for (const crash of similar) crash.similar = similar.length;
    const total = next === null ? crashes.length : JSON.parse(await readText(`/api/report/count?${this.query({ name: crashName, by: "name", limit: 1 })}`, options)).events;
    return { crashes, total };
  }

  /** Lets the list and the report be read again if events that belong to them have arrived. */
  admitArrivals() {
    const arrived = this.arrivals.take();
    if (arrived === null || arrived.some(({ name }) => name === crashName)) this.changes++;
    if (this.session && (arrived === null || arrived.some(({ session }) => session === this.session))) this.reported = null;
  }

  reset() {
    this.arrivals.reset();
    this.changes++;
    this.chosen = null;
    this.leave();
    super.reset();
  }

  // MARK: Controls

  /** Other conditions begin with their own latest crash. */
  narrow(values, isTyped) {
    this.chosen = null;
    this.panel.hide();
    super.narrow(values, isTyped);
  }

  choose(values) {
    const chosen = sequenceIn(values.crash);
    this.report.classList.toggle("open", chosen !== null);
    super.choose({ ...values, crash: String(chosen ?? "") });
  }

  // MARK: Drawing

  show() {
    this.admitArrivals();
    super.show();
  }

  drawAnswer(content) {
    const crashes = content?.crashes ?? [];
    // Those of the conditions before are still shown while the others are read.
    const isCurrent = !this.isStale && this.asked === this.path;
    if (this.chosen === null && isCurrent && crashes.length && !isPhone()) {
      this.chosen = crashes[0].sequence;
      inspector.changed();
    }
    this.list.selected = crashes.find(({ sequence }) => sequence === this.chosen) ?? null;
    this.list.show(crashes);
    const more = this.element("more");
    more.hidden = !(content?.total > crashes.length);
    setText(more, more.hidden ? "" : `The latest ${number(crashes.length)} of ${count(content.total, "crash").replace(/s$/, "es")}. \u201cSimilar\u201d counts these.`);
    if (this.chosen !== null && this.reported !== this.chosen) this.readReport(this.chosen);
    else if (this.chosen === null && isCurrent && this.reported !== null) this.leave();
  }

  get isBlank() {
    return !this.content.crashes.length;
  }

  get none() {
    if (this.narrowed) return [make("p.title", "No crash matches."), super.none.slice(1)];
    return [make("p.title", "No crash yet."), make("p.muted", `A crash is an event ${crashName}: apps with isTrackAppExceptionEvents record it, and send it at their next start.`)];
  }

  // MARK: Report of a crash

  /** Opens the report of a crash that was selected. */
  open(sequence) {
    inspector.wanted = null;
    if (this.chosen !== sequence) this.panel.hide();
    this.chosen = sequence;
    this.report.classList.add("open");
    this.report.scrollTop = 0;
    if (this.reported !== sequence) this.readReport(sequence);
    inspector.changed();
  }

  /** Opens the view with the report of a crash, whatever its conditions are. */
  openOf({ sequence }) {
    this.chosen = sequence;
    this.panel.hide();
    super.narrow(Object.fromEntries(this.conditions.map((name) => [name, ""])));
    this.open(sequence);
    openView("crashes");
  }

  async readReport(sequence) {
    this.reported = sequence;
    const isObsolete = () => this.chosen !== sequence || this.reported !== sequence;
    if (this.shown !== sequence) this.drawMessage(make("p.hint", "Loading\u2026"));
    try {
      const event = new Event(await readElement("events", sequence, readAtOnce), sequence);
      if (event.name !== crashName) throw new Error(`event ${sequence} is ${event.title}, not ${crashName}`);
      const crash = new Crash(event);
      const selection = await crash.readBefore();
      await released();
      if (isObsolete()) return;
      Object.assign(this, { shown: sequence, session: crash.session });
      this.drawReport(crash, selection);
    } catch (error) {
      if (isObsolete()) return;
      this.drawMessage([make("p.hint", `The crash could not be read: ${brief(error.message, 300)}.`), make("p", button("Retry now", () => { this.reported = null; redraw(); }, { class: "primary" }))]);
    }
    inspector.changed();
  }

  leave() {
    Object.assign(this, { reported: null, shown: null, session: null });
    this.report.replaceChildren();
    this.closeDrawer(this.report);
  }

  /** Replaces the report. Its new heading, event or button has the focus that the same one had before. */
  drawParts(...parts) {
    const { activeElement: active } = document, hasFocus = this.report.contains(active), { scrollTop } = this.report;
    const keyOf = ({ dataset, tagName, textContent }) => `${tagName} ${dataset.sequence ?? (tagName === "H2" ? "" : textContent)}`;
    put(this.report, parts);
    this.report.scrollTop = scrollTop;
    if (hasFocus) [...this.report.querySelectorAll("h2, button, pre")].find((element) => keyOf(element) === keyOf(active))?.focus();
  }

  drawMessage(parts) {
    this.shown = null;
    this.drawParts(panelHead("Crash", null, this.closeButton(this.report)), parts);
  }

  drawReport(crash, { before, isCut }) {
    const { event, time, session } = crash;
    this.drawParts(
      panelHead(make("h2", { tabindex: -1, title: fullTime(time) }, `Crash at ${clock(time)}`), null,
        [session && button("Timeline", () => this.actions.openSession(event), { title: "Timeline of its session" }), button("Event", () => this.openEvent(event), { title: "The event that reports the crash" }), this.closeButton(this.report)]),
      make("p.crash-message.mono", brief(crash.message, 2000)),
      figuresElement([["user", event.user ?? event.unique ?? "no user"], ["app", event.app], ["version", crash.version], ["platform", crash.platform], ["device", event.device], ["screen", event.screen], ["session", session]]
        .filter(([, text]) => text).map(([label, text]) => [label, brief(text, 60)])),
      make("section", { "aria-label": "Before the crash" },
        make("h3", `The ${crashSpan / 1000} s before`, make("span.muted", `  ${count(before.length, "event")}`)),
        isCut && make("p.muted", `Only the latest ${number(maxBefore)} events of this time are shown.`),
        this.eventList(crash, before),
        before.length === 0 && make("p.hint", session ? "Its session has no event in this time." : ["The crash has no session, so the events before it are not known. ", crash.person !== null && button("Events of the same sender", () => openOnly({ user: crash.person }), { class: "link" })])),
      [["Breadcrumbs", crash.breadcrumbs], ["Stack", crash.stack]].map(([title, text]) => text !== "" && make("section.detail", make("h3", title), make("pre.body.trace", { tabindex: 0, role: "region", "aria-label": title }, brief(text, longestText)))),
      event.wholeBytes !== null && make("p.muted", "The event is long: its texts are shown cut. Its panel has all of it."));
  }

  /** The events before the crash and the crash itself: a list with one stop of Tab, in which the arrows move. */
  eventList(crash, before) {
    const row = (event, ago, name, ...values) => {
      const what = values.filter(Boolean).join(", "), screen = brief(event.screen ?? "", 80);
      return button([make("span.mono.muted", ago), name, make("span.what.muted", what), make("span.screen.muted", screen)], () => this.openEvent(event),
        { "data-sequence": event.sequence, title: [brief(event.title, 160), what, screen].filter(Boolean).join(", ") });
    };
    const buttons = [
      ...before.map(({ event, ago }) => row(event, span(-ago), make(`span.mono.${event.severity}`, event.severity && `${severitySigns[event.severity]} `, brief(event.title, 80)), ...event.values)),
      row(crash.event, "crash", make("span.mono.bad", `\u00d7 ${crash.event.title}`), brief(crash.frame, 160)),
    ];
    setTabStop(buttons, buttons[0]);
    return make("ol.entries.before", { onkeydown: (event) => moveFocus(event, buttons) }, buttons.map((button) => make("li", button)));
  }

  // MARK: Events

  /** Opens an event of the report. */
  openEvent({ sequence }) {
    const { chosen } = this;
    this.panel.openAt(sequence, () => this.chosen === chosen);
  }

  closePanel() {
    inspector.wanted = null;
    this.panel.hide();
    inspector.changed();
  }
}
