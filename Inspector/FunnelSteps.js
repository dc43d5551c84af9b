// Fields of the steps of a funnel, one step each. The value is a text with a line for each.

import { button, make } from "./Element.js";

/** Steps that the collector accepts. */
const maxSteps = 20;

export class FunnelSteps {
  rows = [];

  /** @param changed called with the text after a change by the user */
  constructor(changed) {
    this.changed = changed;
    this.list = make("ol.steps");
    this.add = button("Add step", () => { this.write([...this.lines, ""]); this.rows.at(-1).field.focus(); }, { id: "explore-add" });
    this.element = make("div.step-fields", { role: "group", "aria-label": "Steps" }, this.list, this.add);
    this.value = "";
  }

  get lines() {
    return this.rows.map(({ field }) => field.value);
  }

  get value() {
    return this.lines.join("\n");
  }

  /** Fields are changed in place, so that one with the focus keeps it. */
  set value(text) {
    const lines = text.split("\n").slice(0, maxSteps);
    while (this.rows.length > lines.length) this.rows.pop().element.remove();
    while (this.rows.length < lines.length) this.rows.push(this.row(this.rows.length));
    lines.forEach((line, index) => { if (this.rows[index].field.value !== line) this.rows[index].field.value = line; });
    for (const { remove } of this.rows) remove.hidden = lines.length === 1;
    this.add.hidden = lines.length === maxSteps;
  }

  /** Takes lines after a change by the user. */
  write(lines) {
    this.value = lines.join("\n");
    this.changed(this.value);
  }

  row(index) {
    const field = make("input", { type: "search", list: "names", autocomplete: "off", spellcheck: "false", "aria-label": `Step ${index + 1}`, placeholder: index ? "then" : "event name" });
    field.addEventListener("input", () => this.changed(this.value, true));
    // A list of names is pasted as a step for each line.
    field.addEventListener("paste", (event) => {
      const pasted = (event.clipboardData?.getData("text/plain") ?? "").split(/\r\n|[\r\n]/).map((line) => line.trim()).filter(Boolean);
      if (pasted.length < 2) return;
      event.preventDefault();
      this.write(this.lines.toSpliced(index, field.value === "" ? 1 : 0, ...pasted));
    });
    const remove = button("\u00d7", () => { this.write(this.lines.toSpliced(index, 1)); this.rows[Math.min(index, this.rows.length - 1)].field.focus(); }, { class: "quiet", "aria-label": `Remove step ${index + 1}`, title: "Remove the step" });
    const element = make("li", field, remove);
    this.list.append(element);
    return { element, field, remove };
  }
}
