// Rows of a table whose content changes: a row keeps its elements, and a control in it the focus, while its key is there.

export class KeyedRows {
  rows = new Map();

  /** @param body element of the rows  @param key returns the key of an item  @param make returns `{ element, fill(item) }` for a new row */
  constructor(body, key, make) {
    Object.assign(this, { body, key, make });
  }

  show(items) {
    const rows = new Map();
    for (const item of items) {
      const key = this.key(item), row = this.rows.get(key) ?? this.make();
      row.fill(item);
      rows.set(key, row);
    }
    this.rows = rows;
    this.arrange([...rows.values()].map(({ element }) => element));
  }

  /** Puts the elements in order. One with the focus stays where it is: moved, it would lose it. */
  arrange(elements) {
    const { body } = this, { children } = body;
    if (children.length === elements.length && elements.every((element, index) => children[index] === element)) return;
    const at = elements.findIndex((element) => element.contains(document.activeElement));
    if (at < 0) return body.replaceChildren(...elements);
    for (const child of [...children]) if (child !== elements[at]) child.remove();
    elements[at].before(...elements.slice(0, at));
    body.append(...elements.slice(at + 1));
  }
}
