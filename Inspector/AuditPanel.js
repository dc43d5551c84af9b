// Detail of an audit entry: the row with its old and new values, its history, then the event.

import { AuditEvent, auditKey, auditKinds } from "./AuditEvent.js";
import { readText } from "./Collector.js";
import { button, copy, make, notify, put, severityWords } from "./Element.js";
import { severityOf } from "./Event.js";
import { EventPanel, readAtOnce, withWhole } from "./EventPanel.js";
import { mostRows, sectionTable, valueElement } from "./EventTables.js";
import { membersOf, prettyElement, unquoted } from "./JSONText.js";
import { brief, clock, count, fullTime, number, unlistedText } from "./Words.js";

/** Events of a row's history that are read. */
const mostHistory = 200;

export class AuditPanel extends EventPanel {
  /** @param entry row of the list */
  show(entry) {
    this.entry = entry;
    this.history = null;
    super.show(entry.event);
    if (entry.key !== null) this.readHistory(entry);
  }

  draw(event, source = event) {
    const { entry } = this;
    const own = source === event || entry.table !== null ? entry : source.entries[0];
    const { violations, unlisted } = event.findings;
    const marked = new Set(violations.map((found) => found.name.split(".")[0]));
    put(this.host,
      make("div.panel-head",
        make("h2", { tabindex: -1 }, make("span.mono", brief(own.place, 80)), own.table === null ? "" : ` ${auditKinds[own.kind]}`),
        severityOf(event) && make(`span.badge.${severityOf(event)}`, severityWords[severityOf(event)]),
        make("div.actions", this.buttons(event))),
      this.facts(event),
      this.violations(violations),
      unlisted > 0 && make("p.muted.unlisted", `\u2026 and ${unlistedText(unlisted)}`),
      event.truncated !== null && make("p.note", `The client left out ${count(event.truncated, "row")} of this scope.`),
      source.wholeBytes !== null && this.excerptNote(event),
      own.cells.length > 0 && valuesTable(own),
      this.historyElement(),
      source.entries.length > 1 && this.siblingsElement(source),
      source.data !== null && make("section.detail", make("h3", "Payload"), prettyElement(source.data, new Set(), "Payload")),
      make("section.detail", make("h3", source.wholeBytes === null ? "JSON as sent" : "JSON, shortened"), prettyElement(source.json, marked)));
  }

  buttons(event) {
    return [
      this.entry.key !== null && button("History", () => this.actions.history(this.entry), { title: "Only this row in the list" }),
      button("Copy", () => withWhole(event, (whole) => copy(whole.json, "Event")), { title: "Copy the JSON as sent" }),
      button("Close", this.actions.close, { title: "Close (Esc)" }),
    ];
  }

  facts(event) {
    const { actions, entry } = this;
    const row = (label, ...value) => [make("dt", label), make("dd", ...value)];
    const filter = (label, values, text) =>
      text !== null && row(label, button(brief(text, 80), () => actions.filter(values), { class: "link mono", title: `Filter by this ${label}` }));
    return make("dl.facts",
      row("time", make("span.mono", fullTime(event.time))),
      row("received", make("span.mono", fullTime(event.received))),
      filter("activity", { activity: event.activity }, event.activity),
      filter("event", { name: event.name }, event.name),
      entry.table !== null && filter("table", { table: entry.table }, entry.table),
      event.metadata.slice(0, 20).map(([name, value]) => filter(brief(name, 40), { text: value }, value)),
      event.id !== null && row("event id", make("span.mono", brief(event.id, 120))),
      event.partition !== null && row("partition", make("span.mono", brief(event.partition, 120))),
      filter("request", { request: event.request }, event.request));
  }

