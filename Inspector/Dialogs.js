// Dialogs: keys, faults, confirmation of a reset. The browser traps the focus in an open dialog and returns it on closing.

import { messageOf, readText, sendRequest } from "./Collector.js";
import { $, button, make, notify, put } from "./Element.js";
import { saved } from "./Saved.js";
import { brief, count } from "./Words.js";

export function openDialog(title, content, actions = []) {
  const dialog = $("dialog");
  dialog.setAttribute("aria-labelledby", "dialog-title");
  put(dialog, make("form", { method: "dialog" },
    make("h2", { id: "dialog-title" }, title), content,
    make("div.dialog-actions", button("Close", closeDialog), actions)));
  if (!dialog.open) dialog.showModal();
}

export const closeDialog = () => $("dialog").close();

async function post(path, body) {
  const response = await sendRequest(path, { method: "POST", body, headers: body ? { "Content-Type": "application/json" } : {} });
  if (!response.ok) throw new Error(await messageOf(response));
  return response.json();
}

export function resetDialog(summary, captured, audit) {
  openDialog("Reset the store?", [
    make("p", `Deletes ${count(summary?.events ?? 0, "event")}${captured ? `, ${count(captured, "captured event")}` : ""}${audit ? `, ${count(audit, "audit event")}` : ""} and ${count(summary?.requests ?? 0, "request")} from the collector's store. This cannot be undone.`),
  ], [button("Delete all", async () => {
    try {
      await post("/api/reset");
      closeDialog();
      notify("The store is empty.");
    } catch (error) {
      notify(`The reset failed: ${error.message}`);
    }
  }, { class: "danger", id: "reset-confirm" })]);
}

const keys = [
  [["j", "k", "\u2193", "\u2191"], "next or previous row"], [["g", "G"], "first or last row"], [["/"], "search"], [["p"], "pause or resume"],
  [["b"], "bad events only, or all"], [["c"], "compare the selected event with another"], [["s"], "timeline of the event's session"], [["y"], "copy the open event as\u2026"],
  [["u"], "person of the event; without one, the view of persons"], [["e"], "explore: how often; again: where users drop out"],
  [["1", "2", "3", "4", "5", "6", "7", "8"], "Events, Sessions, Screens, Requests, Captured, Audit, Plan, Questions"], [["x"], "save"], [["f"], "faults"], [["t"], "theme"],
  [["Esc"], "close the panel, then clear the filter"], [["?"], "this list"],
];

/** Keys of what only a collector has. */
export const collectorKeys = ["p", "f"];

export const helpDialog = () => openDialog("Keys", make("dl.keys", keys.filter(([[name]]) => !saved || !collectorKeys.includes(name)).map(([names, effect]) => [make("dt", names.map((name) => make("kbd", name))), make("dd", effect)])));

const presets = [
  ["503, 30 %", { status: 503, rate: 0.3 }], ["503, all", { status: 503 }], ["429, Retry-After 5 s", { status: 429, retry_after: 5 }],
  ["403, all", { status: 403 }], ["connection reset", { reset: "after" }], ["stored, no response", { kind: "no-reply" }],
  ["truncated response", { truncate: true }], ["duplicate delivery", { kind: "twice" }], ["500 ms latency", { latency: 500 }],
];

const faultNames = {
  "no-reply": "stored, no response", slow: "slow response", truncate: "truncated response", twice: "duplicate delivery",
  "reset-before": "connection reset before the body", "reset-during": "connection reset within the body", "reset-after": "connection reset after the body",
};

/** A fault in words. */
function faultText(fault) {
  const effect = fault.status ? `status ${fault.status}${fault.retry_after ? `, Retry-After ${fault.retry_after}` : ""}` : fault.latency ? `${fault.latency} ms latency` : faultNames[fault.kind] ?? fault.kind;
  return `${effect}${fault.rate < 1 ? `, ${Math.round(fault.rate * 100)} % of requests` : ""}${fault.times ? `, ${count(fault.times, "time")}` : ""}`;
}

export class Faults {
  /** @param changed called with the list of active faults */
  constructor(changed) {
    this.active = [];
    this.changed = changed;
  }

  async read() {
    this.take(JSON.parse(await readText("/api/faults")).faults);
  }

  take(active) {
    this.active = active;
    this.changed(active);
  }

  /** The active faults without their counters, as the collector accepts them. */
  get definitions() {
    return this.active.map(({ struck, ...fault }) => fault);
  }

  async set(faults) {
    try {
      this.take((await post("/api/faults", JSON.stringify(faults))).faults);
      this.draw();
    } catch (error) {
      notify(`The faults were not changed: ${error.message}`);
    }
  }

  async open() {
    // Stale counters are better than no dialog.
    await this.read().catch((error) => notify(`The faults could not be read: ${error.message}`));
    this.draw();
  }

  draw() {
    const status = make("input", { type: "number", min: 200, max: 599, value: 503, "aria-label": "Status" });
    const rate = make("input", { type: "number", min: 1, max: 100, value: 100, "aria-label": "Percent of requests" });
    const times = make("input", { type: "number", min: 1, placeholder: "no limit", "aria-label": "Number of times" });
    openDialog("Faults", [
      make("p.muted", "Faults are injected into deliveries, to test how an app retries. They affect only requests that would have been accepted."),
      this.active.length
        ? make("ul.faults", this.active.map((fault, index) => make("li", make("span", brief(faultText(fault), 200)), make("span.muted", `applied ${count(fault.struck, "time")}`),
          button("Remove", () => this.set(this.definitions.toSpliced(index, 1)), { "aria-label": `Remove ${faultText(fault)}` }))))
        : make("p", { id: "no-faults" }, "No fault is active."),
      make("h3", "Add"),
      make("div.presets", presets.map(([label, fault]) => button(label, () => this.set([...this.definitions, fault])))),
      make("div.custom-fault", make("label", "status ", status), make("label", "percent ", rate), make("label", "times ", times),
        button("Add", () => this.set([...this.definitions, { status: Number(status.value), rate: Number(rate.value) / 100, ...(times.value && { times: Number(times.value) }) }]))),
    ], this.active.length > 0 && [button("Remove all", () => this.set([]), { class: "primary", id: "faults-end" })]);
    $("dialog").querySelector(".dialog-actions button").focus();
  }
}
