// Audit events: who changed and read which rows, an entry for each row.

import { AuditEvent, auditKinds } from "./AuditEvent.js";
import { AuditPanel, isOfRow } from "./AuditPanel.js";
import { $, button, fill, make, notify, put, setText, showSeverity } from "./Element.js";
import { severityOf } from "./Event.js";
import { longestWhole } from "./EventPanel.js";
import { clearFilter, feed, histogram, inspector, narrow, touch } from "./Inspector.js";
import { windows } from "./Retention.js";
import { auditStartElement } from "./Start.js";
import { filterText, showState } from "./States.js";
import { VirtualList } from "./VirtualList.js";
import { brief, clock } from "./Words.js";

/** Activities and tables that the view offers. */
const mostAuditChoices = 300;
const auditChoices = ["activity", "table", "kind", "key"];

export class Audit {
  constructor(actions) {
    this.outer = actions;
    this.filter = { activity: "", table: "", kind: "", key: "" };
    this.reset();
    this.panel = new AuditPanel($("audit-panel"), {
      filter: (values) => this.narrow(values), open: (entry) => this.list.choose(this.shown.includes(entry) ? entry : this.counterpart(entry)),
      history: (entry) => { clearFilter(); this.narrow({ activity: "", kind: "", table: entry.table, key: entry.key }); }, close: () => this.closePanel(),
    });
    for (const name of auditChoices) $(`audit-${name}`).addEventListener(name === "key" ? "input" : "change", () => this.narrow({ [name]: $(`audit-${name}`).value }));
    fill($("audit-kind"), [["", "all events"], ...Object.entries(auditKinds)].map(([value, label]) => make("option", { value }, label)));
    this.list = new VirtualList($("audit-list"), {
      label: "Audit events", follows: true, select: (entry) => this.open(entry),
      make: () => make("div.audit-row", make("span.time"), make("span.sign"), make("span.kind"), make("span.name"), make("span.old"), make("span.new"), make("span.activity"), make("span.user")),
      fill: (row, entry) => {
        const [time, sign, kind, name, before, after, activity, user] = row.children;
        const { event } = entry;
        const [old, own] = entry.values;
        setText(time, clock(event.time));
        showSeverity(row, sign, severityOf(event));
        setText(kind, entry.table === null ? "" : auditKinds[entry.kind]);
        kind.className = entry.table === null ? "kind none" : `kind ${entry.kind}`;
        setText(name, brief(entry.place, 120));
        setText(before, old);
        setText(after, own);
        setText(activity, brief(event.title, 80));
        setText(user, brief(event.user ?? "", 60));
        row.classList.toggle("whole", entry.kind === "custom");
      },
    });
  }

  // MARK: Input

  /** Events that the page keeps, in the order of arrival. */
  get events() {
    return windows.audit.events;
  }

  make(text) {
    return new AuditEvent(text);
  }

  /** Nothing is derived from the events before the next drawing. */
  changed() {}

  /** The list stays where it is when older rows are added, unless it follows new ones. */
  prepended() {
    if (!this.list.follows) this.anchor = this.list.firstVisible;
  }

  reset() {
    Object.assign(this, { shown: [], offered: -1, anchor: null });
    if (!this.list) return;
    this.list.selected = null;
    this.panel.hide();
  }

  // MARK: Filter

  /** Changes parts of the view's filter, and of the page's filter. */
  narrow(values) {
    const own = Object.entries(values).filter(([name]) => auditChoices.includes(name));
    for (const [name, value] of own) this.filter[name] = String(value ?? "");
    const others = Object.fromEntries(Object.entries(values).filter(([name]) => !auditChoices.includes(name)));
    this.version = (this.version ?? 0) + 1;
    this.showFilter();
    if (Object.keys(others).length) narrow(others);
    this.outer.changed();
    touch();
  }

  /** Sets the view's filter from an address. */
  choose(values) {
    this.filter = Object.fromEntries(auditChoices.map((name) => [name, values[name] ?? ""]));
    if (!Object.hasOwn(auditKinds, this.filter.kind)) this.filter.kind = "";
    this.version = (this.version ?? 0) + 1;
    this.showFilter();
  }

  /** Parts of the view's filter that are set, for the address. */
  get parameters() {
    return auditChoices.filter((name) => this.filter[name]).map((name) => [name, this.filter[name]]);
  }

  showFilter() {
    for (const name of auditChoices) {
      const control = $(`audit-${name}`), value = this.filter[name];
      if (control.tagName === "SELECT" && value && ![...control.options].some((option) => option.value === value)) control.append(make("option", { value }, brief(value, 60)));
      if (control.value !== value) control.value = value;
    }
  }

