// A question about one person: who it is, on which devices, in which sessions, and all events in the order of their times.

import { readText } from "./Collector.js";
import { CountTable, listedRows, readCount } from "./CountTable.js";
import { $, button, make, notify, setText, setTitle } from "./Element.js";
import { readEvents } from "./Event.js";
import { EventPanel } from "./EventPanel.js";
import { eventColumns, signColumn } from "./EventColumns.js";
import { decorateEvent } from "./Events.js";
import { excerptBytes } from "./Feed.js";
import { inspector, openFiltered, redraw } from "./Page.js";
import { PersonHistory } from "./PersonHistory.js";
import { PersonSummary } from "./PersonSummary.js";
import { Question } from "./Question.js";
import { saved } from "./Saved.js";
import { VirtualList } from "./VirtualList.js";
import { brief, count, fullTime, number, span, unescaped, visible } from "./Words.js";

/** Newest events of a person that are read at first, and older ones that are read on demand. */
const step = 1000;

const weekday = new Intl.DateTimeFormat("en", { weekday: "short" });
/** Sat 2026-11-21, or Sat 11-21 in the present year. */
function dayText(time) {
  const date = new Date(time);
  if (!Number.isFinite(date.getTime())) return "";
  const day = fullTime(time).split(" ")[0];
  return `${weekday.format(date)} ${date.getFullYear() === new Date().getFullYear() ? day.slice(5) : day}`;
}

/** Reads the pages of events, up to a number of them. Returns these in the order of the query, and whether there are more. */
async function readPages(path, maxCount, options) {
  const events = [];
  for (let cursor = ""; ;) {
    const page = await readEvents(`${path}&event_bytes=${excerptBytes}&limit=${maxCount - events.length}${cursor}`, options);
    events.push(...page.events);
    if (page.next === null || events.length >= maxCount) return { events, hasMore: page.next !== null };
    cursor = `&cursor=${page.next}`;
  }
}

export class Person extends Question {
  /** Number of events that are kept, and true while older ones are read. */
  capacity = step;
  isReadingOlder = false;

  /** @param actions `openSession(event)`, `openRequest(id)`, `compare(event)` */
  constructor(actions) {
    super("person", { user: { label: "person", list: "users", placeholder: "user id or unique id" } }, ["name", "app", "platform", "version", "device", "session", "screen", "status", "code", "since", "until"]);
    this.addParameter("limit");
    this.element("user").closest("label").classList.add("wide");
    this.panel = new EventPanel($("person-panel"), { filter: openFiltered, close: () => this.closePanel(), ...actions });
    this.summary = new PersonSummary($("person-about"), actions.openSession);
    this.users = $("person-users");
    this.users.append(this.listed = make("p.answer-summary"));
    this.table = new CountTable(this.users, {
      linkOf: ({ text }) => (text ? "Show what this person has done" : null), follow: ({ text }) => this.narrow({ user: text }),
      more: (limit) => this.narrow({ limit }),
    });
    this.older = button("Load older", () => this.loadOlder(), { id: "person-older" });
    this.note = make("span");
    this.element("note").append(this.note, this.older);
    const columnOf = (head) => ({ head, ...eventColumns[head] });
    this.list = new VirtualList($("person-list"), {
      label: "Events of the person", row: "event-row", follows: true, select: (event) => this.panel.open(event),
      columns: [{ cell: "span.after", head: "day, gap", parts: ["strong", "span"], text: (event) => this.afterText(event) }, columnOf("time"), signColumn, ...["event", "value", "screen", "session"].map(columnOf),
        { cell: "span.device", head: "device", text: ({ device }) => brief(device ?? "", 60) }, columnOf("codes")],
      decorate: (row, event) => {
        decorateEvent(row, event);
        const { day, isGap } = this.history?.marks.get(event) ?? {};
        row.classList.toggle("day", Boolean(day));
        row.classList.toggle("pause", Boolean(isGap) && !day);
        setTitle(row.children[7], brief(event.device ?? "", 200));
      },
    });
    this.lists = [this.list];
  }

  // MARK: Question

  /** Id of the person; empty for the list of the users. */
  get person() {
    return unescaped(this.values.user.trim());
  }

  get path() {
    const { person, values: { limit } } = this;
    return person ? `/api/events?${this.query({ user: person })}` : `/api/report/count?${this.query({ by: "user", limit: listedRows(limit) })}`;
  }

