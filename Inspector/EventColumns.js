// Columns of the list of events, and the order by one of them: chosen in the head of the list or in a popover, and part of the address.

import { $, button, fill, make, put, setText } from "./Element.js";
import { personCell } from "./PersonLink.js";
import { connectPopover } from "./Popover.js";
import { moveFocus, setTabStop } from "./RovingFocus.js";
import { SortedEvents } from "./SortedEvents.js";
import { isPhone } from "./View.js";
import { brief, clock, hue } from "./Words.js";

/** Ranks of values: texts without regard to case, or with digits as numbers. */
const withoutCase = (value) => (typeof value === "string" ? value.toLowerCase() : value);
const digitsAsNumbers = (value) => withoutCase(value).replace(/\d+/g, (digits) => digits.padStart(16, "0"));

const text = (value, length = 80) => brief(value ?? "", length);

/**
 * Columns by their names in the address: `head`; `cell`, `parts` and `text` as in a `VirtualList`; `track` of the grid, `width` in pixels
 * below which one of the columns is left out; `value` by which events are sorted, and `rank` of a value.
 */
export const eventColumns = {
  time: { cell: "span.time", track: "102px", width: 102, text: (event) => clock(event.time), value: ({ time }) => time },
  event: { cell: "span.name", track: "minmax(80px, 1.1fr)", width: 130, text: (event) => brief(event.title), value: ({ name }) => name },
  value: { cell: "span.value", track: "minmax(0, 1.7fr)", width: 120, parts: ["strong", "span"], text: (event) => event.values },
  screen: { cell: "span.screen", track: "minmax(0, .8fr)", width: 130, text: ({ screen }) => text(screen, 160), value: ({ screen }) => screen },
  session: {
    cell: "span.session", track: "minmax(54px, 76px)", width: 60, parts: ["span.dot", "span"], value: ({ session }) => session,
    text: ({ session, sessionNumber }) => (session === null ? ["transparent", ""] : [hue(session), sessionNumber === null ? brief(session, 12) : `#${brief(sessionNumber, 8)}`]),
  },
  user: { cell: "span.user", track: "minmax(0, .7fr)", width: 64, ...personCell(({ user, unique }) => text(user ?? unique?.slice(0, 8))), value: ({ user, unique }) => user ?? unique },
  codes: { cell: "span.codes", track: "minmax(0, .6fr)", width: 64, text: ({ codes }) => codes.slice(0, 20).join(" "), value: ({ codes }) => (codes.length ? codes.join(" ") : null) },
  app: { cell: "span.extra", track: "minmax(0, .6fr)", width: 70, text: ({ app }) => text(app), value: ({ app }) => app },
  platform: { cell: "span.extra", track: "minmax(0, .5fr)", width: 60, text: ({ platform }) => text(platform), value: ({ platform }) => platform },
  version: { cell: "span.extra.mono", track: "minmax(0, .5fr)", width: 56, text: ({ version }) => text(version), value: ({ version }) => version, rank: digitsAsNumbers },
  device: { cell: "span.extra.mono", track: "minmax(0, .7fr)", width: 80, text: ({ device }) => text(device), value: ({ device }) => device },
  received: { cell: "span.extra.mono", track: "102px", width: 102, text: ({ received }) => clock(received), value: ({ received }) => received },
  id: { cell: "span.extra.mono", head: "event id", track: "minmax(0, .8fr)", width: 90, text: ({ id }) => text(id) },
};
const names = Object.keys(eventColumns), defaults = names.slice(0, 7);
const headOf = (name) => eventColumns[name].head ?? name;
/** Sign of the severity, after the time. */
export const signColumn = { cell: "span.sign", track: "16px", width: 16 };
/** Columns that are left out where the list is too narrow, the first ones first; and those of the list on a phone. */
const dropped = ["id", "received", "device", "screen", "platform", "version", "app", "session", "user"];
const onPhone = ["time", "event", "value", "screen", "codes"];
const gap = 10, padding = 32;

const directions = { ascending: "\u25b2", descending: "\u25bc" };

export class EventColumns {
  chosen = defaults;
  /** Column by which the events are sorted; null for the order of arrival. */
  column = null;
  direction = "ascending";
  sorted = null;
  /** Names of the columns that the list has, and its width while it was last visible. */
  shown = [];
  width = Infinity;

  /** @param list the `VirtualList`  @param changed called with true after a change of the order, with false after one of the columns */
  constructor(list, changed) {
    Object.assign(this, { list, changed });
    this.heads = new Map(names.filter((name) => eventColumns[name].value).map((name) => [name, button([make("span", headOf(name)), make("span", { "aria-hidden": "true" })], () => this.turn(name), { class: "sort" })]));
    this.opener = button("\u22ef", null, { popovertarget: "event-columns", class: "quiet opener", title: "Columns and order", "aria-label": "Columns and order" });
    list.head.removeAttribute("aria-hidden");
    fill(list.head, [{ role: "toolbar", "aria-label": "Columns and order of the events", onkeydown: (event) => moveFocus(event, this.stops) }, this.opener]);
    list.element.before(list.head);
    this.makePopover();
    this.fit();
    new ResizeObserver(() => this.fit()).observe(list.element);
  }

