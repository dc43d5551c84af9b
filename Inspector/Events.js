// The list of clickstream events, with their number over time, the panel of one, and the comparison of two.

import { sequenceIn } from "./Address.js";
import { Comparison } from "./Comparison.js";
import { $, notify, setText, setTitle } from "./Element.js";
import { Event, eventAt } from "./Event.js";
import { EventColumns } from "./EventColumns.js";
import { EventPanel } from "./EventPanel.js";
import { Filter } from "./Filter.js";
import { Histogram } from "./Histogram.js";
import { chooseRange, inspector, openFiltered, openView, refilter } from "./Page.js";
import { startElement } from "./Start.js";
import { crashName } from "./Timeline.js";
import { isPhone, View } from "./View.js";
import { VirtualList } from "./VirtualList.js";
import { brief, number } from "./Words.js";

/** Milliseconds between two drawings of the chart while the filter is being applied. */
const chartPause = 400;

/** Marks the row of a crash, and of an event that the SDK records by itself. */
export function decorateEvent(row, event) {
  const isCrash = event.name === crashName;
  if (isCrash && !event.isBad) setText(row.querySelector(".sign"), "\u00d7");
  row.classList.toggle("crash", isCrash);
  row.classList.toggle("ours", Boolean(event.name?.startsWith("_")));
}

export class Events extends View {
  drawsAtOnce = true;
  /** First event of a comparison, and the other one while they are compared. */
  pinned = null;
  compared = null;
  /** Sequence number of the first event of the address's comparison. */
  wantedPinned = null;
  /** Sequence number of the last event when the list left its end; null while it follows. */
  leftAt = null;
  chartDrawn = 0;

  /** @param actions `openSession(event)`, `openRequest(id)`, `beforeCrash(event)` */
  constructor(actions) {
    super("events", "event");
    this.actions = { filter: openFiltered, compare: (event) => this.compare(event), close: () => this.closePanel(), ...actions };
    this.panel = new EventPanel($("event-panel"), this.actions);
    this.comparison = new Comparison($("event-panel"), this.actions);
    this.histogram = new Histogram($("histogram"), { choose: chooseRange, turn: (basis) => { Filter.basis = basis; inspector.filter.range = null; refilter(); } });
    this.list = new VirtualList($("event-list"), {
      label: "Events", row: "event-row", follows: true, select: (event) => this.open(event),
      followed: (isAtEnd) => { this.leftAt = isAtEnd ? null : inspector.shown.at(-1)?.sequence ?? null; this.drawFollow(); },
      // `EventColumns` sets them.
      columns: [],
      decorate: (row, event) => {
        decorateEvent(row, event);
        if (event.sequence === this.pinned?.sequence) setText(row.querySelector(".sign"), "=");
      },
    });
    this.lists = [this.list];
    this.columns = new EventColumns(this.list, (isReordered) => this.columnsChanged(isReordered));
    this.list.element.addEventListener("pointerover", ({ target }) => this.showCut(target.closest(".row > *")));
    $("follow").addEventListener("click", () => { this.list.scrollToEnd(); this.leftAt = null; this.drawFollow(); });
  }

  make(text, sequence) {
    return new Event(text, sequence);
  }

  /** Drops from the matching events what the window has dropped. New ones are tested before the next drawing. */
  changed(added, dropped) {
    if (!dropped) return;
    inspector.examined = Math.max(0, inspector.examined - dropped);
    const oldest = inspector.events[0]?.sequence ?? Infinity;
    for (const events of [inspector.matching, inspector.shown]) {
      const kept = events.findIndex((event) => event.sequence >= oldest);
      events.splice(0, kept < 0 ? events.length : kept);
    }
  }

  /** The filter has been applied to the first events: those that were added before them are put before the matching ones. */
  prepended(count) {
    const { filter } = inspector;
    const older = inspector.events.slice(0, count).filter((event) => filter.matches(event));
    this.keepRow();
    inspector.matching = [...older, ...inspector.matching];
    inspector.shown = [...older.filter((event) => filter.isWithin(event)), ...inspector.shown];
    inspector.examined += count;
  }

  reset() {
    Object.assign(inspector, { matching: [], shown: [], examined: 0 });
    this.closePanel();
  }

  show(isBusy) {
    const { isEmpty, list } = this;
    this.showEmpty(isEmpty, startElement);
    this.showList();
    if (inspector.isRefiltered && !isBusy) {
      inspector.isRefiltered = false;
      if (list.selected) list.reveal(list.selected, true);
    }
    if (!isBusy || performance.now() - this.chartDrawn >= chartPause) {
      this.chartDrawn = performance.now();
      this.histogram.show(inspector.matching, inspector.filter.range);
    }
    this.showState(inspector.shown.length || isEmpty || isBusy, "event");
    this.drawFollow();
  }

