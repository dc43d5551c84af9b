// Screen flow: transitions between screens over the filtered sessions, as a graph from left to right and as a table.

import { draw, make } from "./Element.js";
import { brief, count, number } from "./Words.js";

/** Counts transitions. Consecutive views of one screen are none. */
function transitionsOf(events) {
  const sessions = new Map();
  for (const event of events) {
    if (event.name !== "_screen_view" || event.screen === null) continue;
    const key = `${event.app}\n${event.session}`;
    if (!sessions.has(key)) sessions.set(key, []);
    sessions.get(key).push(event);
  }
  const views = new Map(), edges = new Map();
  const addEdge = (from, to) => {
    const key = JSON.stringify([from, to]);
    if (!edges.has(key)) edges.set(key, { from, to, count: 0 });
    edges.get(key).count++;
  };
  for (const list of sessions.values()) {
    list.sort((a, b) => a.time - b.time || a.place - b.place);
    let last = null;
    for (const { screen } of list) {
      views.set(screen, (views.get(screen) ?? 0) + 1);
      if (screen === last) continue;
      addEdge(last, screen);
      last = screen;
    }
    addEdge(last, null);
  }
  return { sessions: sessions.size, views, edges: [...edges.values()].sort((a, b) => b.count - a.count) };
}

const mostScreens = 24, mostTransitions = 200;

/** Point of a cubic curve at `t` in 0...1. */
function alongCurve(t, a, b, c, d) {
  const at = (axis) => (1 - t) ** 3 * a[axis] + 3 * (1 - t) ** 2 * t * b[axis] + 3 * (1 - t) * t ** 2 * c[axis] + t ** 3 * d[axis];
  return { x: at("x"), y: at("y") };
}

