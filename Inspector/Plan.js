// Tracking plan: planned events with what was received of them, events that are not planned, findings.

import { readText } from "./Collector.js";
import { $, button, fill, make, setText } from "./Element.js";
import { facts } from "./Facts.js";
import { Filter } from "./Filter.js";
import { inspector, redraw, touch } from "./Page.js";
import { PlanPanel, planSeverities, planStates } from "./PlanPanel.js";
import { saved } from "./Saved.js";
import { planStartElement } from "./Start.js";
import { View } from "./View.js";
import { VirtualList } from "./VirtualList.js";
import { brief, clock, count, number, visible } from "./Words.js";

/** Milliseconds between two readings of the comparison while events arrive. */
const planPause = 1000;

export class Plan extends View {
  usesFilter = false;
  find = this.element("find");
  /** Name of the selected event: the entries are new objects after each reading. */
  chosen = "";
  /** The comparison of the plan with the received events; null before it is read. */
  content = facts.hasPlan ? null : { plan: null };
  entries = [];
  shown = [];
  readAt = -planPause;
  /** Number of received events that the comparison is about. */
  seenEvents = -1;
  isReading = false;
  failure = null;

  constructor() {
    super("plan", "plan", { find: null, state: [["", "all events"], ...Object.entries(planStates)] });
    this.panel = new PlanPanel($("plan-panel"), () => this.closePanel());
    const { sdk, ...figures } = { "": "planned", ...planStates };
    this.figures = Object.entries(figures).map(([state, label]) => [state, button([make("strong"), ` ${label}`], () => this.narrow({ state: this.values.state === state ? "" : state }))]);
    fill(this.element("summary"), this.figures.map(([, control]) => control));
    this.list = new VirtualList($("plan-list"), {
      label: "Events of the tracking plan", row: "plan-row", select: (entry) => this.open(entry),
      severity: (entry) => {
        const { errors, warnings } = planSeverities(entry);
        return errors ? "bad" : warnings ? "warned" : "";
      },
      columns: [
        { cell: "span.sign" },
        { cell: "span.name", head: "event", text: ({ name }) => brief(name, 120) },
        { cell: "span.state-of", head: "state", text: ({ state }) => planStates[state], kind: ({ state }) => state },
        { cell: "span.figure", head: "events", text: ({ events }) => number(events) },
        { cell: "span.time", head: "last", text: ({ last_received: last }) => (last === null ? "\u2013" : clock(last)) },
        { cell: "span.wrong", head: "findings", text: (entry) => Object.entries(planSeverities(entry)).filter(([, n]) => n).map(([severity, n]) => `${number(n)} with ${severity}`).join(", ") },
        { cell: "span.description", head: "description", text: ({ description }) => brief(description ?? "", 200) },
      ],
    });
    this.lists = [this.list];
  }

  // MARK: Input

  get stamp() {
    return [this.version, inspector.isPaused, inspector.summary?.events];
  }

  /** Reads the comparison if events have arrived since it was read, at most once per pause. */
  async read() {
    const events = inspector.summary?.events ?? -1;
    if (!facts.hasPlan || this.isReading || (inspector.isPaused && this.content) || (events === this.seenEvents && !this.failure)) return;
    const wait = this.readAt + planPause - performance.now();
    if (wait > 0) return void setTimeout(redraw, wait);
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

  // MARK: Controls

  /** Sets the controls and the selected event from an address. */
  choose(values) {
    this.chosen = values.planned ?? "";
    super.choose({ ...values, find: visible(values.find ?? "") });
  }

  get parameters() {
    return [...super.parameters, ["planned", this.chosen]].filter(([, value]) => value);
  }

  matches(entry, expression) {
    const { state } = this.values, severities = planSeverities(entry);
    if (state in severities ? !severities[state] : state && entry.state !== state) return false;
    return !expression || [entry.name, entry.description ?? "", ...entry.attributes.listed.map(({ name }) => name)].some((text) => expression.test(text));
  }

  get tally() {
    const all = this.entries.length, shown = this.shown.length;
    if (!all) return "";
    return shown === all ? count(all, "event name") : `${number(shown)} of ${count(all, "event name")}`;
  }

  // MARK: Drawing

  show() {
    this.read();
    const expression = Filter.expression(this.values.find), isWithout = this.content?.plan === null;
    this.shown = this.entries.filter((entry) => this.matches(entry, expression));
    this.list.selected = this.shown.find(({ name }) => name === this.chosen) ?? null;
    this.list.show(this.shown);
    this.showEmpty(isWithout, planStartElement);
    this.showState(this.shown.length || isWithout);
    this.showSummary();
    this.showChosen();
  }

  showSummary() {
    const summary = this.content?.summary;
    this.element("summary").hidden = !summary;
    if (!summary) return;
    const numbers = { "": summary.planned, ...summary, ...planSeverities(summary) };
    for (const [state, control] of this.figures) {
      setText(control.firstChild, number(numbers[state]));
      control.setAttribute("aria-pressed", this.values.state === state);
      control.className = numbers[state] ? { errors: "bad", warnings: "warned" }[state] ?? "" : "";
    }
  }

  stateParts() {
    if (this.failure && saved) return [make("p.title", "This file has no comparison with the plan.")];
    if (this.failure) return [make("p.title", "The plan could not be read"), make("p", `${this.failure}.`), button("Retry now", () => this.read(), { class: "primary" })];
    if (!this.content) return [make("p.title", "Connecting\u2026")];
    if (!this.entries.length) return [make("p.title", "The plan has no events.")];
    return [make("p.title", "No event of the plan matches the filter."), button("Clear filter", () => this.clear(), { class: "primary" })];
  }

  /** Shows the selected event, whose content may have changed, or hides the panel if there is none. */
  showChosen() {
    const wasOpen = this.panel.isOpen;
    const entry = this.chosen && this.entries.find(({ name }) => name === this.chosen);
    if (entry) this.panel.show(entry, this.content.user);
    else this.panel.hide();
    if (this.panel.isOpen !== wasOpen) inspector.changed();
  }

  // MARK: Selection

  open({ name }) {
    this.chosen = name;
    this.showChosen();
    this.panel.host.scrollTop = 0;
    inspector.changed();
  }

  closePanel() {
    this.chosen = "";
    super.closePanel();
  }
}
