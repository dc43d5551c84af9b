// Two events side by side, path by path. What differs comes first in the eye: equal paths are hidden until asked for.

class Comparison {
  constructor(host, actions) {
    this.host = host;
    this.actions = actions;
    this.showsAll = false;
  }

  show(left, right) {
    const [a, b] = [flatten(left.json), flatten(right.json)];
    // The paths of the right one stand where they would in the left one.
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
      const value = map.get(path);
      // Empty there, and here with paths of its own.
      if (value === undefined && starts.get(map).has(`${path}.`)) return make("td.mono.differs", "{\u2026}");
      if (value === undefined && starts.get(map).has(`${path}[`)) return make("td.mono.differs", "[\u2026]");
      if (value === undefined) return make("td.absent", "absent");
      return make(value === other.get(path) ? "td.mono" : "td.mono.differs", brief(value, 400));
    };
    put(this.host,
      make("div.panel-head", make("h2", "Comparison"),
        make("span.muted", `${count(differing.length, "difference")} in ${number(paths.length)} paths`),
        make("div.actions",
          make("label.check", make("input", { type: "checkbox", checked: this.showsAll, onchange: (event) => { this.showsAll = event.target.checked; this.show(left, right); } }), "equal too"),
          button("Swap", () => this.show(right, left)),
          button("Close", this.actions.close, { title: "Close (Esc)" }))),
      make("table.diff",
        make("thead", make("tr", make("th", { scope: "col" }, "path"), [left, right].map((event) =>
          make("th", { scope: "col" }, make("span.mono", brief(event.title, 60)), make("br"), make("span.muted", clock(event.time)))))),
        make("tbody", rows.length
          ? rows.map((path) => make("tr", make("th.mono", { scope: "row" }, brief(path, 120)), cell(a, path, b), cell(b, path, a)))
          : make("tr", make("td", { colspan: 3 }, "The two are the same.")))));
    this.host.hidden = false;
  }
}

/** What the paths begin with, up to each point and bracket. */
const containers = (map) => {
  const starts = new Set();
  for (const path of map.keys()) {
    for (let end = 0; end < path.length; end++) if (path[end] === "." || path[end] === "[") starts.add(path.slice(0, end + 1));
  }
  return starts;
};
