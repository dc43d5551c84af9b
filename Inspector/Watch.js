// Watched events: the last event of each name, its value beside the expected one, and the number of such events in the store.

import { Arrivals } from "./Arrivals.js";
import { readText } from "./Collector.js";
import { Condition } from "./Condition.js";
import { $, button, make, notify, put, setTitle } from "./Element.js";
import { readEvents } from "./Event.js";
import { EventPanel, readAtOnce } from "./EventPanel.js";
import { excerptBytes } from "./Feed.js";
import { inspector, openFiltered, step, touch } from "./Page.js";
import { mono, panelHead } from "./Parts.js";
import { Question } from "./Question.js";
import { windows } from "./Retention.js";
import { saved } from "./Saved.js";
import { VirtualList } from "./VirtualList.js";
import { brief, bytes, clock, number, unescaped } from "./Words.js";

const maxEntries = 50, longestName = 1000, maxSuggestions = 10;

/** Classes and texts of the comparison of the last event with the expected value. */
const outcomes = {
  reading: ["", "\u2026"], absent: ["awaited", "not received"], received: ["", "received"],
  met: ["met", "as expected"], unmet: ["unmet", "not expected"], unread: ["awaited", "not compared"],
};

/** The name of an event, a condition that it is expected to meet or null, and what the store has of it. */
class WatchedEvent {
  /** Newest event of the name; null before it is read, and without one. */
  last = null;
  /** Number of such events in the store; null before it is read. */
  count = null;
  /** True while the collector has to be asked again. */
  isStale = true;
  /** True until the row has been drawn with its newest event. */
  isFresh = false;

  constructor(name, condition) {
    Object.assign(this, { name, condition });
  }

  /** What distinguishes it from others, for the address. */
  get key() {
    return this.condition ? [this.name, this.condition.text] : [this.name];
  }

  get severity() {
    return this.last?.severity ?? "";
  }

  forget() {
    Object.assign(this, { last: null, count: null, json: null, isStale: true, isFresh: false });
  }

  /** Takes an event of the name, unless a newer one is known. */
  take(event) {
    if (this.last?.sequence >= event.sequence) return;
    this.isFresh = this.count !== null;
    // An excerpt has long values cut.
    Object.assign(this, { last: event, json: event.wholeBytes === null ? event.json : null });
  }

  /** @param query returns the query of a path with values */
  async read(query, options) {
    this.isStale = false;
    try {
      const [{ events }, counted] = await Promise.all([
        readEvents(`/api/events?${query({ name: this.name, order: "desc", limit: 1, event_bytes: excerptBytes })}`, options),
        readText(`/api/report/count?${query({ name: this.name, by: "name", limit: 1 })}`, options),
      ]);
      if (!events.length) this.last = null;
      for (const event of events) this.take(event);
      this.count = JSON.parse(counted).events;
      const { last } = this;
      // A saved file may have nothing but the excerpt.
      if (last && this.json === null && this.condition && last.wholeBytes <= readAtOnce && !saved) {
        const { json } = await last.whole();
        if (this.last === last) this.json = json;
      }
    } catch (error) {
      this.isStale = true;
      throw error;
    }
  }

  get outcome() {
    if (!this.last) return this.count === null ? "reading" : "absent";
    if (!this.condition) return "received";
    if (this.json === null) return "unread";
    return this.comparison.holds ? "met" : "unmet";
  }

  /** The last value, and what it is. */
  get value() {
    const { last, condition, json } = this;
    if (!last) return ["", ""];
    if (!condition) return last.values;
    if (json === null) return ["", `event of ${bytes(last.wholeBytes)}`];
    return [this.comparison.found, brief(condition.path, 60)];
  }

  /** Comparison of the last event with the condition: made once, as an event may be long. */
  get comparison() {
    const { condition, json } = this;
    if (this.compared?.json !== json) this.compared = { json, holds: condition.holds(json), found: foundText(condition, json) };
    return this.compared;
  }
}

/** JSON texts of the values to which a condition refers: "99.9" is another value than 99.9. */
function foundText(condition, json) {
  const values = condition.valuesIn(json);
  return values.length ? `${values.slice(0, 5).map((value) => brief(value, 80)).join(", ")}${values.length > 5 ? ", \u2026" : ""}` : "absent";
}

/** Panel of the last event of a watched name, with the expected value. */
class WatchPanel extends EventPanel {
  entry = null;

  controls(event) {
    return [this.removal, super.controls(event)];
  }

  get removal() {
    const { entry } = this;
    return entry && button("Remove", () => this.actions.remove(entry), { title: "Remove the event from those that are watched (Delete)" });
  }

  rows(event) {
    const condition = this.entry?.condition;
    return [...(condition ? [["expected", condition.description], ["found", mono(event.wholeBytes === null ? foundText(condition, event.json) : this.entry.value[0], 400)]] : []), ...super.rows(event)];
  }

