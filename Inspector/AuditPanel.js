// Detail of an audit entry: the row with its old and new values, its history, then the event.

import { AuditEvent, auditKinds } from "./AuditEvent.js";
import { readText } from "./Collector.js";
import { button, make, notify } from "./Element.js";
import { EventPanel, longestWhole, readAtOnce } from "./EventPanel.js";
import { maxRows, sectionTable, valueElement } from "./EventTables.js";
import { membersOf, prettyElement } from "./JSONText.js";
import { moreElement, scrollerElement, tableHead } from "./Parts.js";
import { brief, clock, count, number } from "./Words.js";

/** Events of a row's history that are read. */
const maxHistory = 200;

const kindElement = ({ kind }) => make(`span.kind.${kind}`, auditKinds[kind]);

export class AuditPanel extends EventPanel {
  maxAtOnce = longestWhole;

  /** @param entry row of the list */
  show(entry) {
    Object.assign(this, { entry, history: null });
    super.show(entry.event);
    if (entry.key !== null) this.readHistory(entry);
  }

  /** Reads the event for the list too, which then has all of its rows. */
  showWhole(event) {
    return this.actions.load(event);
  }

  heading() {
    const { kind, table, title } = this.entry;
    return [make("span.mono", brief(title, 80)), table !== null && ` ${auditKinds[kind]}`];
  }

  /** Only an event with findings has one. */
  badge(event) {
    return event.severity && super.badge(event);
  }

  controls() {
    return this.entry.key !== null && button("History", () => this.actions.history(this.entry), { title: "Only this row in the list" });
  }

  rows(event) {
    const { table } = this.entry;
    return super.rows(event).toSpliced(2, 0, ["table", table, { table }]);
  }

  parts(event) {
    const { data, truncated } = event;
    return [
      truncated !== null && make("p.note", `The client left out ${count(truncated, "row")} of this scope.`),
      valuesTable(this.entry),
      this.historyElement(),
      this.siblingsElement(event.entries),
      data !== null && make("section.detail", make("h3", "Payload"), prettyElement(data, new Set(), "Payload")),
    ];
  }

  /** All rows of an event with several. */
  siblingsElement(entries) {
    return entries.length > 1 && make("section.detail", { "aria-label": "Rows of the event" },
      make("h3", "Rows of the event", make("span.muted", ` ${number(entries.length)}`)),
      make("ul.entries", entries.slice(0, maxRows).map((entry) => make("li",
        button([kindElement(entry), make("span", brief(entry.title, 80)), make("span.muted", entry.words("after") || entry.words("before"))], () => this.actions.open(entry), { "aria-current": entry === this.entry ? "true" : null })))),
      moreElement(entries.length, maxRows, "p.hint", "more: see the JSON"));
  }

  /** Reads all stored events of the row. They need not be in the page. */
  async readHistory(entry) {
    try {
      const query = new URLSearchParams([["table", entry.table], ["key", entry.key], ["limit", maxHistory], ["event_bytes", readAtOnce]]);
      const page = new Map(membersOf(await readText(`/api/audit?${query}`), 10));
      if (this.entry !== entry || !this.isOpen) return;
      const events = [...membersOf(page.get("events") ?? "[]", maxHistory)].map(([, json]) => new AuditEvent(json));
      this.history = { isWhole: page.get("next") === "null", entries: events.flatMap(({ entries }) => entries.filter((other) => other.table === entry.table && other.hasKey(entry.key))) };
      this.host.querySelector(".history")?.replaceWith(this.historyElement());
    } catch (error) {
      if (this.entry === entry) notify(`The history could not be read: ${error.message}`);
    }
  }

  historyElement() {
    const { entry, history } = this;
    if (entry.key === null) return null;
    const row = (other) => make(other.sequence === entry.sequence && other.kind === entry.kind ? "tr.current" : "tr",
      make("td.mono", clock(other.event.time)), make("td", kindElement(other)),
      make("td", brief(other.event.title, 60), other.event.user !== null && make("span.muted", ` ${brief(other.event.user, 40)}`)),
      make("td.mono", other.words("before")), make("td.mono", other.words("after")));
    return make("section.detail.history", { "aria-label": "History of the row" },
      make("h3", `History of ${brief(entry.title, 80)}`, history && make("span.muted", ` ${number(history.entries.length)}`)),
      history ? scrollerElement("Table of the history", make("table.grid", tableHead(["time", make("span.hidden", "kind"), "activity", "old or read", "new"]), make("tbody", history.entries.map(row)))) : make("p.muted", "Reading\u2026"),
      history && !history.isWhole && make("p.hint", `The first ${number(maxHistory)} events; /api/audit has the others.`));
  }
}

/** The columns of a row, with the old and the new value side by side. Changed ones are marked. */
function valuesTable(entry) {
  const isRead = entry.kind === "read", sides = ["before", "after"].filter((side) => entry[side] !== null);
  const heads = sides.map((side) => (isRead ? "value" : side === "before" ? "old" : "new"));
  const rows = entry.cells.map((cell) => make(cell.isChanged ? "tr.changed" : "tr",
    make("th.mono", { scope: "row" }, brief(cell.name, 120), cell.isChanged && make("span.hidden", " (changed)")),
    sides.map((side) => (cell[side] === null ? make("td.absent", "\u2013") : make(`td.value.${side}`, valueElement("", cell[side]))))));
  return sectionTable(isRead ? "Values" : sides.length > 1 ? "Old and new values" : `Values ${auditKinds[entry.kind]}`, ["column", ...heads], rows, ".values");
}
