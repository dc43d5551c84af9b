// Detail of a planned event: findings with the plan's requirement, then each attribute as planned and as seen.

import { openSequence } from "./Address.js";
import { button, make, put } from "./Element.js";
import { findingElement, unlistedElement } from "./EventPanel.js";
import { sectionTable } from "./EventTables.js";
import { inspector, openOnly, openView, setFilter } from "./Page.js";
import { Panel } from "./Panel.js";
import { factsElement, mono, panelHead } from "./Parts.js";
import { allElement, showNumbers } from "./ShowAll.js";
import { brief, clock, count, fullTime, number } from "./Words.js";

export const planStates = { seen: "seen", never_seen: "never seen", unplanned: "unplanned", sdk: "SDK", errors: "with errors", warnings: "with warnings" };
/** Numbers of events with errors, and with warnings only, of an event of the plan or of the summary. */
export const planSeverities = ({ events_with_findings: findings, events_with_errors: errors }) => ({ errors, warnings: findings - errors });

/** Control that opens a received event in the list of events. */
const openButton = (sequence, label) => button("open", () => {
  setFilter();
  inspector.wanted = sequence;
  openView("events");
  openSequence(sequence);
}, { class: "link", "aria-label": label });

const nameOf = (button) => button.getAttribute("aria-label") ?? button.textContent;

export class PlanPanel extends Panel {
  /** @param close closes the panel */
  constructor(host, close) {
    super(host);
    Object.assign(this, { close, signature: null });
  }

  /** @param entry element of `events` of /api/plan  @param user attributes of the user */
  show(entry, user) {
    const signature = JSON.stringify([entry, user]);
    this.setOpen(true);
    if (signature === this.signature) return;
    this.signature = signature;
    // A drawing for a newly received event keeps the place of the reader.
    const [top, focused] = [this.host.scrollTop, this.focusedName()];
    put(this.host,
      panelHead(make("h2.mono", { tabindex: -1 }, brief(entry.name)), make(`span.state-of.${entry.state}`, planStates[entry.state]),
        entry.events > 0 && button("Events", () => openOnly({ name: entry.name }), { title: "Received events of this name" }), this.close),
      entry.description !== null && make("p", brief(entry.description, 2000)),
      this.facts(entry),
      entry.state === "unplanned" && make("p.note", "The plan does not list this event. Correct its name, or add it to the plan."),
      entry.findings.map((found) => findingElement([found],
        make("p.muted", `${count(found.events, "event")}, last ${clock(found.last_received)} `, openButton(found.last_seq, `Open the last event with ${found.code} ${brief(found.name, 60)}`), " ", allElement(found, "events", entry.name)))),
      unlistedElement(entry.unlisted_findings),
      this.fields("Attributes", entry.attributes, entry.state),
      entry.items !== null && this.fields("Items", entry.items, entry.state),
      user.listed.length > 0 && entry.state !== "unplanned" && this.fields("User, in all events", user, "user"));
    this.host.scrollTop = top;
    if (focused) [...this.host.querySelectorAll("button")].find((element) => nameOf(element) === focused)?.focus();
  }

  /** Updates what depends on the loaded events. */
  refresh() {
    showNumbers(this.host);
  }

  focusedName() {
    const { activeElement } = document;
    return this.host.contains(activeElement) && activeElement.tagName === "BUTTON" ? nameOf(activeElement) : null;
  }

  facts(entry) {
    const { errors, warnings } = planSeverities(entry);
    const share = (n) => `in ${number(n)} of ${count(entry.events, "event")}`;
    const receipt = (received, sequence, label) => [mono(fullTime(received)), sequence !== null && [" ", openButton(sequence, label)]];
    return factsElement([
      ["events", number(entry.events)],
      entry.first_received !== null && ["first", ...receipt(entry.first_received, entry.first_seq, "Open the first event")],
      ["last", ...(entry.last_received === null ? ["never"] : receipt(entry.last_received, entry.last_seq, "Open the last event"))],
      ["errors", entry.events > 0 && (errors ? share(errors) : "none")],
      ["warnings only", warnings > 0 && share(warnings)],
    ]);
  }

  /** Table of attributes: the plan's requirement beside what was received. */
  fields(title, fields, state) {
    const heads = ["name", "planned", "in", "as seen"];
    const rows = fields.listed.map(({ name, planned, seen }) => {
      const isMissing = state === "seen" && planned?.required && (seen?.count ?? 0) < fields.objects;
      const isExtra = planned === null && !fields.additional;
      return make(isMissing || isExtra ? "tr.marked" : "tr",
        make("th.mono", { scope: "row" }, brief(name, 120), (isMissing || isExtra) && make("span.hidden", " (has a finding)")),
        make("td.value", planned === null ? make("span.muted", state === "unplanned" || state === "sdk" ? "\u2013" : fields.additional ? "not listed" : "not planned") : [brief(planned.requirement, 400), planned.required && make("span.tag", "required"), planned.description !== null && make("div.muted", brief(planned.description, 300))]),
        make("td.number", seen === null ? "0" : number(seen.count)),
        make("td.value", seen === null ? make("span.muted", "never") : this.seen(seen)));
    });
    const section = sectionTable(title, heads, rows, ".planned");
    if (section === null) return null;
    section.append(make("p.muted", state === "user" ? "" : `${count(fields.objects, title === "Items" ? "item" : "event")} received.${fields.unlisted ? ` ${count(fields.unlisted, "more value")} of attributes that are not listed.` : ""}`));
    return section;
  }

  seen(seen) {
    const types = Object.entries(seen.types);
    const isRange = seen.minimum !== null && seen.minimum !== seen.maximum;
    return [
      types.map(([type, n]) => (types.length === 1 ? type : `${number(n)} ${type}`)).join(", "),
      isRange && ` ${seen.minimum} to ${seen.maximum}`,
      seen.examples.length > 0 && make("div.mono.examples", brief(seen.examples.join(", "), 320), seen.has_more && ", \u2026"),
    ];
  }

  hide() {
    this.signature = null;
    super.hide();
  }
}
