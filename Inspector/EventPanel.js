// Detail of an event: facts, findings, tables of the content, then the JSON text.

import { readText } from "./Collector.js";
import { openCopyAs } from "./CopyAs.js";
import { button, copy, make, notify, put, save, severityWords } from "./Element.js";
import { eventAt } from "./Event.js";
import { facts } from "./Facts.js";
import { prettyElement } from "./JSONText.js";
import { inspector } from "./Page.js";
import { Panel } from "./Panel.js";
import { factsElement, linkElement, mono, moreElement, panelHead } from "./Parts.js";
import { saved } from "./Saved.js";
import { allElement, showNumbers } from "./ShowAll.js";
import { brief, bytes, fullTime, span, unlistedText } from "./Words.js";

/** Bytes up to which the whole of an excerpted event is read without a click. */
export const readAtOnce = 262144;
/** Bytes up to which a whole event is shown; a larger one is saved only. */
export const longestWhole = 8388608;

/** True for a finding of the tracking plan, which is shown with what the plan requires once that is read. */
const isOfPlan = ({ code }) => String(code).startsWith("plan_");

/** Names in quotation marks, and items named by their index as in "items[0] has no id". */
const namesIn = (message) => [...message.matchAll(/"([^"]{1,60})"|\b(items\[\d+\])/g)].map(([, quoted, item]) => quoted ?? item);

/** Findings of one code: their messages, what the plan requires, more parts, and the description of the code on demand. */
export function findingElement([{ code, severity, message, name, planned = null }, ...same], ...more) {
  const rule = Object.hasOwn(facts.rules, code) && facts.rules[code];
  return make(severity === "error" ? "section.violation" : "section.violation.warning", { "aria-label": brief(`${severity} ${code} ${name}`, 200) },
    make("p", make("strong.mono", code), " ", severity === "error" ? "" : make("span.muted", "warning "), brief(message, 2000)),
    same.slice(0, 2).map((other) => make("p", brief(other.message, 2000))),
    moreElement(same.length, 2, "p.muted", "more of this code"),
    planned !== null && make("p.required", make("strong", "The plan requires: "), make("span.mono", brief(name, 120)), ` is ${brief(planned.requirement, 600)}; ${planned.required ? "required" : "optional"}.`, planned.description !== null && ` ${brief(planned.description, 400)}`),
    more,
    rule && make("details", make("summary", rule.title),
      make("p", rule.meaning),
      rule.limit && make("p.muted", `Hard limit ${rule.limit}${rule.suggested ? `, suggested ${rule.suggested}` : ""}; effect: ${rule.effect}.`),
      rule.example && make("p", "Example: ", make("code", rule.example)),
      make("p", make("strong", "Fix: "), rule.fix)));
}

/** Number of the findings that the collector did not list. */
export const unlistedElement = (unlisted) => (unlisted > 0 ? make("p.muted.unlisted", `\u2026 and ${unlistedText(unlisted)}`) : null);

/** Calls `act` with the event of a reading; reports a failed one. */
async function whenRead(reading, act) {
  try {
    await act(await reading);
  } catch (error) {
    notify(`The event could not be read: ${error.message}`);
  }
}

export class EventPanel extends Panel {
  /** Bytes up to which the whole of an excerpted event is read when it is shown. */
  maxAtOnce = readAtOnce;

  /** @param actions `filter(values)`, `close()`, and those that the parts of the event need */
  constructor(host, actions) {
    super(host);
    this.actions = actions;
    this.leave();
  }

  /** Sequence number of the event that is shown, or that a message reports as missing; null for none. */
  get sequence() {
    return this.event?.sequence ?? this.missing;
  }

  /** True if the event, or another reading of it, is shown. */
  isShown(event) {
    return this.event?.sequence === event.sequence;
  }

  /** Shows an event that the user has chosen. */
  open(event) {
    inspector.wanted = null;
    this.show(event);
    inspector.changed();
  }

  /** Opens a clickstream event as soon as it is read. @param isCurrent returns false if it is not wanted any more */
  openAt(sequence, isCurrent) {
    return whenRead(eventAt(sequence), (event) => isCurrent() && this.open(event));
  }

  show(event) {
    Object.assign(this, { event, missing: null });
    this.draw(event);
    this.setOpen(true);
    this.host.scrollTop = 0;
    if (event.wholeBytes !== null && event.wholeBytes <= this.maxAtOnce) this.showWhole(event);
    if (facts.hasPlan && event.constructor.list === "events") this.showPlan(event);
  }