  /** @param event last one of the entry; null without one */
  show(event) {
    if (event) return super.show(event);
    this.leave();
    put(this.host, panelHead(make("h2.mono", { tabindex: -1 }, brief(this.entry.name)), null, this.removal, this.actions.close),
      make("p.hint", saved ? "This file has no such event." : "The store has no such event. It is shown here as soon as it arrives."));
    this.setOpen(true);
  }
}

export class Watch extends Question {
  entries = [];
  arrivals = new Arrivals();
  /** Number of the times at which entries became stale. */
  changes = 0;

  /** @param actions `openSession(event)`, `openRequest(id)`, `compare(event)`, `beforeCrash(event)` */
  constructor(actions) {
    super("watch", {
      name: { label: "event", list: "names", placeholder: "purchase", enterkeyhint: "done" },
      expected: { label: "expected value", placeholder: "attributes.value == 99.9", enterkeyhint: "done", "aria-describedby": "watch-error" },
    });
    this.entry = this.find;
    const [name, expected] = [this.element("name"), this.element("expected")];
    expected.parentElement.after(button("Watch", () => this.add(), { id: "watch-add", class: "primary" }));
    this.problem.before(make("p.problem", { id: "watch-error", role: "alert" }));
    for (const field of [name, expected]) {
      field.addEventListener("keydown", (event) => event.key === "Enter" && this.add());
      field.addEventListener("input", () => this.report(""));
    }
    this.panel = new WatchPanel($("watch-panel"), { filter: openFiltered, close: () => this.closePanel(), remove: (entry) => this.remove(entry), ...actions });
    this.list = new VirtualList($("watch-list"), {
      label: "Watched events", row: "watch-row", select: (entry) => this.open(entry),
      columns: [
        { cell: "span.sign" },
        { cell: "span.name", head: "event", text: (entry) => brief(entry.name) },
        { cell: "span.expected", head: "expected value", text: ({ condition }) => (condition ? brief(condition.description, 200) : "") },
        { cell: "span.value", head: "last value", parts: ["strong", "span"], text: (entry) => entry.value },
        { cell: "span.state-of", head: "outcome", text: (entry) => outcomes[entry.outcome][1], kind: (entry) => outcomes[entry.outcome][0] },
        { cell: "span.codes", head: "rules and plan", text: ({ last }) => (last ? last.codes.slice(0, 20).join(" ") || "good" : "") },
        { cell: "span.figure", head: "events", text: ({ count }) => (count === null ? "\u2026" : number(count)) },
        { cell: "span.user", head: "user", text: ({ last }) => brief(last?.user ?? last?.unique?.slice(0, 8) ?? "", 80) },
        { cell: "span.time", head: "last", text: ({ last }) => (last ? clock(last.time) : "\u2013") },
      ],
      decorate: (row, entry) => {
        for (const cell of row.children) if (cell.textContent.length > 10) setTitle(cell, cell.textContent);
        if (entry.isFresh || row.entry !== entry) row.classList.remove("fresh");
        row.entry = entry;
        if (!entry.isFresh) return;
        entry.isFresh = false;
        // Begins the animation again.
        void row.offsetWidth;
        row.classList.add("fresh");
      },
    });
    this.list.element.addEventListener("keydown", ({ key }) => key === "Delete" && this.list.selected && this.remove(this.list.selected));
    this.lists = [this.list];
  }

  // MARK: Entries

  /** Adds what the fields have. The name may have its condition after a colon, as a step of a funnel. */
  add() {
    const [name, expected] = [this.values.name, this.values.expected].map((value) => unescaped(value).trim()), colon = name.indexOf(":");
    const [own, condition] = expected === "" && colon > 0 ? [name.slice(0, colon), name.slice(colon + 1)] : [name, expected];
    if (own === "") {
      this.report("The name of an event is missing.");
      return this.element("name").focus();
    }
    try {
      this.watch(own, condition === "" ? null : new Condition(condition));
    } catch (error) {
      return this.report(`The expected value is no condition: ${brief(error.message, 300)}.`);
    }
    this.narrow({ name: "", expected: "" });
    this.element("name").focus();
  }

  /** Adds an event that is watched, or selects the same one. */
  watch(name, condition) {
    const entry = new WatchedEvent(name, condition), key = JSON.stringify(entry.key);
    const same = this.entries.find((other) => JSON.stringify(other.key) === key);
    if (!same && this.entries.length === maxEntries) return notify(`At most ${maxEntries} events can be watched.`);
    if (condition?.isNumberAsText) notify(`${condition.value.slice(1, -1)} is not the shortest spelling of the number: it is compared as a text.`);
    if (!same) this.entries = [...this.entries, entry];
    this.entriesChanged();
    this.list.show(this.entries);
    this.list.reveal(same ?? entry);
  }

