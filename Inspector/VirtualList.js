// Virtual list: only the visible rows have elements.

import { make, put, setText, setTitle, showSeverity } from "./Element.js";

/** Fills a cell with a text, or each of its parts with one. The value of a dot is its colour. */
function fillCell(cell, value) {
  if (Array.isArray(value)) value.forEach((part, index) => fillCell(cell.children[index], part));
  else if (cell.classList.contains("dot")) cell.style.background = value;
  else setText(cell, value);
}

export class VirtualList {
  /**
   * @param options `label`; `row`: class of a row; `columns`: each has `cell` and `text(item)`, possibly `head`, `parts` of the cell, for
   *   which `text` returns an array, `kind(item)`, further classes of the cell, `control`, the element of its head, and `follow(item)`,
   *   called for a click on a part, which returns true if that leads elsewhere, with `hint(item)`, the part's tooltip or null; the one without `text` is the sign of the item's
   *   severity. `severity(item)`: its `severity` without this option. `decorate(row, item)` changes a filled row. `select(item)` is called
   *   after a selection, `followed(isAtEnd)` when the list begins or ceases to follow its end, which it does with `follows`. The CSS
   *   variable --row is the height of a row.
   */
  constructor(host, options) {
    this.options = options;
    this.items = [];
    this.selected = null;
    this.pool = [];
    /** Distance from the top while the list was last visible: a hidden one has none. */
    this.top = 0;
    /** True if the list scrolls to its end when items are added. */
    this.follows = options.follows ?? false;
    this.space = make("div.space", { role: "presentation" });
    this.element = make("div.list", {
      role: "listbox", tabindex: 0, "aria-label": options.label, id: `${host.id}-box`,
      onkeydown: (event) => this.key(event),
    }, this.space);
    this.element.addEventListener("scroll", () => this.scrolled(), { passive: true });
    host.replaceWith(this.element);
    this.element.classList.add(host.id);
    this.head = make(`div.columns.${host.id.replace("-list", "")}`, { "aria-hidden": "true" });
    if (options.columns.some(({ head }) => head)) this.element.before(this.head);
    this.setColumns(options.columns);
    new ResizeObserver(() => this.render()).observe(this.element);
  }

  /** Sets the columns, with their head and rows. @param controls more elements of the head */
  setColumns(columns, ...controls) {
    this.options.columns = columns;
    put(this.head, columns.map(({ control, head }) => control ?? make("span", head ?? "")), controls);
    for (const row of this.pool) row.remove();
    this.pool = [];
    this.render();
  }

  make() {
    const row = make(`div.row.${this.options.row}`, { role: "option" }, this.options.columns.map(({ cell, parts = [] }) => make(cell, parts.map((part) => make(part)))));
    row.addEventListener("click", ({ target }) => {
      const index = [...row.children].findIndex((cell) => cell !== target && cell.contains(target));
      if (!this.options.columns[index]?.follow?.(row.item)) this.choose(row.item, false);
    });
    return row;
  }

  fill(row, item) {
    const { columns, severity = (item) => item.severity, decorate } = this.options;
    columns.forEach(({ cell, text, kind, hint }, index) => {
      const element = row.children[index];
      if (!text) return showSeverity(row, element, severity(item));
      if (kind) element.className = `${cell.split(".").slice(1).join(" ")} ${kind(item)}`;
      fillCell(element, text(item));
      if (hint) setTitle(element.firstChild, hint(item) ?? "");
    });
    decorate?.(row, item);
  }

  get rowHeight() {
    return (this.height ||= parseFloat(getComputedStyle(this.element).getPropertyValue("--row")) || 28);
  }

  /** Items are added before the visible ones: these stay where they are when the list shows other items, unless it follows. */
  keepRow() {
    if (this.element.clientHeight > 0) this.top = this.element.scrollTop;
    const index = Math.ceil(this.top / this.rowHeight), item = this.items[index];
    if (!this.follows && item !== undefined) this.kept ??= { item, index };
  }

  show(items) {
    const isSame = items === this.items, { kept } = this;
    this.items = items;
    const height = `${items.length * this.rowHeight}px`;
    if (this.space.style.height !== height) this.space.style.height = height;
    if (this.follows) this.element.scrollTop = this.element.scrollHeight;
    else if (kept && !isSame && items.includes(kept.item)) this.element.scrollTop += (items.indexOf(kept.item) - kept.index) * this.rowHeight;
    if (!isSame) this.kept = null;
    this.render();
  }