  /** Reads the findings of the tracking plan and adds them, unless another event is shown by then. */
  async showPlan(event) {
    try {
      const { findings, unlisted_findings: unlisted } = JSON.parse(await readText(`/api/plan/events/${event.sequence}`));
      if (!this.isShown(event)) return;
      this.planned = { sequence: event.sequence, parts: [findings.map((found) => findingElement([found], allElement(found, "events"))), unlistedElement(unlisted)] };
      put(this.host.querySelector(".plan-findings"), this.planned.parts);
    } catch (error) {
      // A saved file has those of some events; the row has all findings, without what the plan requires.
      if (this.isShown(event) && !saved) notify(`The findings of the plan could not be read: ${error.message}`);
    }
  }

  /** Reads the whole text of an excerpted event and draws it, unless another event is shown by then. */
  async showWhole(event) {
    try {
      const whole = await event.whole();
      if (this.isShown(event) && this.event.wholeBytes !== null) this.draw(this.event, whole);
    } catch (error) {
      if (this.isShown(event)) notify(`The event could not be read: ${error.message}`);
    }
  }

  /** @param source the event with its whole text, or `event` itself */
  draw(event, source = event) {
    const { violations, unlisted } = event.findings;
    const marked = new Set(violations.flatMap((found) => [found.name, ...namesIn(found.message)]));
    const isWhole = source.wholeBytes === null;
    put(this.host,
      panelHead(make("h2", { tabindex: -1 }, this.heading(event, source)), this.badge(event),
        [this.controls(event), button("Copy", () => whenRead(event.whole(), (whole) => copy(whole.json, "Event")), { title: "Copy the JSON as sent" }),
          button("Copy as\u2026", () => this.copyAs(), { title: "Copy as a command, a step or a call (y)", "aria-haspopup": "dialog" })], this.actions.close),
      this.facts(event),
      this.findings(violations.filter((found) => !isOfPlan(found))),
      unlistedElement(unlisted),
      make("div.plan-findings", this.planned?.sequence === event.sequence ? this.planned.parts : this.findings(violations.filter(isOfPlan))),
      !isWhole && this.excerptNote(event),
      this.parts(source, marked, event),
      make("section.detail", make("h3", isWhole ? "JSON as sent" : "JSON, shortened"), prettyElement(source.json, marked)));
  }

  /** Offers the forms that the event is copied in, once it is read whole. */
  copyAs() {
    const { event } = this;
    if (event) whenRead(event.whole(), (whole) => this.isShown(event) && openCopyAs(whole));
  }

  heading(event) {
    return make("span.mono", brief(event.title));
  }

  badge({ severity }) {
    return make(`span.badge.${severity || "good"}`, severityWords[severity] ?? "good");
  }

  /** Controls before those that all panels have. */
  controls(event) {
    return event.controls?.(this.actions);
  }

  /** Tables of the content. @param event the event, of which `source` may have the whole text */
  parts(source, marked) {
    return source.tables(marked, this.actions);
  }

  /** Rows after the times: [label, text, values of the filter or null, ...parts]. */
  rows(event) {
    return event.facts(this.actions);
  }

  /** Times, and the rows of the event. */
  facts(event) {
    const delay = event.received - event.time;
    return factsElement([
      ["time", mono(fullTime(event.time))],
      ["received", mono(fullTime(event.received)), make("span.muted", `  ${span(Math.abs(delay))} ${delay < 0 ? "before the event's time" : "later"}`)],
      ...this.rows(event).map(([label, text, values, ...parts]) => [label, values ? linkElement(text, `Filter by this ${label}`, () => this.actions.filter(values)) : text instanceof Node ? text : mono(text), ...parts]),
    ]);
  }

  excerptNote(event) {
    return make("section.note",
      make("p", `This event has ${bytes(event.wholeBytes)}. Long values are shown cut, and search covers only this excerpt.`),
      make("p", event.wholeBytes <= longestWhole && button("Show all of it", () => this.showWhole(event), { id: "show-whole" }), " ",
        button("Save as file", () => whenRead(event.whole(), (whole) => save([whole.json], `event-${event.sequence}.json`, "application/json")), { id: "save-whole" })));
  }

  /** Findings by code, each code with its first ones, so that a repeated finding does not push the content away. */
  findings(found) {
    const { list } = this.event.constructor;
    return [...Map.groupBy(found, ({ code }) => code).values()].slice(0, 20).map((same) => findingElement(same, allElement(same[0], list)));
  }

  /** Updates what depends on the loaded events. */
  refresh() {
    showNumbers(this.host);
  }

  /** Reports that the store does not have the event of an address. */
  showMissing(sequence) {
    this.leave();
    this.missing = sequence;
    put(this.host, panelHead("Event", null, null, this.actions.close), make("p.hint", saved ? "This file has no such event." : "The store has no such event: it was deleted, or the address is for another store."));
    this.setOpen(true);
  }

  /** Shows no event any more. The element is free for other content. */
  leave() {
    Object.assign(this, { event: null, missing: null, planned: null });
  }

  hide() {
    this.leave();
    super.hide();
  }
}
