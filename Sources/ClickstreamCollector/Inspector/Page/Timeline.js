// A session drawn: when the app was in front, screens as bars with their engagement, events as marks. Times without
// events are folded, so that a call of four minutes does not press the rest together.

const fold = 60000;
const mostMarks = 2000;

/** Maps time to 0 to 1: a wait longer than a minute takes the room of a sixth of one, and is told as a gap. */
function foldedScale(times) {
  const points = [{ time: times[0], at: 0 }];
  const gaps = [];
  for (const time of times) {
    const last = points.at(-1);
    const passed = time - last.time;
    if (passed <= 0) continue;
    points.push({ time, at: last.at + (passed > fold ? 10000 : passed) });
    if (passed > fold) gaps.push({ from: last.time, to: time });
  }
  const total = points.at(-1).at || 1;
  const scale = (time) => {
    let low = 0, high = points.length - 1;
    while (low < high - 1) {
      const middle = (low + high) >> 1;
      if (points[middle].time <= time) low = middle;
      else high = middle;
    }
    const [a, b] = [points[low], points[high]];
    if (a === b || b.time === a.time) return a.at / total;
    return Math.min(1, Math.max(0, (a.at + ((time - a.time) / (b.time - a.time)) * (b.at - a.at)) / total));
  };
  return { scale, gaps };
}

/** Where a screen's engagement is drawn: from its start on, as long as it lasted, past what is folded. */
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