  remove(entry) {
    this.entries = this.entries.filter((each) => each !== entry);
    this.closePanel();
    this.entriesChanged();
    (this.entries.length ? this.list.element : this.entry).focus();
  }

  entriesChanged() {
    this.version++;
    this.changes++;
    step();
    inspector.changed();
    this.retry();
  }

  /** Shows why an entry was not added; an empty text removes the message. */
  report(text) {
    put(this.element("error"), text);
    this.element("expected").setAttribute("aria-invalid", text !== "" && this.values.name.trim() !== "");
    this.element("name").setAttribute("aria-invalid", text !== "" && this.values.name.trim() === "");
  }

  /** Sets the entries from an address, in which they are a JSON array of [name] and [name, condition]. */
  choose(values) {
    // They remain while another view has the address.
    if (inspector.view === this.name) this.restore(values.watch);
    super.choose({ ...values, name: "", expected: "" });
  }

  restore(text = "[]") {
    this.entries = [];
    let listed = [];
    try {
      listed = JSON.parse(text);
    } catch {
      notify("The address has no list of events.");
    }
    for (const [name, condition] of Array.isArray(listed) ? listed.filter(Array.isArray).slice(0, maxEntries) : []) {
      if (typeof name !== "string" || name === "" || name.length > longestName) continue;
      try {
        this.entries.push(new WatchedEvent(name, condition === undefined ? null : new Condition(String(condition))));
      } catch (error) {
        notify(`${brief(name, 60)} is not watched, as its expected value is no condition: ${error.message}.`);
      }
    }
    this.changes++;
  }

  get parameters() {
    const conditions = super.parameters.filter(([name]) => this.conditions.includes(name));
    return this.entries.length ? [["watch", JSON.stringify(this.entries.map(({ key }) => key))], ...conditions] : conditions;
  }

  // MARK: Reading

  get path() {
    return `?${this.query()}`;
  }

  get revision() {
    return this.entries.length ? `changes ${this.changes}` : super.revision;
  }

  get stamp() {
    return [...super.stamp, windows.events.version];
  }

  /** Marks the entries of events that have arrived since the last drawing. */
  admitArrivals() {
    const arrived = this.arrivals.take(), byName = Map.groupBy(arrived ?? [], ({ name }) => name);
    for (const entry of this.entries) {
      const last = byName.get(entry.name)?.at(-1);
      if (!last && arrived) continue;
      entry.isStale = true;
      this.changes++;
      // Otherwise the collector decides on the conditions.
      if (last && !this.narrowed && entry.count !== null) entry.take(last);
    }
  }

  async load(path, options) {
    if (path !== this.loaded) for (const entry of this.entries) entry.forget();
    this.loaded = path;
    // The rows are drawn as they are read.
    this.content ??= { names: [] };
    const stale = this.entries.filter(({ isStale }) => isStale), names = this.entries.length ? [] : await this.readNames(options);
    // Then those that were added meanwhile.
    for (let entry; (entry = stale.shift() ?? this.entries.find(({ isStale, count }) => isStale && count === null)); ) {
      await entry.read((values) => this.query(values), options);
      this.version++;
      touch();
    }
    return { names };
  }

  /** The names that most events have, those of the app before those of the SDK. */
  async readNames(options) {
    const { values } = JSON.parse(await readText(`/api/report/count?${this.query({ by: "name", limit: 100 })}`, options));
    const names = values.filter(({ value }) => typeof value === "string" && value.length <= longestName);
    return names.sort((a, b) => a.value.startsWith("_") - b.value.startsWith("_")).slice(0, maxSuggestions);
  }

  reset() {
    this.arrivals.reset();
    for (const entry of this.entries) entry.forget();
    this.changes++;
    super.reset();
  }

  // MARK: Drawing

  show() {
    this.admitArrivals();
    super.show();
  }

  drawAnswer(content) {
    this.list.show(content ? this.entries : []);
    this.list.refresh();
  }

  get isBlank() {
    return !this.entries.length;
  }

  get none() {
    const { names } = this.content;
    return [make("p.title", "No event is watched."),
      make("p", names.length ? "Enter the name of an event, or choose one of those that arrived most often:" : "Enter the name of an event that your app sends, with the value that you expect."),
      names.length > 0 && make("p.suggestions", names.map(({ value, events }) => button([make("span.mono", brief(value, 60)), make("span.muted", ` ${number(events)}`)], () => this.watch(value, null))))];
  }

  // MARK: Selection

  open(entry) {
    this.panel.entry = entry;
    this.panel.open(entry.last);
  }

  /** Shows the event of an address, which is read from the collector. */
  showWanted(event) {
    const entry = this.entries.find(({ name }) => name === event.name) ?? null;
    this.panel.entry = entry;
    this.panel.show(event);
    if (entry) this.select(this.list, entry);
  }
}
