// Tree of the target paths of touch gestures, with the number of gestures on each view and below it.

import { button, make } from "./Element.js";
import { groupsOf } from "./Groups.js";
import { limited } from "./PageOutline.js";
import { brief, count, number } from "./Words.js";

/** Components of a target path: "[root]>A:eq(0)>B[tg:4]". A ">" within brackets or the parameters of a generic class is no separator. */
export function componentsOf(path) {
  const parts = [];
  let start = 0, brackets = 0, generics = 0;
  for (let at = 0; at < path.length; at++) {
    const c = path[at];
    if (c === "[") brackets++;
    else if (c === "]") brackets = Math.max(0, brackets - 1);
    else if (brackets) continue;
    else if (c === "<") generics++;
    else if (c === ">" && generics) generics--;
    else if (c === ">") { parts.push(path.slice(start, at)); start = at + 1; }
  }
  if (start < path.length || !parts.length) parts.push(path.slice(start));
  return parts;
}

const maxTargets = 60, deepestTarget = 60;

/** Components that the tree shows: the last one stands for those that are too deep. */
function shownComponents(path) {
  const parts = componentsOf(path);
  return parts.length > deepestTarget ? [...parts.slice(0, deepestTarget - 1), parts.at(-1)] : parts;
}

/**
 * Nodes as { label, path, events, children }, those with the most gestures first. A node without gestures of its own and with one
 * child is joined with it.
 *
 * @param touched gestures as { event, parts } with the same first `depth` components
 */
function nodesOf(touched, depth = 0) {
  const groups = groupsOf(touched.filter(({ parts }) => parts.length > depth), ({ parts }) => parts[depth]);
  return groups.map((same) => {
    const [{ parts: first }] = same;
    let end = depth + 1;
    while (same.every(({ parts }) => parts.length > end && parts[end] === first[end])) end++;
    return { label: first.slice(depth, end).join(" > "), path: first.slice(0, end).join(">"), events: same.map(({ event }) => event), children: nodesOf(same, end) };
  });
}

/** Number of each kind of gesture: "3 taps, 1 flick". */
const kindsText = (events) =>
  [...Map.groupBy(events, ({ mark, entry }) => mark?.kind ?? entry?.kind ?? "gesture")]
    .map(([kind, { length }]) => (length > 1 && kind === "long press" ? `${number(length)} long presses` : count(length, kind))).join(", ");

/** @param events gestures with a target  @param options `choose(node)`; `register(event, element)` for the deepest node of each event */
export function targetTreeElement(events, options) {
  if (!events.length) return null;
  let rows = 0, omitted = 0;
  const listOfNodes = (nodes, depth) => {
    const items = nodes.map((node) => {
      if (rows >= maxTargets) { omitted++; return null; }
      rows++;
      const share = make("span.share", { style: { width: `${limited((node.events.length / events.length) * 56, 3, 56)}px` } });
      const own = button([make("span.target-name.mono", brief(node.label, 200)), share, make("span.number", number(node.events.length))],
        () => options.choose(node), { class: "target-node", title: `${brief(node.path, 400)}: ${kindsText(node.events)}. Filter by this target.` });
      for (const event of node.events) options.register(event, own);
      return make("li", own, node.children.length > 0 && listOfNodes(node.children, depth + 1));
    });
    return make(depth ? "ul" : "ul.target-tree", items);
  };
  const list = listOfNodes(nodesOf(events.map((event) => ({ event, parts: shownComponents(event.target) }))), 0);
  return [list, omitted > 0 && make("p.muted", `\u2026 and ${count(omitted, "more target")}`)];
}
