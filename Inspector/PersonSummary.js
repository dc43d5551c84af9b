// Summary of a person: ids and attributes, devices, sessions.

import { button, make, notify, put, setText } from "./Element.js";
import { userTable } from "./EventTables.js";
import { KeyedRows } from "./KeyedRows.js";
import { factsElement, figuresElement, mono, moreElement, scrollerElement, tableHead } from "./Parts.js";
import { windows } from "./Retention.js";
import { brief, clock, count, hue, number, span } from "./Words.js";

/** Ids, devices and sessions that are listed: the newest. */
const maxListed = 100;

const idsElement = (ids) => (ids.size ? [[...ids].slice(-5).map((id) => make("div", mono(id))), moreElement(ids.size, 5)] : null);

export class PersonSummary {
  /** @param openSession called with an event of the session, which the page has */
  constructor(host, openSession) {
    this.openSession = openSession;
    const body = make("tbody");
    this.heading = make("h2");
    this.about = make("div");
    this.devices = make("div");
    this.attributes = make("div");
    this.sessions = new KeyedRows(body, ({ key }) => key, () => this.sessionRow());
    this.count = make("span.muted");
    this.others = make("div");
    this.sessionSection = make("section.detail", { "aria-label": "Sessions" }, make("h3", "Sessions", this.count),
      scrollerElement(false, make("table.grid.sessions", tableHead(["start", "no.", "duration", "events", "crashes"]), body)), this.others);
    host.append(make("div.panel-head", this.heading), this.about, this.sessionSection, this.devices, this.attributes);
  }

  sessionRow() {
    let session = null;
    const follow = () => {
      // The view of the sessions has those of the page's events.
      if (windows.events.find(session.latest.sequence)) this.openSession(session.latest);
      else notify("The page has not loaded the events of this session: Load older in Events reads them.");
    };
    const dot = make("span.dot"), link = button("", follow, { class: "link mono" }), cells = [make("td"), make("td"), make("td"), make("td.crashes")];
    return {
      element: make("tr", make("th", { scope: "row" }, make("span.of-session", dot, link)), cells),
      fill: (next) => {
        session = next;
        dot.style.background = hue(session.id);
        setText(link, clock(session.first).replace(/\.\d+$/, ""));
        link.title = `Open the timeline of ${brief(session.id, 80)}`;
        [brief(session.number ?? "", 8), span(session.last - session.first), number(session.events), session.crashes ? number(session.crashes) : ""].forEach((text, index) => setText(cells[index], text));
      },
    };
  }

  /** @param total number of the person's events in the store */
  show(id, history, total, isWhole) {
    const { users, uniques, devices, sessions, crashes } = history, isSame = this.shown === history && this.total === total;
    Object.assign(this, { shown: history, total });
    if (isSame) return;
    setText(this.heading, brief(id, 120));
    // Numbers of what is not loaded are unknown.
    const known = (n) => `${number(n)}${isWhole ? "" : "+"}`;
    put(this.about,
      figuresElement([["events", number(total)], ["sessions", known(sessions.size)], ["devices", known(devices.size)], ["crashes", known(crashes), crashes > 0]]),
      factsElement([["user id", idsElement(users)], ["unique id", idsElement(uniques)]]));
    const listed = [...sessions.values()].slice(-maxListed).reverse();
    this.sessionSection.hidden = listed.length === 0;
    setText(this.count, ` ${number(sessions.size)}`);
    this.sessions.show(listed);
    put(this.others, moreElement(sessions.size, listed.length, "p.hint", "older"));
    const rows = [...devices.values()].slice(-maxListed).reverse();
    put(this.devices, make("section.detail", { "aria-label": "Devices" }, make("h3", "Devices", make("span.muted", ` ${number(devices.size)}`)),
      make("ul.devices", rows.map(({ id: device, platform, version, last, events }) => make("li", mono(device) ?? make("span.muted", "(no device id)"),
        make("p.muted", [platform, version && `version ${version}`, count(events, "event"), `last ${clock(last).replace(/\.\d+$/, "")}`].filter(Boolean).map((text) => brief(text, 60)).join(" \u00b7 "))))),
      moreElement(devices.size, rows.length, "p.hint")));
    put(this.attributes, userTable(history.user, new Set(), "User attributes"));
  }
}
