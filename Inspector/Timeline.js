// Drawing of a session: foreground intervals, screens as bars with their engagement, events as marks. Times without
// events are folded, so that a pause of four minutes does not compress the rest.

import { button, draw, make, severitySigns, severityWords } from "./Element.js";
import { limited } from "./PageOutline.js";
import { legendElement, moreElement } from "./Parts.js";
import { brief, number, shortened, span } from "./Words.js";

const fold = 60000, foldedGap = 10000;
const maxMarks = 2000;
/** Event that reports a crash, with the time of the crash. */
export const crashName = "_app_exception";

/**
 * Foreground intervals as { from, to, end }, where `end` is "closed" by _app_end, "crash", "lost" (another _app_start
 * without an end before it: the process was killed) or "open".
 */
function foregroundOf(entries, start, last) {
  const found = [];
  let from = null, previous = start;
  for (const { name, timestamp } of entries) {
    if (name === "_app_start") {
      if (from !== null) found.push({ from, to: previous, end: "lost" });
      from = timestamp;
    } else if (name === "_app_end" || (name === crashName && from !== null)) {
      found.push({ from: from ?? Math.min(start, timestamp), to: timestamp, end: name === crashName ? "crash" : "closed" });
      from = null;
    }
    previous = timestamp;
  }
  if (from !== null) found.push({ from, to: last, end: "open" });
  return found;
}

/**
 * Times without a process as { from, to }: from a crash, or from the last event before an _app_start without an end before it, to
 * the next event.
 */
function stopsOf(entries, foreground) {
  const ends = [...entries.filter(({ name }) => name === crashName).map(({ timestamp }) => timestamp), ...foreground.filter(({ end }) => end === "lost").map(({ to }) => to)];
  return [...new Set(ends)].sort((a, b) => a - b).map((from) => ({ from, to: entries.find(({ timestamp }) => timestamp > from)?.timestamp ?? from }));
}

/** Maps times to 0...1. A pause longer than `fold` has the width of ten seconds, and is a gap. */
function foldedScale(times) {
  const [start] = times;
  const gaps = times.slice(1).map((to, index) => ({ from: times[index], to })).filter(({ from, to }) => to - from > fold);
  const unfolded = (time) => gaps.reduce((sum, { from, to }) => sum - limited((time - from) / (to - from), 0, 1) * (to - from - foldedGap), time - start);
  const total = unfolded(times.at(-1)) || 1;
  return { scale: (time) => limited(unfolded(time) / total, 0, 1), gaps };
}

/** Intervals that represent a screen's engagement: from its start, as long as the engagement, without folded gaps. */
function engagedParts(screen, end, gaps) {
  const parts = [];
  let at = screen.entered_at, left = Math.min(screen.engagement_ms, end - at);
  for (const gap of [...gaps, { from: end, to: end }]) {
    if (gap.to <= at) continue;
    const part = Math.min(left, gap.from - at, end - at);
    if (part > 0) parts.push([at, at + part]);
    left -= Math.max(0, part);
    at = gap.to;
    if (left <= 0 || at >= end) break;
  }
  return parts;
}