  /** Controls of the head, between which arrows move. */
  get stops() {
    return [...this.list.head.querySelectorAll("button")];
  }

  makePopover() {
    this.boxes = new Map(names.map((name) => [name, make("input", { type: "checkbox", onchange: () => this.set({ chosen: names.filter((each) => this.boxes.get(each).checked) }) })]));
    this.by = make("select", { id: "event-sort", onchange: () => this.set({ column: this.by.value || null }) },
      make("option", { value: "" }, "arrival"), [...this.heads.keys()].map((name) => make("option", { value: name }, headOf(name))));
    this.way = make("select", { "aria-label": "Direction", onchange: () => this.set({ direction: this.way.value }) }, Object.keys(directions).map((value) => make("option", { value }, value)));
    this.note = make("p.muted", { role: "status" });
    put($("event-columns"),
      make("fieldset.boxes", make("legend", "Columns"), names.map((name) => make("label", this.boxes.get(name), ` ${headOf(name)}`))),
      this.note,
      make("p", make("label", { for: "event-sort" }, "Sort by"), this.by, this.way),
      make("p", button("Default", () => this.set({ chosen: defaults, column: null, direction: "ascending" }))));
    connectPopover("event-columns");
  }

  // MARK: Address

  choose({ columns: list = "", sort = "" }) {
    const chosen = list.split(/[ ,]+/), name = sort.replace(/^-/, "");
    this.set({
      chosen: names.filter((name) => chosen.includes(name)), column: this.heads.has(name) ? name : null,
      direction: sort.startsWith("-") ? "descending" : "ascending",
    });
  }

  get parameters() {
    const { chosen, column, direction } = this;
    return [
      ...(String(chosen) === String(defaults) ? [] : [["columns", chosen.join(" ")]]),
      ...(column ? [["sort", direction === "descending" ? `-${column}` : column]] : []),
    ];
  }

  // MARK: Choice

  /** Takes another choice of the columns or the order. Without a column, the default ones are shown. */
  set(values) {
    const before = [this.column, this.direction].join();
    Object.assign(this, values);
    if (!this.chosen.length) this.chosen = defaults;
    const isReordered = [this.column, this.direction].join() !== before;
    if (isReordered) this.sorted = this.column && new SortedEvents(eventColumns[this.column].value, eventColumns[this.column].rank ?? withoutCase, this.direction === "descending");
    this.fit();
    this.changed(isReordered);
  }

  /** Sorts by a column: ascending, then descending, then in the order of arrival. */
  turn(name) {
    if (this.column !== name) this.set({ column: name, direction: "ascending" });
    else if (this.direction === "ascending") this.set({ direction: "descending" });
    else this.set({ column: null, direction: "ascending" });
  }

  /** The events in the chosen order. */
  order(events) {
    return this.sorted ? this.sorted.of(events) : events;
  }

  // MARK: Drawing

  /** Columns of the list: the chosen ones, less those for which it is too narrow. */
  get fitting() {
    if (isPhone()) return this.chosen.filter((name) => onPhone.includes(name));
    let fitting = this.chosen;
    // A hidden list keeps its columns.
    const available = (this.width = this.list.element.clientWidth || this.width);
    const isTooWide = (list) => list.reduce((sum, name) => sum + eventColumns[name].width + gap, signColumn.width + padding) > available;
    for (const name of dropped) if (isTooWide(fitting)) fitting = fitting.filter((each) => each !== name);
    return fitting;
  }

  fit() {
    const { fitting, list } = this;
    if (String(fitting) !== String(this.shown)) {
      this.shown = fitting;
      const rows = fitting.map((name) => ({ ...eventColumns[name], control: this.heads.get(name), head: headOf(name) }));
      const all = rows.toSpliced(fitting[0] === "time" ? 1 : 0, 0, signColumn);
      list.element.parentElement.style.setProperty("--columns", all.map(({ track }) => track).join(" "));
      list.setColumns(all, this.opener);
    }
    this.draw();
  }

  /** Shows the choice in the head and in the popover. */
  draw() {
    const { chosen, column, direction, shown } = this;
    for (const [name, head] of this.heads) {
      const isSorted = name === column;
      setText(head.lastChild, isSorted ? directions[direction] : "");
      head.classList.toggle("sorted", isSorted);
      head.setAttribute("aria-label", isSorted ? `Sorted by ${headOf(name)}, ${direction}` : `Sort by ${headOf(name)}`);
    }
    const { stops } = this;
    setTabStop(stops, stops.find((stop) => stop === document.activeElement) ?? stops[0]);
    for (const [name, box] of this.boxes) {
      box.checked = chosen.includes(name);
      // The last one stays: a list has a column.
      box.disabled = chosen.length === 1 && box.checked;
    }
    this.by.value = column ?? "";
    this.way.value = direction;
    this.way.disabled = column === null;
    const missing = isPhone() ? [] : chosen.filter((name) => !shown.includes(name));
    setText(this.note, missing.length ? `The list is too narrow for ${missing.map(headOf).join(", ")}.` : "");
  }
}
