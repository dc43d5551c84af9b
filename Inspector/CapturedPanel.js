// Detail of a captured event: facts, findings, tables of the parts of its format, then the JSON text.

import { button, copy, make } from "./Element.js";
import { EventPanel, withWhole } from "./EventPanel.js";
import { membersOf } from "./JSONText.js";
import { brief, fullTime } from "./Words.js";

export class CapturedPanel extends EventPanel {
  buttons(event) {
    return [button("Copy", () => withWhole(event, (whole) => copy(whole.json, "Event")), { title: "Copy the JSON as sent" }), button("Close", this.actions.close, { title: "Close (Esc)" })];
  }

  facts(event) {
    const { actions } = this;
    const row = (label, ...value) => [make("dt", label), make("dd", ...value)];
    const filter = (label, values, text) =>
      text !== null && row(label, button(brief(text, 80), () => actions.filter(values), { class: "link mono", title: `Filter by this ${label}` }));
    const path = event.format.pagePath(event.json);
    return make("dl.facts",
      row("time", make("span.mono", fullTime(event.time))),
      row("received", make("span.mono", fullTime(event.received))),
      filter("name", { name: event.name }, event.name),
      event.id !== null && row("event id", make("span.mono", brief(event.id, 120))),
      event.page && row("page", brief(event.page.name, 120)),
      path.length > 0 && row("path", path.slice(0, 20).map((name) => brief(name, 60)).join(" \u203a ")),
      filter("user", { user: event.user }, event.user),
      filter("session", { session: event.session }, event.session),
      filter("request", { request: event.request }, event.request));
  }

  tables(json, marked, event) {
    return event.format.tables(json, marked, event.member("header") ?? "{}");
  }
}

export const membersOfObject = (json) => new Map(membersOf(json, 5000));
export const isObjectText = (json) => json.startsWith("{");
