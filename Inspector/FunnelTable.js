// Tables of a funnel: its steps, with a bar for those that reach each and those that drop out before it, and its groups.

import { readText } from "./Collector.js";
import { make, put } from "./Element.js";
import { moreElement, scrollerElement, tableHead } from "./Parts.js";
import { labelsOf, maxRows, percent, valuesIn } from "./ReportValues.js";
import { brief, count, number, span } from "./Words.js";

/** Reads the answer of `/api/report/funnel`. */
export async function readFunnel(path, options) {
  const text = await readText(path, options), report = JSON.parse(text), labels = labelsOf(valuesIn(text, "groups"));
  return { ...report, groups: report.groups.slice(0, maxRows).map(({ steps }, index) => ({ steps, label: labels[index] })) };
}

const timeText = (milliseconds) => (milliseconds === null ? "" : span(milliseconds));

/** The number that does not go on from a step to the next, and its share. */
const lostText = (lost, share) => (share === null ? "" : lost ? `\u2212${number(lost)} (${percent(1 - share)})` : "none");

function stepRow({ name, users, of_first: ofFirst, of_previous: ofPrevious, median_ms: median, p90_ms: p90 }, index, steps) {
  const lost = index ? steps[index - 1].users - users : 0, first = steps[0].users;
  const bar = (kind, part) => make(`span.${kind}`, { style: { width: `${first ? (100 * part) / first : 0}%` } });
  return make("tr",
    make("th", { scope: "row" }, make("div.barred", make("span.value", make("span.muted", `${index + 1} `), make("span.mono", { title: name.length > 80 ? brief(name, 600) : null }, brief(name, 80))), make("span.gauge", { "aria-hidden": "true" }, bar("reached", users), bar("lost", lost)))),
    make("td.number", number(users)),
    make(lost ? "td.number.lost" : "td.number.muted", lostText(lost, ofPrevious)),
    make("td.number", ofFirst === null ? "" : percent(ofFirst)),
    make("td.number", ofPrevious === null ? "" : percent(ofPrevious)),
    make("td.number", timeText(median)), make("td.number", timeText(p90)));
}

function groupRow({ label, steps }) {
  return make("tr", make("th.mono", { scope: "row" }, brief(label, 120)), steps.map(({ users, of_first: ofFirst }, index) => make("td.number", number(users), index > 0 && ofFirst !== null && make("span.muted", ` ${percent(ofFirst)}`))));
}

export class FunnelTable {
  constructor(host) {
    this.note = make("p.hint", { hidden: true });
    this.steps = scrollerElement("Table of the steps", []);
    this.groups = scrollerElement("Table of the groups", []);
    this.grouped = make("section.detail", { hidden: true }, this.heading = make("h2"), this.groups, this.others = make("div"));
    host.append(this.steps, this.note, this.grouped);
  }

  /** @param question `per`: "users" or "sessions"; `by`: field of the groups; `within` */
  show({ steps, groups, others }, { per, by, within }) {
    put(this.steps, make("table.report.funnel", tableHead(["step", per, "dropped out", "of first", "of previous", "median", "90 % within"]), make("tbody", steps.map(stepRow))));
    const none = steps.findIndex(({ users }) => users === 0);
    this.note.hidden = none < 0;
    put(this.note, none === 0 ? `No event matches step 1, ${brief(steps[0].name, 120)}.` : none > 0 ? `None of the ${per} reach step ${none + 1}, ${brief(steps[none].name, 120)}: its events have to come after those of step ${none}${within ? `, all within ${brief(within, 20)}` : ""}.` : "");
    this.grouped.hidden = !by || groups.length === 0;
    put(this.heading, `By ${brief(by, 80)}`, make("span.muted", " of the event of the first step"));
    put(this.groups, make("table.report", tableHead([make("span.hidden", "value"), ...steps.map(({ name }, index) => `${index + 1} ${brief(name, 30)}`)]), make("tbody", groups.map(groupRow))));
    put(this.others, moreElement(groups.length + others.values, groups.length, "p.hint", `more ${others.values === 1 ? "group" : "groups"}, of ${count(others.users, per.replace(/s$/, ""))}`));
  }
}
