// Audit events: who changed and read which rows, an entry for each row.

import { AuditEvent, auditKinds } from "./AuditEvent.js";
import { AuditPanel } from "./AuditPanel.js";
import { $, make, notify, put } from "./Element.js";
import { choose, inspector, narrow, setFilter, touch } from "./Page.js";
import { personCell } from "./PersonLink.js";
import { auditStartElement } from "./Start.js";
import { View } from "./View.js";
import { VirtualList } from "./VirtualList.js";
import { brief, clock } from "./Words.js";

/** Activities and tables that the view offers. */
const maxChoices = 300;

export class Audit extends View {
  /** Entries that match the filters. */
  shown = [];
  /** Index of the address's row among those of its event. */
  wantedRow = 0;

  constructor() {
    super("audit", "audit", { activity: [["", "all activities"]], table: [["", "all tables"]], key: null, kind: [["", "all events"], ...Object.entries(auditKinds)] });
    this.panel = new AuditPanel($("audit-panel"), {
      filter: (values) => (Object.keys(values).every((name) => name in this.values) ? this.narrow(values) : narrow(values)),
      history: ({ table, key }) => { setFilter(); this.narrow({ activity: "", kind: "", table, key }); },
      open: (entry) => this.list.choose(entry), load: (event) => this.load(event), close: () => this.closePanel(),
    });
    this.list = new VirtualList($("audit-list"), {
      label: "Audit events", row: "audit-row", follows: true, select: (entry) => this.panel.open(entry),
      columns: [
        { cell: "span.time", head: "time", text: ({ event }) => clock(event.time) },
        { cell: "span.sign" },
        { cell: "span.kind", text: ({ kind }) => (kind === "custom" ? "" : auditKinds[kind]), kind: ({ kind }) => kind },
        { cell: "span.name", head: "row", text: ({ title }) => brief(title, 120) },
        { cell: "span.old", head: "old or read", text: (entry) => entry.words("before") },
        { cell: "span.new", head: "new", text: (entry) => entry.words("after") },
        { cell: "span.activity", head: "activity", text: ({ event }) => brief(event.title, 80) },
        { cell: "span.user", head: "user", ...personCell(({ event }) => brief(event.user ?? "", 60)) },
      ],
    });
    this.lists = [this.list];
  }

  make(text) {
    return new AuditEvent(text);
  }

  /** The list stays where it is when older rows are added, unless it follows new ones. */
  prepended() {
    this.list.keepRow();
  }

  reset() {
    this.shown = [];
    super.reset();
  }

  // MARK: Filter

  /** Sets the filters and the row from an address. */
  choose(values) {
    super.choose(values);
    this.wantedRow = Number(/^\d{1,5}$/.test(values.row ?? "") && values.row);
  }

  /** Filters, and the row of the open event if it is not the first one, for the address. */
  get parameters() {
    const { panel } = this;
    const row = inspector.wanted ? this.wantedRow : panel.event && panel.event.entries.indexOf(panel.entry);
    return [...super.parameters, ...(row > 0 ? [["row", row]] : [])];
  }

  /** Offers values of the events in a select, after the choice of all. */
  offer(name, values) {
    const select = this.element(name);
    if (document.activeElement === select) return;
    const choices = [...new Set(values)].filter(Boolean).sort().slice(0, maxChoices);
    put(select, select.options[0], choices.map((value) => make("option", { value }, brief(value, 60))));
    choose(select, this.values[name]);
  }

  matches(entry) {
    const { activity, table, kind, key } = this.values;
    return (!activity || entry.event.activity === activity) && (!table || entry.table === table) && (!kind || entry.kind === kind) && (!key || entry.hasKey(key));
  }

  /** Events with a matching entry, for the export. */
  get matching() {
    return [...new Set(this.shown.map(({ event }) => event))];
  }

  get counts() {
    return { noun: "row", shown: this.shown.length, isFiltered: this.shown.length < this.retention.rows };
  }

  // MARK: Drawing

  show() {
    const { isEmpty, retention: { events } } = this;
    this.offer("activity", events.map(({ activity }) => activity));
    this.offer("table", events.flatMap(({ entries }) => entries.map(({ table }) => table)));
    this.shown = events.filter((event) => inspector.filter.test(event)).flatMap(({ entries }) => entries.filter((entry) => this.matches(entry)));
    this.list.show(this.shown);
    this.showEmpty(isEmpty, auditStartElement);
    this.showState(this.shown.length || isEmpty, "row");
  }

  // MARK: Selection

  /** Reads the whole of an excerpted event, whose rows then are in the list and the panel. */
  async load(event) {
    try {
      const whole = await event.whole();
      if (this.retention.replace(event, whole)) touch();
      if (this.panel.event === event) this.selectEntry(whole.entries[0]);
    } catch (error) {
      notify(`The event could not be read: ${error.message}`);
    }
  }

  selectWanted() {
    const entries = this.shown.filter(({ sequence }) => sequence === inspector.wanted);
    if (entries.length) this.selectEntry(entries.find((entry) => entry.event.entries[this.wantedRow] === entry) ?? entries[0]);
  }

  /** Selects and opens an entry that was not chosen in the list. */
  selectEntry(entry) {
    this.select(this.list, entry);
    this.panel.open(entry);
  }
}