  /** Offers the activities and tables of the events, at most once per drawing and change. */
  offer() {
    if (this.offered === windows.audit.version) return;
    this.offered = windows.audit.version;
    const [activities, tables] = [new Map(), new Map()];
    const add = (map, name) => map.set(name, (map.get(name) ?? 0) + 1);
    for (const event of this.events) {
      add(activities, event.activity);
      let last = null;
      for (const { table } of event.entries) if (table !== null && table !== last) add(tables, (last = table));
    }
    for (const [name, map, label] of [["activity", activities, "all activities"], ["table", tables, "all tables"]]) {
      if (document.activeElement === $(`audit-${name}`)) continue;
      const values = [...map.keys()].filter((value) => value !== "").sort().slice(0, mostAuditChoices);
      put($(`audit-${name}`), make("option", { value: "" }, label), values.map((value) => make("option", { value }, brief(value, 60))));
    }
    this.showFilter();
  }

  matches(entry) {
    const { activity, table, kind, key } = this.filter;
    return (!activity || entry.event.activity === activity) && (!table || entry.table === table) && (!kind || entry.kind === kind) && (!key || entry.key === key || (entry.kind === "update" && entry.table !== null && isOfRow(entry, key)));
  }

  /** Entries that match both filters. Each event is tested once per filter of the page. */
  match() {
    const { filter } = inspector;
    this.shown = [];
    for (const event of this.events) {
      if (event.testedBy !== filter.version) {
        event.testedBy = filter.version;
        event.isShown = filter.matches(event) && filter.isWithin(histogram.timeOf(event));
      }
      if (!event.isShown) continue;
      for (const entry of event.entries) if (this.matches(entry)) this.shown.push(entry);
    }
  }

  /** Events with a matching entry, for the export. */
  get shownEvents() {
    return [...new Set(this.shown.map((entry) => entry.event))];
  }

  /** Value that changes with the content of the view. */
  get state() {
    return `${windows.audit.version} ${inspector.isPaused} ${this.version} ${inspector.filter.version}`;
  }

  /** Number of matching rows, for the end of the filter. */
  get counts() {
    return { noun: "row", shown: this.shown.length, isFiltered: this.shown.length < windows.audit.rows };
  }

  // MARK: Drawing

  show() {
    this.offer();
    this.match();
    this.list.show(this.shown);
    if (this.anchor) this.list.reveal(this.anchor, true);
    this.anchor = null;
    const isEmpty = !this.events.length && inspector.connection.name === "live";
    if (isEmpty === $("audit-empty").hidden) {
      $("audit-empty").hidden = !isEmpty;
      if (isEmpty) put($("audit-empty"), auditStartElement());
    }
    showState($("audit-state"), this.shown.length || isEmpty ? null : this.emptyState());
    if (inspector.wanted) this.openWanted();
  }

  emptyState() {
    const { connection } = inspector;
    if (this.events.length) return [make("p.title", "No row matches the filter."), make("p.muted", [...this.parameters.map(([name, value]) => `${name} ${brief(value, 40)}`), filterText(inspector.filter)].filter(Boolean).join(" \u00b7 ")), button("Clear filter", () => this.clearAll(), { class: "primary" })];
    return connection.name === "lost" ? [make("p.title", "No connection to the collector"), make("p", `${connection.reason}.`), button("Retry now", () => feed.retry(), { class: "primary" })] : [make("p.title", "Connecting\u2026")];
  }

  clearAll() {
    this.narrow(Object.fromEntries(auditChoices.map((name) => [name, ""])));
    clearFilter();
  }

  // MARK: Selection

  open(entry) {
    inspector.wanted = null;
    this.panel.show(entry);
    this.outer.changed();
    if (entry.event.wholeBytes !== null && entry.event.wholeBytes <= longestWhole) this.load(entry.event);
  }

  /** Replaces an excerpt by the whole event, whose rows then are in the list. */
  async load(event) {
    try {
      const whole = await event.whole();
      if (!windows.audit.replace(event, whole)) return;
      whole.wholeBytes = null;
      this.version = (this.version ?? 0) + 1;
      const isOpen = this.panel.entry?.event === event && !this.panel.host.hidden;
      if (isOpen) { this.list.selected = whole.entries[0]; this.panel.show(whole.entries[0]); }
      touch();
    } catch (error) {
      notify(`The event could not be read: ${error.message}`);
    }
  }

  /** The entry of the list for one of another reading of the same event; the entry itself without one. */
  counterpart(entry) {
    return this.shown.find((other) => other.sequence === entry.sequence && other.kind === entry.kind && other.place === entry.place) ?? entry;
  }

  /** Selects the event of the address as soon as the stream has it. */
  openWanted() {
    const entry = this.shown.find((entry) => entry.sequence === inspector.wanted);
    if (!entry) return;
    inspector.wanted = null;
    this.list.selected = entry;
    this.list.follows = false;
    this.list.reveal(entry, true);
    this.list.refresh();
    this.open(entry);
  }

  closePanel() {
    inspector.wanted = null;
    this.panel.hide();
    this.list.selected = null;
    this.list.refresh();
    this.outer.changed();
  }

  /** Closes the panel, or clears the view's filter; returns false if there is neither. */
  back() {
    if (!this.panel.host.hidden) this.closePanel();
    else if (this.parameters.length) this.narrow(Object.fromEntries(auditChoices.map((name) => [name, ""])));
    else return false;
    return true;
  }
}