  async load(path, options) {
    const { person } = this;
    if (!person) return readCount(path, options);
    const known = () => (this.content?.path === path ? this.content : null);
    const newest = known()?.newest ?? 0;
    if (known() === null) this.capacity = step;
    const total = readText(`/api/report/count?${this.query({ user: person, limit: 1 })}`, options);
    // An unused failure is that of the other reading too.
    total.catch(() => {});
    let newer = newest > 0 ? await readPages(`${path}&cursor=${newest}`, step, options) : null;
    // More have arrived than are read at once: the newest ones follow without a gap.
    if (newer?.hasMore) newer = null;
    const read = newer === null ? await readPages(`${path}&order=desc`, this.capacity, options) : null;
    const { events } = JSON.parse(await total), old = newer === null ? null : known();
    return this.contentOf(path, old === null ? (read?.events.reverse() ?? newer.events) : [...old.events, ...newer.events], old === null ? read?.hasMore ?? true : old.hasOlder, Math.max(events, 0));
  }

  /** Answer about events in the order of arrival: the newest, up to the capacity. */
  contentOf(path, events, hasOlder, total) {
    const isCut = events.length > 1.1 * this.capacity, kept = isCut ? events.slice(-this.capacity) : events;
    return { path, events: kept, newest: kept.at(-1)?.sequence ?? 0, hasOlder: hasOlder || isCut, total: Math.max(total, kept.length), history: new PersonHistory(kept) };
  }

  /** Reads older events of the person, on demand. */
  async loadOlder() {
    const { content } = this, path = this.asked;
    if (this.isReadingOlder || content?.path !== path) return;
    this.isReadingOlder = true;
    redraw(true);
    try {
      const { events, hasMore } = await readPages(`${path}&order=desc&cursor=${content.events[0].sequence}`, step);
      const now = this.content;
      if (now?.path === path && now.events[0]?.sequence === content.events[0].sequence) {
        this.capacity += step;
        this.list.keepRow();
        this.content = this.contentOf(path, [...events.reverse(), ...now.events], hasMore, now.total);
        this.version++;
      }
    } catch (error) {
      notify(`Older events could not be read: ${error.message}`);
    } finally {
      this.isReadingOlder = false;
      redraw(true);
    }
  }

  narrow(values, isTyped) {
    this.leave(values.user);
    super.narrow(values, isTyped);
  }

  choose(values) {
    this.leave(values.user ?? "");
    super.choose(values);
  }

  /** Closes the event of a person before another one. */
  leave(user) {
    if (user === undefined || visible(String(user)) === this.values.user) return;
    this.panel.hide();
    Object.assign(this.list, { selected: null, follows: true });
  }

  /** Also the person is removed by Escape. */
  get narrowing() {
    return Object.entries(this.values).filter(([name, value]) => value && name !== "limit");
  }

  // MARK: Drawing

  get history() {
    return this.content?.history ?? null;
  }

  /** Events for the export. */
  get matching() {
    return this.history?.events ?? [];
  }

  get isBlank() {
    return this.content?.events === 0 || this.content?.events.length === 0;
  }

  get none() {
    const { person } = this;
    return person
      ? [make("p.title", "No event of this person"), make("p.muted", `${saved ? "This file" : "The store"} has none with the user id or unique id ${brief(person, 80)}. Ids are compared as a whole.`), button("List the users", () => this.narrow({ user: "" }), { class: "primary" })]
      : super.none;
  }

  show() {
    this.older.disabled = this.isReadingOlder;
    setText(this.older, this.isReadingOlder ? "Loading\u2026" : "Load older");
    super.show();
  }

  drawAnswer(content) {
    if (this.isStale) return;
    const isShown = content !== null && !this.isBlank, { history } = this;
    this.element("list-box").closest(".split").hidden = !isShown || history === null;
    this.users.hidden = !isShown || history !== null;
    if (!isShown) return;
    if (history === null) {
      setText(this.listed, count(content.users, "user"));
      return this.table.show(content);
    }
    this.summary.show(this.person, history, content.total, !content.hasOlder);
    this.element("note").hidden = !content.hasOlder;
    setText(this.note, `The newest ${number(content.events.length)} of ${count(content.total, "event")}.`);
    this.list.show(history.events);
    // A row's mark depends on the event before it.
    this.list.refresh();
  }

  afterText(event) {
    const { day, after, isGap } = this.history?.marks.get(event) ?? {};
    return [day ? dayText(event.time) : "", after === null || after === undefined || after === 0 ? "" : isGap ? `${span(after)} later` : `+${span(after)}`];
  }

  // MARK: Selection

  selectWanted() {
    const event = this.matching.find(({ sequence }) => sequence === inspector.wanted);
    if (!event) return;
    this.showWanted(event);
    this.select(this.list, event);
    inspector.changed();
  }
}
