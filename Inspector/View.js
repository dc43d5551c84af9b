// A view of the page: a tab with its section, a list or several, panels, and controls that narrow the list.

import { $, button, fill, make, put } from "./Element.js";
import { choose, currentView, drawView, inspector, setFilter, step, touch, views } from "./Page.js";
import { windows } from "./Retention.js";
import { saved } from "./Saved.js";
import { brief } from "./Words.js";

export const isPhone = () => matchMedia("(max-width: 760px)").matches;

/** Shows parts in place of a list, or hides the element if there are none. Equal content is kept, so that a focused button stays focused. */
function showState(element, parts) {
  element.hidden = !parts;
  if (!parts) return element.replaceChildren();
  const content = make("div", parts);
  if (element.firstChild?.textContent !== content.textContent) put(element, content);
}

export class View {
  /** True if the filter of the page applies to the view. */
  usesFilter = true;
  /** Names of the conditions of a question, which replace the filter of the page; null for other views. */
  conditions = null;
  /** Group of views with a common tab; null for a view with its own. */
  group = null;
  /** True if the view is drawn at each drawing of the page, also while the filter is being applied; others are computed from all events. */
  drawsAtOnce = false;
  /** Lists of the view: keys move in the first one. */
  lists = [];
  /** `Panel` of the selected item: an `EventPanel` where the items are events. Null without one. */
  panel = null;
  /** Field that has the focus after the view was opened by its tab or key; null for none. */
  entry = null;
  /** Other elements that cover the page on a phone while they have the class "open": the topmost first. */
  drawers = [];
  version = 0;

  /**
   * @param name of the view  @param noun begins the ids of its elements, such as "audit-list" and "audit-empty"
   * @param controls by name, the options [value, text] of a select, or null for a field. The element of "table" is "audit-table".
   */
  constructor(name, noun, controls = {}) {
    Object.assign(this, { name, noun, controls: Object.keys(controls), values: {}, fixed: {} });
    for (const [control, options] of Object.entries(controls)) {
      const element = this.element(control);
      this.values[control] = "";
      if (options) fill(element, options.map(([value, text]) => make("option", { value }, text)));
      if (options?.length > 1) this.fixed[control] = new Set(options.map(([value]) => value));
      element.addEventListener(options ? "change" : "input", () => this.narrow({ [control]: element.value }, !options || control === "sort"));
    }
    views.set(name, this);
  }

  /** Element of the view with the end of an id. */
  element(end) {
    return $(`${this.noun}-${end}`);
  }

  // MARK: Events

  /** List in the API of the events that the view is made of. */
  get source() {
    return this.name in windows ? this.name : "events";
  }

  /** Window of these events. */
  get retention() {
    return windows[this.source];
  }

  /** Adds to the view the events that have arrived. Only for a view with a window of its own. */
  admit() {
    if (this.name !== this.source) return;
    const { added, dropped } = this.retention.add();
    if (added.length || dropped) this.changed(added, dropped);
  }

  /** Takes the changes of the window: events were added or dropped. */
  changed() {}

  /** Takes a number of older events that were added before the others. */
  prepended(count) {}

  /** Forgets what was derived from the events of a store that was emptied. */
  reset() {
    for (const list of this.lists) list.selected = null;
    this.panel?.hide();
  }

  // MARK: Controls

  /** Changes the values of controls. @param isTyped see `narrow` of the page: true also for an order */
  narrow(values, isTyped = false) {
    if (!isTyped) step();
    for (const [name, value] of Object.entries(values)) this.values[name] = String(value ?? "");
    this.version++;
    this.showControls();
    inspector.changed();
    if (currentView() === this) drawView(true);
    touch();
  }

  /**
   * Sets the controls from the query of an address, and closes an event that is not the one of the address. A select does not get a
   * value that it cannot have.
   */
  choose(values) {
    const { wanted } = inspector;
    if (this.panel?.showMissing && this.panel.isOpen && this.panel.sequence !== wanted) {
      this.closePanel();
      inspector.wanted = wanted;
    }
    for (const name of this.controls) this.values[name] = this.fixed[name]?.has(values[name]) === false ? "" : values[name] ?? "";
    this.version++;
    this.showControls();
  }

  showControls() {
    for (const name of this.controls) choose(this.element(name), this.values[name]);
  }

  /** Values that are set, for the query of the address. */
  get parameters() {
    return Object.entries(this.values).filter(([, value]) => value);
  }

  /** Values of the controls that narrow the list, rather than sort it. */
  get narrowing() {
    return Object.entries(this.values).filter(([name, value]) => value && name !== "sort");
  }

  /** Removes what narrows the list; returns false if nothing does. */
  clear() {
    const set = this.narrowing;
    if (set.length) this.narrow(Object.fromEntries(set.map(([name]) => [name, ""])));
    return set.length > 0;
  }