export function flowElement(events, width, actions) {
  const { sessions, views, edges } = transitionsOf(events);
  if (!views.size) return null;
  const names = [...views].sort((a, b) => b[1] - a[1]).slice(0, mostScreens).map(([name]) => name);
  const shown = edges.filter((edge) => (edge.from === null || names.includes(edge.from)) && (edge.to === null || names.includes(edge.to)));

  // The column of a screen is the length of the shortest path to it; null is the start. Sessions that continue an earlier
  // one start at any screen: the most frequent start comes first, with the screens reachable from it.
  const column = new Map([[null, 0]]);
  const starts = shown.filter((edge) => edge.from === null && edge.to !== null);
  for (const { to } of starts) {
    if (column.has(to)) continue;
    column.set(to, 1);
    for (let queue = [to]; queue.length; ) {
      const from = queue.shift();
      for (const edge of shown) if (edge.from === from && edge.to !== null && !column.has(edge.to)) { column.set(edge.to, column.get(from) + 1); queue.push(edge.to); }
    }
  }
  const columns = [];
  for (const name of names) (columns[column.get(name) ?? 1] ??= []).push(name);
  columns[0] = [null];
  const last = columns.length;

  const boxWidth = 128, boxHeight = 40, gap = 26;
  const plotWidth = Math.max(width - 8, (last + 1) * (boxWidth + 44));
  const rows = Math.max(...columns.map((list) => list?.length ?? 0));
  const height = rows * (boxHeight + gap) + 60;
  const step = (plotWidth - boxWidth - 24) / Math.max(1, last);
  const place = new Map();
  columns.forEach((list, at) => list?.forEach((name, row) => place.set(name, {
    x: 12 + at * step, y: 24 + ((rows - list.length) / 2 + row) * (boxHeight + gap), width: name === null ? 64 : boxWidth,
  })));
  const end = { x: 12 + last * step + boxWidth - 64, y: 24 + ((rows - 1) / 2) * (boxHeight + gap), width: 64 };

  const svg = draw("svg", { viewBox: `0 0 ${plotWidth} ${height}`, width: plotWidth, height, class: "flow-graph", role: "img", "aria-label": `Screen flow: ${count(names.length, "screen")}, ${count(shown.length, "transition")}; see the table below` });
  svg.append(draw("defs", draw("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, markerUnits: "userSpaceOnUse", orient: "auto" }, draw("path", { d: "M0 0L8 4L0 8z", class: "arrow" }))));
  const heaviest = shown[0]?.count ?? 1;
  let back = 0;
  const labels = [];
  for (const edge of shown) {
    const a = place.get(edge.from), b = edge.to === null ? end : place.get(edge.to);
    const from = { x: a.x + a.width, y: a.y + boxHeight / 2 }, to = { x: b.x, y: b.y + boxHeight / 2 };
    const thickness = 1 + 3.5 * Math.sqrt(edge.count / heaviest);
    let d, middle;
    if (b.x > a.x + a.width) {
      const bend = (to.x - from.x) / 2;
      d = `M${from.x} ${from.y}C${from.x + bend} ${from.y} ${to.x - bend} ${to.y} ${to.x - 2} ${to.y}`;
      middle = alongCurve(0.3, from, { x: from.x + bend, y: from.y }, { x: to.x - bend, y: to.y }, to);
      if (b.x - a.x > step * 1.5) {
        // Above the screens between.
        const peak = Math.min(from.y, to.y) - boxHeight / 2 - gap * 0.9;
        d = `M${from.x} ${from.y}C${from.x + 40} ${peak} ${to.x - 40} ${peak} ${to.x - 2} ${to.y}`;
        middle = alongCurve(0.3, from, { x: from.x + 40, y: peak }, { x: to.x - 40, y: peak }, to);
      }
    } else if (b.x === a.x) {
      // To a screen of the same column, around its right side.
      const bulge = from.x + 34;
      d = `M${from.x} ${from.y}C${bulge} ${from.y} ${bulge} ${to.y} ${from.x + 2} ${to.y + (to.y > from.y ? -6 : 6)}`;
      middle = { x: from.x + 25, y: (from.y + to.y) / 2 };
    } else {
      const low = Math.max(a.y, b.y) + boxHeight + 14 + (back++ % 6) * 9;
      const start = { x: a.x + a.width * 0.65, y: a.y + boxHeight }, stop = { x: b.x + b.width * 0.35, y: b.y + boxHeight + 2 };
      d = `M${start.x} ${start.y}C${start.x} ${low + 12} ${stop.x} ${low + 12} ${stop.x} ${stop.y}`;
      middle = { x: (start.x + stop.x) / 2, y: low * 0.75 + ((start.y + stop.y) / 2) * 0.25 + 9 };
    }
    svg.append(draw("path", { d, class: edge.from === null || edge.to === null ? "edge quiet" : "edge", "stroke-width": thickness, "marker-end": "url(#arrow)" },
      draw("title", `${brief(edge.from ?? "start", 120)} to ${brief(edge.to ?? "end", 120)}: ${number(edge.count)}`)));
    labels.push(draw("text", { x: middle.x, y: middle.y + 4, class: "edge-label", "text-anchor": "middle" }, number(edge.count)));
  }
  const box = (name, { x, y, width: boxWide }) => {
    const isScreen = typeof name === "string";
    const group = draw("g", { class: isScreen ? "node" : "node quiet", onclick: isScreen ? () => actions.filter({ text: name, name: "_screen_view" }) : null },
      isScreen && draw("title", `${brief(name, 120)}: ${count(views.get(name), "view")}`),
      draw("rect", { x, y, width: boxWide, height: boxHeight, rx: 6 }),
      draw("text", { x: x + boxWide / 2, y: y + (isScreen ? 17 : 24), "text-anchor": "middle", class: "node-name" }, isScreen ? brief(name, 17) : name === null ? "start" : "end"),
      isScreen && draw("text", { x: x + boxWide / 2, y: y + 32, "text-anchor": "middle", class: "node-count" }, count(views.get(name), "view")));
    svg.append(group);
  };
  for (const [name, at] of place) box(name, at);
  box(undefined, end);
  svg.append(...labels);

  return [
    make("p.hint", `${count(sessions, "session")}, ${count(views.size, "screen")}${views.size > mostScreens ? ` (the graph has the ${mostScreens} most viewed)` : ""}. Thicker lines are more frequent.`),
    make("div.scroller", { tabindex: 0, role: "region", "aria-label": "Graph of the screen flow" }, svg),
    make("table.plain", make("caption", "Transitions"),
      make("thead", make("tr", ["from", "to", "count"].map((head) => make("th", { scope: "col" }, head)))),
      make("tbody", edges.slice(0, mostTransitions).map((edge) => make("tr", make("td", brief(edge.from ?? "start", 60)), make("td", brief(edge.to ?? "end", 60)), make("td.number", number(edge.count)))),
        edges.length > mostTransitions && make("tr", make("td.muted", { colspan: 3 }, `\u2026 and ${number(edges.length - mostTransitions)} more`)))),
  ];
}
