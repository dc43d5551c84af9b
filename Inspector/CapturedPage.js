// A page of a captured session: its outline, and beside it the clicks, impressions and targets, which have no position.

import { button, make, severitySigns, severityWords } from "./Element.js";
import { groupsOf } from "./Groups.js";
import { limited, PageOutline } from "./PageOutline.js";
import { moreElement } from "./Parts.js";
import { targetTreeElement } from "./TargetTree.js";
import { brief, count, number, span } from "./Words.js";

const maxEntries = 30;

/** Clicks, taps without a position and other gestures, grouped by element. */
const entriesOf = (events) =>
  groupsOf(events.filter((event) => event.entry), ({ entry }) => JSON.stringify([entry.kind, entry.label])).map((same) => ({ ...same[0].entry, events: same }));

/** Seen items, the longest first: [{ label, seconds, events }], with an event for each time that an item was seen. */
function impressionsOf(events) {
  const items = events.flatMap((event) => event.items.slice(0, 1000).map((item) => ({ ...item, event })));
  return [...Map.groupBy(items, ({ label }) => label)]
    .map(([label, same]) => ({ label, seconds: same.reduce((sum, { seconds }) => sum + seconds, 0), events: same.map(({ event }) => event) }))
    .sort((a, b) => b.seconds - a.seconds);
}

/**
 * @param summary a page of `journeyOf`  @param events its events that match the filter
 * @param options `select(event)`, `choose(node)`, `register(event, element)`, `maxMarks` marks
 */
export function capturedPageElement(summary, events, screen, options) {
  const { page } = summary;
  const outline = new PageOutline(brief(page.name, 60), events, screen, options);
  return make("section.page-card", { "aria-label": `Page ${page.name}` },
    make("div.page-head",
      make("h3", { tabindex: -1 }, brief(page.name, 80)),
      page.className !== null && page.className !== page.name && make("span.muted.mono", brief(page.className, 80)),
      make("p.muted", `${count(summary.visits.length, "visit")} \u00b7 ${span(summary.duration)} \u00b7 ${count(summary.events.length, "event")}`, summary.bad > 0 && make("span.flaws", ` \u00b7 ${number(summary.bad)} bad`))),
    make("div.page-body",
      make("div.frame", outline.element, outline.omitted > 0 && make("p.muted", `${number(outline.omitted)} more not drawn`)),
      make("div.page-lists", entriesElement(entriesOf(events), options), impressionsElement(impressionsOf(events), options), targetsElement(events, options))));
}

/**
 * Titled list of groups of events. A click on one selects its events, one after the other.
 *
 * @param rowOf returns the parts of a group's row, its classes and its tooltip
 */
function listElement(title, groups, options, rowOf) {
  if (!groups.length) return null;
  const rows = groups.slice(0, maxEntries).map((group) => {
    const { events } = group;
    const { parts, kind, title } = rowOf(group);
    let next = 0;
    const row = button(parts, () => options.select(events[next++ % events.length]), { class: `entry ${kind}`, title });
    for (const event of events) options.register(event, row);
    return make("li", row);
  });
  return make("section",
    make("h4", title, make("span.muted", ` ${number(groups.length)}`)), make("ul.touched", rows), moreElement(groups.length, maxEntries));
}

const entriesElement = (entries, options) => listElement("Clicks and taps", entries, options, ({ kind, label, events }) => {
  const ignored = events.some((event) => event.entry.isIgnored);
  const severities = events.map((event) => event.severity), severity = ["bad", "warned"].find((each) => severities.includes(each)) ?? "";
  return {
    parts: [severity && make("span.sign", severitySigns[severity]), make("span.kind", brief(kind.replaceAll("_", " "), 24)), make("span.label", brief(label, 80)), ignored && make("span.ignored", "not handled"), events.length > 1 && make("span.times", `\u00d7${number(events.length)}`)],
    kind: severity,
    title: `${brief(kind, 24)} ${brief(label, 200)}, ${count(events.length, "time")}${severity && `, ${severityWords[severity]}`}`,
  };
});

const impressionsElement = (items, options) => listElement("Impressions", items, options, ({ label, seconds, events }) => ({
  parts: [make("span.label", brief(label, 80)), make("span.meter", make("span", { style: { width: `${limited((seconds / (items[0].seconds || 1)) * 100, 2, 100)}%` } })), make("span.number", span(seconds * 1000))],
  kind: "seen",
  title: `${brief(label, 200)}: seen for ${span(seconds * 1000)}, ${count(events.length, "time")}`,
}));

function targetsElement(events, options) {
  const touched = events.filter((event) => event.target);
  const tree = targetTreeElement(touched, options);
  return tree && make("section.targets", make("h4", "Targets", make("span.muted", ` ${count(touched.length, "gesture")}`)), tree);
}
