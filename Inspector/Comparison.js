// Comparison of two events, path by path. Equal paths are hidden by default.

import { button, make, notify, put } from "./Element.js";
import { readAtOnce } from "./EventPanel.js";
import { flatten } from "./JSONText.js";
import { panelHead, tableHead } from "./Parts.js";
import { brief, clock, count, number } from "./Words.js";

export class Comparison {
  constructor(host, actions) {
    this.host = host;
    this.actions = actions;
    this.showsAll = false;
  }

  /** Compares the whole texts; those of very large events as far as the excerpts go. */
  async show(left, right) {
    this.pair = [left, right];
    this.draw(left, right, left, right);
    const read = (event) => (event.wholeBytes !== null && event.wholeBytes <= readAtOnce ? event.whole() : event);
    try {
      const whole = await Promise.all([read(left), read(right)]);
      if (this.pair?.[0] === left && this.pair[1] === right) this.draw(left, right, ...whole);
    } catch (error) {
      notify(`The events could not be read: ${error.message}`);
    }
  }

  /** Compares no events any more. The element is free for other content. */
  leave() {
    this.pair = null;
  }

  /** @param leftSource, rightSource the same events, with their whole texts where they are known */
  draw(left, right, leftSource, rightSource) {
    const [a, b] = [flatten(leftSource.json), flatten(rightSource.json)];
    // Paths of the right event are placed where they would be in the left one.
    const onlyRight = new Map([[null, []]]);
    let after = null;
    for (const path of b.keys()) {
      if (!a.has(path)) onlyRight.get(after).push(path);
      else if (!onlyRight.has(after = path)) onlyRight.set(path, []);
    }
    const paths = [...onlyRight.get(null), ...[...a.keys()].flatMap((path) => [path, ...(onlyRight.get(path) ?? [])])];
    const starts = new Map([a, b].map((map) => [map, containers(map)]));
    const differing = paths.filter((path) => a.get(path) !== b.get(path));
    const rows = (this.showsAll ? paths : differing).slice(0, 3000);
    const cell = (map, path, other) => {
      // Empty in the other event, a container with paths of its own in this one.
      const container = starts.get(map).has(`${path}.`) ? "{\u2026}" : starts.get(map).has(`${path}[`) ? "[\u2026]" : undefined;
      const value = map.get(path) ?? container;
      if (value === undefined) return make("td.absent", "absent");
      return make(value === other.get(path) ? "td.mono" : "td.mono.differs", brief(value, 400));
    };
    put(this.host,
      panelHead("Comparison",
        make("span.muted", `${count(differing.length, "difference")} in ${count(paths.length, "path")}${leftSource.wholeBytes ?? rightSource.wholeBytes ? ", excerpts only" : ""}`),
        [make("label.check", make("input", { type: "checkbox", checked: this.showsAll, onchange: (event) => { this.showsAll = event.target.checked; this.show(left, right); } }), "show equal"),
          button("Swap", () => this.show(right, left))], this.actions.close),
      rows.length < (this.showsAll ? paths : differing).length && make("p.hint", `First ${number(rows.length)} paths.`),
      make("table.diff",
        tableHead(["path", ...[left, right].map((event) => [make("span.mono", brief(event.title, 60)), make("br"), make("span.muted", clock(event.time))])]),
        make("tbody", rows.length
          ? rows.map((path) => make("tr", make("th.mono", { scope: "row" }, brief(path, 120)), cell(a, path, b), cell(b, path, a)))
          : make("tr", make("td", { colspan: 3 }, "The events are equal.")))));
  }
}

/** Prefixes of the paths up to each point and bracket. */
const containers = (map) => new Set([...map.keys()].flatMap((path) => [...path.matchAll(/[.[]/g)].map(({ index }) => path.slice(0, index + 1))));
