// One event in full: what it is, what is wrong with it and why that matters, and its JSON.

class EventPanel {
  /** @param actions `filter(values)`, `openSession(event)`, `openRequest(id)`, `compare(event)`, `close()` */
  constructor(host, actions) {
    this.host = host;
    this.actions = actions;
    this.event = null;
  }

  show(event) {
    this.event = event;
    const violations = event.violations;
    const { actions } = this;
    const narrow = (label, values, text) =>
      text === null ? null : [make("dt", label), make("dd", button(brief(text, 80), () => actions.filter(values), { class: "link mono", title: `Show only this ${label}` }))];
    put(this.host,
      make("div.panel-head",
        make("h2.mono", brief(event.title)),
        make(event.isBad ? "span.badge.bad" : "span.badge.good", event.isBad ? "bad" : "good"),
        make("div.actions",
          button("Compare", () => actions.compare(event), { title: "Compare with another event (c)" }),
          button("Copy", () => copy(event.json, "The event"), { title: "Copy the JSON as it was sent" }),
          button("Close", actions.close, { title: "Close (Esc)" }))),
      make("dl.facts",
        make("dt", "happened"), make("dd.mono", fullTime(event.time)),
        make("dt", "arrived"), make("dd.mono", `${fullTime(event.received)}`, make("span.muted", `  ${span(Math.abs(event.received - event.time))} ${event.received < event.time ? "earlier" : "later"}`)),
        narrow("name", { name: event.name }, event.name),
        narrow("user", { user: event.user }, event.user),
        narrow("unique id", { user: event.unique }, event.unique),
        event.session !== null && [make("dt", "session"), make("dd",
          button(brief(event.session, 80), () => actions.filter({ session: event.session }), { class: "link mono", title: "Show only this session" }), " ",
          button("timeline", () => actions.openSession(event), { class: "link" }))],
        make("dt", "request"), make("dd", button(event.request.slice(0, 12), () => actions.openRequest(event.request), { class: "link mono", title: "Show the request that brought it" }))),
      violations.map((found) => this.violation(found)),
      prettyElement(event.json, new Set(violations.flatMap((found) => [found.name, ...quoted(found.message)]))));
    this.host.hidden = false;
    this.host.scrollTop = 0;
  }

  /** The sentence that was found, and behind it what its code means. */
  violation({ code, severity, message }) {
    const rule = Object.hasOwn(facts.rules, code) && facts.rules[code];
    return make(severity === "error" ? "section.violation" : "section.violation.warning", { "aria-label": `${severity} ${code}` },
      make("p", make("strong.mono", code), " ", severity === "error" ? "" : make("span.muted", "warning "), visible(message)),
      rule && make("details", make("summary", rule.title),
        make("p", rule.meaning),
        rule.limit && make("p.muted", `Hard limit ${rule.limit}${rule.suggested ? `, suggested ${rule.suggested}` : ""}; effect: ${rule.effect}.`),
        rule.example && make("p", "Example: ", make("code", rule.example)),
        make("p", make("strong", "What to do: "), rule.fix)),
      button(`Show all ${code}`, () => this.actions.filter({ code: String(code) }), { class: "link" }));
  }

  hide() {
    this.event = null;
    this.host.hidden = true;
    this.host.replaceChildren();
  }
}

/** The names that a message has in quotation marks. */
const quoted = (message) => [...message.matchAll(/"([^"]{1,60})"/g)].map((match) => match[1]);
