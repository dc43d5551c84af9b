// Screen flow: transitions between screens over the filtered sessions, as a graph from left to right and as a table.

import { draw, make } from "./Element.js";
import { groupsOf } from "./Groups.js";
import { scrollerElement, tableHead } from "./Parts.js";
import { count, linesOf, number, shortened } from "./Words.js";

/** Counts transitions. Consecutive views of one screen are none. */
function transitionsOf(events) {
  const seen = events.filter(({ name, screen }) => name === "_screen_view" && screen !== null);
  const sessions = [...Map.groupBy(seen, ({ app, session }) => `${app}\n${session}`).values()];
  for (const views of sessions) views.sort((a, b) => a.time - b.time || a.sequence - b.sequence);
  const steps = sessions.flatMap((views) => {
    const screens = views.map(({ screen }) => screen).filter((screen, index, all) => screen !== all[index - 1]);
    return [...screens, null].map((to, index) => ({ from: screens[index - 1] ?? null, to }));
  });
  return {
    sessions: sessions.length,
    views: new Map(groupsOf(sessions.flat(), ({ screen }) => screen).map((views) => [views[0].screen, views.length])),
    edges: groupsOf(steps, ({ from, to }) => JSON.stringify([from, to])).map((same) => ({ ...same[0], count: same.length })),
  };
}

const maxScreens = 24, maxTransitions = 200;

/** Point of a cubic curve at `t` in 0...1. */
function alongCurve(t, [a, b, c, d]) {
  const at = (axis) => (1 - t) ** 3 * a[axis] + 3 * (1 - t) ** 2 * t * b[axis] + 3 * (1 - t) * t ** 2 * c[axis] + t ** 3 * d[axis];
  return { x: at("x"), y: at("y") };
}

/** Parts of an edge at which its label is tried, the preferred one first. */
const labelPositions = [0.3, ...Array.from({ length: 46 }, (_, index) => 0.05 + index * 0.02)].sort((a, b) => Math.abs(a - 0.3) - Math.abs(b - 0.3));

/** Place of a label on a curve, the first where it covers no other rectangle; it is added to them. */
function labelPosition(curve, text, taken) {
  const width = 7 * text.length + 4, height = 16;
  const boxes = labelPositions.map((t) => alongCurve(t, curve)).map(({ x, y }) => ({ x: x - width / 2, y: y - height / 2, width, height }));
  const covered = (box) => taken.filter((other) => box.x < other.x + other.width && other.x < box.x + box.width && box.y < other.y + other.height && other.y < box.y + box.height);
  const box = boxes.find((box) => !covered(box).length) ?? boxes.find((box) => covered(box).every((other) => other.isLabel)) ?? boxes[0];
  taken.push({ ...box, isLabel: true });
  return { x: box.x + width / 2, y: box.y + height / 2 + 4 };
}

