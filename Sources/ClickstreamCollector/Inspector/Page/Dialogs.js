// The dialogs: help, faults, and the question before the store is emptied.

function openDialog(title, content, actions = []) {
  const dialog = $("dialog");
  dialog.setAttribute("aria-label", title);
  put(dialog, make("form", { method: "dialog" },
    make("h2", title), content,
    make("div.dialog-actions", button("Close", closeDialog), actions)));
  if (!dialog.open) dialog.showModal();
}

const closeDialog = () => $("dialog").close();

async function post(path, body) {
  const response = await fetch(path, { method: "POST", body, headers: body ? { "Content-Type": "application/json" } : {} });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

function resetDialog(summary) {
  openDialog("Empty the store?", [
    make("p", `${count(summary?.events ?? 0, "event")} and ${count(summary?.requests ?? 0, "request")} are removed from the collector's store. This cannot be undone.`),
  ], [button("Empty the store", async () => {
    try {
      await post("/api/reset");
      closeDialog();
      notify("The store is empty.");
    } catch (error) {
      notify(`Not emptied: ${error.message}`);
    }
  }, { class: "danger", id: "reset-confirm" })]);
}

const keys = [
  ["j k, arrows", "next, previous event"], ["g G", "first, last"], ["/", "search"], ["p", "pause, go on"], ["b", "bad ones only, all"],
  ["c", "compare this event with another"], ["s", "timeline of its session"], ["1 2 3 4", "events, sessions, screens, requests"],
  ["x", "export"], ["f", "faults"], ["t", "theme"], ["Esc", "close, then clear the filters"], ["?", "this"],
];

const helpDialog = () => openDialog("Keys", make("dl.keys", keys.map(([key, text]) => [make("dt", key.split(/(?=, )| /).map((part) => part.startsWith(", ") ? part : make("kbd", part))), make("dd", text)])));

const presets = [
  ["503, three of ten", { status: 503, rate: 0.3 }], ["503, all", { status: 503 }], ["429, come back in 5 s", { status: 429, retry_after: 5 }],
  ["403, all", { status: 403 }], ["connection reset", { reset: "after" }], ["stored, no answer", { kind: "no-reply" }],
  ["answer cut off", { truncate: true }], ["delivered twice", { kind: "twice" }], ["500 ms late", { latency: 500 }],
];

const told = (fault) =>
  `${fault.status ? `status ${fault.status}${fault.retry_after ? `, Retry-After ${fault.retry_after}` : ""}` : fault.latency ? `${fault.latency} ms late` : fault.kind}`
  + `${fault.rate < 1 ? `, ${Math.round(fault.rate * 100)} % of the requests` : ""}${fault.times ? `, ${fault.times} times` : ""}`;

class Faults {
  constructor(changed) {
    this.active = [];
    this.changed = changed;
  }

  async read() {
    const response = await fetch("/api/faults", { cache: "no-store" });
    if (response.ok) this.take((await response.json()).faults);
  }

  take(active) {
    this.active = active;
    this.changed(active);
  }

  /** The list without what the collector counts, as it takes it. */
  get given() {
    return this.active.map(({ struck, ...fault }) => fault);
  }

  async set(faults) {
    try {
      this.take((await post("/api/faults", JSON.stringify(faults))).faults);
      this.draw();
    } catch (error) {
      notify(error.message);
    }
  }

  async open() {
    // Whether the counts are current matters less than that the dialog opens.
    await this.read().catch(() => {});
    this.draw();
  }

  draw() {
    const status = make("input", { type: "number", min: 200, max: 599, value: 503, "aria-label": "Status" });
    const rate = make("input", { type: "number", min: 1, max: 100, value: 100, "aria-label": "Percent of the requests" });
    const times = make("input", { type: "number", min: 1, placeholder: "no end", "aria-label": "How many times" });
    openDialog("Faults", [
      make("p.muted", "What goes wrong on purpose when events arrive, to see what an app's delivery makes of it. Only requests that would have been taken are struck."),
      this.active.length
        ? make("ul.faults", this.active.map((fault, index) => make("li", make("span", told(fault)), make("span.muted", `struck ${number(fault.struck)}`),
          button("End", () => this.set(this.given.toSpliced(index, 1)), { "aria-label": `End ${told(fault)}` }))))
        : make("p", { id: "no-faults" }, "Nothing goes wrong on purpose now."),
      make("h3", "Add"),
      make("div.presets", presets.map(([label, fault]) => button(label, () => this.set([...this.given, fault])))),
      make("div.custom-fault", make("label", "status ", status), make("label", "percent ", rate), make("label", "times ", times),
        button("Add", () => this.set([...this.given, { status: Number(status.value), rate: Number(rate.value) / 100, ...(times.value && { times: Number(times.value) }) }]))),
    ], [this.active.length > 0 && button("End all", () => this.set([]), { class: "primary", id: "faults-end" })]);
  }
}