  /** Other rows of the event. */
  siblingsElement(event) {
    const rows = event.entries;
    return make("section.detail", { "aria-label": "Rows of the event" },
      make("h3", "Rows of the event", make("span.muted", ` ${number(rows.length)}`)),
      make("ul.entries", rows.slice(0, mostRows).map((entry) => make("li",
        button([make(`span.kind.${entry.kind}`, auditKinds[entry.kind]), make("span", brief(entry.place, 80)), make("span.muted", entry.values[1] || entry.values[0])], () => this.actions.open(entry), { "aria-current": entry === this.entry ? "true" : null })))),
      rows.length > mostRows && make("p.hint", `\u2026 and ${number(rows.length - mostRows)} more: see the JSON`));
  }

  /** Reads all stored events of the row. They need not be in the page. */
  async readHistory(entry) {
    try {
      const query = new URLSearchParams([["table", entry.table], ["key", entry.key], ["limit", mostHistory], ["event_bytes", readAtOnce]]);
      const text = await readText(`/api/audit?${query}`);
      if (this.entry !== entry || this.host.hidden) return;
      const page = new Map(membersOf(text, 10));
      const events = [...membersOf(page.get("events") ?? "[]", mostHistory)].map(([, json]) => new AuditEvent(json));
      this.history = { isWhole: page.get("next") === "null", entries: events.flatMap((event) => event.entries.filter((other) => other.table === entry.table && isOfRow(other, entry.key))) };
      this.host.querySelector(".history")?.replaceWith(this.historyElement());
    } catch (error) {
      if (this.entry === entry) notify(`The history could not be read: ${error.message}`);
    }
  }

  historyElement() {
    const { entry, history } = this;
    if (entry.key === null) return null;
    const row = (other) => {
      const [before, after] = other.values;
      return make(other.sequence === entry.sequence && other.kind === entry.kind ? "tr.current" : "tr",
        make("td.mono", clock(other.event.time)), make("td", make(`span.kind.${other.kind}`, auditKinds[other.kind])),
        make("td", brief(other.event.title, 60), other.event.user !== null && make("span.muted", ` ${brief(other.event.user, 40)}`)), make("td.mono", before), make("td.mono", after));
    };
    return make("section.detail.history", { "aria-label": "History of the row" },
      make("h3", `History of ${brief(entry.place, 80)}`, make("span.muted", history ? ` ${number(history.entries.length)}` : "")),
      history ? make("div.scroller", make("table.grid", make("thead", make("tr", ["time", "", "activity", "old or read", "new"].map((head) => make("th", { scope: "col" }, head)))), make("tbody", history.entries.map(row)))) : make("p.muted", "Reading\u2026"),
      history && !history.isWhole && make("p.hint", `The first ${number(mostHistory)} events; /api/audit has the others.`));
  }
}

/** True if the row has a key before or after a change. */
export function isOfRow(entry, key) {
  if (entry.key === key) return true;
  const changed = entry.kind === "update" && entry.after !== null ? auditKey(entry.after, entry.table) : null;
  return changed === key && entry.cells.some(({ isChanged, before, after }) => isChanged && before !== after && [after, unquoted(after)].includes(key));
}

/** The columns of a row, with the old and the new value side by side. Changed ones are marked. */
function valuesTable(entry) {
  const sides = [["old", "before"], ["new", "after"]].filter(([, side]) => entry[side] !== null);
  const heads = ["column", ...(entry.kind === "read" ? ["value"] : sides.map(([head]) => head))];
  const rows = entry.cells.map((cell) => make(cell.isChanged ? "tr.changed" : "tr",
    make("th.mono", { scope: "row" }, brief(cell.name, 120), cell.isChanged && make("span.hidden", " (changed)")),
    sides.map(([, side]) => (cell[side] === null ? make("td.absent", "\u2013") : make(`td.value.${side}`, valueElement("", cell[side]))))));
  return sectionTable(entry.kind === "read" ? "Values" : sides.length > 1 ? "Old and new values" : `Values ${auditKinds[entry.kind]}`, heads, rows, ".values");
}
