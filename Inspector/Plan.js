// Tracking plan: planned events with what was received of them, events that are not planned, findings.

import { openSequence } from "./Address.js";
import { readText } from "./Collector.js";
import { $, button, fill, make, put, setText, showSeverity } from "./Element.js";
import { facts } from "./Facts.js";
import { Filter } from "./Filter.js";
import { inspector, openView, refilter, touch } from "./Inspector.js";
import { PlanPanel } from "./PlanPanel.js";
import { planStartElement } from "./Start.js";
import { showState } from "./States.js";
import { VirtualList } from "./VirtualList.js";
import { brief, clock, count, number, visible } from "./Words.js";

export const planStates = { seen: "seen", never_seen: "never seen", unplanned: "unplanned", sdk: "SDK", errors: "with errors", warnings: "with warnings" };
const planChoices = ["find", "state", "planned"];
/** Numbers of events with errors, and with warnings only, of an event of the plan or of the summary. */
export const planSeverities = ({ events_with_findings: findings, events_with_errors: errors }) => ({ errors, warnings: findings - errors });
/** Milliseconds between two readings of the comparison while events arrive. */
const planPause = 1000;

export class Plan {
  constructor(actions) {
    this.outer = actions;
    this.filter = { find: "", state: "" };
    /** Name of the selected event: the entries are new objects after each reading. */
    this.chosen = "";
    Object.assign(this, { content: facts.hasPlan ? null : { plan: null }, entries: [], shown: [], version: 0, readAt: -planPause, seenEvents: -1, isReading: false, failure: null });
    this.panel = new PlanPanel($("plan-panel"), {
      events: (values) => actions.only(values), open: (sequence) => this.openEvent(sequence), close: () => this.closePanel(),
    });
    fill($("plan-state"), [["", "all events"], ...Object.entries(planStates)].map(([value, label]) => make("option", { value }, label)));
    for (const name of ["find", "state"]) $(`plan-${name}`).addEventListener(name === "find" ? "input" : "change", () => this.narrow({ [name]: $(`plan-${name}`).value }));
    this.list = new VirtualList($("plan-list"), {
      label: "Events of the tracking plan", select: (entry) => this.open(entry),
      make: () => make("div.plan-row", make("span.sign"), make("span.name"), make("span.state-of"), make("span.figure"), make("span.time"), make("span.wrong"), make("span.about")),
      fill: (row, entry) => {
        const [sign, name, state, events, last, wrong, about] = row.children;
        const { errors, warnings } = planSeverities(entry);
        showSeverity(row, sign, errors ? "bad" : warnings ? "warned" : "");
        setText(name, brief(entry.name, 120));
        setText(state, planStates[entry.state]);
        state.className = `state-of ${entry.state}`;
        setText(events, number(entry.events));
        setText(last, entry.last_received === null ? "\u2013" : clock(entry.last_received));
        setText(wrong, [errors && `${number(errors)} with errors`, warnings && `${number(warnings)} with warnings`].filter(Boolean).join(", "));
        setText(about, brief(entry.description ?? "", 200));
      },
    });
  }

  // MARK: Input

  /** Value that changes with the content of the view. */
  get state() {
    return `${this.version} ${inspector.summary?.events} ${inspector.isPaused} ${inspector.connection.name}`;
  }

  /** True if events have arrived, or were deleted, since the comparison was read. */
  get isStale() {
    return facts.hasPlan && !inspector.isPaused && inspector.summary?.events !== this.seenEvents;
  }

  /** Reads the comparison if events have arrived since it was read, at most once per pause. */
  async read() {
    const events = inspector.summary?.events ?? -1;
    if (!facts.hasPlan || this.isReading || (inspector.isPaused && this.content) || (events === this.seenEvents && !this.failure)) return;
    const wait = this.readAt + planPause - performance.now();
    if (wait > 0) return void setTimeout(touch, wait);
    this.isReading = true;
    try {
      this.content = JSON.parse(await readText("/api/plan"));
      this.entries = this.content.events;
      this.failure = null;
      this.seenEvents = events;
    } catch (error) {
      this.failure = error.message;
    }
    Object.assign(this, { isReading: false, readAt: performance.now(), version: this.version + 1 });
    touch();
  }

  reset() {
    this.seenEvents = -1;
  }

  // MARK: Filter

  narrow(values) {
    for (const [name, value] of Object.entries(values)) this.filter[name] = String(value ?? "");
    this.version++;
    this.showFilter();
    this.outer.changed();
    touch();
  }

  /** Sets the view from an address. */
  choose(values) {
    this.filter = { find: visible(values.find ?? ""), state: Object.hasOwn(planStates, values.state ?? "") ? values.state : "" };
    this.chosen = values.planned ?? "";
    this.version++;
    this.showFilter();
  }

