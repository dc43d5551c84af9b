// Tree of the target paths of touch gestures, with the number of gestures on each view and below it.

import { make } from "./Element.js";
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

const mostTargets = 60, deepestTarget = 60;

/** Nodes as { label, path, events, children }; a node without gestures of its own and with one child is joined with it. */
function targetTree(events) {
  const root = { label: "", path: "", events: [], own: 0, children: new Map() };
  for (const event of events) {
    if (!event.target) continue;
    let node = root;
    const parts = componentsOf(event.target);
    const shown = parts.length > deepestTarget ? [...parts.slice(0, deepestTarget - 1), parts.at(-1)] : parts;
    let path = "";
    for (const part of shown) {
      path = path === "" ? part : `${path}>${part}`;
      let child = node.children.get(part);
      if (!child) node.children.set(part, (child = { label: part, path, events: [], own: 0, children: new Map() }));
      child.events.push(event);
      node = child;
    }
    node.own++;
  }
  const join = (node) => {
    let at = node;
    while (at.own === 0 && at.children.size === 1) {
      const [child] = at.children.values();
      at = { ...child, label: at.label === "" ? child.label : `${at.label} > ${child.label}` };
    }
    return { label: at.label, path: at.path, events: at.events, children: [...at.children.values()].map(join).sort((a, b) => b.events.length - a.events.length) };
  };
  return [...root.children.values()].map(join).sort((a, b) => b.events.length - a.events.length);
}

/** Number of each kind of gesture: "3 taps, 1 flick". */
function kindsText(events) {
  const kinds = new Map();
  for (const event of events) {
    const kind = event.mark?.kind ?? event.entry?.kind ?? "gesture";
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  return [...kinds].map(([kind, n]) => (n > 1 && kind === "long press" ? `${number(n)} long presses` : count(n, kind))).join(", ");
}

/** @param options `choose(node)`; `register(event, element)` for the deepest node of each event */
export function targetTreeElement(events, options) {
  const tree = targetTree(events);
  if (!tree.length) return null;
  const most = tree.reduce((sum, node) => sum + node.events.length, 0);
  let rows = 0, omitted = 0;
  const listOfNodes = (nodes, depth) => {
    const items = nodes.map((node) => {
      if (rows >= mostTargets) { omitted++; return null; }
      rows++;
      const own = make("button.target-node", { type: "button", onclick: () => options.choose(node), title: `${brief(node.path, 400)}: ${kindsText(node.events)}. Filter by this target.` },
        make("span.target-name.mono", brief(node.label, 200)), make("span.share", { style: { width: `${limited((node.events.length / most) * 56, 3, 56)}px` } }), make("span.number", number(node.events.length)));
      for (const event of node.events) options.register(event, own);
      return make("li", own, node.children.length > 0 && listOfNodes(node.children, depth + 1));
    });
    return make(depth ? "ul" : "ul.target-tree", items);
  };
  const list = listOfNodes(tree, 0);
  return [list, omitted > 0 && make("p.muted", `\u2026 and ${count(omitted, "more target")}`)];
}