  scrolled() {
    const { scrollTop, clientHeight, scrollHeight } = this.element;
    if (clientHeight > 0) this.top = scrollTop;
    const atEnd = scrollTop + clientHeight >= scrollHeight - this.rowHeight;
    if (this.options.follows && this.follows !== atEnd && clientHeight > 0) {
      this.follows = atEnd;
      this.options.followed?.(atEnd);
    }
    this.render();
  }

  render() {
    const { clientHeight } = this.element;
    if (!clientHeight) return;
    const height = this.rowHeight;
    const first = Math.max(0, Math.floor(this.element.scrollTop / height) - 4);
    const last = Math.min(this.items.length, first + Math.ceil(clientHeight / height) + 9);
    while (this.pool.length < last - first) {
      this.pool.push(this.make());
    }
    // A row keeps its element while it is visible: item i has element i modulo the pool.
    const size = this.pool.length;
    const used = new Set();
    let active = null;
    for (let i = first; i < last; i++) {
      const row = this.pool[i % size];
      used.add(row);
      const item = this.items[i];
      if (row.index !== i) {
        row.index = i;
        row.style.transform = `translateY(${i * height}px)`;
        row.id = `${this.element.id}-${i}`;
        row.setAttribute("aria-posinset", i + 1);
      }
      if (row.item !== item) { row.item = item; this.fill(row, item); }
      if (row.setSize !== this.items.length) row.setAttribute("aria-setsize", (row.setSize = this.items.length));
      const isSelected = item === this.selected;
      if (row.isSelected !== isSelected) { row.isSelected = isSelected; row.setAttribute("aria-selected", isSelected); }
      if (isSelected) active = row.id;
      if (!row.isConnected) this.space.append(row);
    }
    for (const row of this.pool) if (!used.has(row) && row.isConnected) { row.remove(); row.index = -1; }
    if (active) this.element.setAttribute("aria-activedescendant", active);
    else this.element.removeAttribute("aria-activedescendant");
  }

  /** Reads the height of a row again. */
  resized() {
    this.height = 0;
    for (const row of this.pool) row.index = -1;
    this.show(this.items);
  }

  /** Fills the visible rows again. */
  refresh() {
    for (const row of this.pool) row.item = undefined;
    this.render();
  }

  choose(item, scrolls = true) {
    this.selected = item;
    if (scrolls) this.reveal(item);
    this.render();
    this.options.select?.(item);
  }

  /** Scrolls the least distance that shows an item; after the list has changed, to the middle. */
  reveal(item, isMoved = false) {
    const index = this.items.indexOf(item);
    if (index < 0) return;
    const top = index * this.rowHeight;
    const { scrollTop, clientHeight } = this.element;
    if (isMoved) this.element.scrollTop = top - clientHeight / 2;
    else if (top < scrollTop) this.element.scrollTop = top;
    else if (top + this.rowHeight > scrollTop + clientHeight) this.element.scrollTop = top + this.rowHeight - clientHeight;
  }

  /** Selects the item `by` rows away; without a selection, the nearest visible one. */
  step(by) {
    if (!this.items.length) return;
    const at = this.items.indexOf(this.selected);
    const start = at >= 0 || Math.abs(by) >= this.items.length ? at + by : by > 0 ? Math.floor(this.element.scrollTop / this.rowHeight)
      : Math.min(this.items.length, Math.floor((this.element.scrollTop + this.element.clientHeight) / this.rowHeight)) - 1;
    this.choose(this.items[Math.min(this.items.length - 1, Math.max(0, start))]);
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.rowHeight) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.items.length, End: this.items.length };
    if (!(event.key in steps) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.step(steps[event.key]);
  }

  /** Sets whether the list can follow its end, and does so. */
  setFollows(canFollow, follows = canFollow) {
    this.options.follows = canFollow;
    this.follows = follows;
  }

  scrollToEnd() {
    this.follows = Boolean(this.options.follows);
    this.element.scrollTop = this.element.scrollHeight;
  }
}
