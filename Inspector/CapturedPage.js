// A page of a captured session: its outline, and beside it the clicks, impressions and targets, which have no position.

import { button, make, severitySigns, severityWords } from "./Element.js";
import { severityOf } from "./Event.js";
import { limited, PageOutline } from "./PageOutline.js";
import { targetTreeElement } from "./TargetTree.js";
import { brief, count, number, span } from "./Words.js";

const mostEntries = 30;

/** Clicks, taps without a position and other gestures, grouped by element. */
function entriesOf(events) {
  const groups = new Map();
  for (const event of events) {
    if (!event.entry) continue;
    const { kind, label } = event.entry;
    const key = JSON.stringify([kind, label]);
    if (!groups.has(key)) groups.set(key, { kind, label, events: [] });
    groups.get(key).events.push(event);
  }
  return [...groups.values()].sort((a, b) => b.events.length - a.events.length);
}

/** Seen items, the longest first: [{ label, seconds, times, event }]. */
function impressionsOf(events) {
  const items = new Map();
  for (const event of events) {
    for (const { label, seconds } of event.items.slice(0, 1000)) {
      if (!items.has(label)) items.set(label, { label, seconds: 0, times: 0, events: [] });
      const item = items.get(label);
      item.seconds += seconds;
      item.times++;
      item.events.push(event);
    }
  }
  return [...items.values()].sort((a, b) => b.seconds - a.seconds);
}

/** Selects the events of a group one after the other. */
function cycling(events, select) {
  let next = 0;
  return () => select(events[next++ % events.length]);
}

/**
 * @param place a page of `journeyOf`  @param events its events that match the filter
 * @param options `select(event)`, `choose(node)`, `register(event, element)`, `most` marks
 */
export function capturedPageElement(place, events, screen, options) {
  const { page } = place;
  const outline = new PageOutline(brief(page.name, 60), events, screen, options);
  return make("section.page-card", { "aria-label": `Page ${page.name}` },
    make("div.page-head",
      make("h3", { tabindex: -1 }, brief(page.name, 80)),
      page.className !== null && page.className !== page.name && make("span.muted.mono", brief(page.className, 80)),
      make("p.muted", `${count(place.visits.length, "visit")} \u00b7 ${span(place.duration)} \u00b7 ${count(place.events.length, "event")}`, place.bad > 0 && make("span.flaws", ` \u00b7 ${number(place.bad)} bad`))),
    make("div.page-body",
      make("div.frame", outline.element, outline.omitted > 0 && make("p.muted", `${number(outline.omitted)} more not drawn`)),
      make("div.page-lists", entriesElement(entriesOf(events), options), impressionsElement(impressionsOf(events), options), targetsElement(events, options))));
}

const listed = (title, all, most, content) =>
  make("section", { "aria-label": title }, make("h4", title, make("span.muted", ` ${number(all)}`)), content, all > most && make("p.muted", `\u2026 and ${number(all - most)} more`));

function entriesElement(entries, options) {
  if (!entries.length) return null;
  return listed("Clicks and taps", entries.length, mostEntries, make("ul.touched", entries.slice(0, mostEntries).map(({ kind, label, events }) => {
    const ignored = events.filter((event) => event.entry.isIgnored).length;
    const severities = events.map(severityOf), severity = ["bad", "warned"].find((each) => severities.includes(each)) ?? "";
    const row = button([severity && make("span.sign", severitySigns[severity]), make("span.kind", brief(kind.replaceAll("_", " "), 24)), make("span.label", brief(label, 80)), ignored > 0 && make("span.ignored", "not handled"), events.length > 1 && make("span.times", `\u00d7${number(events.length)}`)],
      cycling(events, options.select), { class: `entry ${severity}`, title: `${brief(kind, 24)} ${brief(label, 200)}, ${count(events.length, "time")}${severity && `, ${severityWords[severity]}`}` });
    for (const event of events) options.register(event, row);
    return make("li", row);
  })));
}

function impressionsElement(items, options) {
  if (!items.length) return null;
  const most = items[0].seconds || 1;
  return listed("Impressions", items.length, mostEntries, make("ul.touched", items.slice(0, mostEntries).map(({ label, seconds, times, events }) => {
    const row = button([make("span.label", brief(label, 80)), make("span.meter", make("span", { style: { width: `${limited((seconds / most) * 100, 2, 100)}%` } })), make("span.number", span(seconds * 1000))],
      cycling(events, options.select), { class: "entry seen", title: `${brief(label, 200)}: seen for ${span(seconds * 1000)}, ${count(times, "time")}` });
    for (const event of events) options.register(event, row);
    return make("li", row);
  })));
}

function targetsElement(events, options) {
  const touched = events.filter((event) => event.target);
  const tree = targetTreeElement(touched, options);
  return tree && make("section.targets", { "aria-label": "Targets" }, make("h4", "Targets", make("span.muted", ` ${count(touched.length, "gesture")}`)), tree);
}
