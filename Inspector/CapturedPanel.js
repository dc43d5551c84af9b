// Detail of a captured event: facts, findings, tables of the parts of its format, then the JSON text.

/** Meaning of Contentsquare's keys. */
const contentsquareKeys = {
  upt: "monotonic time, ms", euid: "event id", url: "screen", scn: "screens before in the session", c: "connectivity", ci: "carrier", o: "orientation", vo: "versions", sn: "session number", t: "time of the event",
  ea: "event action", st: "screen title", sl: "load time, ms", cv: "custom variables", tvp: "target path", tvid: "target id", ur: "target handles touches", fd: "finger direction", tvd: "distance, dp", tvv: "velocity, dp/s",
  tr: "transaction", k: "key", v: "value", sv: "SDK version", sb: "SDK build", av: "app version", af: "app flavor", ab: "app build", vl: "value", cu: "currency, ISO 4217", id: "transaction id",
  pid: "project id", uid: "user id", dt: "device type", dma: "manufacturer", dmo: "model", os: "OS version", l: "language", tz: "time zone", now: "time of sending", to: "origin", r: "resolution",
  an: "app name", "to.st": "SDK type", sf: "SDK flavor", w: "width, px", h: "height, px", d: "density",
};
/** Meaning of numbers, by key. */
const contentsquareWords = {
  ea: { 0: "app start", 1: "app show", 2: "app hide", 4: "screenview", 6: "tap", 8: "long press", 9: "drag", 10: "flick", 16: "transaction", 18: "dynamic variable, text", 19: "dynamic variable, number" },
  fd: { 1: "up", 2: "down", 3: "left", 4: "right", 5: "complex" }, o: { 0: "portrait", 1: "landscape" }, dt: { 4: "phone", 5: "tablet" },
  c: { "-1": "offline", 0: "unknown", 1: "Wi-Fi", 2: "2G", 3: "3G", 4: "mobile" },
};

class CapturedPanel extends EventPanel {
  buttons(event) {
    return [button("Copy", () => withWhole(event, (whole) => copy(whole.json, "Event")), { title: "Copy the JSON as sent" }), button("Close", this.actions.close, { title: "Close (Esc)" })];
  }

  facts(event) {
    const { actions } = this;
    const row = (label, ...value) => [make("dt", label), make("dd", ...value)];
    const filter = (label, values, text) =>
      text !== null && row(label, button(brief(text, 80), () => actions.filter(values), { class: "link mono", title: `Filter by this ${label}` }));
    const path = event.form === "pulse" ? [...membersOf(membersOfObject(event.json).get("sub_sids") ?? "{}", 50)].map(([name]) => name) : [];
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
    return event.form === "pulse" ? pulseTables(json, marked) : contentsquareTables(json, event.member("header") ?? "{}", marked);
  }
}

const membersOfObject = (json) => new Map(membersOf(json, 5000));
const isObjectText = (json) => json.startsWith("{");

/** The event's own members, then those of `data`, each object in a table of its own. */
function pulseTables(json, marked) {
  const event = [...membersOf(json, 5000)];
  const data = [...membersOf(new Map(event).get("data") ?? "{}", 5000)];
  const titles = { element: "Element", gesture_params: "Gesture", target_info: "Target", scroll_info: "Scroll", parent_info: "Page", additional_properties: "Properties", additional_ids: "Ids" };
  const plainRows = [...event.filter(([name]) => name !== "data"), ...data.filter(([name]) => !Object.hasOwn(titles, name) && name !== "params")];
  return [
    itemsTable(new Map(data).get("params") ?? "[]", marked, "Impressions"),
    Object.entries(titles).map(([name, title]) => {
      const part = new Map(data).get(name);
      return part !== undefined && (isObjectText(part) ? sectionTable(title, ["name", "value", "type"], fieldRows([...membersOf(part, 5000)], marked)) : sectionTable(title, ["name", "value", "type"], fieldRows([[name, part]], marked)));
    }),
    sectionTable("Event", ["name", "value", "type"], fieldRows(plainRows, marked)),
  ];
}

function contentsquareTables(json, header, marked) {
  const rows = (text) => [...membersOf(text, 5000)].flatMap(([name, value]) => {
    const own = ["vo", "to", "r", "tr"].includes(name) && isObjectText(value);
    return own ? [...membersOf(value, 200)].map(([inner, part]) => contentsquareRow(`${name}.${inner}`, inner, part, marked)) : [contentsquareRow(name, name, value, marked)];
  });
  return [
    sectionTable("Event", ["name", "value", "meaning"], rows(json), ".meanings"),
    sectionTable("Batch", ["name", "value", "meaning"], rows(header), ".meanings"),
  ];
}

function contentsquareRow(path, name, json, marked) {
  const word = Object.hasOwn(contentsquareWords, name) && Object.hasOwn(contentsquareWords[name], json) && contentsquareWords[name][json];
  const key = Object.hasOwn(contentsquareKeys, path) ? path : name;
  const meaning = Object.hasOwn(contentsquareKeys, key) ? contentsquareKeys[key] : "";
  return make(marked.has(path) || marked.has(name) ? "tr.marked" : "tr", nameCell(path, marked),
    make("td.value", valueElement(name === "t" || name === "now" ? "timestamp" : name, json)), make("td.muted", word ? `${meaning}: ${word}` : meaning));
}