  // MARK: Drawing

  /** Differs between any two contents of the view. */
  get stamp() {
    const { filter, events, shown, isPaused } = inspector, { retention } = this;
    // Of the clickstream events, only those that match are drawn.
    const content = this.name === this.source ? [isPaused, retention.version] : [events.length > 0, shown.length, shown[0]?.sequence, shown.at(-1)?.sequence];
    return [this.version, filter.stamp, this.isEmpty, retention.total > 0, retention.isFilling, ...content];
  }

  /** Events that match the filter and the controls, for the export. */
  get matching() {
    return inspector.shown;
  }

  /** Number of matching events or rows for the end of the filter. */
  get counts() {
    return { noun: "event", shown: inspector.shown.length, isFiltered: !inspector.filter.isEmpty };
  }

  get tally() {
    return this.retention.tallyText(this.counts, inspector.isPaused);
  }

  /** Shows the instructions in place of the view while its store is known to be empty. @param instructions returns their parts */
  showEmpty(isEmpty, instructions) {
    const element = this.element("empty");
    if (isEmpty !== element.hidden) return;
    element.hidden = !isEmpty;
    if (isEmpty) put(element, instructions());
  }

  /** True if the store is known to have no event for the view. */
  get isEmpty() {
    return !this.retention.held && !this.retention.total && inspector.connection.name === "live" && inspector.summary !== null;
  }

  /** Shows why there is nothing in the list. @param noun of what the list has  @param none parts for a list that is empty without a filter */
  showState(isShown, noun, none = null) {
    showState($(`view-${this.name}`).querySelector(".state"), isShown ? null : this.stateParts(noun) ?? none);
  }

  stateParts(noun) {
    const { connection, filter } = inspector;
    const { events, total, waiting, isFilling } = this.retention;
    if (events.length) {
      const words = [...this.narrowing.map(([name, value]) => `${name} ${brief(value, 40)}`), filter.words].filter(Boolean);
      if (!words.length || this.counts.shown) return null;
      return [make("p.title", `No ${noun} matches the filter${isFilling ? " yet: older ones are being loaded" : ""}.`), make("p.muted", words.join(" \u00b7 ")), button("Clear filter", () => { this.clear(); setFilter(); }, { class: "primary" })];
    }
    if (connection.name === "saved") return [make("p.title", `This file has no ${noun}.`)];
    if (connection.name === "lost") return [make("p.title", "No connection to the collector"), make("p", `${connection.reason}.`), button("Retry now", () => inspector.retry(), { class: "primary" })];
    if (connection.name !== "live") return [make("p.title", "Connecting\u2026")];
    if (waiting) return [make("p.title", "The page is paused.")];
    return total ? [make("p.title", "Loading\u2026")] : null;
  }

  // MARK: Selection

  /** The list that keys move in. */
  get activeList() {
    return this.lists[0] ?? null;
  }

  get openDrawers() {
    return this.drawers.filter((element) => element.classList.contains("open"));
  }

  /** Elements that cover the page on a phone, if they are shown: the topmost first. */
  get covers() {
    return [...(this.panel ? [this.panel.host] : []), ...this.openDrawers];
  }

  closeButton(drawer) {
    return button("Close", () => this.closeDrawer(drawer), { class: "only-phone", "data-key": "close" });
  }

  closeDrawer(drawer) {
    drawer.classList.remove("open");
    inspector.changed();
  }

  /** Selects the event of the address in the list as soon as the page has it. */
  selectWanted() {}

  /** The clickstream event of the address; null until the page has it, and has applied the filter to it. */
  get wantedEvent() {
    const event = windows.events.find(inspector.wanted);
    return event && windows.events.indexOf(inspector.wanted) < inspector.examined ? event : null;
  }

  /** Selects an item of a list that was not chosen in it. */
  select(list, item) {
    inspector.wanted = null;
    list.selected = item;
    list.follows = false;
    list.reveal(item, true);
    list.refresh();
  }

  closePanel() {
    inspector.wanted = null;
    this.panel.hide();
    this.lists[0].selected = null;
    this.lists[0].refresh();
    inspector.changed();
  }

  /** Closes the panel, or on a phone the topmost drawer; returns false if nothing is open. */
  closeTopmost() {
    const [drawer] = isPhone() ? this.openDrawers : [];
    if (this.panel?.isOpen) this.closePanel();
    else if (drawer) this.closeDrawer(drawer);
    else return false;
    return true;
  }

  /** Closes what was opened last, else removes what narrows the list; returns false if there is neither. */
  back() {
    if (!this.closeTopmost()) return this.clear();
    this.activeList?.element.focus();
    return true;
  }
}
