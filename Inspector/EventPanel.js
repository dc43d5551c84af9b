// Event detail: facts, findings, tables of the content, then the JSON text.

import { readText } from "./Collector.js";
import { button, copy, make, notify, put, severityWords } from "./Element.js";
import { Event, severityOf } from "./Event.js";
import { eventTables } from "./EventTables.js";
import { save } from "./Export.js";
import { facts } from "./Facts.js";
import { prettyElement } from "./JSONText.js";
import { planFindingElement } from "./PlanPanel.js";
import { brief, bytes, fullTime, number, span, unlistedText } from "./Words.js";

/** Bytes up to which the whole of an excerpted event is read without a click. */
export const readAtOnce = 262144;

/** True for a finding of the tracking plan, which is shown with what the plan requires once that is read. */
const isOfPlan = ({ code }) => String(code).startsWith("plan_");

export class EventPanel {
  /** @param actions `filter(values)`, `openSession(event)`, `openRequest(id)`, `compare(event)`, `close()` */
  constructor(host, actions) {
    this.host = host;
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

  show(event) {
    Object.assign(this, { event, missing: null });
    this.draw(event);
    this.host.hidden = false;
    this.host.scrollTop = 0;
    if (event.wholeBytes !== null && event.wholeBytes <= readAtOnce) this.showWhole(event);
    if (facts.hasPlan && event.constructor === Event) this.showPlan(event);
  }

  /** Reads the findings of the tracking plan and adds them, unless another event is shown by then. */
  async showPlan(event) {
    try {
      const { findings, unlisted_findings: unlisted } = JSON.parse(await readText(`/api/plan/events/${event.sequence}`));
      if (!this.isShown(event)) return;
      this.planned = { sequence: event.sequence, parts: [findings.map((found) => planFindingElement(found)), unlisted > 0 && make("p.muted.unlisted", `\u2026 and ${unlistedText(unlisted)}`)] };
      put(this.host.querySelector(".plan-findings"), this.planned.parts);
    } catch (error) {
      if (this.isShown(event)) notify(`The findings of the plan could not be read: ${error.message}`);
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
    const json = source.json;
    const { violations, unlisted } = event.findings;
    const marked = new Set(violations.flatMap((found) => [found.name, ...quoted(found.message), ...places(found.message)]));
    put(this.host,
      make("div.panel-head",
        make("h2.mono", { tabindex: -1 }, brief(event.title)),
        make(`span.badge.${severityOf(event) || "good"}`, severityWords[severityOf(event)] ?? "good"),
        make("div.actions", this.buttons(event))),
      this.facts(event),
      this.violations(violations.filter((found) => !isOfPlan(found))),
      unlisted > 0 && make("p.muted.unlisted", `\u2026 and ${unlistedText(unlisted)}`),
      make("div.plan-findings", this.planned?.sequence === event.sequence ? this.planned.parts : this.violations(violations.filter(isOfPlan))),
      source.wholeBytes !== null && this.excerptNote(event),
      this.tables(json, marked, event),
      make("section.detail", make("h3", source.wholeBytes === null ? "JSON as sent" : "JSON, shortened"), prettyElement(json, marked)));
  }

  buttons(event) {
    return [
      button("Compare", () => this.actions.compare(event), { title: "Compare with another event (c)" }),
      button("Copy", () => withWhole(event, (whole) => copy(whole.json, "Event")), { title: "Copy the JSON as sent" }),
      button("Close", this.actions.close, { title: "Close (Esc)" }),
    ];
  }

  tables(json, marked) {
    return eventTables(json, marked);
  }

  facts(event) {
    const { actions } = this;
    const delay = event.received - event.time;
    const row = (label, ...value) => [make("dt", label), make("dd", ...value)];
    const filter = (label, values, text) =>
      text !== null && row(label, button(brief(text, 80), () => actions.filter(values), { class: "link mono", title: `Filter by this ${label}` }));
    return make("dl.facts",
      row("time", make("span.mono", fullTime(event.time))),
      row("received", make("span.mono", fullTime(event.received)), make("span.muted", `  ${span(Math.abs(delay))} ${delay < 0 ? "before the event's time" : "later"}`)),
      filter("name", { name: event.name }, event.name),
      event.id !== null && row("event id", make("span.mono", brief(event.id, 120))),
      filter("user", { user: event.user }, event.user),
      filter("device", { user: event.unique }, event.unique),
      event.session !== null && row("session",
        button(brief(event.session, 80), () => actions.filter({ session: event.session }), { class: "link mono", title: "Filter by this session" }), " ",
        button("timeline", () => actions.openSession(event), { class: "link" })),
      row("request", button(event.request.slice(0, 12), () => actions.openRequest(event.request), { class: "link mono", title: "Open the request that contained the event" })));
  }

  excerptNote(event) {
    return make("section.note",
      make("p", `This event has ${bytes(event.wholeBytes)}. Long values are shown cut, and search covers only this excerpt.`),
      make("p", event.wholeBytes <= longestWhole && button("Show all of it", () => this.showWhole(event), { id: "show-whole" }), " ",
        button("Save as file", () => saveWhole(event), { id: "save-whole" })));
  }

  /** Findings by code, each code with its first ones, so that a repeated finding does not push the content away. */
  violations(found) {
    const byCode = new Map();
    for (const violation of found) byCode.set(violation.code, [...(byCode.get(violation.code) ?? []), violation]);
    return [...byCode.values()].slice(0, 20).map((same) => this.violation(same));
  }

  /** Findings of one code: their messages, and the description of the code on demand. */
  violation(same) {
    const [{ code, severity, message }, ...more] = same;
    const rule = Object.hasOwn(facts.rules, code) && facts.rules[code];
    return make(severity === "error" ? "section.violation" : "section.violation.warning", { "aria-label": `${severity} ${code}` },
      make("p", make("strong.mono", code), " ", severity === "error" ? "" : make("span.muted", "warning "), brief(message, 2000)),
      more.slice(0, 2).map((other) => make("p", brief(other.message, 2000))),
      more.length > 2 && make("p.muted", `\u2026 and ${number(more.length - 2)} more of this code`),
      rule && make("details", make("summary", rule.title),
        make("p", rule.meaning),
        rule.limit && make("p.muted", `Hard limit ${rule.limit}${rule.suggested ? `, suggested ${rule.suggested}` : ""}; effect: ${rule.effect}.`),
        rule.example && make("p", "Example: ", make("code", rule.example)),
        make("p", make("strong", "Fix: "), rule.fix)),
      button(`Filter by ${code}`, () => this.actions.filter({ code: String(code) }), { class: "link" }));
  }

  /** Reports that the store does not have the event of an address. */
  showMissing(sequence) {
    this.leave();
    this.missing = sequence;
    put(this.host, make("div.panel-head", make("h2", "Event"), make("div.actions", button("Close", this.actions.close, { title: "Close (Esc)" }))),
      make("p.hint", "The store has no such event: it was deleted, or the address is for another store."));
    this.host.hidden = false;
  }

  /** Shows no event any more. The element is free for other content. */
  leave() {
    Object.assign(this, { event: null, missing: null, planned: null });
  }

  hide() {
    this.leave();
    this.host.hidden = true;
    this.host.replaceChildren();
  }
}

/** Bytes up to which a whole event is shown; a larger one is saved only. */
export const longestWhole = 8388608;

/** Names in quotation marks. */
const quoted = (message) => [...message.matchAll(/"([^"]{1,60})"/g)].map((match) => match[1]);
/** Items named by their index, as in "items[0] has no id". */
const places = (message) => [...message.matchAll(/\bitems\[\d+\]/g)].map((match) => match[0]);

/** Calls `act` with the whole event; reports a failed reading. */
export async function withWhole(event, act) {
  try {
    await act(await event.whole());
  } catch (error) {
    notify(`The event could not be read: ${error.message}`);
  }
}

const saveWhole = (event) => withWhole(event, (whole) => save([whole.json], `event-${event.sequence}.json`, "application/json"));