/** @param phraseOf returns what an entry was about, in a few words; null without a phrase */
export function timelineElement(session, width, open, phraseOf) {
  const entries = session.timeline.slice(0, maxMarks);
  if (!entries.length) return make("p.hint", "The session has no events.");
  const screens = session.screens.slice(0, maxMarks);
  const names = [...new Set(screens.map((screen) => screen.name ?? "(no name)"))].slice(0, 30);
  const foreground = foregroundOf(entries, session.start, session.last);
  const stops = stopsOf(entries, foreground);
  /** A screen ends at the next one, and with its process. */
  const ends = screens.map(({ entered_at: entered }, index) => Math.min(screens[index + 1]?.entered_at ?? session.last, stops.find(({ from }) => from >= entered)?.from ?? Infinity));
  const times = [...entries.map((entry) => entry.timestamp), ...screens.map((screen) => screen.entered_at)].sort((a, b) => a - b);
  const { scale, gaps } = foldedScale(times);

  const isNarrow = width < 560;
  const gutter = isNarrow ? 8 : 132, right = 16, lane = 26, top = 30;
  /** In a narrow drawing, the name of a screen is above its bars. */
  const nameHeight = isNarrow ? 14 : 0;
  const marksTop = top + lane, screensTop = marksTop + 46;
  const screenTop = (row) => screensTop + row * (lane + nameHeight);
  const height = screenTop(Math.max(1, names.length)) + 26;
  const x = (time) => gutter + scale(time) * (width - gutter - right);
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "timeline", role: "group", "aria-label": `Timeline of ${entries.length} events` });
  const label = (text, y) => draw("text", { x: isNarrow ? gutter : gutter - 10, y, class: "lane-label", "text-anchor": isNarrow ? "start" : "end" }, draw("title", text), shortened(text, 18));

  // Gaps, behind everything else.
  for (const gap of [...gaps, ...stops.filter(({ from, to }) => to > from)]) {
    const [from, to] = [x(gap.from), x(gap.to)];
    const isStop = stops.includes(gap);
    svg.append(draw("rect", { x: from, y: top - 8, width: Math.max(1, to - from), height: height - top - 12, class: "gap" }, draw("title", `no ${isStop ? "process" : "event"} for ${span(gap.to - gap.from)}`)));
    if (!isStop) svg.append(draw("text", { x: (from + to) / 2, y: top - 13, class: "gap-label", "text-anchor": "middle" }, span(gap.to - gap.from)));
  }
  if (!isNarrow) svg.append(label("foreground", top + 12), label("events", marksTop + 22));
  const endTexts = { closed: "", crash: ", ended by a crash", lost: ", end unknown", open: ", not ended yet" };
  for (const { from, to, end } of foreground) {
    svg.append(draw("rect", { x: x(from), y: top + 2, width: Math.max(2, x(to) - x(from)), height: 12, rx: 3, class: end === "closed" || end === "crash" ? "front" : "front open" },
      draw("title", `foreground for ${span(to - from)}${endTexts[end]}`)));
  }
  for (const { timestamp } of entries.filter(({ name }) => name === crashName)) {
    svg.append(draw("line", { x1: x(timestamp), x2: x(timestamp), y1: top - 2, y2: height - 24, class: "crash-line" }));
  }

  // Screens: the bar is the time on screen, its filled part the engagement.
  screens.forEach((screen, index) => {
    const row = names.indexOf(screen.name ?? "(no name)");
    if (row < 0) return;
    const y = screenTop(row) + nameHeight;
    const [from, to] = [x(screen.entered_at), x(ends[index])];
    const stay = ends[index] - screen.entered_at;
    const full = Math.max(3, to - from);
    const engaged = engagedParts(screen, ends[index], gaps).map(([a, b]) => [x(a), Math.max(3, x(b) - x(a))]);
    const text = `${screen.name ?? "(no name)"}: ${span(stay)} on screen, engagement ${span(screen.engagement_ms)}`;
    svg.append(draw("g", { class: "screen", role: "img", "aria-label": brief(text) }, draw("title", brief(text)),
      draw("rect", { x: from, y: y + 3, width: full, height: 18, rx: 3, class: "stay" }),
      engaged.map(([at, width]) => draw("rect", { x: at, y: y + 3, width, height: 18, rx: 3, class: "engaged" })),
      full > 46 && (!engaged.length || engaged[0][1] > 46) && draw("text", { x: from + 6, y: y + 16, class: engaged.length ? "bar-label on" : "bar-label" }, span(screen.engagement_ms))));
  });
  names.forEach((name, row) => svg.append(label(name, screenTop(row) + (isNarrow ? 11 : 16))));

  // Events. Marks at the same place are stacked.
  const taken = new Map();
  for (const entry of entries) {
    const at = x(entry.timestamp);
    const column = Math.round(at / 9);
    const level = taken.get(column) ?? 0;
    taken.set(column, level + 1);
    const y = marksTop + 30 - Math.min(level, 4) * 9;
    const { severity } = entry;
    const isOurs = entry.name?.startsWith("_");
    const isCrash = entry.name === crashName;
    const phrase = phraseOf(entry);
    const text = `${entry.name ?? "(no name)"}${isCrash ? " (crash)" : ""} after ${span(entry.offset_ms)}${severity ? `, ${severityWords[severity]}` : ""}${phrase === null ? "" : `: ${phrase}`}`;
    const mark = isCrash ? draw("path", { d: `M${at - 5} ${y - 5}l10 10m0 -10l-10 10` }) : severity ? draw("path", { d: `M${at} ${y - 5.5}l${severity === "bad" ? "5.5 5.5l-5.5 5.5l-5.5 -5.5" : "5.5 10.5h-11"}z` }) : draw("circle", { cx: at, cy: y, r: isOurs ? 4 : 5 });
    svg.append(draw("g", {
      class: `event-mark ${isCrash ? "crash" : severity || (isOurs ? "ours" : "custom")} ${["_app_start", "_app_end"].includes(entry.name) ? "edge" : ""}`,
      role: "button", tabindex: -1, "aria-label": brief(text), onclick: () => open(entry),
    }, draw("title", brief(text)), draw("rect", { x: at - 7, y: y - 7, width: 14, height: 14, class: "target" }), mark));
  }
  // The axis.
  const first = entries[0].timestamp;
  let lastLabel = -Infinity;
  for (const entry of entries) {
    const at = x(entry.timestamp);
    if (at - lastLabel < 92 || at > width - 70) continue;
    lastLabel = at;
    svg.append(draw("line", { x1: at, x2: at, y1: height - 20, y2: height - 16, class: "tick" }),
      draw("text", { x: at, y: height - 5, class: "axis-label", "text-anchor": at < gutter + 20 ? "start" : "middle" }, offset(entry.timestamp - first)));
  }
  return [svg, session.timeline.length > maxMarks && make("p.hint", `First ${number(maxMarks)} of ${number(session.timeline.length)} events.`), legendElement(legend), entryList(entries, session.timeline.length, open, phraseOf)];
}

/** +4 s, or -2 s for an event before the start of its session. */
export const offset = (milliseconds) => `${milliseconds < 0 ? "" : "+"}${span(milliseconds)}`;

/** Swatches and texts of the legend. */
const legend = [
  ["front", "foreground"], ["stay", "time on screen"], ["engaged", "engagement"], ["custom", "event"], ["ours", "SDK event"], ["bad", "bad event"],
  ["warned", "event with warnings"], ["crash", "crash"], ["gap", "no event for over 1 min (folded), or no process"],
];

/** The events as a list: the accessible form of the marks. */
function entryList(entries, all, open, phraseOf) {
  return make("ol.entries", { "aria-label": "Events of the session" }, entries.slice(0, 500).map((entry) =>
    make("li", button([make("span.mono.muted", offset(entry.offset_ms)), make(`span.mono.${entry.name === crashName ? "bad" : entry.severity}`, entry.severity && `${severitySigns[entry.severity]} `, brief(entry.name ?? "(no name)", 60)), make("span.muted", [phraseOf(entry), entry.screen].filter(Boolean).map((text) => brief(text, 80)).join(" \u00b7 "))], () => open(entry)))),
    moreElement(all, 500, "li.muted", "more: use Show its events"));
}
