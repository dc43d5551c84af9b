// Table of the numbers of events and users by value, with a bar each.

import { readText } from "./Collector.js";
import { button, make, setText, setTitle } from "./Element.js";
import { KeyedRows } from "./KeyedRows.js";
import { tableHead } from "./Parts.js";
import { labelsOf, maxRows, percent, valuesIn } from "./ReportValues.js";
import { brief, count, number } from "./Words.js";

/** Values that are listed at first. */
const firstRows = 100;

/** Number of listed values for that of an address: of the first ones, or of all that are possible. */
export const listedRows = (limit) => (limit === String(maxRows) ? maxRows : firstRows);

/** Reads the answer of `/api/report/count`. */
export async function readCount(path, options) {
  const text = await readText(path, options), report = JSON.parse(text), values = valuesIn(text, "values");
  const labels = labelsOf(values), seen = new Map();
  // Long values that are cut may be equal.
  const keyOf = ({ json }) => {
    seen.set(json, (seen.get(json) ?? 0) + 1);
    return `${seen.get(json)} ${json}`;
  };
  return { ...report, values: values.map((value, index) => ({ ...value, key: keyOf(value), label: labels[index], events: report.values[index].events, users: report.values[index].users })) };
}

export class CountTable {
  /**
   * @param host element of the table  @param actions `linkOf(value)`: title of the link of a value, or null for none; `follow(value)`;
   *   `more(limit)` lists up to a number of values
   */
  constructor(host, actions) {
    this.actions = actions;
    const body = make("tbody");
    this.field = make("span");
    this.rows = new KeyedRows(body, ({ key }) => key, () => this.row());
    this.rest = make("td", { colspan: 3 });
    this.more = button("", () => actions.more(maxRows), { class: "link", hidden: true });
    this.foot = make("tfoot", { hidden: true }, make("tr", make("th", { scope: "row" }, this.others = make("span"), " ", this.more), this.rest));
    host.append(make("table.report", tableHead([this.field, "events", "share", "users"]), body, this.foot));
  }

  row() {
    let value = null;
    const link = button("", () => this.actions.follow(value), { class: "link mono" }), text = make("span.mono"), bar = make("span"), cells = [make("td.number"), make("td.number.muted"), make("td.number")];
    const element = make("tr", make("th", { scope: "row" }, make("div.barred", make("span.value", link, text), make("span.gauge", { "aria-hidden": "true" }, bar))), cells);
    return {
      element,
      fill: (next) => {
        value = next;
        const title = this.actions.linkOf(value);
        link.hidden = title === null;
        text.hidden = title !== null;
        setText(title === null ? text : link, value.label);
        setTitle(link, title === null ? "" : value.text?.length > 60 ? `${title}: ${brief(value.text, 400)}` : title);
        text.classList.toggle("absent", value.type === "null");
        bar.style.width = `${(100 * value.events) / this.largest}%`;
        [number(value.events), percent(value.events / this.content.events), number(value.users)].forEach((each, index) => setText(cells[index], each));
      },
    };
  }

  show(content) {
    const { values, others, by } = content;
    Object.assign(this, { content, largest: Math.max(1, ...values.map(({ events }) => events)) });
    setText(this.field, brief(by, 80));
    this.rows.show(values);
    this.foot.hidden = others.values === 0;
    if (!others.values) return;
    setText(this.others, `${count(others.values, "other value")}`);
    setText(this.rest, `${count(others.events, "event")}, ${percent(others.events / content.events)}`);
    this.more.hidden = values.length >= maxRows;
    setText(this.more, `Show ${number(Math.min(maxRows, values.length + others.values))}`);
  }
}
