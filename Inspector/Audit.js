// Audit events: who changed and read which rows, an entry for each row.

import { AuditEvent, auditKinds } from "./AuditEvent.js";
import { AuditPanel, isOfRow } from "./AuditPanel.js";
import { $, button, fill, make, notify, put, setText, showSeverity } from "./Element.js";
import { severityOf } from "./Event.js";
import { longestWhole } from "./EventPanel.js";
import { clearFilter, feed, histogram, inspector, narrow, touch } from "./Inspector.js";
import { auditStartElement } from "./Start.js";
import { filterText, showState } from "./States.js";
import { VirtualList } from "./VirtualList.js";
import { brief, clock, count, number } from "./Words.js";

/** Audit events that the page keeps, up to a quarter more for a moment, their rows, and characters of their texts. */
const mostAudit = 20000, mostAuditEntries = 100000, mostAuditText = 67108864;
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

  /** Adds events in the order of their arrival. One that the page has already is ignored. */
  take(texts) {
    for (const text of texts) {
      let event;
      try {
        event = new AuditEvent(text);
      } catch {
        // Not JSON to this browser. The collector's store still has the event.
        continue;
      }
      if (event.sequence <= this.newest) continue;
      this.newest = event.sequence;
      this.waiting.push(event);
    }
    if (!inspector.isPaused) this.add();
    else if (this.waiting.length > mostAudit * 1.25) this.waiting.splice(0, this.waiting.length - mostAudit);
  }

  /** Adds the events that arrived, and drops the oldest beyond the limits. */
  add() {
    for (const event of this.waiting.splice(0)) {
      this.events.push(event);
      this.textLength += event.text.length;
      this.entryCount += event.entries.length;
    }
    if (this.events.length <= mostAudit * 1.25 && this.textLength <= mostAuditText && this.entryCount <= mostAuditEntries * 1.25) return;
    let n = 0;
    while (n < this.events.length - 1 && (this.events.length - n > mostAudit || this.textLength > mostAuditText * 0.9 || this.entryCount > mostAuditEntries)) {
      this.textLength -= this.events[n].text.length;
      this.entryCount -= this.events[n++].entries.length;
    }
    this.events.splice(0, n);
  }

  reset() {
    Object.assign(this, { events: [], waiting: [], textLength: 0, entryCount: 0, newest: 0, shown: [], offered: -1 });
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
    if (this.offered === this.newest) return;
    this.offered = this.newest;
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
    return `${this.newest} ${this.events.length} ${this.entryCount} ${inspector.isPaused} ${this.version} ${inspector.filter.version}`;
  }

  get tallyText() {
    const isAll = this.shown.length === this.entryCount;
    const { waiting } = this;
    return `${isAll ? count(this.shown.length, "row") : `${number(this.shown.length)} of ${count(this.entryCount, "row")}`}${inspector.isPaused && waiting.length ? `, ${number(waiting.length)} waiting` : ""}`;
  }

  // MARK: Drawing

  show() {
    if (!inspector.isPaused) this.add();
    this.offer();
    this.match();
    this.list.show(this.shown);
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
      const place = this.events.indexOf(event);
      if (place < 0) return;
      this.events[place] = whole;
      this.textLength += whole.text.length - event.text.length;
      this.entryCount += whole.entries.length - 1;
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