  /** Parts of the view that are set, for the address. */
  get parameters() {
    const values = { ...this.filter, planned: this.chosen };
    return planChoices.filter((name) => values[name]).map((name) => [name, values[name]]);
  }

  showFilter() {
    for (const name of ["find", "state"]) if ($(`plan-${name}`).value !== this.filter[name]) $(`plan-${name}`).value = this.filter[name];
  }

  matches(entry) {
    const { state } = this.filter;
    if (state in planSeverities(entry) ? !planSeverities(entry)[state] : state && entry.state !== state) return false;
    if (!this.test) return true;
    return this.test.test(entry.name) || this.test.test(entry.description ?? "") || (entry.attributes.listed.some(({ name }) => this.test.test(name)));
  }

  get tallyText() {
    if (!this.entries.length) return "";
    const isAll = this.shown.length === this.entries.length;
    return isAll ? count(this.entries.length, "event name") : `${number(this.shown.length)} of ${count(this.entries.length, "event name")}`;
  }

  // MARK: Drawing

  show() {
    this.read();
    this.test = Filter.expression(this.filter.find);
    this.shown = this.entries.filter((entry) => this.matches(entry));
    this.list.selected = this.shown.find(({ name }) => name === this.chosen) ?? null;
    this.list.show(this.shown);
    const isWithout = this.content?.plan === null;
    if (isWithout === $("plan-empty").hidden) {
      $("plan-empty").hidden = !isWithout;
      if (isWithout) put($("plan-empty"), planStartElement());
    }
    this.showSummary();
    showState($("plan-none"), this.shown.length || isWithout ? null : this.emptyState());
    this.showChosen();
  }

  showSummary() {
    if (!this.content?.summary) return put($("plan-summary"));
    const { planned, seen, never_seen: neverSeen, unplanned } = this.content.summary;
    const { errors, warnings } = planSeverities(this.content.summary);
    const figures = [["planned", planned, ""], ["seen", seen, "seen"], ["never seen", neverSeen, "never_seen"], ["unplanned", unplanned, "unplanned"], ["with errors", errors, "errors"], ["with warnings", warnings, "warnings"]];
    const signature = JSON.stringify([figures, this.filter.state]);
    if (signature === this.summarySignature) return;
    this.summarySignature = signature;
    const focused = $("plan-summary").contains(document.activeElement) ? [...$("plan-summary").children].indexOf(document.activeElement) : -1;
    put($("plan-summary"), figures.map(([label, n, state]) => button([make("strong", number(n)), ` ${label}`], () => this.narrow({ state: this.filter.state === state ? "" : state }), { "aria-pressed": String(this.filter.state === state), class: !n ? null : state === "errors" ? "bad" : state === "warnings" ? "warned" : null })));
    $("plan-summary").children[focused]?.focus();
  }

  emptyState() {
    if (this.failure) return [make("p.title", "The plan could not be read"), make("p", `${this.failure}.`), button("Retry now", () => { this.seenEvents = -1; touch(); }, { class: "primary" })];
    if (!this.content) return [make("p.title", "Connecting\u2026")];
    if (!this.entries.length) return [make("p.title", "The plan has no events.")];
    return [make("p.title", "No event of the plan matches the filter."), button("Clear filter", () => this.narrow({ find: "", state: "" }), { class: "primary" })];
  }

  /** Draws the selected event again after its content has changed. */
  showChosen() {
    const entry = this.chosen && this.entries.find(({ name }) => name === this.chosen);
    if (!entry) {
      if (!this.panel.host.hidden) { this.panel.hide(); this.outer.changed(); }
      return;
    }
    const wasHidden = this.panel.host.hidden;
    this.panel.show(entry, this.content.user);
    if (wasHidden) this.outer.changed();
  }

  // MARK: Selection

  open(entry) {
    this.chosen = entry.name;
    this.panel.show(entry, this.content.user);
    this.panel.host.scrollTop = 0;
    this.outer.changed();
  }

  /** Opens an event with a finding in the list of events. */
  openEvent(sequence) {
    inspector.filter = new Filter();
    refilter();
    inspector.wanted = sequence;
    openView("events");
    openSequence(sequence);
  }

  closePanel() {
    this.chosen = "";
    this.panel.hide();
    this.list.selected = null;
    this.list.refresh();
    this.outer.changed();
  }

  /** Closes the panel, or clears the view's filter; returns false if there is neither. */
  back() {
    if (!this.panel.host.hidden) this.closePanel();
    else if (this.filter.find || this.filter.state) this.narrow({ find: "", state: "" });
    else return false;
    return true;
  }
}
