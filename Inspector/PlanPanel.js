// Detail of a planned event: findings with the plan's requirement, then each attribute as planned and as seen.

import { button, make, put } from "./Element.js";
import { sectionTable } from "./EventTables.js";
import { facts } from "./Facts.js";
import { planSeverities, planStates } from "./Plan.js";
import { brief, clock, count, fullTime, number, unlistedText } from "./Words.js";

/** A finding of the plan with its requirement, and more parts. */
export function planFindingElement(found, ...more) {
  const { planned } = found;
  const rule = Object.hasOwn(facts.rules, found.code) && facts.rules[found.code];
  return make(found.severity === "error" ? "section.violation" : "section.violation.warning", { "aria-label": `${found.severity} ${found.code}` },
    make("p", make("strong.mono", found.code), " ", found.severity === "error" ? "" : make("span.muted", "warning "), brief(found.message, 2000)),
    planned !== null && make("p.required", make("strong", "The plan requires: "), make("span.mono", brief(found.name, 120)), ` is ${brief(planned.requirement, 600)}; ${planned.required ? "required" : "optional"}.`, planned.description !== null && ` ${brief(planned.description, 400)}`),
    more,
    rule && make("details", make("summary", rule.title), make("p", rule.meaning), make("p", make("strong", "Fix: "), rule.fix)));
}

export class PlanPanel {
  /** @param actions `events(values)` opens the list of events, `open(sequence)` one event, `close()` */
  constructor(host, actions) {
    Object.assign(this, { host, actions, entry: null, signature: null });
  }

  /** @param entry element of `events` of /api/plan  @param user attributes of the user */
  show(entry, user) {
    this.entry = entry;
    const signature = JSON.stringify([entry, user]);
    this.host.hidden = false;
    if (signature === this.signature) return;
    this.signature = signature;
    // A drawing for a newly received event keeps the place of the reader.
    const [top, opened] = [this.host.scrollTop, this.focusedLabel()];
    put(this.host,
      make("div.panel-head",
        make("h2.mono", { tabindex: -1 }, brief(entry.name)),
        make(`span.state-of.${entry.state}`, planStates[entry.state]),
        make("div.actions", entry.events > 0 && button("Events", () => this.actions.events({ name: entry.name }), { title: "Received events of this name" }), button("Close", this.actions.close, { title: "Close (Esc)" }))),
      entry.description !== null && make("p", brief(entry.description, 2000)),
      this.facts(entry),
      entry.state === "unplanned" && make("p.note", "The plan does not list this event. Correct its name, or add it to the plan."),
      entry.findings.map((found) => planFindingElement(found,
        make("p.muted", `${count(found.events, "event")}, last ${clock(found.last_received)} `, button("open", () => this.actions.open(found.last_seq), { class: "link", "aria-label": `Open the last event with ${found.code} ${brief(found.name, 60)}` })))),
      entry.unlisted_findings > 0 && make("p.muted.unlisted", `\u2026 and ${unlistedText(entry.unlisted_findings)}`),
      this.fields("Attributes", entry.attributes, entry.state),
      entry.items !== null && this.fields("Items", entry.items, entry.state),
      user.listed.length > 0 && entry.state !== "unplanned" && this.fields("User, in all events", user, "user"));
    this.host.scrollTop = top;
    if (opened) [...this.host.querySelectorAll("button")].find((element) => element.textContent === opened)?.focus();
  }

  focusedLabel() {
    const { activeElement } = document;
    return this.host.contains(activeElement) && activeElement.tagName === "BUTTON" ? activeElement.textContent : null;
  }

  facts(entry) {
    const row = (label, ...value) => [make("dt", label), make("dd", ...value)];
    const { errors, warnings } = planSeverities(entry);
    const share = (n) => `in ${number(n)} of ${count(entry.events, "event")}`;
    return make("dl.facts",
      row("events", number(entry.events)),
      row("last", entry.last_received === null ? "never" : make("span.mono", fullTime(entry.last_received)), entry.last_seq !== null && [" ", button("open", () => this.actions.open(entry.last_seq), { class: "link", "aria-label": "Open the last event" })]),
      entry.events > 0 && row("errors", errors ? share(errors) : "none"),
      warnings > 0 && row("warnings only", share(warnings)));
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
    Object.assign(this, { entry: null, signature: null });
    this.host.hidden = true;
    this.host.replaceChildren();
  }
}