export function flowElement(events, width, actions) {
  const { sessions, views, edges } = transitionsOf(events);
  if (!views.size) return null;
  const names = [...views.keys()].slice(0, maxScreens);
  const shown = edges.filter((edge) => (edge.from === null || names.includes(edge.from)) && (edge.to === null || names.includes(edge.to)));

  // The column of a screen is the length of the shortest path to it; null is the start. Sessions that continue an earlier
  // one start at any screen: the most frequent start comes first, with the screens reachable from it.
  const column = new Map([[null, 0]]);
  const starts = shown.filter((edge) => edge.from === null && edge.to !== null);
  for (const { to } of starts) {
    if (column.has(to)) continue;
    column.set(to, 1);
    const reached = [to];
    for (const from of reached) {
      for (const edge of shown) if (edge.from === from && edge.to !== null && !column.has(edge.to)) { column.set(edge.to, column.get(from) + 1); reached.push(edge.to); }
    }
  }
  // Between those of the screens, the first column has the start, null, and the last one the end, undefined.
  const columns = [];
  for (const name of names) (columns[column.get(name) ?? 1] ??= []).push(name);
  columns[0] = [null];
  const last = columns.push([undefined]) - 1;

  const boxWidth = 148, boxHeight = 54, gap = 26;
  const plotWidth = Math.max(width - 8, (last + 1) * (boxWidth + 44));
  const rows = Math.max(...columns.map((list) => list?.length ?? 0));
  const height = rows * (boxHeight + gap) + 60;
  const step = (plotWidth - boxWidth - 24) / Math.max(1, last);
  const layout = new Map();
  columns.forEach((list, at) => list?.forEach((name, row) => layout.set(name, {
    x: 12 + at * step + (name === undefined ? boxWidth - 64 : 0), y: 24 + ((rows - list.length) / 2 + row) * (boxHeight + gap), width: typeof name === "string" ? boxWidth : 64,
  })));

  const svg = draw("svg", { viewBox: `0 0 ${plotWidth} ${height}`, width: plotWidth, height, class: "flow-graph", role: "img", "aria-label": `Screen flow: ${count(names.length, "screen")}, ${count(shown.length, "transition")}; see the table below` });
  svg.append(draw("defs", draw("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, markerUnits: "userSpaceOnUse", orient: "auto" }, draw("path", { d: "M0 0L8 4L0 8z", class: "arrow" }))));
  const heaviest = shown[0]?.count ?? 1;
  let back = 0;
  /** The four points of the curve between two boxes. */
  const curveOf = (a, b) => {
    const from = { x: a.x + a.width, y: a.y + boxHeight / 2 }, to = { x: b.x - 2, y: b.y + boxHeight / 2 };
    if (b.x > a.x + a.width) {
      // Above the screens between.
      const peak = b.x - a.x > step * 1.5 ? Math.min(from.y, to.y) - boxHeight / 2 - gap * 0.9 : null;
      const bend = peak === null ? (to.x - from.x) / 2 : 40;
      return [from, { x: from.x + bend, y: peak ?? from.y }, { x: to.x - bend, y: peak ?? to.y }, to];
    }
    if (b.x === a.x) {
      // To a screen of the same column, around its right side.
      const bulge = from.x + 34;
      return [from, { x: bulge, y: from.y }, { x: bulge, y: to.y }, { x: from.x + 2, y: to.y + (to.y > from.y ? -6 : 6) }];
    }
    const low = Math.max(a.y, b.y) + boxHeight + 26 + (back++ % 6) * 9;
    const start = { x: a.x + a.width * 0.65, y: a.y + boxHeight }, stop = { x: b.x + b.width * 0.35, y: b.y + boxHeight + 2 };
    return [start, { x: start.x, y: low }, { x: stop.x, y: low }, stop];
  };
  const labels = [];
  const taken = [...layout.values()].map((box) => ({ ...box, height: boxHeight }));
  for (const edge of shown) {
    const a = layout.get(edge.from), b = layout.get(edge.to ?? undefined);
    const thickness = 1 + 3.5 * Math.sqrt(edge.count / heaviest);
    const curve = curveOf(a, b);
    const [from, ...others] = curve.map(({ x, y }) => `${x} ${y}`);
    svg.append(draw("path", { d: `M${from}C${others.join(" ")}`, class: edge.from === null || edge.to === null ? "edge quiet" : "edge", "stroke-width": thickness, "marker-end": "url(#arrow)" },
      draw("title", `${edge.from ?? "start"} to ${edge.to ?? "end"}: ${number(edge.count)}`)));
    labels.push(draw("text", { ...labelPosition(curve, number(edge.count), taken), class: "edge-label", "text-anchor": "middle" }, number(edge.count)));
  }
  for (const [name, { x, y, width: boxWide }] of layout) {
    const isScreen = typeof name === "string";
    const lines = isScreen ? linesOf(name, 17) : [name === null ? "start" : "end"];
    const top = boxHeight / 2 + 4 - 7 * (lines.length - (isScreen ? 0 : 1));
    svg.append(draw("g", { class: isScreen ? "node" : "node quiet", onclick: isScreen ? () => actions.filter({ text: name, name: "_screen_view" }) : null },
      isScreen && draw("title", `${name}: ${count(views.get(name), "view")}`),
      draw("rect", { x, y, width: boxWide, height: boxHeight, rx: 6 }),
      lines.map((line, index) => draw("text", { x: x + boxWide / 2, y: y + top + index * 14, "text-anchor": "middle", class: "node-name" }, line)),
      isScreen && draw("text", { x: x + boxWide / 2, y: y + top + lines.length * 14 + 1, "text-anchor": "middle" }, count(views.get(name), "view"))));
  }
  svg.append(...labels);

  return [
    make("p.hint", `${count(sessions, "session")}, ${count(views.size, "screen")}${views.size > maxScreens ? ` (the graph has the ${maxScreens} most viewed)` : ""}. Thicker lines are more frequent.`),
    scrollerElement("Graph of the screen flow", svg),
    make("table.plain", make("caption", "Transitions"),
      tableHead(["from", "to", "count"]),
      make("tbody", edges.slice(0, maxTransitions).map((edge) => make("tr", [edge.from ?? "start", edge.to ?? "end"].map((name) => make("td", { title: name }, shortened(name, 60))), make("td.number", number(edge.count)))),
        edges.length > maxTransitions && make("tr", make("td.muted", { colspan: 3 }, `\u2026 and ${number(edges.length - maxTransitions)} more`)))),
  ];
}