function timelineElement(session, width, open) {
  const entries = session.timeline.slice(0, mostMarks);
  if (!entries.length) return make("p.hint", "This session has no events.");
  const screens = session.screens.slice(0, mostMarks);
  const names = [...new Set(screens.map((screen) => screen.name ?? "(no name)"))].slice(0, 30);
  const ends = screens.map((screen, index) => screens[index + 1]?.entered_at ?? session.last);
  const times = [...entries.map((entry) => entry.timestamp), ...screens.map((screen) => screen.entered_at)].sort((a, b) => a - b);
  const { scale, gaps } = foldedScale(times);

  const gutter = width < 560 ? 8 : 132, right = 16, lane = 26, top = 30;
  const marksTop = top + lane, screensTop = marksTop + 46;
  const height = screensTop + Math.max(1, names.length) * (lane + (gutter < 20 ? 14 : 0)) + 26;
  const x = (time) => gutter + scale(time) * (width - gutter - right);
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "timeline", role: "group", "aria-label": `Timeline of ${entries.length} events` });
  const label = (text, y, kind = "lane-label") => draw("text", { x: gutter < 20 ? gutter : gutter - 10, y, class: kind, "text-anchor": gutter < 20 ? "start" : "end" }, brief(text, 18));

  // Gaps behind everything.
  for (const gap of gaps) {
    const [from, to] = [x(gap.from), x(gap.to)];
    svg.append(draw("rect", { x: from, y: top - 8, width: Math.max(1, to - from), height: height - top - 12, class: "gap" }, draw("title", `nothing for ${span(gap.to - gap.from)}`)));
    svg.append(draw("text", { x: (from + to) / 2, y: top - 13, class: "gap-label", "text-anchor": "middle" }, span(gap.to - gap.from)));
  }
  // When the app was in front.
  if (gutter > 20) svg.append(label("in front", top + 12), label("events", marksTop + 22));
  let began = null;
  const front = (from, to, isOpen) => svg.append(draw("rect", { x: x(from), y: top + 2, width: Math.max(2, x(to) - x(from)), height: 12, rx: 3, class: isOpen ? "front open" : "front" },
    draw("title", `in front for ${span(to - from)}`)));
  for (const entry of entries) {
    if (entry.name === "_app_start") began ??= entry.timestamp;
    if (entry.name === "_app_end") { front(began ?? session.start, entry.timestamp, false); began = null; }
  }
  if (began !== null) front(began, session.last, true);

  // Screens: the outline is the stay, what is filled is the engagement.
  screens.forEach((screen, index) => {
    const row = names.indexOf(screen.name ?? "(no name)");
    if (row < 0) return;
    const step = lane + (gutter < 20 ? 14 : 0);
    const y = screensTop + row * step + (gutter < 20 ? 14 : 0);
    const [from, to] = [x(screen.entered_at), x(ends[index])];
    const stay = ends[index] - screen.entered_at;
    const full = Math.max(3, to - from);
    const engaged = engagedParts(screen, ends[index], gaps).map(([a, b]) => [x(a), Math.max(3, x(b) - x(a))]);
    const told = `${screen.name ?? "(no name)"}: ${span(stay)}, engaged for ${span(screen.engagement_ms)}`;
    svg.append(draw("g", { class: "screen", role: "img", "aria-label": brief(told) }, draw("title", told),
      draw("rect", { x: from, y: y + 3, width: full, height: 18, rx: 3, class: "stay" }),
      engaged.map(([at, width]) => draw("rect", { x: at, y: y + 3, width, height: 18, rx: 3, class: "engaged" })),
      full > 46 && (!engaged.length || engaged[0][1] > 46) && draw("text", { x: from + 6, y: y + 16, class: engaged.length ? "bar-label on" : "bar-label" }, span(screen.engagement_ms))));
  });
  names.forEach((name, row) => svg.append(label(name, screensTop + row * (lane + (gutter < 20 ? 14 : 0)) + (gutter < 20 ? 11 : 16))));

  // Events: those at the same place stand above each other.
  const taken = new Map();
  for (const entry of entries) {
    const at = x(entry.timestamp);
    const column = Math.round(at / 9);
    const level = taken.get(column) ?? 0;
    taken.set(column, level + 1);
    const y = marksTop + 30 - Math.min(level, 4) * 9;
    const isBad = entry.status === "bad";
    const isOurs = entry.name?.startsWith("_");
    const told = `${entry.name ?? "(no name)"} after ${span(entry.offset_ms)}${isBad ? ", bad" : ""}`;
    const mark = isBad ? draw("path", { d: `M${at} ${y - 5.5}l5.5 5.5l-5.5 5.5l-5.5 -5.5z` }) : draw("circle", { cx: at, cy: y, r: isOurs ? 4 : 5 });
    const group = draw("g", {
      class: `event-mark ${isBad ? "bad" : isOurs ? "ours" : "custom"} ${["_app_start", "_app_end"].includes(entry.name) ? "edge" : ""}`,
      role: "button", tabindex: -1, "aria-label": brief(told), onclick: () => open(entry),
    }, draw("title", told), mark);
    svg.append(group);
  }
  // The axis.
  const first = entries[0].timestamp;
  let lastLabel = -Infinity;
  for (const entry of entries) {
    const at = x(entry.timestamp);
    if (at - lastLabel < 92 || at > width - 70) continue;
    lastLabel = at;
    svg.append(draw("line", { x1: at, x2: at, y1: height - 20, y2: height - 16, class: "tick" }),
      draw("text", { x: at, y: height - 5, class: "axis-label", "text-anchor": at < gutter + 20 ? "start" : "middle" }, `+${span(entry.timestamp - first)}`));
  }
  return [svg, legend(), entryList(entries, session.timeline.length, open)];
}

const legend = () => make("ul.legend", { "aria-label": "Legend" },
  [["stay", "stay on a screen"], ["engaged", "engagement"], ["front", "in front"], ["custom", "event"], ["ours", "the SDK's event"], ["bad", "bad event"], ["gap", "nothing for over a minute, folded"]]
    .map(([kind, text]) => make("li", make(`span.swatch.${kind}`), text)));

/** The same in words: what the marks say to who does not see them, and to the keyboard. */
function entryList(entries, all, open) {
  return make("ol.entries", { "aria-label": "Events of the session" }, entries.slice(0, 500).map((entry) =>
    make("li", button([make("span.mono.muted", `+${span(entry.offset_ms)}`), make(entry.status === "bad" ? "span.mono.bad" : "span.mono", brief(entry.name ?? "(no name)", 60)), make("span.muted", brief(entry.screen ?? "", 40))], () => open(entry)))),
    all > 500 && make("li.muted", `\u2026 and ${number(all - 500)} more`));
}