  /** Draws the list in the chosen order. */
  showList() {
    const events = this.columns.order(inspector.shown);
    if (this.columns.sorted && events !== this.list.items && !inspector.isRefiltered) this.keepRow();
    this.list.show(events);
  }

  /** Events are added before the visible ones: these stay where they are, unless the beginning of a sorted list is visible. */
  keepRow() {
    if (!this.columns.sorted || this.list.element.scrollTop > 0) this.list.keepRow();
  }

  /** Draws the list with other columns, or in another order: from its beginning, or from its end in the order of arrival. A selected event stays visible. */
  columnsChanged(isReordered) {
    const { list } = this, isSorted = Boolean(this.columns.sorted);
    if (isReordered) {
      list.setFollows(!isSorted, !isSorted && !list.selected);
      this.leftAt = list.follows ? null : inspector.shown.at(-1)?.sequence ?? null;
      list.show(this.columns.order(inspector.shown));
      if (list.selected) list.reveal(list.selected, true);
      else if (isSorted) list.element.scrollTop = 0;
      this.drawFollow();
    }
    inspector.changed();
  }

  /** Shows the whole of a cell that is cut as its tooltip. */
  showCut(cell) {
    if (cell && !cell.classList.contains("sign")) setTitle(cell, cell.scrollWidth > cell.clientWidth ? cell.textContent : "");
  }

  /** Offers the end of the list while it does not follow. */
  drawFollow() {
    const { shown } = inspector, { list, leftAt } = this;
    $("follow").hidden = list.follows || !shown.length || Boolean(this.columns.sorted);
    const fresh = leftAt === null ? 0 : shown.length - 1 - shown.findLastIndex(({ sequence }) => sequence <= leftAt);
    setText($("follow"), fresh > 0 ? `${number(fresh)} new, to the end` : "To the end");
  }

  open(event) {
    inspector.wanted = this.wantedPinned = null;
    if (this.pinned && this.pinned.sequence !== event.sequence) {
      $("notice").classList.remove("shown");
      this.panel.leave();
      this.panel.setOpen(true);
      this.compared = event;
      this.comparison.show(this.pinned, event);
    } else {
      this.leaveComparison();
      this.panel.show(event);
    }
    inspector.changed();
  }

  leaveComparison() {
    this.compared = null;
    this.comparison.leave();
  }

  // MARK: Address

  /** Sets columns, order and comparison from an address: the last one is shown as soon as the page has its other event. */
  choose(values) {
    super.choose(values);
    // The choice remains while another view has the address.
    if (inspector.view === this.name) this.columns.choose(values);
    this.wantedPinned = sequenceIn(values.compare);
    if (this.compared && (this.compared.sequence !== inspector.wanted || this.pinned.sequence !== this.wantedPinned)) {
      const { wanted } = inspector;
      this.closePanel();
      inspector.wanted = wanted;
    }
  }

  /** Columns, order and compared events, for the address. */
  get parameters() {
    const { parameters } = this.columns;
    if (!this.compared) return [...parameters, ...(this.wantedPinned ? [["compare", this.wantedPinned]] : [])];
    return [...parameters, ...(inspector.wanted ? [] : [["event", this.compared.sequence]]), ["compare", this.pinned.sequence]];
  }

  /** Compares an event of the address with another one. */
  async restoreComparison(event) {
    const sequence = this.wantedPinned;
    try {
      const pinned = await eventAt(sequence);
      if (this.wantedPinned !== sequence || !this.panel.isShown(event)) return;
      const { wanted } = inspector;
      this.pinned = pinned;
      this.open(event);
      // The list may not have the event yet.
      inspector.wanted = wanted;
    } catch (error) {
      this.wantedPinned = null;
      notify(`The event to compare with could not be read: ${error.message}`);
    }
  }

  compare(event) {
    this.pinned = event;
    notify(`Comparison with ${brief(event.title, 60)}: select another event.`);
    this.list.refresh();
    openView("events");
    if (isPhone()) { this.panel.hide(); inspector.changed(); }
    this.list.element.focus();
  }

  /** Panel for the event of an address, which is read from the collector. */
  showWanted(event) {
    if (this.compared?.sequence === event.sequence) return;
    if (!this.panel.isShown(event)) this.panel.show(event);
    if (this.wantedPinned) this.restoreComparison(event);
  }

  selectWanted() {
    const event = this.wantedEvent;
    if (!event) return;
    this.showWanted(event);
    this.select(this.list, event);
    inspector.changed();
  }

  closePanel() {
    this.pinned = this.wantedPinned = null;
    this.leaveComparison();
    super.closePanel();
  }
}
